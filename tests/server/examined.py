"""A model that writes questions about a passage and answers them, and whose knowledge is known.

A question is a sentence of the passage that is cut in two: what comes after its first half? So
whether its answer stands in a context can be told from the context alone.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.server.passage import Said, read_passage
from tests.server.reply import Answer, Reply
from tests.server.request import Request
from tests.server.scribe import scribe

_FORM = '{"questions":'
POSED = re.compile(r"^(\d+)\. (.+)\n((?:[A-E]\. .+\n?){5})", re.MULTILINE)
CHOICE = re.compile(r"^([A-D])\. (.+)$", re.MULTILINE)
SENTENCE = re.compile(r"[A-Z][^.!?\n\"<>]{40,200}[.!?]")
FOLLOWS = "What follows “"

Guess = Callable[[str, str], str]
"""The letter for a question that is not known, by its text and the letter that is right ("" for none)."""


def never_said(question: str, right: str) -> str:
    """Never guess."""
    return "E"


@dataclass(frozen=True)
class Examined:
    """A script: remembers as the scribe does, and in evaluations knows so much of what stands in its context."""

    share: float = 1.0
    otherwise: Guess = never_said
    answers: Callable[[list[str]], str] = lambda letters: "\n".join(
        f"{number}. {letter}" for number, letter in enumerate(letters, 1)
    )

    def __call__(self, request: Request) -> Reply:
        """Answer a question of an evaluation, or what the scribe would."""
        last = request.turns[-1].text
        if _FORM in last:
            return Answer(written(read_passage(request.turns)))
        posed = POSED.findall(last)
        if not posed:
            return scribe(request)
        context = "\n".join(turn.text for turn in request.turns)
        before = context.split("Here are questions about", 1)[0]
        # Who reads the chunk alone has it in view, and always knows.
        is_check = "</to_remember>" in context
        letters = [
            self._letter(question, choices, before, is_check) for _, question, choices in posed
        ]
        return Answer(self.answers(letters))

    def _letter(self, question: str, choices: str, context: str, is_check: bool) -> str:
        begun = question.removeprefix(FOLLOWS).rpartition("”")[0]
        right = next(
            (
                letter
                for letter, choice in CHOICE.findall(choices)
                if f"{begun} {choice}" in context
            ),
            "",
        )
        if right and (is_check or drawn(question) < self.share):
            return right
        return "E" if is_check else self.otherwise(question, right)


def drawn(text: str) -> float:
    """A number from 0 to 1 that the text alone decides: who knows a share of all knows those below it."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64


def written(passage: tuple[Said, ...]) -> str:
    """Three questions about sentences of the passage, and one about what nobody said."""
    sentences = [sentence for said in passage for sentence in SENTENCE.findall(said.text)] or [
        "Nothing much was said on that day, and nobody will ask about it ever again."
    ]
    chosen = sorted(set(sentences), key=drawn)[:3]
    endings = [_cut(sentence)[1] for sentence in sorted(set(sentences), key=drawn)]
    questions = [
        {
            "question": f"{FOLLOWS}{_cut(sentence)[0]}”?",
            "right": _cut(sentence)[1],
            "wrong": _others(_cut(sentence)[1], endings),
            "passage": sentence,
        }
        for sentence in chosen
    ]
    unsaid = {
        "question": f"{FOLLOWS}The captain of {chosen[0][:20]} owns”?",
        "choices": [f"{count} ships of {drawn(chosen[0]):.6f} tons." for count in range(4)],
    }
    return json.dumps({"questions": questions, "unsaid": unsaid}, ensure_ascii=False)


def _others(right: str, endings: list[str]) -> list[str]:
    others = [ending for ending in dict.fromkeys(endings) if ending != right][:3]
    return [*others, *(f"{right.rstrip('.!?')} {word}." for word in ("twice", "often", "never"))][
        :3
    ]


def _cut(sentence: str) -> tuple[str, str]:
    words = sentence.split()
    return " ".join(words[:-3]), " ".join(words[-3:])
