"""The survey of a chat: what is new in it, who writes its memories, and the plan of the work on it.

    read      the export against the archive                        chat/reading
    choose    the models that write, and where their keys are       models/roles
    count     tokens of messages and texts                          chat/counting
    plan      the chunks that become memories                       rules/plan/chat_plan
    rework    the memories that are written again, and why          chat/work_due
    round     those among them that get hindsight                   rules/plan/work
    layers    the work after them for core memory and facts         chat/work_due

Nothing is sent and nothing is written: `memproc plan` surveys a chat exactly as `memproc run` does.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from functools import partial
from itertools import compress

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.memo import keep_prices
from daemon.archive.memories import round_of
from daemon.archive.seals import refuse_lost_name
from daemon.chat.counting import count_tokens
from daemon.chat.holding import bounds_of
from daemon.chat.kept import passages_after
from daemon.chat.opening import ShownChat, canned, core_now, shown_chat
from daemon.chat.passage import NO_CORE_MEMORY, Passage, SubjectOf, as_they_are, subjects_in
from daemon.chat.reading import read_chat
from daemon.chat.work_due import as_planned, due_memories, explain_held, layers_due, to_write_again
from daemon.config.keys import FindKey, Key, NoKey, noting
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.models.hosts import larger_window
from daemon.models.limited import within_ability
from daemon.models.prices import expected, step_of
from daemon.models.roles import Roles, chat_model, choose_roles, with_tools
from daemon.models.splitting import remembering_splitter
from daemon.models.tokens import Counts, count, digest_of, keep
from primer.core_questions import tools_of
from primer.models import token_factor
from rules.conversation.kept_wishes import too_many_wishes, wishes_within
from rules.conversation.memory import Memory
from rules.conversation.memory_title import counted_on
from rules.conversation.short_quotes import too_many
from rules.layers.core import CoreMemory
from rules.layers.kept_passages import KeptPassage, describe_kept, let_go
from rules.layers.names import WhoIsWho, who_is_who
from rules.plan.chat_plan import ChatPlan, Limits, plan_chat
from rules.plan.fold_budget import Bounds
from rules.plan.folds import as_shown, as_told, section
from rules.plan.limits import (
    Limit,
    NoRoom,
    least_window,
    nearest_limit,
    sizes_within,
    too_large,
)
from rules.plan.work import PlannedChunk, Round, hindsight_round
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import beyond_window, warnings

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
    new_prices: Mapping[bytes, bytes]
    """The prices of bounds that the archive did not know, by the hash of their window."""
    shown: ShownChat
    """Its texts and settings, and the export as core memory and facts see it."""
    roles: Roles
    plan: ChatPlan
    round: Round
    keys: Mapping[str, Key | NoKey]
    """Every provider whose key was looked for, with what was found."""
    limit: Limit | None
    """The limit of the agent's requests; None where it has none."""
    factor: float
    """Tokens of the agent's tokenizer for one of ours, as its replies have shown."""
    subject_of: SubjectOf
    """Tells the subject in a memory's name."""
    core: CoreMemory
    """The core memory as it is now; empty where it is off."""
    bounds: Bounds
    """The bounds of its memory section."""
    passages: tuple[KeptPassage, ...]
    """What the person keeps word for word, with what this export has marked."""
    zone: tzinfo
    """The zone of the person's days."""
    at: str
    """When it was made: what the export brings counts as seen then."""

    @property
    def too_large(self) -> NoRoom | None:
        """Return the first planned chunk that does not fit into the limit, or None.

        It names the longest message in it, and what helps: other sizes, or else the window that this
        chat needs, in the words of the model's server.
        """
        fixed = self.plan.fixed_tokens
        for chunk in self.plan.work:
            if found := too_large(chunk, fixed, self.factor, self.limit):
                reason = f"{found.reason} {self._longest_message(chunk)}"
                return NoRoom(reason, self._remedy or found.next_step)
        return None

    def _longest_message(self, chunk: PlannedChunk) -> str:
        """Return a sentence on the longest message of a chunk: its place, day and tokens."""
        entries = self.reading.entries
        tokens = self.counts.all
        at = max(range(chunk.start, chunk.stop), key=lambda at: tokens[entries[at].message.digest])
        message = entries[at].message
        said_on = f" of {message.created_at[:10]}" if message.created_at else ""
        size = round(tokens[message.digest] * self.factor)
        return f"Its longest message is number {at + 1:,}{said_on}, with {size:,} tokens."

    @property
    def _remedy(self) -> str:
        """Return what helps where a request exceeds the window; empty where it is a price's limit."""
        agent, limit, fixed = self.roles.agent, self.limit, self.plan.fixed_tokens
        if limit is None or limit.is_price:
            return ""
        command = f"memproc config fit {agent.name}"
        sizes = sizes_within(limit.most_on_any_day, fixed, self.factor)
        if sizes and sizes.chunk < self.config.chunk.tokens:
            return f"{sizes} fit into {limit.tokens:,}: {command}"
        least = least_window(self.plan.work, fixed, self.factor)
        return f"This chat needs a window of {least:,} at least. {larger_window(agent, least)}"

    def passage(
        self, chunk: PlannedChunk, memories_before: Sequence[Memory], breaks: Sequence[int] = ()
    ) -> Passage:
        """Return the passage that a chunk's memory is written from.

        `memories_before` come before its tail; `breaks` index the entries before which a provider's
        cache may break off. What the person has forgotten is left out, raw messages too; what they
        have edited or deleted since the memory was made is as it is now.
        """
        forgotten = self.reading.forgotten
        entries = self.reading.entries
        tail = entries[chunk.tail_start : chunk.start]
        own = entries[chunk.start : chunk.stop]
        is_shown = [entry.memory not in forgotten for entry in tail]
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=memories_before,
            tail=as_they_are(list(compress(tail, is_shown))),
            chunk=as_they_are(own),
            tokens=chunk.tokens,
            breaks=[sum(is_shown[: end - chunk.tail_start]) for end in breaks],
            ahead=counted_on(self.reading.memories),
            core=self.core,
            subject=self.subject_of(chunk.number),
            dates=[entry.message.created_at for entry in own],
            zone=self.zone,
            who=self._who(chunk.stop),
            first_question=self._first_question(chunk.number),
        )

    def _who(self, stop: int) -> WhoIsWho:
        """Return what the two are called, by the messages before `stop` but for forgotten ones."""
        forgotten = self.reading.forgotten
        entries = [entry for entry in self.reading.entries[:stop] if entry.memory not in forgotten]
        said = [entry.message for entry in as_they_are(entries)]
        by_person = (message.words for message in said if message.speaker == "user")
        own = (message.words for message in said if message.speaker != "user")
        return who_is_who(self.chat.system_message, by_person, own)

    def _first_question(self, number: int) -> str:
        """Return the first question of a chunk's memory; empty where it has none yet."""
        written = (memory for memory in self.reading.chunk_memories if memory.number == number)
        return next((memory.in_prompts.texts[0] for memory in written), "")


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


