"""The survey of a chat: what is new in it, who writes its memories, and the plan of the work on it.

    read      the export against the archive                        chat/reading
    choose    the models that write, and where their keys are       models/roles
    count     tokens of messages and texts                          models/tokens
    plan      the chunks that become memories                       rules/plan/chat_plan
    rework    the memories that are written again, and hindsight    chat/work_due
    layers    the work after them for core memory and facts         chat/work_due

Nothing is sent and nothing is written: `memproc plan` surveys a chat exactly as `memproc run` does.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain, compress

from daemon.archive.archive import Archive
from daemon.archive.chats import FoldLimits, is_known
from daemon.archive.journal import FormerAnswers, former_answers
from daemon.archive.memories import round_of
from daemon.archive.seals import refuse_lost_name
from daemon.chat.holding import bounds_of, keeps_to_folds, limits_before
from daemon.chat.kept import passages_after, read_pins
from daemon.chat.opening import ShownChat, canned, core_now, opening_text, shown_chat
from daemon.chat.passage import Passage, SubjectOf, as_they_are, subjects_in
from daemon.chat.reading import read_chat
from daemon.chat.rest import noting
from daemon.chat.work_due import as_planned, due_memories, layers_due, to_write_again
from daemon.config.keys import FindKey
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.models.prices import expected, step_of
from daemon.models.roles import Roles, chat_model, choose_roles, with_tools
from daemon.models.splitting import splitter
from daemon.models.tokens import Counts, count, count_once, digest_of
from primer.core_questions import tools_of
from primer.models import ENGINE, token_factor
from primer.prompt import question
from primer.wording import Texts
from rules.conversation.kept_wishes import too_many_wishes, wishes_within
from rules.conversation.memory import Memory
from rules.conversation.memory_size import questions_of_memories
from rules.conversation.memory_title import counted_on, write_title
from rules.conversation.short_quotes import too_many
from rules.layers.core import CoreMemory
from rules.layers.kept_passages import KeptPassage, ShownPins, describe_kept
from rules.plan.chat_plan import ChatPlan, Overhead, plan_chat
from rules.plan.fold_budget import Bounds, what_growing_takes
from rules.plan.folds import as_shown, as_told, section
from rules.plan.limits import Limit, TooLarge, nearest_limit, sizes_within, too_large
from rules.plan.work import PlannedChunk, Round, hindsight_round
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import beyond_window, warnings

_TITLE = write_title(1000, 1000, ["2026-12-28", "2027-01-13"])
"""A title of usual length."""

CanWrite = Callable[["Survey", PlannedChunk], bool]
"""Tells whether a model could write an extracted memory now, by the journal of its answers."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it is before the work on it, who does that work, and its plan."""

    chat: Chat
    config: Config
    """The settings that count for this chat."""
    reading: ChatReading
    counts: Counts
    """Tokens of the history's messages and of the texts that never change, by content digest."""
    shown: ShownChat
    """Its texts and settings, and the export as core memory and facts see it."""
    roles: Roles
    plan: ChatPlan
    round: Round
    keys: Mapping[str, str]
    """The outcome of the search for each provider's key."""
    limit: Limit | None
    """The limit of the agent's requests; None where it has none."""
    factor: float
    """Tokens of the agent's tokenizer for one of ours, as its replies have shown."""
    former: FormerAnswers
    """The answers that older versions of memproc were given."""
    subject_of: SubjectOf
    """Tells the subject in a memory's name."""
    core: CoreMemory
    """The core memory as it is now; empty where it is off."""
    fold_limits: FoldLimits
    """What its memory section keeps to."""
    bounds: Bounds
    """The bounds of its memory section."""
    pins: ShownPins
    """The export's pins."""
    passages: tuple[KeptPassage, ...]
    """What the person keeps word for word, with what this export has marked."""

    @property
    def too_large(self) -> TooLarge | None:
        """Return the first planned chunk that does not fit into the limit, or None."""
        fixed = self.plan.fixed_tokens
        found = (too_large(chunk, fixed, self.factor, self.limit) for chunk in self.plan.work)
        first = next(filter(None, found), None)
        if first is None or self.limit is None:
            return first
        sizes = sizes_within(self.limit.most, fixed, self.factor)
        if sizes is None:
            return first
        fit = f"{sizes} fit into {self.limit.tokens:,}"
        command = f"memproc config fit {self.roles.agent.name}"
        next_step = f"{first.next_step} {fit}: {command}"
        return replace(first, next_step=next_step)

    def passage(
        self, chunk: PlannedChunk, memories_before: Sequence[Memory], breaks: Sequence[int] = ()
    ) -> Passage:
        """Return the passage that a chunk's memory is written from.

        `memories_before` come before its tail; `breaks` index the entries before which a provider's
        cache may break off. What the person has forgotten is left out, raw messages too; what they
        have edited or deleted since the memory was made is as it is now.
        """
        forgotten = {memory.number for memory in self.reading.chunk_memories if memory.forgotten}
        entries = self.reading.entries
        tail = entries[chunk.tail_start : chunk.start]
        is_shown = [entry.memory not in forgotten for entry in tail]
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=memories_before,
            tail=as_they_are(list(compress(tail, is_shown))),
            chunk=as_they_are(entries[chunk.start : chunk.stop]),
            tokens=chunk.tokens,
            breaks=[sum(is_shown[: end - chunk.tail_start]) for end in breaks],
            ahead=counted_on(self.reading.memories),
            core=self.core,
            subject=self.subject_of(chunk.number),
            dates=[entry.message.created_at for entry in entries[chunk.start : chunk.stop]],
        )


