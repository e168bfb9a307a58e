"""Which one to three neighbouring sentences of a passage hold the densest traces of a state of mind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rules.extract.passage import Said, Sentence, has_placeholder, is_finished
from rules.extract.reading import Reading

_AT_MOST = 3
_CROWD = 0.6
_FULL = 30.0
_SILENT = 0.02
_FRAGMENT = 0.3


@dataclass(frozen=True, slots=True)
class Window:
    """The characters [start, stop) of message number `message`; `weight` says how much of a mind they show."""

    message: int
    start: int
    stop: int
    weight: float


def densest(passage: Sequence[Said], reading: Reading, role: str, words: float) -> Window | None:
    """The weightiest window in what `role` said, at most `words` words long; the first of equals.

    None if that side has no sentence that short, or only such as hold a placeholder in square brackets.
    """
    windows = (
        _window(reading, span)
        for begin, one in enumerate(reading.sentences)
        if one.role == role
        for span in _spans(passage, reading.sentences, begin, words)
    )
    return max(windows, key=lambda window: window.weight, default=None)


def _spans(passage: Sequence[Said], sentences: Sequence[Sentence], begin: int, words: float) -> Iterator[range]:
    """The runs of sentences from `begin` on with nothing but white space between them."""
    first = sentences[begin]
    text = passage[first.message].text
    spent = 0.0
    for at in range(begin, min(begin + _AT_MOST, len(sentences))):
        one = sentences[at]
        spent += one.words
        if one.message != first.message or spent > words or has_placeholder(one.text):
            return
        if at > begin and text[sentences[at - 1].stop : one.start].strip():
            return
        yield range(begin, at + 1)


def _window(reading: Reading, span: range) -> Window:
    """Three sentences must hold more than one does to outweigh it, and a very short cry has little to say."""
    parts = [reading.sentences[at] for at in span]
    states = sum(reading.central[at] * (_SILENT + reading.inward[at]) for at in span)
    fullness = min(1.0, sum(one.words for one in parts) / _FULL)
    whole = 1.0 if all(is_finished(one.text) and "`" not in one.text for one in parts) else _FRAGMENT
    weight = states / len(parts) ** _CROWD * fullness * whole
    return Window(parts[0].message, parts[0].start, parts[-1].stop, weight)
