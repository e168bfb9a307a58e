"""The survey of a chat: what is new in it, who writes its memories, and the plan of the work on it.

A chat has three stops: it is read, planned and finished. This is the second, and begins with the
first, chat/reading; the third, after the work, is chat/finish.

    read      the export against the archive                        chat/reading
    choose    the models that write, and where their keys are       models/roles
    count     tokens of messages and texts                          chat/counting
    plan      the chunks that become memories                       rules/plan/chat_plan
    rework    the memories that are written again                   chat/work_due
    round     those among them that get hindsight                   rules/plan/work
    layers    the work after them for core memory and facts         chat/work_due

Nothing is sent and nothing is written: `memproc plan` surveys a chat exactly as `memproc run` does.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from functools import cached_property, partial

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.memo import keep_prices
from daemon.archive.memories import round_of
from daemon.archive.seals import refuse_lost_name
from daemon.chat.counting import count_tokens
from daemon.chat.holding import bounds_of
from daemon.chat.kept import passages_after
from daemon.chat.opening import ShownChat, canned, core_shown
from daemon.chat.passage import Passage, as_they_are
from daemon.chat.reading import read_chat
from daemon.chat.work_due import as_planned, due_memories, explain_held, layers_due, to_write_again
from daemon.config.keys import FindKey, Key, NoKey, noting
from daemon.config.settings import Config
from daemon.models.hosts import larger_window
from daemon.models.limited import within_ability
from daemon.models.prices import expected, step_of
from daemon.models.roles import Roles, chat_model, choose_roles, with_tools
from daemon.models.splitting import remembering_splitter
from daemon.models.tokens import Counts, count, digest_of, keep
from primer.core_questions import tools_of
from primer.models import token_factor
from rules.conversation.kept_wishes import describe_left_out_wishes, fit_wishes
from rules.conversation.memory import Edition, Memory
from rules.conversation.memory_subject import find_subjects
from rules.conversation.memory_title import count_lead, subject_of
from rules.conversation.short_quotes import describe_too_many, quotes_within
from rules.layers.core import CoreMemory
from rules.layers.kept_passages import KeptPassage, describe_kept, released_wishes
from rules.layers.names import WhoIsWho, find_names
from rules.plan.chat_plan import ChatPlan, Limits, Overhead, plan_chat
from rules.plan.fold_budget import Bounds
from rules.plan.folds import (
    MissingFold,
    Version,
    version_in_export,
    version_in_prompts,
    view_section,
)
from rules.plan.limits import (
    NoRoom,
    find_too_large,
    fit_sizes,
    least_window,
    nearest_limit,
)
from rules.plan.work import PlannedChunk, Round, hindsight_round
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import find_warnings, warn_beyond_window

Section = tuple[MissingFold | None, tuple[Memory, ...]]
"""The next fold that is missing in a memory section, and what is in it now, oldest first."""
CanWrite = Callable[[Archive, "Survey", PlannedChunk], bool]
"""Tells whether a model could write an extracted memory now, by the journal of its answers."""


@dataclass(frozen=True)  # without slots, so that it can remember what it looks up
class Survey(ShownChat):
    """A chat as it is before the work on it, who does that work, and its plan."""

    roles: Roles
    counts: Counts
    """Tokens of the history's messages and of the texts that never change, by content digest."""
    new_prices: Mapping[bytes, bytes]
    """The prices of bounds that the archive did not know, by the hash of their window."""
    bounds: Bounds
    """The bounds of its memory section."""
    plan: ChatPlan
    round: Round
    core: CoreMemory
    """The core memory as it is now; empty where it is off."""
    passages: tuple[KeptPassage, ...]
    """What the person keeps word for word, with what this export has marked."""
    zone: tzinfo
    """The zone of the person's days."""
    at: str
    """When it was made: what the export brings counts as seen then."""

    def view_section(self, memories: Sequence[Memory], upto: int, version: Version) -> Section:
        """Return the next fold that is missing, and what replaces the first `upto` of the memories.

        `version` says which editions count: those in prompts have no more wishes than there is room
        for.
        """
        view = view_section(self.plan.chat_id, memories, upto, self.bounds, version)
        selected = tuple(view.select(memories))
        if version is version_in_prompts:
            selected = tuple(
                memory if edition is memory.in_prompts else replace(memory, in_prompts=edition)
                for memory, edition in self._within(selected, version_in_prompts)
            )
        return view.missing, selected

    def shown_within(self, memories: Sequence[Memory]) -> tuple[Memory, ...]:
        """Return memories as shown, with no more quotes and wishes than there is room for."""
        pairs = self._within(quotes_within(memories, count), version_in_export)
        return tuple(replace(memory, edition=edition) for memory, edition in pairs)

    def _within(
        self, memories: Sequence[Memory], version: Version
    ) -> Iterator[tuple[Memory, Edition]]:
        """Return each memory with its edition, without what is over, or wishes beyond budget."""
        gone = released_wishes(self.passages)
        editions = fit_wishes(memories, self.bounds.wishes, version, count, gone)
        return zip(memories, editions, strict=True)

    def too_many_words(self, shown: Sequence[Memory]) -> str:
        """Return a clause where the quotes or wishes of what is shown take too much; else empty."""
        memories, gone = self.reading.memories, released_wishes(self.passages)
        of_wishes = describe_left_out_wishes(shown, memories, self.bounds.wishes, gone)
        return "; ".join(filter(None, (describe_too_many(shown, count), of_wishes)))

    @property
    def too_large(self) -> NoRoom | None:
        """Return the first planned chunk that does not fit into the limit, or None.

        It names the longest message in it, and what helps: other sizes, or else the window that
        this chat needs, in the words of the model's server.
        """
        roles, tokens, entries = self.roles, self.counts.all, self.reading.entries
        for chunk in self.plan.work:
            if found := find_too_large(chunk, self.plan.fixed_tokens, roles.factor, roles.limit):
                places = range(chunk.start, chunk.stop)
                at = max(places, key=lambda at: tokens[entries[at].message.digest])
                message = entries[at].message
                said_on = f" of {message.created_at[:10]}" if message.created_at else ""
                size = round(tokens[message.digest] * roles.factor)
                longest = (
                    f"Its longest message is number {at + 1:,}{said_on}, with {size:,} tokens."
                )
                return NoRoom(f"{found.reason} {longest}", self._remedy or found.next_step)
        return None

    @property
    def _remedy(self) -> str:
        """Return what helps where a request exceeds the window; empty if it is a price's limit."""
        agent, limit, factor = self.roles.agent, self.roles.limit, self.roles.factor
        if limit is None or limit.is_price:
            return ""
        command, fixed = f"memproc config fit {agent.name}", self.plan.fixed_tokens
        sizes = fit_sizes(limit.most_on_any_day, fixed, factor)
        if sizes and sizes.chunk < self.config.chunk.tokens:
            return f"{sizes} fit into {limit.tokens:,}: {command}"
        least = least_window(self.plan.work, fixed, factor)
        return f"This chat needs a window of {least:,} at least. {larger_window(agent, least)}"

    def passage(
        self, chunk: PlannedChunk, memories_before: Sequence[Memory], breaks: Sequence[int] = ()
    ) -> Passage:
        """Return the passage that a chunk's memory is written from.

        `memories_before` come before its tail; `breaks` index the entries before which a provider's
        cache may break off. What the person has forgotten is left out, raw messages too; what they
        have edited or deleted since the memory was made is as it is now.
        """
        reading, forgotten = self.reading, self.reading.forgotten
        tail = reading.entries[chunk.tail_start : chunk.start]
        own = reading.entries[chunk.start : chunk.stop]
        is_shown = [entry.memory not in forgotten for entry in tail]
        numbered = (memory for memory in reading.chunk_memories if memory.number == chunk.number)
        written = next(numbered, None)
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=memories_before,
            tail=as_they_are([entry for entry, shown in zip(tail, is_shown, strict=True) if shown]),
            chunk=as_they_are(own),
            tokens=chunk.tokens,
            breaks=[sum(is_shown[: end - chunk.tail_start]) for end in breaks],
            ahead=count_lead(reading.memories),
            core=self.core,
            # An existing name stays as it is, even if its memory is written again.
            subject=subject_of(written) if written else self._subjects.get(chunk.number, ""),
            dates=[entry.message.created_at for entry in own],
            zone=self.zone,
            who=self._who(chunk.stop),
            first_question=written.in_prompts.texts[0] if written else "",
        )

    @cached_property
    def _subjects(self) -> Mapping[int, str]:
        """Return the subjects of all chunks, by number."""
        passages = {}
        for chunk in (*self.plan.made, *self.plan.chunks):
            said = [entry.message for entry in self.reading.entries[chunk.start : chunk.stop]]
            passages[chunk.number] = [(each.speaker == "user", each.words) for each in said]
        return dict(zip(passages, find_subjects([*passages.values()]), strict=True))

    def _who(self, stop: int) -> WhoIsWho:
        """Return what the two are called, by the messages before `stop` but for forgotten ones."""
        forgotten = self.reading.forgotten
        entries = [entry for entry in self.reading.entries[:stop] if entry.memory not in forgotten]
        said = [entry.message for entry in as_they_are(entries)]
        by_person = (message.words for message in said if message.speaker == "user")
        own = (message.words for message in said if message.speaker != "user")
        return find_names(self.chat.system_message, by_person, own)


