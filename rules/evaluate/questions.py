"""Draw questions about what was said by a seed, pose them with letters, and read the answers.

All drawing depends on hashes of seeds, so that a request that was cut off is made again unchanged,
and is not paid for twice.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

CHOICES = 4
LETTERS = "ABCDE"
RIGHT, NEVER_SAID = "A", "E"
"""Letters in a question's own order, in which the first choice is right."""
MOST_QUESTIONS = 40
"""The most questions of one evaluation."""
PER_CHUNK = CHOICES
"""The questions about one chunk: three on what was said, one on what was not."""
AT_ONCE = 5
"""The most questions in one request."""
NAMED, REPLACED = "named to a rewriting", "named to a rewriting, and replaced"
"""States of a question that was named when its memory was rewritten, so that it measures that
memory no more."""
GUESSED, UNCLEAR = "answered without the conversation", "not answered from its own chunk"
SAID_ELSEWHERE = "a choice was said elsewhere"
"""States of questions that were never good enough to be asked."""

_NUMBERED = re.compile(
    r"(?<![\w.])(\d{1,2})\b[\s.):=\-–—*]*(?:(?i:(?:the )?answer(?: is|:)?)\s*)?[*_(\[\"'`]*"
    r"(?:([A-E])(?![\w'’])|([a-e])(?=[\s*_)\].,;\"'`]*(?:$|\n|\d))|((?i:not|never) said))",
    re.MULTILINE,
)
_IN_SENTENCE = re.compile(
    r"(?<![\w.])(\d{1,2})\b[^\d\n]{0,60}?\b(?:is|answer|choose|say|letter)\b[\s:*_(\[\"'`]*([A-E])(?![\w'’])"
)
"""A number and its letter in a sentence: "For question 2, I would say B"."""
_BARE = re.compile(r"[A-E](?:[\s,;.]*[A-E])*[\s.]*")

OWN = "own "
"""The beginning of the seeds of the person's own questions."""
PASSAGE = "passage"
"""The arm in which a question is asked with its chunk in view, once for each model."""
_MOST_NEVER_SAID = 0.9

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question about the chunk of a memory."""

    memory: str
    message: str
    """The key of the raw message that has the answer; empty where it was never said."""
    passage: str
    """The words of that message that answer it; empty where it was never said."""
    text: str
    choices: tuple[str, ...]
    """Four choices, of which the first is right, or where it was never said none of them."""
    seed: str
    state: str = ""
    """Why it is not asked; empty where it is."""
    number: int = 0
    """Its row in the archive; 0 before it is stored."""

    @property
    def was_said(self) -> bool:
        """Return whether its answer is in the conversation."""
        return bool(self.passage)

    @property
    def is_own(self) -> bool:
        """Return whether the person has written it."""
        return self.seed.startswith(OWN)

    @property
    def right(self) -> str:
        """Return the letter of the right answer."""
        return RIGHT if self.was_said else NEVER_SAID


@dataclass(frozen=True, slots=True)
class EvalAnswer:
    """A letter that a model gave to a question."""

    evaluation: int
    question: int
    arm: str
    """What the context had: memories, tail, full or recall."""
    letter: str
    """In the order of the question's own choices; empty where none could be read."""
    model: str
    settings: str
    version: str
    memories: int
    level: int
    at: str


def draw(items: Sequence[T], seed: str) -> list[T]:
    """Return the items in an order drawn by the seed."""
    return [items[at] for at in _order(len(items), seed)]


def _order(length: int, seed: str) -> list[int]:
    return sorted(range(length), key=lambda at: hashlib.sha256(f"{seed} {at}".encode()).digest())


def spread(items: Sequence[T], most: int, preferred: Sequence[T] = ()) -> list[T]:
    """Return at most `most` items spread evenly over a row: one from each of its equal parts.

    From each part the first `preferred` item is picked, else the middle one.
    """
    parts = min(most, len(items))
    bounds = [len(items) * number // parts for number in range(parts + 1)] if parts else [0]
    picked = []
    for begin, end in pairwise(bounds):
        part = items[begin:end]
        picked.append(next((item for item in part if item in preferred), part[len(part) // 2]))
    return picked


def pick_few(questions: Iterable[EvalQuestion], chunks: Sequence[str]) -> tuple[EvalQuestion, ...]:
    """Return the oldest questions about each of these chunks, which are the same each time."""
    about: dict[str, list[EvalQuestion]] = {chunk: [] for chunk in chunks}
    for question in questions:
        if question.memory in about:
            about[question.memory].append(question)
    return tuple(question for oldest in about.values() for question in oldest[:PER_CHUNK])


def pose(questions: Sequence[EvalQuestion], asking: str) -> str:
    """Write questions with lettered choices, in an order that is drawn with the seed `asking`."""
    return "\n\n".join(
        "\n".join(
            (
                f"{number}. {question.text}",
                *(
                    f"{letter}. {question.choices[at]}"
                    for letter, at in zip(LETTERS, _choices(question, asking), strict=False)
                ),
                f"{NEVER_SAID}. It was never said.",
            )
        )
        for number, question in enumerate(questions, 1)
    )


def says_never_to_all(letters: Sequence[str]) -> bool:
    """Return whether a model answers "never said" to nearly all questions.

    These are at least nine of ten, asked with the passage in view. Such a model cannot evaluate
    memories: it would miss all of them.
    """
    return bool(letters) and letters.count(NEVER_SAID) >= _MOST_NEVER_SAID * len(letters)


def own_letter(question: EvalQuestion, asking: str, letter: str) -> str:
    """Return the letter of an answer in the order of the question's own choices."""
    if letter in ("", NEVER_SAID):
        return letter
    return LETTERS[_choices(question, asking)[LETTERS.index(letter)]]


def _choices(question: EvalQuestion, asking: str) -> list[int]:
    return _order(CHOICES, f"{question.seed} {asking}")


def read_letters(answer: str, count: int) -> tuple[str, ...]:
    """Return the letters that answer `count` questions; "" for one with no letter, or several."""
    if _BARE.fullmatch(answer.strip()):
        bare = re.findall("[A-E]", answer)
        if len(bare) == count:
            return tuple(bare)
    letters: dict[int, set[str]] = {}
    for number, capital, small, unsaid in _NUMBERED.findall(answer):
        letter = NEVER_SAID if unsaid else (capital or small).upper()
        letters.setdefault(int(number), set()).add(letter)
    for number, letter in _IN_SENTENCE.findall(answer):
        letters.setdefault(int(number), set()).add(letter)
    given = (letters.get(number, set()) for number in range(1, count + 1))
    return tuple(next(iter(read)) if len(read) == 1 else "" for read in given)