def survey(
    archive: Archive, chat: Chat, config: Config, key: FindKey, now: str, can_write: CanWrite
) -> Survey:
    """Read, recognise and plan one chat; `config` is the one that counts for this chat.

    Raises ChatSkipped where it cannot be processed as it is, ConfigurationError where its texts
    cannot be used.
    """
    words = canned(load_texts(config.texts.path))
    reading = read_chat(archive, chat, words, config.memory.editions, now)
    surveyed = survey_read(archive, chat, reading, config, key, now, can_write)
    if surveyed.plan.chunks and not is_known(archive, chat.chat_id):
        refuse_lost_name(archive.run, chat.chat_id)
    return surveyed


def survey_read(
    archive: Archive,
    chat: Chat,
    reading: ChatReading,
    config: Config,
    key: FindKey,
    now: str,
    can_write: CanWrite,
) -> Survey:
    """Plan a chat that has been read. Raises as `survey` does."""
    new = _plan_new_chunks(archive, chat, reading, config, key, now)
    engine_alone = new.roles.agent == ENGINE
    due = due_memories(reading, engine_alone=engine_alone)
    again = to_write_again(
        reading, new.plan, due, partial(can_write, new), engine_alone=engine_alone
    )
    turns = 0 if engine_alone else config.memory.hindsight
    begun = hindsight_round(new.round, reading.chunk_memories, len(new.plan.chunks), turns, again)
    plan = new.plan.with_more(again, begun.numbers)
    layers = layers_due(archive, plan, new.roles, new.shown, reading.adopted.memories)
    over_budget = "; ".join(filter(None, (plan.over_budget, _too_many(new))))
    beyond = (*plan.warnings, *_beyond_window(new), *_could_grow(new))
    is_kept = plan.chunks or reading.memories  # a shorter chat is not archived yet
    kept = describe_kept(new.passages, config.keep.budget) if is_kept else ()
    plan = replace(plan, layers=layers, warnings=beyond, over_budget=over_budget, kept=kept)
    return replace(new, round=begun, plan=plan)


def _plan_new_chunks(
    archive: Archive, chat: Chat, reading: ChatReading, config: Config, key: FindKey, now: str
) -> Survey:
    """Choose models, count, and plan the chunks that become memories, as yet without rework."""
    shown = shown_chat(chat, reading.places, config)
    keys: dict[str, str] = {}
    roles = _choose_models(chat, reading, shown, noting(key, keys), now)
    counts, overhead = _count(archive, chat, reading, shown, roles)
    agent = expected(archive, roles.agent.name, now)
    limit = nearest_limit(roles.window, step_of(roles.agent, config.budget), sure=agent.is_sure)
    before = limits_before(archive, chat.chat_id, reading.adopted)
    kept = replace(before, window=_window(limit, roles.agent.name))
    bounds = bounds_of(config, kept)
    due = due_memories(reading, engine_alone=roles.agent == ENGINE)
    plan = plan_chat(
        chat.chat_id,
        chat.title,
        reading,
        [counts.all[message.digest] for message in as_planned(reading.entries, due)],
        replace(config.limits, split=splitter(config.chunk.bounds), fold=bounds),
        warnings(chat, [place.message for place in reading.places]),
        overhead,
    )
    pins = read_pins(archive, chat, reading)
    return Survey(
        chat=chat,
        config=config,
        reading=reading,
        counts=counts,
        shown=shown,
        roles=roles,
        plan=plan,
        round=round_of(archive, chat.chat_id, reading.adopted),
        keys=keys,
        limit=limit,
        factor=agent.factor,
        former=former_answers(archive),
        subject_of=subjects_in(reading, plan),
        core=_core_memory(archive, chat, shown),
        fold_limits=kept,
        bounds=bounds,
        pins=pins,
        passages=passages_after(archive, chat.chat_id, reading, pins, config.keep.budget, now),
    )


def _window(limit: Limit | None, agent: str) -> int:
    """Return the agent's window in tokens as we count them; 0 where it is unknown."""
    factor = token_factor(agent)
    return int(limit.tokens / factor) if limit and factor else 0


def _core_memory(archive: Archive, chat: Chat, shown: ShownChat) -> CoreMemory:
    """Return the chat's core memory. Raises ChatSkipped as `core_now` does."""
    if not shown.config.core.enabled:
        return CoreMemory(())
    return core_now(archive, chat.chat_id, shown.layout)


