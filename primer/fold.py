"""What is shown and asked when several memories become one.

agent             the memories as ever: opening, six messages each, closing; then the questions
context manager   the memories' answers, each memory in a <to_remember> with its dates
engine            the raw messages; the same as the context manager where they are not known any more
"""

from collections.abc import Sequence

from primer.prompt import Texts, Turn, fill, keep_inert, wrap
from rules.conversation.memory import Memory
from rules.conversation.short_quotes import as_read
from rules.typingmind.message import parse_date


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
    """What the context manager reads: what the memories answer, and nothing else."""
    passages = "\n".join(map(_passage, members))
    return Turn("system", texts.analyst), Turn("user", passages)


def _passage(member: Memory) -> str:
    """A memory's three answers, as the agent's own words, with the dates between which it happened."""
    answers = (as_read(member.in_prompts) if member.is_fold else member.in_prompts).texts[1::2]
    dates = {"date": member.began_at, "until": member.ended_at}
    known = {name: date for name, date in dates.items() if date and parse_date(date)}
    return wrap("to_remember", keep_inert("\n\n".join(answers)), role="assistant", **known)