def survey(
    archive: Archive, chat: Chat, config: Config, key: FindKey, now: str, can_write: CanWrite
) -> Survey:
    """Read, recognize and plan one chat; `config` is the one that counts for this chat.

    Raises ChatSkipped where it cannot be processed as it is, ConfigurationError where its texts
    cannot be used.
    """
    shown = read_chat(archive, chat, config, now)
    surveyed = survey_read(archive, shown, key, now, can_write)
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
    archive: Archive, shown: ShownChat, key: FindKey, now: str, can_write: CanWrite
) -> Survey:
    """Plan a chat that has been read. Raises as `survey` does."""
    config = shown.config
    roles = _choose_writers(archive, shown, key, now)
    counts, overhead = count_tokens(archive, shown, roles)
    bounds, prices = bounds_of(config, roles.window_as_counted), dict[bytes, bytes]()
    split = remembering_splitter(config.chunk.bounds, archive, prices)
    limits = replace(config.limits, split=split, fold=bounds, request=roles.request)
    plan_chunks = partial(_plan_chunks, shown, roles, counts, limits, overhead)
    held = shown.reading.edits.touched
    plan, due = plan_chunks(held)
    if held and plan.folds:
        # A held one may go into a fold now, made from the new edition at once, and paid once.
        held = frozenset()
        plan, due = plan_chunks(held)
    surveyed = Survey(
        chat=shown.chat,
        reading=shown.reading,
        config=config,
        texts=shown.texts,
        layout=shown.layout,
        roles=roles,
        counts=counts,
        new_prices=prices,
        bounds=bounds,
        plan=plan,
        round=round_of(archive, shown.chat.chat_id, shown.reading.adopted.had_hindsight),
        core=core_shown(archive, shown),
        passages=passages_after(archive, shown, now),
        zone=archive.zone,
        at=now,
    )
    return _with_rework(archive, surveyed, due, held, can_write)


