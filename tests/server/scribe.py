"""The default script: a model that answers the four questions believably, the same each time it is asked.

Its answers are made of the passage's own sentences, so names, dates and the language are right.
"""

from collections.abc import Sequence
from itertools import cycle, islice

from tests.server.passage import Said, is_latin, words
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.step import Step, Task, read_task

_LEAD: dict[Step, str] = {
    "perspective": "This is how I see it now.",
    "analysis": "The passage goes as follows.",
    "refinement": "What I want to remember in the end is this.",
}
_FULL = 0.8
_SHORTEST_QUOTE_WORDS = 4
_PLACEHOLDER = ("[", "]")


def scribe(request: Request) -> Answer:
    """Answer what the request asks; a request without a passage gets one plain sentence."""
    return Answer(compose(read_task(request)))


def compose(task: Task) -> str:
    """The text that the scribe answers."""
    if task.step == "other":
        return "I have read this, and there is nothing that I would add."
    if task.step == "quote":
        return _quote(task)
    return _retold(task)


def _quote(task: Task) -> str:
    """The longest sentence of the passage that is short enough; where all are too long, the first one's beginning."""
    sentences = [sentence for said in task.passage for sentence in spoken(said)]
    fitting = [sentence for sentence in sentences if words(sentence) <= task.words]
    good = [sentence for sentence in fitting if words(sentence) >= _SHORTEST_QUOTE_WORDS]
    if good or fitting:
        return max(good or fitting, key=words)
    return _beginning(sentences[0], task.words) if sentences else task.passage[0].text


def _beginning(sentence: str, length: int) -> str:
    """The first words of a sentence, a few characters each where there are no spaces."""
    at = -1
    for _ in range(length):
        at = sentence.find(" ", at + 1)
        if at < 0:
            return sentence[: 2 * length]
    return sentence[:at]


def _retold(task: Task) -> str:
    """Sentences from all over the passage, in order, each day named once, within four fifths of the length."""
    lead = _lead(task)
    room = int(task.words * _FULL) - words(lead)
    told: list[str] = [lead] if lead else []
    day = ""
    for said, sentence in _spread(task.passage, room):
        told.append(f"{said.day}: {sentence}" if said.day not in ("", day) else sentence)
        day = said.day or day
    return " ".join(told)


def _spread(passage: Sequence[Said], room: int) -> list[tuple[Said, str]]:
    """A choice of sentences, one from each message in turn until the room is used, in the passage's order."""
    offered = [
        (at, turn, said, sentence) for at, said in enumerate(passage) for turn, sentence in enumerate(spoken(said))
    ]
    chosen = []
    for at, turn, said, sentence in sorted(offered, key=lambda offer: (offer[1], offer[0])):
        size = words(sentence) + bool(said.day)
        if size <= room:
            chosen.append((at, turn, said, sentence))
            room -= size
    if not chosen and offered:
        _, _, said, sentence = offered[0]
        return [(said, _beginning(sentence, max(room, 1)))]
    return [(said, sentence) for _, _, said, sentence in sorted(chosen, key=lambda choice: choice[:2])]


def spoken(said: Said) -> list[str]:
    """The sentences without notes in square brackets, which stand for images and files; all, if there are no others."""
    return [sentence for sentence in said.sentences if not any(mark in sentence for mark in _PLACEHOLDER)] or (
        said.sentences
    )


def _lead(task: Task) -> str:
    """An opening sentence, where the passage is in a script that it suits and there is room for it."""
    lead = _LEAD[task.step]
    latin = is_latin(" ".join(said.text for said in task.passage))
    return lead if latin and words(lead) * 4 <= task.words else ""


def at_length(passage: Sequence[Said], wanted: int) -> str:
    """So many words out of the passage's sentences, over and over again."""
    sentences = [sentence for said in passage for sentence in spoken(said)]
    told: list[str] = []
    length = 0
    for sentence in islice(cycle(sentences), wanted):
        told.append(sentence)
        length += words(sentence)
        if length >= wanted:
            break
    return " ".join(told)