def _choose_models(
    chat: Chat, reading: ChatReading, shown: ShownChat, key: FindKey, now: str
) -> Roles:
    """Choose the models for the chat; the agent is offered core memory's tools where that is on."""
    config, messages = shown.config, [entry.message for entry in reading.entries]
    embedding = config.facts.embedding if config.facts.enabled else ""
    today = date.fromisoformat(now[:10])
    roles = choose_roles(chat, messages, config, key, today, embedding)
    if config.core.enabled and shown.layout.sections:
        return with_tools(roles, tools_of(shown.layout), config.core.form)
    return roles


def _count(
    archive: Archive, chat: Chat, reading: ChatReading, shown: ShownChat, roles: Roles
) -> tuple[Counts, Overhead]:
    """Count all messages and texts of the chat in one go, and what comes on top of its messages.

    What is the same each time is counted once too: the tokenizer's tables take half a second to
    load.
    """
    words, tools = canned(shown.texts), roles.agent.tools
    begins = (chat.system_message, shown.texts.primer, json.dumps(tools) if tools else "")
    opening = words.opening if reading.memories else opening_text(archive, shown)
    dialogues = _dialogues(shown.texts)
    fixed = (*begins, words.opening, words.closing, opening, *chain(*dialogues))
    counts = count_once(archive, _texts_by_digest(fixed, reading))

    def total(texts: Sequence[str]) -> int:
        return sum(counts.all[digest_of(text)] for text in texts)

    overhead = Overhead(
        fixed=total(begins),
        canned=total((opening, words.closing)),
        has_layers=_has_layers(shown.config, roles),
        by_model=roles.agent != ENGINE,
        questions=questions_of_memories(max(map(total, dialogues))),
    )
    return counts, overhead


def _texts_by_digest(fixed: Sequence[str], reading: ChatReading) -> dict[str, str]:
    """Return by digest all texts to count: the `fixed` ones, and each message in its versions."""
    versions = (version for entry in reading.entries for version in (entry.message, entry.newest))
    by_digest = {digest_of(text): text for text in fixed}
    return by_digest | {message.digest: message.text for message in versions if message}


def _has_layers(config: Config, roles: Roles) -> bool:
    """Return whether core memory or facts are added to the opening: the engine writes neither."""
    has_core = config.core.enabled and roles.agent != ENGINE
    return has_core or (config.facts.enabled and roles.context_manager != ENGINE)


def _dialogues(texts: Texts) -> list[list[str]]:
    """Return the questions of a memory, of one with hindsight and of a fold, as they are sent."""
    dialogues = (
        (f"{_TITLE} {texts.quote}", texts.perspective, texts.refinement),
        (f"{_TITLE} {texts.quote}", texts.perspective_hindsight, texts.refinement),
        (f"{_TITLE} {texts.fold_quotes}", texts.fold_perspective, texts.refinement),
    )
    return [[question(text).content for text in dialogue] for dialogue in dialogues]


def _too_many(surveyed: Survey) -> str:
    """Return a clause saying that all quotes or wishes take too much, or an empty text."""
    memories, bounds = surveyed.reading.memories, surveyed.bounds
    view = section(surveyed.plan.chat_id, memories, surveyed.plan.memories, bounds, as_shown)
    shown = view.select(memories)
    clauses = (
        too_many(shown, bounds.quotes, count),
        too_many_wishes(shown, memories, bounds.wishes),
    )
    return "; ".join(filter(None, clauses))


def _could_grow(surveyed: Survey) -> Iterator[str]:
    """Yield a sentence if the chat keeps to the budget of its folds and could take more."""
    if keeps_to_folds(surveyed.config, surveyed.fold_limits):
        chunks = (*surveyed.plan.made, *surveyed.plan.chunks)
        if clause := what_growing_takes(surveyed.bounds, [chunk.tokens for chunk in chunks]):
            yield clause


def _beyond_window(surveyed: Survey) -> Iterator[str]:
    """Yield a sentence if the finished chat is larger than the window of the person's own model."""
    plan, counts = surveyed.plan, surveyed.counts.all
    messages = [entry.message for entry in surveyed.reading.entries]
    name, window = chat_model(surveyed.chat, messages, surveyed.config.models)
    if window is None or not plan.section_tokens:
        return
    words = canned(surveyed.shown.texts)
    canned_tokens = sum(counts[digest_of(text)] for text in (words.opening, words.closing))
    parts = (
        counts[digest_of(surveyed.chat.system_message)],
        plan.section_tokens + canned_tokens,
        plan.waiting_tokens + plan.live_tokens,
    )
    system_message, memories, live = (round(tokens * token_factor(name)) for tokens in parts)
    if warning := beyond_window(system_message, memories, live, window):
        yield warning


def told_before(survey: Survey, memories: Sequence[Memory], upto: int) -> tuple[Memory, ...]:
    """Return the memories and folds that replace the first `upto` memories in a prompt."""
    view = section(survey.plan.chat_id, memories, upto, survey.bounds, as_told)
    return told_within(view.select(memories), survey.bounds.wishes)


def told_within(memories: Sequence[Memory], most: int) -> tuple[Memory, ...]:
    """Return memories as a prompt has them: folds leave out wishes beyond `most` tokens."""
    return tuple(
        replace(memory, in_prompts=edition)
        for memory, edition in zip(
            memories, wishes_within(memories, most, as_told, count), strict=True
        )
    )
