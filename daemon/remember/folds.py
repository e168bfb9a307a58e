"""Which direct quotes a fold carries on, word for word.

up to six of all members together     all of them
more than six                         those that the agent names by their numbers
no such answer, or no agent           the first quote of each member
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from daemon.archive.memories import keep_fold
from daemon.chat.survey import Survey
from daemon.context import Folded
from daemon.models.roles import Roles
from daemon.models.scheduler import Front, Talk
from daemon.models.tokens import count
from daemon.remember.asking import desk_for_fold
from daemon.remember.dialogue import QUOTE_WORDS, Dialogue, Pair, Subject, converse
from daemon.remember.ladder import Count, Work, by_the_engine, first_analysis, first_good, pairs
from daemon.remember.question import Desk, Question, put, recording
from primer import fold, prompt
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import ENGINE, Model, Request
from primer.texts import Texts
from rules.conversation.memory import MOST_QUOTES, Edition, Memory, Quote, fold_id, fold_words, most_fold_tokens
from rules.plan.folds import View
from rules.plan.section import Size, section, told_tokens


def carried(
    desk: Desk, agent: Model, before: tuple[Turn, ...], members: Sequence[Memory], guidance: str
) -> tuple[Quote, ...]:
    """The quotes of a fold of `members`, oldest first, at most six; `before` is the agent's context.

    Raises ModelError where the agent cannot be asked.
    """
    offered = [quote for member in members for quote in member.told.quotes]
    if len(offered) <= MOST_QUOTES:
        return tuple(offered)
    if agent != ENGINE:
        chosen = _chosen(desk, agent, before, offered, guidance)
        if chosen:
            return tuple(offered[number - 1] for number in chosen)
        desk.note("first quotes carried on")
    return tuple(quote for member in members for quote in member.told.quotes[:1])[:MOST_QUOTES]


def _chosen(
    desk: Desk, agent: Model, before: tuple[Turn, ...], offered: Sequence[Quote], guidance: str
) -> tuple[int, ...]:
    """The numbers that the agent names; none where it names none that can be used."""
    asked = prompt.guided(desk.texts, guidance, fold.ask_choice(desk.texts, offered, MOST_QUOTES))
    answer = put(desk, Question(Request("quote", agent, before, QUOTE_WORDS), asked, ()))
    return () if isinstance(answer, Refused) else fold.read_choice(answer.text, len(offered), MOST_QUOTES)


def make_fold(
    desk: Desk,
    chat_id: str,
    system_message: str,
    members: Sequence[Memory],
    level: int,
    roles: Roles,
    count: Count,
    written_at: str,
    guidance: str = "",
) -> Memory:
    """The fold of `members` (oldest first, two or more); its number among the folds of its level is for others to give.

    It is written from the members' told editions. Raises ModelError where a model cannot be asked.
    """
    before = prompt.context(desk.texts, system_message, members, (), ())
    at_desk, asked = recording(desk)
    quotes = carried(at_desk, roles.agent, before, members, guidance)
    work = _work(members, quotes, partial(_dialogue, before, members, guidance, quotes), count, desk.questions_tokens)
    held = first_good(desk, work, pairs(roles))
    if isinstance(held, Refused):
        if roles.agent != ENGINE:
            desk.note("fold extracted by the engine")
        held = by_the_engine(desk, work)
    edition = held.edition(1, "as-of", written_at)
    return _memory(chat_id, members, level, replace(edition, requests=(*asked, *edition.requests)))


def fold_analysis(
    texts: Texts, members: Sequence[Memory], roles: Roles, count: Count, questions_tokens: int
) -> Request | None:
    """The question about a fold that needs no answer before it; None where there is none."""
    quotes = [quote for member in members for quote in member.told.quotes]
    if len(quotes) > MOST_QUOTES:
        return None  # how long it may be depends on those that the agent chooses
    words = _words(members, quotes, count, questions_tokens)
    return first_analysis(texts, roles, fold.memories_alone(texts, members), fold.ask_analysis(texts, words), words)


def _words(members: Sequence[Memory], quotes: Sequence[Quote], count: Count, questions: int) -> int:
    member_tokens = sum(member.told.tokens for member in members)
    return fold_words(member_tokens, sum(count(quote.text) for quote in quotes), questions)


def _work(
    members: Sequence[Memory],
    quotes: tuple[Quote, ...],
    dialogue: Callable[[Desk, Pair, int], Dialogue | Refused],
    count: Count,
    questions: int,
) -> Work:
    member_tokens = sum(member.told.tokens for member in members)
    quote_tokens = sum(count(quote.text) for quote in quotes)
    most = most_fold_tokens(member_tokens, quote_tokens, questions)
    words = _words(members, quotes, count, questions)
    return Work("fold", "its memories", dialogue, words, lambda _, tokens: tokens <= most, count)


def _dialogue(
    before: tuple[Turn, ...],
    members: Sequence[Memory],
    guidance: str,
    quotes: tuple[Quote, ...],
    desk: Desk,
    pair: Pair,
    words: int,
) -> Dialogue | Refused:
    """The three calls that are left when the quotes are known. The engine reads what the context manager reads."""
    alone = fold.memories_alone(desk.texts, members)
    subject = Subject(
        before=alone if pair.agent == ENGINE else before,
        alone=alone,
        spoken=[text for member in members for text in member.told.texts[1::2]],
        quote=fold.ask_quotes(desk.texts),
        perspective=fold.ask_perspective(desk.texts, words),
        analysis=fold.ask_analysis(desk.texts, words),
        words=words,
        guidance=guidance,
    )
    return converse(desk, subject, pair, quotes)


def _memory(chat_id: str, members: Sequence[Memory], level: int, edition: Edition) -> Memory:
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


Keep = Callable[[], None]
"""Keeps what a dialogue has come to."""

_BEFORE_ALL_CHUNKS = -1


def stand_before(front: Front, found: Survey, memories: list[Memory], upto: int, size: Size) -> tuple[Memory, ...]:
    """What stands for the first `upto` of a chat's memories, oldest first; `size` says in which edition.

    A fold that is missing is made, kept, and added to `memories`. Raises ModelError where a model cannot be asked,
    and ChatSetAside where the fold does not fit into its window.
    """
    while True:
        by_id = {memory.memory_id: memory for memory in memories}
        view = section(found.plan.chat_id, memories, upto, found.bounds, size)
        if view.missing is None:
            return tuple(by_id[item.name] for item in view.standing)
        members = [by_id[member.name] for member in view.missing.members]
        front.finish(_talk(front, found, memories, members, view.missing.level))()


class Folds:
    """The folds that prompts will need, each made beside the chunks as soon as it is wanted."""

    def __init__(self, front: Front, found: Survey, memories: list[Memory]) -> None:
        self._front = front
        self._found = found
        self._memories = memories
        self._talk: Talk[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether one has been begun and is not kept."""
        return self._talk is not None

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """What stands for the first `upto` memories in a prompt; None where a fold is missing."""
        by_id = {memory.memory_id: memory for memory in self._memories}
        view = self._view(upto)
        return None if view.missing else tuple(by_id[item.name] for item in view.standing)

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        wanted = self._view(upto).missing
        if wanted and self._talk is None:
            by_id = {memory.memory_id: memory for memory in self._memories}
            members = [by_id[member.name] for member in wanted.members]
            self._talk = _talk(self._front, self._found, self._memories, members, wanted.level)
            self._front.begin(self._talk)

    def keep(self) -> None:
        """Keep it when it is finished."""
        if self._talk and self._talk.result:
            self._talk.result()
            self._talk = None

    def _view(self, upto: int) -> View:
        return section(self._found.plan.chat_id, self._memories, upto, self._found.bounds, told_tokens)


def _talk(front: Front, found: Survey, memories: list[Memory], members: Sequence[Memory], level: int) -> Talk[Keep]:
    def hold() -> Keep:
        fold = make_fold(
            desk_for_fold(front, found, members),
            found.plan.chat_id,
            found.chat.system_message,
            members,
            level,
            found.roles,
            count,
            front.house.clock(),
        )
        return partial(keep, fold)

    def keep(fold: Memory) -> None:
        kept = keep_fold(front.house.archive, found.plan.chat_id, fold)
        memories.append(kept)
        front.house.tell(Folded(found.plan, len(members), kept.level))

    return Talk(
        hold,
        _BEFORE_ALL_CHUNKS,
        ahead=fold_analysis(found.texts, members, found.roles, count, found.plan.questions_tokens),
    )