def _plan_chunks(
    shown: ShownChat,
    roles: Roles,
    counts: Counts,
    limits: Limits,
    overhead: Overhead,
    held: Collection[str],
) -> tuple[ChatPlan, frozenset[int]]:
    """Plan the chunks that become memories, as yet without rework.

    Return also the numbers of the memories with changed messages, but for those in `held`, which
    are not written again now.
    """
    chat, reading = shown.chat, shown.reading
    due = due_memories(reading, held, engine_alone=not roles.has_agent)
    tokens = [counts.all[message.digest] for message in as_planned(reading.entries, due)]
    return plan_chat(chat.chat_id, chat.title, reading, tokens, limits, overhead), due


def _with_rework(
    archive: Archive, new: Survey, due: Collection[int], held: Collection[str], can_write: CanWrite
) -> Survey:
    """Return the survey with what is due besides new chunks, and with what is said of the plan.

    `due` are the numbers of memories with changed messages, `held` the ids of those that are not
    written again now.
    """
    reading, config, roles, plan = new.reading, new.config, new.roles, new.plan
    engine_alone, can_write_now = not roles.has_agent, partial(can_write, archive, new)
    again = to_write_again(reading, plan, due, can_write_now, held, engine_alone=engine_alone)
    turns = 0 if engine_alone else config.memory.hindsight
    begun = hindsight_round(new.round, reading.chunk_memories, len(plan.chunks), turns, again, held)
    plan = plan.with_more(again, begun.numbers)
    _, shown_now = new.view_section(reading.memories, plan.memories, version_in_export)
    excess = new.too_many_words(shown_now)
    is_archived = plan.chunks or reading.memories
    plan = replace(
        plan,
        layers=layers_due(archive, new, plan, roles, new.core),
        warnings=tuple(filter(None, _warn(new, held))),
        over_budget="; ".join(filter(None, (plan.over_budget, excess))),
        kept=tuple(describe_kept(new.passages, config.keep.budget)) if is_archived else (),
        extracts=roles.has_manager and engine_alone,
    )
    return replace(new, round=begun, plan=plan)


