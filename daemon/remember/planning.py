"""Survey and plan a chat, and take over what its opening says that the archive does not know."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.forks import inherit_layers
from daemon.archive.layers import core_events, fact_events, keep_core_events, keep_fact_events, next_fact
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
)
from daemon.chat.reading import read_chat
from daemon.chat.survey import Survey, canned, told_before
from daemon.config import Config
from daemon.config.texts import core_layout, load_texts
from daemon.models.prices import expected, step_of
from daemon.models.roles import FindKey, Roles, chat_model, choose_roles, offered
from daemon.models.tokens import count, count_once, digest_of
from daemon.remember.ladder import worth_asking
from primer.layers import tools_of
from primer.models import token_factor
from primer.prompt import Texts, question, restore
from primer.reply import ENGINE
from rules.conversation.marker import text_digest
from rules.conversation.memory import EXTRACTED, WRITTEN, is_enough_for_a_model, questions_of_memories
from rules.conversation.short_quotes import too_many
from rules.conversation.title import write_title
from rules.errors import ChatSetAside
from rules.layers.core import CoreEvent, Layout, OverLimit, corrected
from rules.layers.facts import By, Fact, FactEvent, normal
from rules.layers.opening import FactLine, NotTakenOver, Opening, OpeningEdits, edits, one_line
from rules.plan.chat_plan import ChatPlan, Overhead, plan_chat
from rules.plan.folds import as_shown, section
from rules.plan.work import Limit, TooLarge, hindsight_round, nearest_limit, too_large
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat, Sizes, beyond_window, warnings
from rules.typingmind.message import Message

_BY_USER = "edited in TypingMind"
_TAKEN_OVER = "taken over from an export"
_NOTHING = Opening("", {}, (), headed=False)


@dataclass(frozen=True, slots=True)
class OpeningTakenOver:
    """Whether the opening said anything that the archive did not know, and a notice for the person."""

    is_news: bool = False
    notice: str = ""


def take_over(archive: Archive, chat: ShownChat, now: str) -> OpeningTakenOver:
    """Keep what the person has edited in the opening, once.

    A fork inherits from the chat that it was forked from. Where the archive knows nothing, as when it was lost, all of
    the opening is taken over. Raises ChatSetAside where a section is over its limit.
    """
    place, chat_id = opening_place(chat), chat.chat_id
    if place is None or place.ours is None:
        return OpeningTakenOver()
    shown, written = text_digest(place.message.text), place.ours.text
    with archive.transaction():
        is_known = _is_known(archive, chat_id) or inherit_layers(archive, chat_id, shown, written)
        kept = openings(archive, chat_id)
        if shown in {text_digest(opening.text) for opening in kept} or (is_known and shown == written):
            return OpeningTakenOver()
        theirs = read(chat, place.message.text)
        base = edited_from(kept, written)
        if base is None and not theirs.headed:
            return OpeningTakenOver()
        before = read(chat, base.text if base else opening_text(archive, chat)) if is_known else _NOTHING
        changes = edits(before, theirs)
        if isinstance(changes, OpeningEdits):
            _keep(archive, chat, changes, now, by_user=shown != written)
        keep_opening(archive, chat_id, KeptOpening(place.message.text, theirs.preface, "person", written), now)
    return OpeningTakenOver(is_known, _notice(chat, changes) if isinstance(changes, NotTakenOver) else "")


def _is_known(archive: Archive, chat_id: str) -> bool:
    """Whether anything is known of the chat's core memory and facts."""
    facts = fact_events(archive, chat_id, forgotten=True)
    return any((openings(archive, chat_id), core_events(archive, chat_id), facts))


def _notice(chat: ShownChat, refused: NotTakenOver) -> str:
    return (
        f'"{chat.title}": {refused.reason}, so nothing of it was taken over. To do without them: '
        "core.enabled = false and facts.enabled = false in memproc.toml."
    )


def _keep(archive: Archive, chat: ShownChat, changes: OpeningEdits, now: str, *, by_user: bool) -> None:
    chat_id = chat.chat_id
    if chat.core.enabled:
        keep_core_events(archive, chat_id, _section_events(archive, chat, changes, by_user=by_user), now)
    if chat.facts.enabled:
        keep_fact_events(archive, chat_id, _fact_events(archive, chat_id, changes, by_user=by_user), now)


