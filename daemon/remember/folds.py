"""Folds: the oldest memories become one of a higher level, written from their told editions.

It carries their direct quotes on, word for word:

up to six of all members together     all of them
more than six                         those that the agent names by their numbers
no such answer, or no agent           the first quote of each member

A fold is at most half as large as its members. Where its quotes alone make that impossible, it has at most 200 tokens
more than its quotes and questions. The analysis sees the members' answers alone; the perspective is over the whole
stretch of time. The engine goes back to the raw messages instead, and its folds keep more of them the more they are.
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.archive.memories import keep_fold
from daemon.chat.survey import Survey, as_they_are
from daemon.context import Context
from daemon.events import Folded, Noted
from daemon.models.ask import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from daemon.models.tokens import count
from daemon.remember.dialogue import (
    BEFORE_ALL_CHUNKS,
    QUOTE_WORDS,
    Keep,
    Lane,
    Pair,
    Question,
    Subject,
    Transcript,
    Worksheet,
    converse,
    put,
    worksheet_of_fold,
)
from daemon.remember.ladder import Assignment, Count, first_analysis, without_hole
from primer import fold, prompt
from primer.prompt import Turn
from primer.reply import ENGINE, Model, Refused, Request
from rules.conversation.memory import (
    MOST_QUOTES,
    Memory,
    Quote,
    extracted_fold_words,
    fold_id,
    fold_words,
    most_fold_tokens,
)
from rules.plan.folds import MissingFold, Size, section, told_tokens


def make_fold(
    sheet: Worksheet,
    chat_id: str,
    system_message: str,
    members: Sequence[Memory],
    level: int,
    roles: Roles,
    count: Count,
    clock: Clock,
    guidance: str = "",
    raw: tuple[Turn, ...] = (),
) -> Steps[Memory]:
    """The fold of `members` (oldest first, two or more); its number among the folds of its level is for others to give.

    It is written from the members' told editions; by the engine from the `raw` messages, where they are known. Raises
    ModelError where a model cannot be asked.
    """
    before = prompt.context(sheet.texts, system_message, members, (), ())
    alone = fold.memories_alone(sheet.texts, members)
    by_engine = raw or alone
    choosing = sheet.anew()
    quotes = yield from carried(choosing, roles.agent, before, members, guidance)

    def dialogue(sheet: Worksheet, pair: Pair, words: int) -> Steps[Transcript | Refused]:
        """The three calls that are left when the quotes are known."""
        subject = Subject(
            before=by_engine if pair.agent == ENGINE else before,
            alone=by_engine if pair.agent == ENGINE else alone,
            spoken=[text for member in members for text in member.told.texts[1::2]],
            quote=fold.ask_quotes(sheet.texts),
            perspective=fold.ask_perspective(sheet.texts, words),
            analysis=fold.ask_analysis(sheet.texts, words),
            words=words,
            guidance=guidance,
        )
        return (yield from converse(sheet, subject, pair, quotes))

    sizes = (*_sizes(members, quotes, count), sheet.questions_tokens)
    most, words = most_fold_tokens(*sizes), fold_words(*sizes)
    if roles.agent == ENGINE:
        member_tokens, *other_sizes = sizes
        words = extracted_fold_words(member_tokens, sum(member.source_tokens for member in members), *other_sizes)
    work = Assignment("fold", "its memories", dialogue, words, lambda _, tokens: tokens <= most, count)
    edition = yield from without_hole(sheet, work, roles)
    edition = replace(edition, written_at=clock(), requests=(*choosing.requests, *edition.requests))
    first, last = members[0], members[-1]
    return Memory(
        memory_id=fold_id(chat_id, members),
        number=0,
        level=level,
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


def _sizes(members: Sequence[Memory], quotes: Sequence[Quote], count: Count) -> tuple[int, int]:
    """Tokens of the members, and of the quotes."""
    return sum(member.told.tokens for member in members), sum(count(quote.text) for quote in quotes)


def carried(
    sheet: Worksheet, agent: Model, before: tuple[Turn, ...], members: Sequence[Memory], guidance: str
) -> Steps[tuple[Quote, ...]]:
    """The quotes of a fold of `members`, oldest first, at most six; `before` is the agent's context.

    Raises ModelError where the agent cannot be asked.
    """
    offered = [quote for member in members for quote in member.told.quotes]
    if len(offered) <= MOST_QUOTES:
        return tuple(offered)
    if agent != ENGINE:
        text = prompt.guided(sheet.texts, guidance, fold.ask_choice(sheet.texts, offered, MOST_QUOTES))
        answer = yield from put(sheet, Question(Request("quote", agent, before, QUOTE_WORDS), text, ()))
        chosen = () if isinstance(answer, Refused) else fold.read_choice(answer.text, len(offered), MOST_QUOTES)
        if chosen:
            return tuple(offered[number - 1] for number in chosen)
        yield Noted("first quotes carried on")
    return tuple(quote for member in members for quote in member.told.quotes[:1])[:MOST_QUOTES]


def fold_analysis(sheet: Worksheet, members: Sequence[Memory], roles: Roles, count: Count) -> Request | None:
    """The question about a fold that needs no answer before it; None where there is none."""
    quotes = [quote for member in members for quote in member.told.quotes]
    if len(quotes) > MOST_QUOTES:
        return None  # how long it may be depends on those that the agent chooses
    words = fold_words(*_sizes(members, quotes, count), sheet.questions_tokens)
    alone = fold.memories_alone(sheet.texts, members)
    return first_analysis(sheet, roles, alone, fold.ask_analysis(sheet.texts, words), words)


def raw_turns(survey: Survey, members: Sequence[Memory]) -> tuple[Turn, ...]:
    """The raw messages that `members` stand for, behind those before them; none where not all are known any more."""
    keys = {key for member in members for key in member.keys}
    entries = survey.reading.entries
    places = [at for at, entry in enumerate(entries) if entry.key in keys]
    if len(places) < len(keys):
        return ()
    before = as_they_are(entries[max(0, places[0] - _MESSAGES_BEFORE) : places[0]])
    return prompt.context(survey.shown.texts, "", (), before, as_they_are([entries[at] for at in places]))


_MESSAGES_BEFORE = 100


class Folds(Lane):
    """The folds of a chat: those that prompts will need are made beside the chunks, as soon as they are wanted.

    A fold that is made is kept, and added to the chat's `memories`.
    """

    def __init__(self, context: Context, scheduler: Scheduler, survey: Survey, memories: list[Memory]) -> None:
        super().__init__(scheduler)
        self._context = context
        self._survey = survey
        self._memories = memories

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """What stands for the first `upto` memories in a prompt; None where a fold is missing."""
        missing, standing = self._view(upto, told_tokens)
        return None if missing else standing

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        missing, _ = self._view(upto, told_tokens)
        if missing and not self.under_way:
            self.set_out(self._fold(missing))

    def make_all(self, upto: int, size: Size) -> tuple[Memory, ...]:
        """What stands for the first `upto` memories, oldest first, once all folds are made; `size` says which edition.

        Raises ModelError where a model cannot be asked, and ChatSetAside where a fold does not fit into its window.
        """
        while True:
            missing, standing = self._view(upto, size)
            if not missing:
                return standing
            self.scheduler.finish(self._fold(missing))()

    def _view(self, upto: int, size: Size) -> tuple[MissingFold | None, tuple[Memory, ...]]:
        """The next fold that is missing, and what stands for these memories now."""
        view = section(self._survey.plan.chat_id, self._memories, upto, self._survey.bounds, size)
        by_id = {memory.memory_id: memory for memory in self._memories}
        return view.missing, tuple(by_id[item.name] for item in view.standing)

    def _fold(self, missing: MissingFold) -> RunningDialogue[Keep]:
        """The dialogue of which this fold will come."""
        by_id = {memory.memory_id: memory for memory in self._memories}
        members = [by_id[member.name] for member in missing.members]
        ahead = fold_analysis(worksheet_of_fold(self._survey, members), members, self._survey.roles, count)
        return RunningDialogue(self._steps(members, missing.level), BEFORE_ALL_CHUNKS, ahead=ahead)

    def _steps(self, members: Sequence[Memory], level: int) -> Steps[Keep]:
        survey, context, plan = self._survey, self._context, self._survey.plan
        sheet, system_message = worksheet_of_fold(survey, members), survey.chat.system_message
        made = yield from make_fold(
            sheet, plan.chat_id, system_message, members, level, survey.roles, count, context.clock,
            raw=raw_turns(survey, members),
        )  # fmt: skip

        def keep() -> None:
            kept = keep_fold(context.archive, plan.chat_id, made)
            self._memories.append(kept)
            context.tell(Folded(plan.chat_id, plan.title, len(members), kept.level))

        return keep
