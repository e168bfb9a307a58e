"""Folds: the oldest memories become one of a higher level, written from their told editions.

It carries the direct quotes of all memories that it stands for, word for word: these are permanent. Beside them it is
at most half as large as its members, or has at most 200 tokens more than its questions. The analysis sees the members'
answers alone; the perspective is over the whole stretch of time. The engine goes back to the raw messages instead, and
its folds keep more of them the more they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.memories import keep_fold
from daemon.chat.passage import as_they_are
from daemon.chat.survey import Survey, told_within
from daemon.events import Folded
from daemon.models.context import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Steps
from daemon.models.tokens import count
from daemon.remember.asked import stated_in, with_stated
from daemon.remember.dialogue import AgentQuestion, Pair, Subject, Transcript, converse
from daemon.remember.ladder import Assignment, Count, first_analysis, without_hole
from daemon.remember.work import BEFORE_ALL_CHUNKS, ChatWork, Keep, Lane
from daemon.remember.worksheet import Worksheet, worksheet_of_fold
from primer import prompt
from primer.models import ENGINE
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import Request
from rules.conversation.history import Entry
from rules.conversation.kept_wishes import each_once
from rules.conversation.memory import Edition, Memory, Quote, Wish, fold_id
from rules.conversation.memory_size import (
    analysis_words,
    extracted_fold_words,
    fold_words,
    most_fold_tokens,
)
from rules.conversation.memory_title import counted_on, numbers_of, write_title
from rules.plan.folds import MissingFold, Version, as_told, section

_MESSAGES_BEFORE = 100


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """The plan of a fold: its members, oldest first, two or more, and what it carries."""

    members: Sequence[Memory]
    level: int
    quotes: tuple[Quote, ...]
    """The quotes of all memories that it stands for."""
    wishes: tuple[Wish, ...]
    """The person's standing wishes in all of them."""
    numbers: tuple[int, int]
    """The first and the last of these, as titles count them."""

    @property
    def tokens(self) -> int:
        """The tokens of its members without their quotes and wishes."""
        return sum(
            member.in_prompts.tokens - member.in_prompts.permanent_tokens for member in self.members
        )

    @property
    def source_tokens(self) -> int:
        """Return the tokens of the raw messages that the members were made of."""
        return sum(member.source_tokens for member in self.members)

    def title(self, *, extracted: bool) -> str:
        """The name of the fold in its first question."""
        dates = [date for member in self.members for date in (member.began_at, member.ended_at)]
        return write_title(*self.numbers, dates, extracted=extracted)


@dataclass(frozen=True, slots=True)
class _Sight:
    """The turns that the agent and the context manager see before their questions about a fold."""

    before: tuple[Turn, ...]
    alone: tuple[Turn, ...]


def fold_plan(
    memories: Sequence[Memory],
    names: Sequence[str],
    level: int,
    entries: Sequence[Entry] = (),
) -> FoldPlan:
    """Plan the fold of the memories with these ids.

    `memories` are all of the chat, `entries` its history: the wishes in memories that were written
    before memproc looked for them are found in what was said.
    """
    by_id = {memory.memory_id: memory for memory in memories}
    members = [by_id[name] for name in names]
    ahead = counted_on(memories)
    (first, _), *_, (_, last) = (numbers_of(member, by_id, ahead) for member in members)
    quotes = (quote for member in members for quote in _quotes(member, by_id))
    under = [memory for member in members for memory in _chunks_under(member, by_id)]
    wishes = each_once(wish for memory in under for wish in _wishes(memory, entries))
    return FoldPlan(members, level, tuple(quotes), wishes, (first, last))


def _chunks_under(memory: Memory, by_id: Mapping[str, Memory]) -> Iterator[Memory]:
    """Yield the memories that a memory stands for, itself where it is no fold."""
    if not memory.is_fold:
        yield memory
    for name in memory.members:
        yield from _chunks_under(by_id[name], by_id)


def _wishes(memory: Memory, entries: Sequence[Entry]) -> tuple[Wish, ...]:
    """Return the standing wishes in a chunk's memory, or else in what was said of it."""
    if memory.forgotten:
        return ()
    if memory.in_prompts.wishes or memory.in_prompts.kind == "person":
        return memory.in_prompts.wishes
    keys = frozenset(memory.keys)
    return stated_in(as_they_are([entry for entry in entries if entry.key in keys]))


