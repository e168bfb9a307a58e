"""What is shown and asked when several memories become one, and how a choice of quotes is read.

agent             the memories as ever: opening, six messages each, closing; then the questions
context manager   the memories' answers, each memory in a <to_remember> with its dates
engine            the raw messages; the same as the context manager where they are not known any more
"""

import re
from collections.abc import Sequence

from primer.prompt import Texts, Turn, fill, keep_inert, wrap
from rules.conversation.memory import Memory, Quote
from rules.typingmind.message import parse_date

_LISTED = re.compile(r"[\s\-*•#(\[]*(\d{1,4})(?=\s*[\])]*[.):]|\s*$)", re.ASCII)
_NUMBER = re.compile(r"(?<![\w./-])(?<!\d:)\d{1,4}(?![\w/-]|[.:]\d)", re.ASCII)
_LETTER = re.compile(r"[^\W\d_]")


def ask_quotes(texts: Texts) -> str:
    """The first question: the quotes to carry on. The answer is copied by code."""
    return texts.fold_quotes


def ask_choice(texts: Texts, quotes: Sequence[Quote], most: int) -> str:
    """Which of the quotes, numbered from 1, to carry on; no part of the memory."""
    listed = [f"{number}. {keep_inert(quote.text)}" for number, quote in enumerate(quotes, 1)]
    return fill(texts.fold_choice, most=str(most), quotes="\n\n".join(listed))


def read_choice(answer: str, offered: int, most: int) -> tuple[int, ...]:
    """The first `most` numbers from 1 to `offered` that the answer names, in order of size; none where it names none.

    Of a line that begins with a number in a list only that one counts, since the quote may follow it.
    """
    named = [number for line in answer.splitlines() for number in _numbers(line)]
    chosen = list(dict.fromkeys(number for number in named if 1 <= number <= offered))
    return tuple(sorted(chosen[:most]))


def ask_perspective(texts: Texts, words: int) -> str:
    """The second question: what the whole stretch of time was."""
    return fill(texts.fold_perspective, words=str(words))


def ask_analysis(texts: Texts, words: int) -> str:
    """The context manager's own question."""
    return fill(texts.fold_analysis, words=str(words))


def memories_alone(texts: Texts, members: Sequence[Memory]) -> tuple[Turn, ...]:
    """What the context manager reads: what the memories answer, and nothing else."""
    passages = "\n".join(map(_passage, members))
    return Turn("system", texts.analyst), Turn("user", passages)


def _numbers(line: str) -> list[int]:
    listed = _LISTED.match(line)
    if listed and _LETTER.search(line):
        return [int(listed[1])]
    return [int(number) for number in _NUMBER.findall(line)]


def _passage(member: Memory) -> str:
    """A memory's three answers, as the agent's own words, with the dates between which it happened."""
    dates = {"date": member.began_at, "until": member.ended_at}
    known = {name: date for name, date in dates.items() if date and parse_date(date)}
    return wrap("to_remember", keep_inert("\n\n".join(member.told.texts[1::2])), role="assistant", **known)
