"""Which question a request asks, read from its structure and never from the wording of our texts.

passage                                             question without wrapper      analysis
passage, its messages numbered                      question without wrapper      facts
passage  <context_manager>                                                        quote
passage  <context_manager>  not in the passage   <context_manager>                quote, once more
passage  <context_manager>  a quote              <context_manager>                perspective
passage  three <context_manager>                                                  refinement
passage  four <context_manager>                                                   core
passage  five <context_manager>, or four and results of calls                     core, once more

What is answered by nobody is no question: in hindsight an announcement in the wrapper stands between the passage and
what came after it.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tests.server.passage import Said, read_passage
from tests.server.request import Request

Step = Literal["quote", "perspective", "analysis", "refinement", "core", "facts", "other"]

_QUESTION = re.compile(r"<context_manager>\n?(.*?)\n?</context_manager>", re.DOTALL)
_HEADING = re.compile(r"^#+ ?\w+: *$", re.MULTILINE)
_LENGTH = re.compile(r"(\d+) words")
_DEFAULT_WORDS = 80
_BEFORE_CORE = 3


@dataclass(frozen=True, slots=True)
class Task:
    """A question about a passage, its own words, and how many words the answer may have."""

    step: Step
    passage: tuple[Said, ...]
    question: str
    words: int
    again: bool = False
    """Of the core memory: some edits have been made or refused already."""


def read_task(request: Request) -> Task:
    """What the request wants. Without a passage it is something else than one of these questions."""
    passage = read_passage(request.turns)
    asked = _asked(request)
    text = "\n\n".join(turn.text for turn in request.turns)
    question = asked[-1].text if asked else text.rpartition("</to_remember>")[2].strip()
    again = len(asked) > _BEFORE_CORE + 1 or [turn.role for turn in request.turns[-1:]] == [
        "result"
    ]
    step = _step(passage, asked)
    return Task(step, passage, question, _words(step, question, request.turns[0].text), again)


def _words(step: Step, question: str, system: str) -> int:
    """How long the answer may be: as the question says, behind an analysis that stands in it; else as the primer does.

    The primer names the length of the quote first, and that of the other answers last.
    """
    own = question.rpartition("\n\n")[2] if step == "refinement" else question
    if lengths := _LENGTH.findall(own):
        return int(lengths[-1])
    told = _LENGTH.findall(system) if step in ("quote", "perspective", "refinement") else []
    return int(told[0 if step == "quote" else -1]) if told else _DEFAULT_WORDS


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    answer: str
    """Empty where it is the last one."""


def _asked(request: Request) -> list[_Asked]:
    """The questions behind the passage: each ends its turn, and the answer is the agent's next one."""
    turns = request.turns
    if len(turns) == 1:
        return _asked_in_one(turns[0].text.rpartition("</to_remember>")[2])
    last = max((at for at, turn in enumerate(turns) if "</to_remember>" in turn.text), default=-1)
    found = []
    for at in range(max(last, 0), len(turns)):
        said = turns[at].text.rpartition("</to_remember>")[2]
        answers = [turn for turn in turns[at + 1 : at + 2] if turn.role in ("assistant", "call")]
        for block in _QUESTION.finditer(said):
            if not said[block.end() :].strip() and (answers or at == len(turns) - 1):
                found.append(_Asked(block[1], answers[0].text.strip() if answers else ""))
    return found


def _asked_in_one(text: str) -> list[_Asked]:
    """The same where the whole dialogue is one prompt: each answer stands before the next question, under a heading."""
    blocks = [*_QUESTION.finditer(text)]
    ends = [*(block.start() for block in blocks[1:]), len(text)][: len(blocks)]
    answers = [
        _HEADING.sub("", text[block.end() : end]).strip()
        for block, end in zip(blocks, ends, strict=True)
    ]
    return [_Asked(block[1], answer) for block, answer in zip(blocks, answers, strict=True)]


def _step(passage: tuple[Said, ...], asked: list[_Asked]) -> Step:
    if not passage:
        return "other"
    if not asked:
        return "facts" if any(said.number for said in passage) else "analysis"
    if len(asked) == 1:
        return "quote"
    if len(asked) > 2:
        return "core" if len(asked) > _BEFORE_CORE else "refinement"
    return "perspective" if any(asked[0].answer in said.text for said in passage) else "quote"