def _quotes(memory: Memory, by_id: Mapping[str, Memory]) -> Iterator[Quote]:
    """The quotes of all memories that it stands for: folds of older versions of memproc carried six of them at most."""
    if not memory.is_fold:
        yield from memory.in_prompts.quotes
    for name in memory.members:
        yield from _quotes(by_id[name], by_id)


def make_fold(
    sheet: Worksheet,
    chat_id: str,
    system_message: str,
    plan: FoldPlan,
    roles: Roles,
    count: Count,
    clock: Clock,
    guidance: str = "",
    raw: tuple[Turn, ...] = (),
) -> Steps[Memory]:
    """Write the planned fold; its number among the folds of its level is given by who keeps it.

    A model writes it from the members' as-of editions; the engine from the `raw` messages, where
    they are known. Raises ModelError where a model cannot be asked.
    """
    before = prompt.context(sheet.texts, system_message, plan.members, (), ())
    alone = prompt.memories_alone(sheet.texts, plan.members)
    by_model, by_engine = _Sight(before, alone), _Sight(raw or alone, raw or alone)

    def dialogue(sheet: Worksheet, pair: Pair, words: int) -> Steps[Transcript | Refused]:
        """Ask the three questions next to the quotes."""
        sight = by_engine if pair.agent == ENGINE else by_model
        subject = _subject(sheet, plan, sight, words, guidance, extracted=pair.agent == ENGINE)
        return (yield from converse(sheet, subject, pair, plan.quotes))

    quotes_tokens = sum(count(quote.framed) for quote in plan.quotes)
    most = most_fold_tokens(plan.tokens, sheet.questions_tokens) + quotes_tokens
    words = _words_of_fold(plan, roles, sheet.questions_tokens)
    work = Assignment(
        "fold", "its memories", dialogue, words, lambda _, tokens: tokens <= most, count
    )
    edition = yield from without_hole(sheet, work, roles)
    spoken = (text for member in plan.members for text in member.in_prompts.texts[1::2])
    edition = with_stated(replace(edition, written_at=clock()), plan.wishes, spoken, count)
    return _as_memory(chat_id, plan, edition)


def _subject(
    sheet: Worksheet, plan: FoldPlan, sight: _Sight, words: int, guidance: str, *, extracted: bool
) -> Subject:
    """Return the subject of the dialogue about a fold."""
    quotes = f"{plan.title(extracted=extracted)} {sheet.texts.fold_quotes}"
    perspective = (sheet.texts.fold_perspective, sheet.texts.fold_perspective_asked)
    return Subject(
        before=sight.before,
        alone=sight.alone,
        spoken=[text for member in plan.members for text in member.in_prompts.texts[1::2]],
        quote=AgentQuestion(quotes, quotes),
        perspective=AgentQuestion(*(prompt.ask(text, words) for text in perspective)),
        analysis=prompt.ask(sheet.texts.fold_analysis, analysis_words(words)),
        words=words,
        guidance=guidance,
    )


def _words_of_fold(plan: FoldPlan, roles: Roles, questions_tokens: int) -> int:
    """Return about how many words each answer may have."""
    if roles.agent == ENGINE:
        return extracted_fold_words(plan.tokens, plan.source_tokens, questions_tokens)
    return fold_words(plan.tokens, questions_tokens)


def _as_memory(chat_id: str, plan: FoldPlan, edition: Edition) -> Memory:
    """Return the fold of the plan's members, with this edition and no number yet."""
    first, last = plan.members[0], plan.members[-1]
    return Memory(
        memory_id=fold_id(chat_id, plan.members),
        number=0,
        level=plan.level,
        keys=tuple(key for member in plan.members for key in member.keys),
        first=first.first,
        last=last.last,
        began_at=first.began_at,
        ended_at=last.ended_at,
        source_tokens=plan.source_tokens,
        edition=edition,
        in_prompts=edition,
        members=tuple(member.memory_id for member in plan.members),
    )


def fold_analysis(sheet: Worksheet, plan: FoldPlan, roles: Roles) -> Request | None:
    """The question about a fold that needs no answer before it; None where there is none."""
    words = analysis_words(fold_words(plan.tokens, sheet.questions_tokens))
    alone = prompt.memories_alone(sheet.texts, plan.members)
    return first_analysis(sheet, roles, alone, sheet.texts.fold_analysis, words)


