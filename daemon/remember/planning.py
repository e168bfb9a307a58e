"""Survey and plan a chat, and take over what its opening says that the archive does not know."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.layers import (
    core_events,
    fact_events,
    keep_core_events,
    keep_fact_events,
    next_fact,
)
from daemon.archive.memories import round_of
from daemon.archive.outputs import KeptOpening, edited_from, keep_opening, openings
from daemon.archive.seals import refuse_lost_name
from daemon.chat.opening import (
    ShownChat,
    as_line,
    as_value,
    core_now,
    facts_now,
    layers_planned,
    opening_place,
    opening_text,
    read,
    shown_chat,
)
from daemon.chat.reading import read_chat
from daemon.chat.survey import Survey, canned, noting, told_before
from daemon.config.keys import FindKey
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.models.prices import expected, step_of
from daemon.models.roles import chat_model, choose_roles, offered
from daemon.models.scheduler import rehearse
from daemon.models.splitting import splitter
from daemon.models.tokens import count, count_once, digest_of
from daemon.remember.dialogue import Worksheet
from daemon.remember.ladder import make_memory
from primer.layers import tools_of
from primer.models import ENGINE, token_factor
from primer.prompt import Texts, question, restore
from rules.conversation.marker import text_digest
from rules.conversation.memory import (
    EXTRACTED,
    WRITTEN,
    is_enough_for_a_model,
    questions_of_memories,
    write_title,
)
from rules.conversation.short_quotes import too_many
from rules.errors import ChatSkipped
from rules.layers.core import CoreEvent, OverLimit, corrected
from rules.layers.facts import By, Fact, FactEvent, normal
from rules.layers.opening import FactLine, Opening, OpeningEdits, edits, one_line
from rules.plan.chat_plan import Overhead, plan_chat
from rules.plan.folds import as_shown, section
from rules.plan.work import PlannedChunk, hindsight_round, nearest_limit, too_large
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import beyond_window, warnings

_BY_USER = "edited in TypingMind"
_TAKEN_OVER = "taken over from an export"
_NOTHING = Opening("", {}, (), headed=False)


def take_over(archive: Archive, chat: ShownChat, now: str) -> tuple[bool, str]:
    """Keep what the person has edited in the opening, once.

    Whether it said anything that the archive did not know, and a notice for the person, most often empty. A fork
    inherits from the chat that it was forked from. Where the archive knows nothing, as when it was lost, all of the
    opening is taken over. Raises ChatSkipped where a section is over its limit.
    """
    place, chat_id = opening_place(chat), chat.chat_id
    if place is None or place.ours is None:
        return False, ""
    from daemon.archive.forks import inherit_layers  # late: a new chat has no opening yet

    shown, written = text_digest(place.message.text), place.ours.text
    with archive.transaction():
        facts = fact_events(archive, chat_id, forgotten=True)
        is_known = any((openings(archive, chat_id), core_events(archive, chat_id), facts))
        is_known = is_known or inherit_layers(archive, chat_id, shown, written)
        kept = openings(archive, chat_id)
        if shown in {text_digest(opening.text) for opening in kept} or (
            is_known and shown == written
        ):
            return False, ""
        theirs = read(chat, place.message.text)
        base = edited_from(kept, written)
        if base is None and not theirs.headed:
            return False, ""
        before = (
            read(chat, base.text if base else opening_text(archive, chat)) if is_known else _NOTHING
        )
        changes = edits(before, theirs)
        by_user, notice = shown != written, ""
        if changes is None:
            notice = (
                f'"{chat.title}": the opening shows none of the headings of its sections and facts any more, so '
                "nothing of it was taken over. To do without them: core.enabled = false and facts.enabled = false in "
                "memproc.toml."
            )
        elif chat.config.core.enabled:
            keep_core_events(
                archive, chat_id, _section_events(archive, chat, changes, by_user=by_user), now
            )
        if changes is not None and chat.config.facts.enabled:
            keep_fact_events(
                archive,
                chat_id,
                list(_fact_events(archive, chat_id, changes, by_user=by_user)),
                now,
            )
        keep_opening(
            archive,
            chat_id,
            KeptOpening(place.message.text, theirs.preface, "person", written),
            now,
        )
    return is_known, notice


def _section_events(
    archive: Archive, chat: ShownChat, changes: OpeningEdits, *, by_user: bool
) -> list[CoreEvent]:
    memory = core_now(archive, chat.chat_id, chat.layout)
    events = []
    for name, text in changes.sections.items():
        section = memory.find(name)
        if section is None:
            continue
        value = as_value(section, restore(text))
        try:
            section.with_value(value)
        except OverLimit as fault:
            raise ChatSkipped(
                f'"{chat.title}": {fault} It stands so in the opening message of the export.',
                f"Shorten it in TypingMind and export again, or raise core.sections.{name}.limit in memproc.toml.",
            ) from fault
        taken_over = CoreEvent(name, value, held=False, by="agent", function=_TAKEN_OVER)
        events.append(corrected(section, value, _BY_USER) if by_user else taken_over)
    return events


def _as_read(fact: Fact | FactEvent) -> FactLine:
    """The fact as it is read from an opening."""
    line = as_line(fact)
    return FactLine(line.day, one_line(line.text))


def _fact_events(
    archive: Archive, chat_id: str, changes: OpeningEdits, *, by_user: bool
) -> Iterator[FactEvent]:
    """The events of facts: reworded ones, removed ones, and those that are new, with numbers of their own.

    An older export may be edited, whose fact a model has changed since: it is that fact all the same. A reworded fact
    keeps its moment where the person has left its day.
    """
    facts = facts_now(archive, chat_id)
    by_line = {_as_read(fact): fact for fact in facts}
    ever = {_as_read(event): event for event in fact_events(archive, chat_id) if event.text}
    # The archive of a fork that was cut off, or the person, has forgotten what some said before: these are new.
    added = [*changes.added, *(new for old, new in changes.changed if old not in ever)]
    for old, new in changes.changed:
        if event := ever.get(old):
            said_at = event.said_at if new.day == old.day else new.day
            yield FactEvent(
                event.fact, "UPDATE", restore(new.text), said_at, "", "person", why=_BY_USER
            )
    for line in changes.removed:
        if line in by_line:
            yield FactEvent(by_line[line].number, "FORGET", "", "", "", "person", why=_BY_USER)
    known, number = {normal(fact.text) for fact in facts}, next_fact(archive, chat_id)
    by: By = "person" if by_user else "model"
    for line in added:
        text = restore(line.text)
        if normal(text) not in known:
            known.add(normal(text))
            yield FactEvent(
                number, "ADD", text, line.day, "", by, why=_BY_USER if by_user else _TAKEN_OVER
            )
            number += 1


def survey(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> Survey:
    """Read, recognise and plan one chat; `config` is the one that counts for this chat.

    Raises ChatSkipped where it cannot be processed as it is, ConfigurationError where its texts cannot be used.
    """
    words = canned(load_texts(config.texts.path))
    reading = read_chat(archive, chat, words, config.memory.editions, now)
    surveyed = survey_read(archive, chat, reading, config, key, now)
    if surveyed.plan.chunks and not is_known(archive, chat.chat_id):
        refuse_lost_name(archive.run, chat.chat_id)
    return surveyed


def survey_read(
    archive: Archive, chat: Chat, reading: ChatReading, config: Config, key: FindKey, now: str
) -> Survey:
    """Plan a chat that has been read; what it raises is the same."""
    entries, shown = reading.entries, shown_chat(chat, reading.places, config)
    texts, layout, words = shown.texts, shown.layout, canned(shown.texts)
    messages = [entry.message for entry in entries]
    embedding = config.facts.embedding if config.facts.enabled else ""
    keys: dict[str, str] = {}
    roles = choose_roles(
        chat, messages, config, noting(key, keys), date.fromisoformat(now[:10]), embedding
    )
    if config.core.enabled and layout.sections:
        roles = offered(roles, tools_of(layout), config.core.form)
    each_begins = (
        chat.system_message,
        texts.primer,
        json.dumps(roles.agent.tools) if roles.agent.tools else "",
    )
    opens = words.opening if reading.memories else opening_text(archive, shown)
    # What is the same each time is counted once too: the tokenizer's tables take half a second to load.
    dialogues = _questions(texts)
    same = {
        digest_of(text): text
        for text in (*each_begins, words.opening, words.closing, opens, *chain(*dialogues))
    }
    all_versions = messages + [entry.newest for entry in entries if entry.newest]
    counts = count_once(archive, same | {message.digest: message.text for message in all_versions})
    tokens = [counts.all[message.digest] for message in messages]
    longest = max(sum(counts.all[digest_of(text)] for text in dialogue) for dialogue in dialogues)
    overhead = Overhead(
        fixed=sum(counts.all[digest_of(text)] for text in each_begins),
        canned=counts.all[digest_of(opens)] + counts.all[digest_of(words.closing)],
        has_layers=(config.core.enabled and roles.agent != ENGINE)
        or (config.facts.enabled and roles.context_manager != ENGINE),
        by_model=roles.agent != ENGINE,
        questions=questions_of_memories(longest),
    )
    of_the_chat = warnings(chat, [place.message for place in reading.places])
    limits = replace(config.limits, split=splitter(config.chunk.bounds))
    plan = plan_chat(chat.chat_id, chat.title, reading, tokens, limits, of_the_chat, overhead)
    turns = config.memory.hindsight if roles.agent != ENGINE else 0
    last = round_of(archive, chat.chat_id, reading.adopted)
    surveyed = Survey(chat, config, reading, counts, shown, roles, plan, last, keys, None, None)
    again = _again(archive, surveyed)
    begun = hindsight_round(last, reading.chunk_memories, len(plan.chunks), turns, again)
    plan = plan.with_more(again, begun.numbers)
    layers = layers_planned(archive, plan, roles, layout, config, texts, reading.adopted.memories)
    over_budget = "; ".join(filter(None, (plan.over_budget, _too_many_quotes(surveyed))))
    beyond = _beyond_window(surveyed)
    plan = replace(plan, layers=layers, warnings=(*plan.warnings, *beyond), over_budget=over_budget)
    agent = expected(archive, roles.agent.name, now)
    limit = nearest_limit(roles.window, step_of(roles.agent, config.budget), sure=agent.is_sure)
    sizes = (too_large(chunk, plan.fixed_tokens, agent.factor, limit) for chunk in plan.work)
    return replace(
        surveyed, plan=plan, round=begun, limit=limit, too_large=next(filter(None, sizes), None)
    )


_TITLE = write_title(1000, 1000, ["2026-12-28", "2027-01-13"])


def _questions(texts: Texts) -> list[list[str]]:
    """The questions that stand in a memory, in one with hindsight, and in a fold, behind a title of usual length."""
    dialogues = (
        (f"{_TITLE} {texts.quote}", texts.perspective, texts.refinement),
        (f"{_TITLE} {texts.quote}", texts.perspective_hindsight, texts.refinement),
        (f"{_TITLE} {texts.fold_quotes}", texts.fold_perspective, texts.refinement),
    )
    return [[question(text).content for text in dialogue] for dialogue in dialogues]


def _again(archive: Archive, surveyed: Survey) -> frozenset[int]:
    """Numbers of the memories to be written again; never of one that is pinned or forgotten.

    Those that the built-in engine made, where a model can be asked for them now; and those whose raw messages
    have changed, unless a model wrote them and only the engine is there. When one is written again, a model can be
    asked for all of the engine's behind it: their requests begin with it.
    """
    reading = surveyed.reading
    by_number = {memory.number: memory for memory in reading.chunk_memories}
    free = [
        (chunk, by_number[chunk.number])
        for chunk in surveyed.plan.made
        if not (by_number[chunk.number].pinned or by_number[chunk.number].forgotten)
        and not all(entry.gone for entry in reading.entries[chunk.start : chunk.stop])
    ]
    engine_alone = surveyed.roles.agent == ENGINE
    due = {
        memory.number
        for _, memory in free
        if memory.due and not (engine_alone and memory.in_prompts.made == WRITTEN)
    }
    extracted = [
        (chunk, memory)
        for chunk, memory in free
        if memory.in_prompts.made == EXTRACTED
        and not engine_alone
        and is_enough_for_a_model(chunk.tokens, surveyed.plan.questions_tokens)
    ]
    again = due | {
        memory.number for chunk, memory in extracted if _is_worth_asking(archive, surveyed, chunk)
    }
    behind = {memory.number for _, memory in extracted if again and memory.number > min(again)}
    return frozenset(again | behind)


def _is_worth_asking(archive: Archive, surveyed: Survey, chunk: PlannedChunk) -> bool:
    """Whether a model could write an extracted memory now, and its answers so far are not known to be of no use."""
    passage = surveyed.passage(
        chunk, told_before(surveyed, surveyed.reading.memories, chunk.memories_before)
    )
    sheet = Worksheet(surveyed.shown.texts, surveyed.plan.questions_tokens)
    rehearsed = rehearse(archive, make_memory(sheet, passage, surveyed.roles, count, lambda: ""))
    return rehearsed is None or rehearsed.in_prompts.made == WRITTEN


def _too_many_quotes(surveyed: Survey) -> str:
    """A sentence saying that the quotes of all memories take more than `fold.quotes`; empty where they do not."""
    memories = surveyed.reading.memories
    by_id = {memory.memory_id: memory for memory in memories}
    view = section(
        surveyed.plan.chat_id, memories, surveyed.plan.memories, surveyed.bounds, as_shown
    )
    return too_many([by_id[item.name] for item in view.standing], surveyed.bounds.quotes, count)


def _beyond_window(surveyed: Survey) -> list[str]:
    """A sentence saying that the finished chat is larger than the window of the person's model; none if it is not."""
    plan = surveyed.plan
    messages = [entry.message for entry in surveyed.reading.entries]
    name, window = chat_model(surveyed.chat, messages, surveyed.config.models)
    if window is None or not plan.section_tokens:
        return []
    words = canned(surveyed.shown.texts)
    canned_tokens = sum(
        surveyed.counts.all[digest_of(text)] for text in (words.opening, words.closing)
    )
    parts = (
        surveyed.counts.all[digest_of(surveyed.chat.system_message)],
        plan.section_tokens + canned_tokens,
        plan.waiting_tokens + plan.live_tokens,
    )
    system_message, memories, live = (round(tokens * token_factor(name)) for tokens in parts)
    return [warning] if (warning := beyond_window(system_message, memories, live, window)) else []
