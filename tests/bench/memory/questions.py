"""Questions about a conversation, and how much of an answer's content stands in a context."""

import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

_NO_ANSWER = "abstention"
"""Questions to which the conversation holds no answer: nothing could stand in a context."""
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
_WORD = re.compile(r"[^\W_]+(?:[.,:/]\d+)*")


@dataclass(frozen=True, slots=True)
class AskedOfChat:
    """A question about a conversation, what kind of question it is, and the content words of its answer."""

    kind: str
    text: str
    answer: frozenset[str]
    statements: frozenset[tuple[str, str]] = frozenset()
    """The neighbouring content words of its answer."""


def read_questions(path: Path) -> tuple[AskedOfChat, ...]:
    """The questions of a file that can be answered; those whose answer has no content words are left out."""
    by_kind = json.loads(path.read_bytes())
    return tuple(
        AskedOfChat(kind, str(entry["question"]), frozenset(answer), _neighbours(answer))
        for kind, entries in by_kind.items()
        if kind != _NO_ANSWER
        for entry in entries
        if (answer := _answer(entry))
    )


def _answer(entry: Mapping[str, Any]) -> Sequence[str]:
    """The content words of the ideal answer in order, or of the rubric where there is none."""
    ideal = next((entry[name] for name in _ANSWERS if entry.get(name)), None)
    if ideal is not None:
        return _content(ideal if isinstance(ideal, str) else json.dumps(ideal))
    said = _content(" ".join(entry.get("rubric") or []))
    return [word for word in said if word not in _RUBRIC_WORDS]


def _neighbours(answer: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for pair in pairwise(answer) if pair[0] != pair[1])


def words(text: str) -> set[str]:
    """The distinct words of a text, in small letters; a figure is one word with its points ("3.1", "10:30")."""
    return set(_in_order(text))


def _in_order(text: str) -> list[str]:
    return _WORD.findall(text.lower())


_FUNCTION_WORDS = words(
    """
    a an the and but or nor if so than then because while until also
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves
    this that these those here there who whom what which when where why how
    am is are was were be been being do does did doing have has had having can could will would should
    not no just only now again once further more most few some any all both each other own same such very too
    about above after against as at before below between by down during for from in into of off on out over
    through to under up with
    s t d m ll re ve don didn isn wasn
    """
)
_RUBRIC_WORDS = words(
    "llm response should state contain mention there is information contradictory which statement correct"
)
"""What rubrics say of any answer: "LLM response should state: ..."."""


def content_words(text: str) -> frozenset[str]:
    """Those words that carry content: function words and single letters do not."""
    return frozenset(_content(text))


def _content(text: str) -> list[str]:
    return [
        word
        for word in _in_order(text)
        if word not in _FUNCTION_WORDS and (len(word) > 1 or word.isdecimal())
    ]


def share(question: AskedOfChat, held: Set[str]) -> float:
    """The percentage of an answer's content words that are among the words that a context holds."""
    return 100 * len(question.answer & held) / len(question.answer)


def share_of_statements(question: AskedOfChat, sentences: Mapping[str, set[int]]) -> float:
    """The percentage of an answer's neighbouring words that share a sentence; `sentences` are those of each word."""
    nowhere: set[int] = set()
    held = sum(
        not sentences.get(first, nowhere).isdisjoint(sentences.get(second, nowhere))
        for first, second in question.statements
    )
    return 100 * held / len(question.statements)


def sentences_by_word(sentences: Sequence[str]) -> Mapping[str, set[int]]:
    """The numbers of the sentences that each word is in."""
    by_word: dict[str, set[int]] = {}
    for number, sentence in enumerate(sentences):
        for word in words(sentence):
            by_word.setdefault(word, set()).add(number)
    return by_word
