"""Several memories become one of a higher level, in the same six-message form.

    quotes         those of all members, word for word, by code; of more than six the agent chooses
    perspective    agent               over the whole stretch of time
    analysis       context manager     from the members' answers alone
    refinement     agent

A fold is at most half as large as its members. Where its quotes alone make that impossible, it has at most 400
tokens more than its quotes. The engine's, on the last rung, is made shorter until it fits, down to a word an answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from daemon.models.roles import Roles
from daemon.remembering.carrying import carried
from daemon.remembering.dialogue import Dialogue, Pair, Subject, converse
from daemon.remembering.ladder import Count, Work, by_the_engine, first_analysis, first_good, pairs
from daemon.remembering.question import Desk, recording
from primer import fold, prompt
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import ENGINE, Request
from primer.texts import Texts
from rules.conversation.memory import MOST_QUOTES, Edition, Memory, Quote, fold_id, fold_words, most_fold_tokens


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
    work = _work(members, quotes, partial(_dialogue, before, members, guidance, quotes), count)
    held = first_good(desk, work, pairs(roles))
    if isinstance(held, Refused):
        if roles.agent != ENGINE:
            desk.note("fold extracted by the engine")
        held = by_the_engine(desk, work)
    edition = held.edition(1, "as-of", written_at)
    return _memory(chat_id, members, level, replace(edition, requests=(*asked, *edition.requests)))


def fold_analysis(texts: Texts, members: Sequence[Memory], roles: Roles, count: Count) -> Request | None:
    """The question about a fold that needs no answer before it; None where there is none."""
    quotes = [quote for member in members for quote in member.told.quotes]
    if len(quotes) > MOST_QUOTES:
        return None  # how long it may be depends on those that the agent chooses
    words = _words(members, quotes, count)
    return first_analysis(texts, roles, fold.memories_alone(texts, members), fold.ask_analysis(texts, words), words)


def _words(members: Sequence[Memory], quotes: Sequence[Quote], count: Count) -> int:
    member_tokens = sum(member.told.tokens for member in members)
    return fold_words(member_tokens, sum(count(quote.text) for quote in quotes))


def _work(
    members: Sequence[Memory],
    quotes: tuple[Quote, ...],
    dialogue: Callable[[Desk, Pair, int], Dialogue | Refused],
    count: Count,
) -> Work:
    member_tokens = sum(member.told.tokens for member in members)
    quote_tokens = sum(count(quote.text) for quote in quotes)
    most = most_fold_tokens(member_tokens, quote_tokens)
    words = _words(members, quotes, count)
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