def _choose_writers(archive: Archive, shown: ShownChat, key: FindKey, now: str) -> Roles:
    """Choose the chat's models, noting each search for a key, and look up the agent's limit."""
    config, keys = shown.config, dict[str, Key | NoKey]()
    messages = [entry.message for entry in shown.reading.entries]
    embedding = config.facts.embedding if config.facts.enabled else ""
    today = date.fromisoformat(now[:10])
    chosen = choose_roles(shown.chat, messages, config, noting(key, keys), today, embedding)
    if config.core.enabled and shown.layout.sections:  # the agent is offered its tools
        chosen = with_tools(chosen, tools_of(shown.layout), config.core.form)
    roles = within_ability(archive, config, chosen)
    # Of one that is limited, the requests for the analysis fit into its window, too.
    agent = expected(archive, chosen.agent.name, now)
    step = step_of(chosen.agent, config.budget)
    limit = nearest_limit(roles.window, step, sure=agent.is_sure)
    # What must not change once replies have shown how a model counts goes by the larger factor.
    counted = max(agent.factor, agent.beforehand)
    most = int(limit.most_on_any_day / counted) if limit else None
    return replace(roles, keys=keys, limit=limit, factor=agent.factor, request=most)


def _warn(surveyed: Survey, held: Collection[str]) -> Iterator[str]:
    """Yield what the person is warned of; empty sentences are left out."""
    chat, reading, plan = surveyed.chat, surveyed.reading, surveyed.plan
    yield from find_warnings(chat, [place.message for place in reading.places])
    yield from plan.warnings
    messages = [entry.message for entry in reading.entries]
    name, window = chat_model(chat, messages, surveyed.config.models)
    if window and plan.section_tokens:  # the finished chat may be beyond the person's own model
        words, factor = canned(surveyed.texts), token_factor(name)
        texts = (chat.system_message, words.opening, words.closing)
        system_message, opening, closing = (surveyed.counts.all[digest_of(text)] for text in texts)
        yield warn_beyond_window(
            round(system_message * factor),
            round((plan.section_tokens + opening + closing) * factor),
            round((plan.waiting_tokens + plan.live_tokens) * factor),
            window,
        )
    yield explain_held(reading, held)
