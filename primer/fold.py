"""What is shown and asked when several memories become one.

agent             the memories as ever: opening, six messages each, closing; then the questions
context manager   the memories' answers, each memory in a <to_remember> with its dates
engine            the same as the context manager
"""

import re
from collections.abc import Sequence

from primer.prompt import Texts, Turn, fill, keep_inert, wrap
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.short_quotes import as_read
from rules.typingmind.message import parse_date

_MINUTE = re.compile(r"(?:(\d{4}-\d\d-\d\d), )?(user|assistant): (.*)")


def ask_quotes(texts: Texts, title: str) -> str:
    """The first question, behind the fold's title: the quotes that it carries on. The answer is copied by code."""
    return f"{title} {texts.fold_quotes}".lstrip()


def ask_perspective(texts: Texts, words: int) -> str:
    """The second question: what the whole stretch of time was."""
    return fill(texts.fold_perspective, words=str(words))


def ask_analysis(texts: Texts, words: int) -> str:
    """The context manager's own question."""
    return fill(texts.fold_analysis, words=str(words))


def memories_alone(texts: Texts, members: Sequence[Memory]) -> tuple[Turn, ...]:
    """What the context manager and the engine read: what the memories answer, and nothing else."""
    passages = "\n".join(passage for member in members for passage in _passages(member))
    return Turn("system", texts.analyst), Turn("user", passages)


def _passages(member: Memory) -> list[str]:
    """A memory's three answers, as the agent's own words, with the dates between which it happened.

    What the engine has extracted goes back to who said it and when, so that a fold of folds does not nest them.
    """
    quote, perspective, refinement = (as_read(member.told) if member.is_fold else member.told).texts[1::2]
    if member.told.made != EXTRACTED:
        return [_passage(member, "\n\n".join([quote, perspective, refinement]))]
    minutes = [_MINUTE.fullmatch(line) for line in refinement.splitlines()]
    if not minutes or not all(minutes):
        return [_passage(member, "\n\n".join([quote, perspective, refinement]))]
    return [_passage(member, f"{quote}\n\n{perspective}"), *_said(member, [minute for minute in minutes if minute])]


def _passage(member: Memory, text: str) -> str:
    dates = {"date": member.began_at, "until": member.ended_at}
    known = {name: date for name, date in dates.items() if date and parse_date(date)}
    return wrap("to_remember", keep_inert(text), role="assistant", **known)


def _said(member: Memory, minutes: Sequence[re.Match[str]]) -> list[str]:
    """The engine's minutes, a message for each line; a day counts until the next one is named."""
    day = member.began_at or ""
    found = []
    for minute in minutes:
        day = minute[1] or day
        dated = {"date": day} if parse_date(day) else {}
        found.append(wrap("to_remember", keep_inert(minute[3]), role=minute[2], **dated))
    return found
