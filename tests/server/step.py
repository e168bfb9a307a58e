"""Which of the four questions a request asks, read from its structure and never from the wording of our texts.

passage                                             question without wrapper      analysis
passage  <context_manager>                                                        quote
passage  <context_manager>  not in the passage   <context_manager>                quote, once more
passage  <context_manager>  a quote              <context_manager>                perspective
passage  three <context_manager> or more                                          refinement
"""

import re
from dataclasses import dataclass
from typing import Literal

from tests.server.passage import Said, read_passage
from tests.server.request import Request

Step = Literal["quote", "perspective", "analysis", "refinement", "other"]

_QUESTION = re.compile(r"<context_manager>\n?(.*?)\n?</context_manager>", re.DOTALL)
_LENGTH = re.compile(r"(\d+) words")
_DEFAULT_WORDS = 80


@dataclass(frozen=True, slots=True)
class Task:
    """A question about a passage, its own words, and how many words the answer may have."""

    step: Step
    passage: tuple[Said, ...]
    question: str
    words: int


def read_task(request: Request) -> Task:
    """What the request wants. Without a passage it is something else than one of the four questions."""
    passage = read_passage(request.turns)
    text = "\n\n".join(turn.text for turn in request.turns)
    after = text.rpartition("</to_remember>")[2]
    questions = _QUESTION.findall(after)
    question = questions[-1] if questions else after.strip()
    lengths = _LENGTH.findall(question)
    return Task(
        _step(passage, after, len(questions)), passage, question, int(lengths[-1]) if lengths else _DEFAULT_WORDS
    )


def _step(passage: tuple[Said, ...], after: str, questions: int) -> Step:
    if not passage:
        return "other"
    if questions == 0:
        return "analysis"
    if questions == 1:
        return "quote"
    if questions > 2:
        return "refinement"
    answered = after.split("</context_manager>")[1].split("<context_manager>")[0].strip()
    return "perspective" if any(answered in said.text for said in passage) else "quote"
