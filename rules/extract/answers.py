"""The four answers of a memory without a model: made of the passage's own sentences, word for word.

A quote, the persona's perspective, an analysis and its refinement. The same
passage always gets the same answers.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import inf

from rules.extract.blocks import is_fence
from rules.extract.choose import choose
from rules.extract.details import details
from rules.extract.passage import Said, between_placeholders, is_finished
from rules.extract.reading import PERSONA, Reading, plain, read, threads
from rules.extract.window import densest
from rules.extract.wordless import what_was_there
from rules.extract.words import has_words, length, shorten

_CUT = " …"
_DAY_AND_SPEAKER = 2.0
_USER = 1.3
_COLONS = (":", "：", ":**")
_LAST_SPACED = "\u2fff"
_NOTHING_MORE = "Nothing more was said."


def quote(passage: Sequence[Said], words: int) -> str:
    """The one to three sentences of one message that hold the densest traces of a state of mind.

    The persona's own if it says anything; never code, a table or a placeholder; at most `words` words.
    Word for word, so that it can be found in the raw message. Where every sentence
    is longer: the beginning of one. Where there is none: the beginning of the first line with words of the longest
    message that has one. Empty where no message has words.
    """
    reading = read(passage)
    for limit in (float(words), inf):
        windows = (densest(passage, reading, role, limit) for role in (PERSONA, "user"))
        best = next((window for window in windows if window), None)
        if best:
            return shorten(passage[best.message].text[best.start : best.stop], words)
    return _line_with_words(passage, words)


def perspective(passage: Sequence[Said], words: int, besides: Sequence[str] = ()) -> str:
    """The persona's most telling first-person sentences, in order, at most `words` words.

    Where it never speaks of itself: its most central sentences. Where it says nothing: the other side's. Where nobody
    says anything that can be told: what was there instead.
    `besides` are texts of the same memory, which are not to be said again.
    """
    return _perspective(passage, read(passage), words, besides)


def analysis(passage: Sequence[Said], words: int) -> str:
    """A summary of both sides in order, with names, dates and numbers, at most `words` words."""
    reading = read(passage)
    weights = [
        weight * (1 + telling) * (1 / (1 + inward) if one.role == PERSONA else _USER)
        for one, weight, telling, inward in zip(
            reading.sentences, plain(reading), details(reading.sentences), reading.inward, strict=True
        )
    ]
    return _minutes(passage, reading, weights, words, ()) or what_was_there(passage)


def refinement(passage: Sequence[Said], words: int, besides: Sequence[str] = ()) -> str:
    """What else is worth remembering: promises, open threads, corrections, people, dates; at most `words` words.

    `besides` are the memory's other texts, which are not to be said again; without them, the perspective.
    """
    reading = read(passage)
    parts = zip(plain(reading), threads(reading), details(reading.sentences), strict=True)
    weights = [weight * (0.3 + thread + 0.5 * telling) for weight, thread, telling in parts]
    others = besides or (_perspective(passage, reading, words, ()),)
    return _minutes(passage, reading, weights, words, others) or (_NOTHING_MORE if passage else "")


def _perspective(passage: Sequence[Said], reading: Reading, words: int, besides: Sequence[str]) -> str:
    weights = plain(reading)
    own = [central * inward for central, inward in zip(reading.central, reading.inward, strict=True)]
    persona = [weight * (one.role == PERSONA) for one, weight in zip(reading.sentences, weights, strict=True)]
    telling = next((some for some in (own, persona) if any(some)), weights)
    kept = choose(reading.sentences, telling, reading.rare, words, besides=besides)
    turns = groupby((reading.sentences[at] for at in kept), key=lambda one: one.message)
    said = "\n".join(_joined([one.text for one in turn]) for _, turn in turns)
    return _fit(said, words) if said else what_was_there(passage)


def _minutes(
    passage: Sequence[Said], reading: Reading, weights: Sequence[float], words: int, besides: Sequence[str]
) -> str:
    """The kept sentences, a line for each turn: who speaks, and the day where it is another than before."""
    kept = choose(reading.sentences, weights, reading.rare, words, turn_cost=_DAY_AND_SPEAKER, besides=besides)
    lines = []
    day = ""
    for number, turn in groupby((reading.sentences[at] for at in kept), key=lambda one: one.message):
        said = passage[number]
        head = f"{said.date}, {said.role}: " if said.date not in ("", day) else f"{said.role}: "
        day = said.date or day
        lines.append(head + _joined([one.text for one in turn]))
    return _fit("\n".join(lines), words) if lines else ""


def _joined(texts: Sequence[str]) -> str:
    """The sentences in a row: after a fragment a semicolon, and no space where the script has none."""
    parts = list(texts[:1])
    for before, text in pairwise(texts):
        stopped = is_finished(before) or before.endswith(_COLONS)
        parts.append(("" if stopped and before[-1] > _LAST_SPACED else " " if stopped else "; ") + text)
    return "".join(parts)


def _fit(text: str, words: int) -> str:
    """A single sentence may be longer than the budget; it is cut between words."""
    return text if length(text) <= words else shorten(text, words) + _CUT


def _line_with_words(passage: Sequence[Said], words: int) -> str:
    """The first line with words of the longest message that has one, or as much of it as `words` allow.

    No fence of code is such a line, and nothing in square brackets is a part of one: it ends there.
    """
    for said in sorted(passage, key=lambda said: len(said.text), reverse=True):
        for line in said.text.splitlines():
            for part in map(str.strip, between_placeholders(line)):
                if has_words(part) and not is_fence(line) and not is_fence(part):
                    return shorten(part, words)
    return ""