def fold_of(survey: Survey, plan: FoldPlan, clock: Clock, guidance: str = "") -> Steps[Memory]:
    """The fold that is planned in a chat, with the person's word of guidance. Raises as `make_fold`."""
    sheet, raw = worksheet_of_fold(survey, plan.members), _raw_turns(survey, plan.members)
    chat_id, system_message = survey.plan.chat_id, survey.chat.system_message
    return make_fold(
        sheet, chat_id, system_message, plan, survey.roles, count, clock, guidance, raw
    )


def _raw_turns(survey: Survey, members: Sequence[Memory]) -> tuple[Turn, ...]:
    """The raw messages that `members` stand for, behind those before them; none where not all are known any more."""
    keys = {key for member in members for key in member.keys}
    entries = survey.reading.entries
    places = [at for at, entry in enumerate(entries) if entry.key in keys]
    if len(places) < len(keys):
        return ()
    before = as_they_are(entries[max(0, places[0] - _MESSAGES_BEFORE) : places[0]])
    return prompt.context(
        survey.shown.texts, "", (), before, as_they_are([entries[at] for at in places])
    )


_Viewed = tuple[MissingFold | None, tuple[Memory, ...]]
"""The next fold that is missing, and what stands for the memories."""


class Folds(Lane):
    """The folds of a chat: those that prompts will need are made beside the chunks, as soon as they are wanted.

    A fold that is made is kept, and added to the chat's memories.
    """

    def __init__(self, work: ChatWork) -> None:
        """Begin with the memories that `work` holds."""
        super().__init__(work)
        self._viewed: tuple[Memory, ...] = ()
        self._views: dict[tuple[int, Version], _Viewed] = {}
        """The views of the memories in `_viewed`: each looks at all of them, and is asked for several times."""

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """The memories and folds that stand for the first `upto` memories in a prompt; None where a fold is missing."""
        missing, standing = self._view(upto, as_told)
        return None if missing else standing

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        missing, _ = self._view(upto, as_told)
        if missing and not self.under_way:
            self.set_out(self._fold(missing))

    def make_all(self, upto: int, version: Version) -> tuple[Memory, ...]:
        """Make all missing folds, and return what stands for the first `upto` memories, in editions of `version`.

        Raises ModelError where a model cannot be asked, and ChatSkipped where a fold does not fit into its window.
        """
        while True:
            missing, standing = self._view(upto, version)
            if not missing:
                return standing
            self.work.scheduler.finish(self._fold(missing))()

    def _view(self, upto: int, version: Version) -> _Viewed:
        """Return the next fold that is missing, and what stands for these memories now."""
        if (memories := tuple(self.work.memories)) != self._viewed:
            self._viewed = memories
            self._views.clear()
        if (upto, version) not in self._views:
            self._views[upto, version] = self._section(upto, version)
        return self._views[upto, version]

    def _section(self, upto: int, version: Version) -> _Viewed:
        survey, memories = self.work.survey, self._viewed
        view = section(survey.plan.chat_id, memories, upto, survey.bounds, version)
        by_id = {memory.memory_id: memory for memory in memories}
        standing = tuple(by_id[item.name] for item in view.standing)
        return view.missing, (
            told_within(standing, survey.bounds.wishes) if version is as_told else standing
        )

    def _fold(self, missing: MissingFold) -> RunningDialogue[Keep]:
        """The dialogue of which this fold will come."""
        survey = self.work.survey
        names = [member.name for member in missing.members]
        plan = fold_plan(self.work.memories, names, missing.level, survey.reading.entries)
        ahead = fold_analysis(worksheet_of_fold(survey, plan.members), plan, survey.roles)
        return RunningDialogue(self._steps(plan), BEFORE_ALL_CHUNKS, ahead=ahead)

    def _steps(self, plan: FoldPlan) -> Steps[Keep]:
        context, chat = self.work.context, self.work.survey.plan
        made = yield from fold_of(self.work.survey, plan, context.clock)

        def keep() -> None:
            kept = keep_fold(context.archive, chat.chat_id, made)
            self.work.memories.append(kept)
            context.tell(Folded(chat.chat_id, chat.title, len(plan.members), kept.level))

        return keep
