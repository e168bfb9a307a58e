"""Folds: the oldest memories become one of a higher level, written from their told editions.

It carries the direct quotes of all memories that it stands for, word for word: these are permanent. Beside them it is
at most half as large as its members, or has at most 200 tokens more than its questions. The analysis sees the members'
answers alone; the perspective is over the whole stretch of time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from daemon.archive.memories import keep_fold
from daemon.chat.survey import Survey
from daemon.context import Context
from daemon.events import Folded, Noted
from daemon.models.ask import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from daemon.models.tokens import count
from daemon.remember.dialogue import (
    Pair,
    Subject,
    Transcript,
    Worksheet,
    converse,
    worksheet_of_fold,
)
from daemon.remember.ladder import Assignment, Count, by_the_engine, first_analysis, first_good, pairs
from primer import fold, prompt
from primer.prompt import Turn
from primer.reply import ENGINE, Refused, Request
from rules.conversation.memory import (
    Edition,
    Memory,
    Quote,
    analysis_words,
    fold_id,
    fold_words,
    most_fold_tokens,
)
from rules.conversation.title import counted_on, numbers_of, write_title
from rules.plan.folds import Version, View, as_told, section


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """What a fold is made of: its members, oldest first, two or more, and what it carries."""

    members: Sequence[Memory]
    level: int
    quotes: tuple[Quote, ...]
    """Those of all memories that it stands for."""
    numbers: tuple[int, int]
    """The first and the last of these, as titles count them."""

    @property
    def tokens(self) -> int:
        """The tokens of its members without their quotes."""
        return sum(member.told.tokens - member.told.quote_tokens for member in self.members)

    def title(self, *, extracted: bool) -> str:
        """What the fold is called in its first question."""
        dates = [date for member in self.members for date in (member.began_at, member.ended_at)]
        return write_title(*self.numbers, dates, extracted=extracted)


def fold_plan(memories: Sequence[Memory], names: Sequence[str], level: int) -> FoldPlan:
    """The fold of the memories with these ids; `memories` are all of the chat."""
    by_id = {memory.memory_id: memory for memory in memories}
    members = [by_id[name] for name in names]
    ahead = counted_on(memories)
    numbers = [numbers_of(member, by_id, ahead) for member in members]
    quotes = (quote for member in members for quote in _quotes(member, by_id))
    return FoldPlan(members, level, tuple(quotes), (numbers[0][0], numbers[-1][1]))


def _quotes(memory: Memory, by_id: Mapping[str, Memory]) -> Iterator[Quote]:
    """Of all memories that it stands for: the folds of older versions of memproc carried six of them at most."""
    if not memory.is_fold:
        yield from memory.told.quotes
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
) -> Steps[Memory]:
    """The fold that is planned; its number among the folds of its level is for others to give.

    It is written from the members' told editions. Raises ModelError where a model cannot be asked.
    """
    before = prompt.context(sheet.texts, system_message, plan.members, (), ())
    work = _assignment(sheet, plan, partial(_dialogue, before, plan, guidance), count)
    finished = yield from first_good(sheet, work, pairs(roles))
    if isinstance(finished, Refused):
        if roles.agent != ENGINE:
            yield Noted("fold extracted by the engine")
        finished = yield from by_the_engine(sheet, work)
    return _memory(chat_id, plan, finished.edition(1, "as-of", clock()))


def fold_analysis(sheet: Worksheet, plan: FoldPlan, roles: Roles) -> Request | None:
    """The question about a fold that needs no answer before it; None where there is none."""
    words = analysis_words(fold_words(plan.tokens, sheet.questions_tokens))
    alone = fold.memories_alone(sheet.texts, plan.members)
    return first_analysis(sheet, roles, alone, fold.ask_analysis(sheet.texts, words), words)


def _assignment(
    sheet: Worksheet,
    plan: FoldPlan,
    dialogue: Callable[[Worksheet, Pair, int], Steps[Transcript | Refused]],
    count: Count,
) -> Assignment:
    quotes = sum(count(quote.text) for quote in plan.quotes)
    most = quotes + most_fold_tokens(plan.tokens, sheet.questions_tokens)
    words = fold_words(plan.tokens, sheet.questions_tokens)
    return Assignment("fold", "its memories", dialogue, words, lambda _, tokens: tokens <= most, count)


def _dialogue(
    before: tuple[Turn, ...], plan: FoldPlan, guidance: str, sheet: Worksheet, pair: Pair, words: int
) -> Steps[Transcript | Refused]:
    """The three calls beside the quotes. The engine reads what the context manager reads."""
    alone = fold.memories_alone(sheet.texts, plan.members)
    subject = Subject(
        before=alone if pair.agent == ENGINE else before,
        alone=alone,
        spoken=[text for member in plan.members for text in member.told.texts[1::2]],
        quote=fold.ask_quotes(sheet.texts, plan.title(extracted=pair.agent == ENGINE)),
        perspective=fold.ask_perspective(sheet.texts, words),
        analysis=fold.ask_analysis(sheet.texts, analysis_words(words)),
        words=words,
        guidance=guidance,
    )
    return (yield from converse(sheet, subject, pair, plan.quotes))


def _memory(chat_id: str, plan: FoldPlan, edition: Edition) -> Memory:
    members, first, last = plan.members, plan.members[0], plan.members[-1]
    return Memory(
        memory_id=fold_id(chat_id, members),
        number=0,
        level=plan.level,
        keys=tuple(key for member in members for key in member.keys),
        first=first.first,
        last=last.last,
        began_at=first.began_at,
        ended_at=last.ended_at,
        source_tokens=sum(member.source_tokens for member in members),
        edition=edition,
        told=edition,
        members=tuple(member.memory_id for member in members),
    )


Keep = Callable[[], None]
"""Keeps what a dialogue has come to."""

_BEFORE_ALL_CHUNKS = -1


class Folds:
    """The folds of a chat: those that prompts will need are made beside the chunks, as soon as they are wanted.

    A fold that is made is kept, and added to the chat's `memories`.
    """

    def __init__(self, context: Context, scheduler: Scheduler, survey: Survey, memories: list[Memory]) -> None:
        self._context = context
        self._scheduler = scheduler
        self._survey = survey
        self._memories = memories
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether one has been begun and is not kept."""
        return self._dialogue is not None

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """What stands for the first `upto` memories in a prompt; None where a fold is missing."""
        view = self._view(upto, as_told)
        return None if view.missing else self._standing(view)

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        wanted = self._view(upto, as_told).missing
        if wanted and self._dialogue is None:
            self._dialogue = self._fold([member.name for member in wanted.members], wanted.level)
            self._scheduler.begin(self._dialogue)

    def keep(self) -> None:
        """Keep it when it is finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None

    def make_all(self, upto: int, version: Version) -> tuple[Memory, ...]:
        """What stands for the first `upto` memories, oldest first, once all folds are made; `version`: which edition.

        Raises ModelError where a model cannot be asked, and ChatSetAside where a fold does not fit into its window.
        """
        while wanted := (view := self._view(upto, version)).missing:
            self._scheduler.finish(self._fold([member.name for member in wanted.members], wanted.level))()
        return self._standing(view)

    def _view(self, upto: int, version: Version) -> View:
        survey = self._survey
        return section(survey.plan.chat_id, self._memories, upto, survey.bounds, version)

    def _standing(self, view: View) -> tuple[Memory, ...]:
        by_id = {memory.memory_id: memory for memory in self._memories}
        return tuple(by_id[item.name] for item in view.standing)

    def _fold(self, names: Sequence[str], level: int) -> RunningDialogue[Keep]:
        """The dialogue of which a fold of the memories with these ids will come."""
        survey = self._survey
        plan = fold_plan(self._memories, names, level)
        ahead = fold_analysis(worksheet_of_fold(survey, plan.members), plan, survey.roles)
        return RunningDialogue(self._steps(plan), _BEFORE_ALL_CHUNKS, ahead=ahead)

    def _steps(self, plan: FoldPlan) -> Steps[Keep]:
        survey, context = self._survey, self._context
        fold = yield from make_fold(
            worksheet_of_fold(survey, plan.members),
            survey.plan.chat_id,
            survey.chat.system_message,
            plan,
            survey.roles,
            count,
            context.clock,
        )

        def keep() -> None:
            kept = keep_fold(context.archive, survey.plan.chat_id, fold)
            self._memories.append(kept)
            context.tell(Folded(survey.plan.chat_id, survey.plan.title, len(plan.members), kept.level))

        return keep