def _section_events(archive: Archive, chat: ShownChat, changes: OpeningEdits, *, by_user: bool) -> list[CoreEvent]:
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
            raise ChatSetAside(
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


def _fact_events(archive: Archive, chat_id: str, changes: OpeningEdits, *, by_user: bool) -> list[FactEvent]:
    facts = facts_now(archive, chat_id)
    by_line = {_as_read(fact): fact for fact in facts}
    # An older export may be edited, whose fact a model has changed since: it is that fact all the same.
    ever = {_as_read(event): event for event in fact_events(archive, chat_id) if event.text}
    changed = [_rewording(ever[old], old, new) for old, new in changes.changed if old in ever]
    removed = [by_line[line].number for line in changes.removed if line in by_line]
    # The archive of a fork that was cut off, or the person, has forgotten what some said before: these are new.
    added = [*changes.added, *(new for old, new in changes.changed if old not in ever)]
    return [
        *changed,
        *(FactEvent(number, "FORGET", "", "", "", "person", why=_BY_USER) for number in removed),
        *_additions({normal(fact.text) for fact in facts}, next_fact(archive, chat_id), added, by_user=by_user),
    ]


def _rewording(event: FactEvent, old: FactLine, new: FactLine) -> FactEvent:
    """The fact in the person's words; its moment stays where they have left its day."""
    said_at = event.said_at if new.day == old.day else new.day
    return FactEvent(event.fact, "UPDATE", restore(new.text), said_at, "", "person", why=_BY_USER)


def _additions(known: set[str], number: int, lines: Sequence[FactLine], *, by_user: bool) -> Iterator[FactEvent]:
    """The lines that say something new, from this number on; `known` are the texts of all live facts."""
    by: By = "person" if by_user else "model"
    for line in lines:
        text = restore(line.text)
        if normal(text) not in known:
            known = known | {normal(text)}
            yield FactEvent(number, "ADD", text, line.day, "", by, why=_BY_USER if by_user else _TAKEN_OVER)
            number += 1


def survey(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> Survey:
    """Read, recognise and plan one chat; `config` is the one that counts for this chat.

    Raises ChatSetAside where it cannot be processed as it is, ConfigurationError where its texts cannot be used.
    """
    words = canned(load_texts(config.texts.path))
    reading = read_chat(archive, chat, words, config.memory.editions, now)
    found = survey_read(archive, chat, reading, config, key, date.fromisoformat(now[:10]))
    if found.plan.chunks and not is_known(archive, chat.chat_id):
        refuse_lost_name(archive.run, chat.chat_id)
    return found


def survey_read(
    archive: Archive, chat: Chat, reading: ChatReading, config: Config, key: FindKey, today: date
) -> Survey:
    """Plan a chat that has been read; what it raises is the same."""
    texts = load_texts(config.texts.path)
    entries = reading.entries
    words = canned(texts)
    layout = core_layout(config.core)
    messages = [entry.message for entry in entries]
    roles = _roles(chat, messages, config, layout, key, today)
    each_begins = (chat.system_message, texts.primer, json.dumps(roles.agent.tools) if roles.agent.tools else "")
    shown = ShownChat(chat.chat_id, chat.title, reading.places, texts, config.core, layout, config.facts)
    opens = words.opening if reading.memories else opening_text(archive, shown)
    # What is the same each time is counted once too: the tokenizer's tables take half a second to load.
    dialogues = _questions(texts)
    same = {digest_of(text): text for text in (*each_begins, words.opening, words.closing, opens, *chain(*dialogues))}
    said = messages + [entry.newest for entry in entries if entry.newest]
    counts = count_once(archive, same | {message.digest: message.text for message in said})
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
    told = warnings(chat, [place.message for place in reading.places])
    plan = plan_chat(chat.chat_id, chat.title, reading, tokens, config.limits, told, overhead)
    asked = config.memory.hindsight if roles.agent != ENGINE else 0
    last = round_of(archive, chat.chat_id, reading.adopted)
    found = Survey(
        chat, reading, counts, texts, roles, plan, last, config.limits.fold, config.memory, config.facts, config.core,
        layout, None, None,
    )  # fmt: skip
    again = _again(archive, found)
    begun = hindsight_round(last, reading.chunk_memories, len(plan.chunks), asked, again)
    plan = plan.with_more(again, begun.numbers)
    layers = layers_planned(archive, plan, roles, layout, config, texts, reading.adopted.memories)
    plan = replace(
        plan,
        layers=layers,
        warnings=(*plan.warnings, *_beyond_window(found, config)),
        over_budget="; ".join(filter(None, (plan.over_budget, _too_many_quotes(found)))),
    )
    agent = expected(archive, roles.agent.name)
    limit = nearest_limit(roles.window, step_of(roles.agent, config.budget), sure=agent.is_sure)
    return replace(found, plan=plan, round=begun, limit=limit, too_large=_too_large(plan, agent.factor, limit))


def _roles(chat: Chat, messages: Sequence[Message], config: Config, layout: Layout, key: FindKey, today: date) -> Roles:
    """Who is asked, and with which tools."""
    embedding = config.facts.embedding if config.facts.enabled else ""
    roles = choose_roles(chat, messages, config.models, key, today, embedding)
    looked_after = config.core.enabled and layout.sections
    return offered(roles, tools_of(layout), config.core.form) if looked_after else roles


_TITLE = write_title(1000, 1000, ["2026-12-28", "2027-01-13"])


def _questions(texts: Texts) -> list[list[str]]:
    """The questions that stand in a memory, in one with hindsight, and in a fold, behind a title of usual length."""
    dialogues = (
        (f"{_TITLE} {texts.quote}", texts.perspective, texts.refinement),
        (f"{_TITLE} {texts.quote}", texts.perspective_hindsight, texts.refinement),
        (f"{_TITLE} {texts.fold_quotes}", texts.fold_perspective, texts.refinement),
    )
    return [[question(text).content for text in dialogue] for dialogue in dialogues]


def _again(archive: Archive, found: Survey) -> frozenset[int]:
    """Numbers of the memories to be written again; never of one that is pinned or forgotten.

    Those that the built-in engine made, where a model can be asked for them now; and those whose raw messages
    have changed, unless a model wrote them and only the engine is there. When one is written again, a model can be
    asked for all of the engine's behind it: their requests begin with it.
    """
    reading = found.reading
    by_number = {memory.number: memory for memory in reading.chunk_memories}
    free = [
        (chunk, by_number[chunk.number])
        for chunk in found.plan.made
        if not (by_number[chunk.number].pinned or by_number[chunk.number].forgotten)
        and not all(entry.gone for entry in reading.entries[chunk.start : chunk.stop])
    ]
    engine_alone = found.roles.agent == ENGINE
    due = {memory.number for _, memory in free if memory.due and not (engine_alone and memory.told.made == WRITTEN)}
    passages = [found.passage(chunk, told_before(found, reading.memories, chunk.memories_before)) for chunk, _ in free]
    extracted = worth_asking(
        archive, passages, [memory for _, memory in free], found.roles, found.texts, found.plan.questions_tokens
    )
    again = due | set(extracted)
    behind = {
        memory.number
        for chunk, memory in free
        if again
        and memory.number > min(again)
        and memory.told.made == EXTRACTED
        and not engine_alone
        and is_enough_for_a_model(chunk.tokens, found.plan.questions_tokens)
    }
    return frozenset(again | behind)


def _too_large(plan: ChatPlan, factor: float, limit: Limit | None) -> TooLarge | None:
    each = (too_large(chunk, plan.fixed_tokens, factor, limit) for chunk in plan.work)
    return next((found for found in each if found is not None), None)


def _too_many_quotes(found: Survey) -> str:
    """That the quotes of the memories that there are take more than `fold.quotes`; empty where they do not."""
    memories = found.reading.memories
    by_id = {memory.memory_id: memory for memory in memories}
    view = section(found.plan.chat_id, memories, len(found.reading.chunk_memories), found.bounds, as_shown)
    shown = [by_id[item.name] for item in view.standing]
    return too_many(shown, found.bounds.quotes, count)


def _beyond_window(found: Survey, config: Config) -> list[str]:
    """That the finished chat is larger than the window of the model that the person talks with, if it is."""
    plan = found.plan
    name, window = chat_model(found.chat, [entry.message for entry in found.reading.entries], config.models)
    if window is None or not plan.section_tokens:
        return []
    words = canned(found.texts)
    canned_tokens = sum(found.counts.all[digest_of(text)] for text in (words.opening, words.closing))
    sizes = Sizes(
        system_message=found.counts.all[digest_of(found.chat.system_message)],
        memories=plan.section_tokens + canned_tokens,
        live=plan.waiting_tokens + plan.live_tokens,
    )
    return [warning] if (warning := beyond_window(sizes, token_factor(name), window)) else []
