"""The default script: a model that answers each question believably, the same each time it is asked.

Its answers are made of the passage's own sentences, so names, dates and the language are right.
"""

import hashlib
from collections.abc import Sequence
from itertools import cycle, groupby, islice

from tests.server.editing import edited_core
from tests.server.facts import taken_facts
from tests.server.passage import Said, beginning, is_english, is_specific, sentences, words
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.step import Step, Task, read_task

_LEAD: dict[Step, str] = {
    "perspective": "This is how I see it now.",
    "analysis": "The passage goes as follows.",
    "refinement": "What I want to remember in the end is this.",
}
_SHORT_LEAD = "I recall:"
_FULL = 0.8
_SHORTEST_QUOTE_WORDS = 4
_LONGEST_QUOTATION = 300


def scribe(request: Request) -> Answer:
    """Answer what the request asks; a request without a passage gets one plain sentence."""
    task = read_task(request)
    if task.step == "core":
        return edited_core(request, task)
    return Answer(taken_facts(task) if task.step == "facts" else compose(task))


def compose(task: Task) -> str:
    """The text that the scribe answers where it is asked for prose."""
    if task.step == "other":
        return "I have read this, and there is nothing that I would add."
    if task.step == "quote":
        return _quote(task)
    return _retold(task)


def _quote(task: Task) -> str:
    """The longest sentence of the passage that is short enough; where all are too long, the first one's beginning."""
    offered = [sentence for _, sentence in sentences(task.passage)]
    fitting = [sentence for sentence in offered if words(sentence) <= task.words]
    good = [sentence for sentence in fitting if words(sentence) >= _SHORTEST_QUOTE_WORDS]
    if good or fitting:
        return max(good or fitting, key=words)
    return beginning(offered[0], task.words) if offered else task.passage[0].text


def _retold(task: Task) -> str:
    """Sentences from all over the passage, in order, each day named once, within four fifths of the length.

    It quotes them: words of the passage are nobody's own.
    """
    lead = _lead(task)
    room = int(task.words * _FULL) - words(lead)
    told: list[str] = [lead] if lead else []
    for day, spoken in groupby(_choice(task, room), key=lambda choice: choice[0].day):
        quoted = " ".join(map(_quoted, _pieces([sentence for _, sentence in spoken])))
        told.append(f"{day}: {quoted}" if day else quoted)
    return " ".join(told)


def _pieces(spoken: Sequence[str]) -> list[str]:
    """Neighbouring sentences together, as far as a short quotation holds them."""
    pieces = [""]
    for sentence in spoken:
        if len(pieces[-1]) + len(sentence) > _LONGEST_QUOTATION:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {sentence}".strip()
    return [piece for piece in pieces if piece]


def _quoted(spoken: str) -> str:
    inside = spoken.replace('"', "'").replace("\n", " ")
    return f'"{inside}"' if inside.endswith((".", "!", "?", "。")) else f'"{inside}".'


def _choice(task: Task, room: int) -> list[tuple[Said, str]]:
    """Other sentences for each question, those with numbers or names first, in the passage's order."""
    offered = sentences(task.passage)
    chosen = set()
    for at in sorted(range(len(offered)), key=lambda at: _rank(task.step, offered[at][1])):
        said, sentence = offered[at]
        size = words(sentence) + bool(said.day)
        if size <= room:
            chosen.add(at)
            room -= size
    if not chosen:
        return [(said, beginning(sentence, max(room, 1))) for said, sentence in offered[:1]]
    return [offered[at] for at in sorted(chosen)]


def _rank(step: Step, sentence: str) -> tuple[bool, bytes]:
    return not is_specific(sentence), hashlib.sha256(f"{step} {sentence}".encode()).digest()


def _lead(task: Task) -> str:
    """Open in English where the passage is in English: with a sentence where there is room for one."""
    lead = _LEAD[task.step]
    if not is_english(" ".join(said.text for said in task.passage)):
        return ""
    if words(lead) * 4 <= task.words:
        return lead
    return "" if task.step == "analysis" else _SHORT_LEAD


def at_length(passage: Sequence[Said], wanted: int) -> str:
    """So many words out of the passage's sentences, over and over again."""
    told: list[str] = []
    length = 0
    for _, sentence in islice(cycle(sentences(passage)), wanted):
        told.append(sentence)
        length += words(sentence)
        if length >= wanted:
            break
    return " ".join(told)