def keep_computed(archive: Archive, surveyed: Survey) -> None:
    """Store the token counts and the prices that a survey had to compute, for the next ones."""
    if surveyed.counts.new or surveyed.new_prices:
        with archive.transaction():
            keep(archive, surveyed.counts)
            keep_prices(archive, surveyed.new_prices)


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
    held = reading.edits.touched
    new = _plan_new_chunks(archive, chat, reading, config, key, now, held)
    if held and new.plan.folds:
        # One may go into a fold now, which is made from the new edition at once, and paid once.
        held = frozenset()
        new = _plan_new_chunks(archive, chat, reading, config, key, now, held)
    again, begun = _rework(new, held, can_write)
    plan = new.plan.with_more(again, begun.numbers)
    is_archived = plan.chunks or reading.memories
    plan = replace(
        plan,
        layers=layers_due(archive, plan, new.roles, new.shown, new.core, reading.adopted.memories),
        warnings=(
            *warnings(chat, [place.message for place in reading.places]),
            *plan.warnings,
            *_beyond_window(new),
            *explain_held(reading, held),
        ),
        over_budget="; ".join(filter(None, (plan.over_budget, _too_many(new)))),
        kept=tuple(describe_kept(new.passages, config.keep.budget)) if is_archived else (),
        extracts=new.roles.has_manager and not new.roles.has_agent,
    )
    return replace(new, round=begun, plan=plan)


def _plan_new_chunks(
    archive: Archive,
    chat: Chat,
    reading: ChatReading,
    config: Config,
    key: FindKey,
    now: str,
    held: Collection[str],
) -> Survey:
    """Choose models, count, and plan the chunks that become memories, as yet without rework.

    `held` are the ids of memories that are not written again now.
    """
    shown = shown_chat(chat, reading.places, config)
    writers = _choose_writers(archive, chat, reading, shown, key, now)
    counts, overhead = count_tokens(archive, chat, reading, shown, writers.roles)
    limits, new_prices = _limits_of(archive, config, writers)
    due = due_memories(reading, held, engine_alone=not writers.roles.has_agent)
    tokens = [counts.all[message.digest] for message in as_planned(reading.entries, due)]
    plan = plan_chat(chat.chat_id, chat.title, reading, tokens, limits, overhead)
    return Survey(
        chat=chat,
        config=config,
        reading=reading,
        counts=counts,
        new_prices=new_prices,
        shown=shown,
        roles=writers.roles,
        plan=plan,
        round=round_of(archive, chat.chat_id, reading.adopted),
        keys=writers.keys,
        limit=writers.limit,
        factor=writers.factor,
        subject_of=subjects_in(reading, plan),
        core=core_now(archive, chat.chat_id, shown.layout)
        if config.core.enabled
        else NO_CORE_MEMORY,
        bounds=limits.fold,
        passages=passages_after(archive, chat, reading, config.keep.budget, now),
        zone=archive.zone,
        at=now,
    )


def _limits_of(
    archive: Archive, config: Config, writers: "_Writers"
) -> tuple[Limits, dict[bytes, bytes]]:
    """Return what a plan keeps to, and where prices of bounds land that the archive has not yet."""
    new_prices: dict[bytes, bytes] = {}
    split = remembering_splitter(config.chunk.bounds, archive, new_prices)
    fold = bounds_of(config, writers.window)
    limit = writers.limit
    most = int(limit.most_on_any_day / writers.most_factor) if limit else None
    return replace(config.limits, split=split, fold=fold, request=most), new_prices


def _rework(
    new: Survey, held: Collection[str], can_write: CanWrite
) -> tuple[frozenset[int], Round]:
    """Return the memories that are written again, and the round of those that get hindsight."""
    reading, engine_alone = new.reading, not new.roles.has_agent
    due = due_memories(reading, held, engine_alone=engine_alone)
    can_write_now = partial(can_write, new)
    again = to_write_again(reading, new.plan, due, can_write_now, held, engine_alone=engine_alone)
    turns = 0 if engine_alone else new.config.memory.hindsight
    chunks = len(new.plan.chunks)
    return again, hindsight_round(new.round, reading.chunk_memories, chunks, turns, again, held)


@dataclass(frozen=True, slots=True)
class _Writers:
    """Who writes for a chat, and what their requests are limited by; fields as in Survey."""

    roles: Roles
    keys: Mapping[str, Key | NoKey]
    limit: Limit | None
    factor: float
    most_factor: float
    """The same for what must not change once replies have shown how a model counts."""

    @property
    def window(self) -> int:
        """Return the agent's window in tokens as we count them; 0 where it is not known."""
        factor = token_factor(self.roles.asked.name)
        return int(self.limit.tokens / factor) if self.limit and factor else 0


def _choose_writers(
    archive: Archive, chat: Chat, reading: ChatReading, shown: ShownChat, key: FindKey, now: str
) -> _Writers:
    """Choose the chat's models, noting each search for a key, and look up the agent's limit."""
    config, keys = shown.config, dict[str, Key | NoKey]()
    messages = [entry.message for entry in reading.entries]
    embedding = config.facts.embedding if config.facts.enabled else ""
    today = date.fromisoformat(now[:10])
    chosen = choose_roles(chat, messages, config, noting(key, keys), today, embedding)
    if config.core.enabled and shown.layout.sections:  # the agent is offered its tools
        chosen = with_tools(chosen, tools_of(shown.layout), config.core.form)
    roles = within_ability(archive, config, chosen)
    # Of one that is limited, the requests for the analysis fit into its window, too.
    agent = expected(archive, chosen.agent.name, now)
    step = step_of(chosen.agent, config.budget)
    limit = nearest_limit(roles.window, step, sure=agent.is_sure)
    return _Writers(roles, keys, limit, agent.factor, max(agent.factor, agent.beforehand))


def _too_many(surveyed: Survey) -> str:
    """Return a clause saying that all quotes or wishes take too much, or an empty text."""
    memories, bounds, plan = surveyed.reading.memories, surveyed.bounds, surveyed.plan
    view = section(plan.chat_id, memories, plan.memories, bounds, as_shown)
    shown = view.select(memories)
    of_quotes = too_many(shown, count)
    of_wishes = too_many_wishes(shown, memories, bounds.wishes)
    return "; ".join(filter(None, (of_quotes, of_wishes)))


def _beyond_window(surveyed: Survey) -> Iterator[str]:
    """Yield a sentence if the finished chat is larger than the window of the person's own model."""
    plan, counts = surveyed.plan, surveyed.counts.all
    messages = [entry.message for entry in surveyed.reading.entries]
    name, window = chat_model(surveyed.chat, messages, surveyed.config.models)
    if window is None or not plan.section_tokens:
        return
    words, factor = canned(surveyed.shown.texts), token_factor(name)
    system_message = counts[digest_of(surveyed.chat.system_message)]
    around = counts[digest_of(words.opening)] + counts[digest_of(words.closing)]
    warning = beyond_window(
        round(system_message * factor),
        round((plan.section_tokens + around) * factor),
        round((plan.waiting_tokens + plan.live_tokens) * factor),
        window,
    )
    if warning:
        yield warning


def told_before(survey: Survey, memories: Sequence[Memory], upto: int) -> tuple[Memory, ...]:
    """Return the memories and folds that replace the first `upto` memories in a prompt."""
    view = section(survey.plan.chat_id, memories, upto, survey.bounds, as_told)
    return told_within(survey, view.select(memories))


def told_within(survey: Survey, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return memories as a prompt has them: without what is over, and wishes beyond their budget."""
    gone = let_go(survey.passages)
    editions = wishes_within(memories, survey.bounds.wishes, as_told, count, gone)
    pairs = zip(memories, editions, strict=True)
    return tuple(
        memory if edition is memory.in_prompts else replace(memory, in_prompts=edition)
        for memory, edition in pairs
    )
