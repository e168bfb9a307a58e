"""The answers of the built-in engine: how the sentences that are kept read as a view, an analysis, a
memory, and a fold.

Each sentence was really said, and each answer says who said it. The same passage always gets the
same answers, and none says what another one of the same memory has. A fold has a paragraph for each
memory, or with little room, for each stretch. Where nothing can be quoted or summed up (emoji,
images, code), one sentence says what was there.
"""

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from itertools import accumulate, chain, groupby

from rules.extract.choice import asks, binding, choose, names_known, says_what_follows, worths
from rules.extract.frames import spaced
from rules.extract.prose import PERSONA, Said, has_placeholder, is_plain
from rules.extract.quoting import quote
from rules.extract.rows import account, fit, join_sentences, tell
from rules.extract.sentences import sentences
from rules.extract.weights import WeighedPassage, read
from rules.extract.words import UNSEEN, has_words

__all__ = ["analysis", "in_paragraphs", "perspective", "quote"]

_VIEW_SHARE = 0.06
"""The share of the words that a view has room for: it is better spent on the memory."""
_ANALYSIS_ROOM = 12.0
"""Words of room for an analysis, which is one thing that was said: the rest is the memory's."""
_LEAST_ROOM = 12.0
"""Words of room that a view has at least; neither has more than half of the words."""
_MOST_LINES = 3
_HALF = 0.5
"""The persona has at most this share of a memory, and less where it only listens."""
NOTHING_MORE = "Nothing more was said."
_PLACEHOLDER = re.compile(r"\[([^\]\n]*)\]")
_EMPTY = "empty message"
_PLACEHOLDERS = (
    ("image", "images"),
    ("file", "files"),
    ("sound", "sound"),
    ("tool call", "the work of tools"),
    ("tool result", "the work of tools"),
    ("thinking", "thinking"),
)
_OTHER = "notes in brackets"
_SYMBOLS = ("So", "Sk", "Cn", "Co")
"""Emoji, their skin tones, and those that Python does not know yet."""

WORDS_OF_A_PARAGRAPH = 40
"""A paragraph of fewer words says nothing."""


def perspective(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return what the persona says of itself, in at most three lines, in order.

    Where it says nothing: what it promised, corrected or advised; else one sentence that says so. Where nothing was
    said in words: what was there instead. `besides` are texts of the same memory, not to be said again.
    """
    reading = read(tuple(passage), tuple(before))
    if not reading.sentences:
        return what_was_there(passage)
    room = min(max(words * _VIEW_SHARE, _LEAST_ROOM), words / 2)
    text = _inward(reading, room, besides) or _bound(reading, room, besides)
    return fit(text or _nothing(reading, "\n".join(besides)), words)


def _inward(reading: WeighedPassage, room: float, besides: Sequence[str]) -> str:
    """Return what the persona says of itself, a line for each of its messages."""
    worth = [
        weight
        * (is_plain(sentence) and not (reacts or says_what_follows(sentence)))
        * (not has_placeholder(sentence.text))
        for weight, reacts, sentence in zip(
            reading.inward, reading.reacts, reading.sentences, strict=True
        )
    ]
    lines = _lines(reading, worth, room, besides)
    return "\n".join(join_sentences([reading.sentences[at] for at in line]) for line in lines)


def _bound(reading: WeighedPassage, room: float, besides: Sequence[str]) -> str:
    """Return the persona's promises, corrections and advice, each as what it is."""
    worth = [
        value
        * (sentence.role == PERSONA and is_plain(sentence) and not sentence.is_formula)
        * bool(binding(sentence))
        for value, sentence in zip(worths(reading), reading.sentences, strict=True)
    ]
    lines = []
    for line in _lines(reading, worth, room, besides):
        how = binding(reading.sentences[line[-1]]) or "advised"
        told = join_sentences([reading.sentences[at] for at in line])
        lines.append(spaced(getattr(reading.frames, how)) + told)
    return "\n".join(lines)


def _lines(
    reading: WeighedPassage, worth: Sequence[float], room: float, besides: Sequence[str]
) -> list[list[int]]:
    """Return the three fullest sentences, message by message."""
    kept = sorted(_fullest(reading, worth, room, besides)[:_MOST_LINES])
    by_message = groupby(kept, key=lambda at: reading.sentences[at].message)
    return [list(line) for _, line in by_message]


def _fullest(
    reading: WeighedPassage, worth: Sequence[float], room: float, besides: Sequence[str]
) -> list[int]:
    """Return the sentences that bring most, each as a whole, as many as there is room for; first the fullest.

    Those that lean on others come last, and none brings less than half of what the first does: "I know." says nothing.
    Where none fits: the shortest.
    """
    beside = "\n".join(besides)
    brought = {
        at: value * sum(map(reading.weights.__getitem__, reading.sentences[at].terms))
        for at, value in enumerate(worth)
        if value > 0 and reading.sentences[at].text not in beside
    }
    kept: list[int] = []
    for at in sorted(brought, key=lambda at: (reading.leaning[at], -brought[at])):
        says_enough = not kept or brought[at] >= brought[kept[0]] / 2
        if says_enough and reading.sentences[at].words <= room:
            kept.append(at)
            room -= reading.sentences[at].words
    return kept or nsmallest(1, brought, key=lambda at: reading.sentences[at].words)


def _nothing(reading: WeighedPassage, besides: str) -> str:
    """Return a sentence saying that the persona did not speak of itself, or no more than `besides` tell."""
    inward = zip(reading.inward, reading.sentences, strict=True)
    is_told = any(weight and sentence.text in besides for weight, sentence in inward)
    return reading.frames.nothing_more if is_told else reading.frames.nothing


def analysis(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return what the person asked for by name; where there is no such thing, what says most.

    It is short, for the sake of the refinement, which names the days. `besides` are texts of the same memory, not to
    be said again.
    """
    reading = read(tuple(passage), tuple(before))
    if not reading.sentences:
        return what_was_there(passage)
    room, worth, frames = min(_ANALYSIS_ROOM, words / 2), worths(reading), reading.frames
    requests = [
        value * (is_plain(sentence) and asks(sentence) and names_known(reading, sentence))
        for value, sentence in zip(worth, reading.sentences, strict=True)
    ]
    asked = _fullest(reading, requests, room, besides)
    fullest = (
        asked or _fullest(reading, worth, room, besides) or _some(reading, worth, room, besides)
    )
    return fit(
        tell(reading, fullest[:1], (frames.asked if asked else frames.person, frames.persona)),
        words,
    )


def _some(
    reading: WeighedPassage,
    worth: Sequence[float],
    room: float,
    besides: Sequence[str],
    starts: Sequence[int] = (),
) -> list[int]:
    """Choose sentences; where most of the room is left, one that has no room; where all are told, the shortest."""
    kept = choose(reading, worth, room, besides, starts, min(reading.life, _HALF))
    beside = "\n".join(besides)
    each = range(len(reading.sentences))
    free = [at for at in each if worth[at] > 0 and reading.sentences[at].text not in beside]
    too_long = [at for at in free if reading.sentences[at].words > room]
    if too_long and 2 * sum(reading.sentences[at].words for at in kept) < room:
        return [max(too_long, key=lambda at: (worth[at], -at))]
    return kept or [min(free or each, key=lambda at: reading.sentences[at].words)]


def what_was_there(passage: Sequence[Said]) -> str:
    """Return one sentence on what the messages consisted of; empty for no messages."""
    kinds = Counter(_kind(message.text) for message in passage).most_common()
    if not kinds:
        return ""
    if len(kinds) == 1:
        return _of_one_kind(*kinds[0])
    parts = [
        f"{number:,} of {kind} alone" if kind else f"{number:,} empty" for kind, number in kinds
    ]
    return f"We exchanged {len(passage):,} messages: {', '.join(parts[:-1])} and {parts[-1]}."


def _of_one_kind(kind: str, number: int) -> str:
    if number == 1:
        return (
            f"There was one message of {kind} alone."
            if kind
            else "There was one message, and it was empty."
        )
    return (
        f"We exchanged {number:,} messages of {kind} alone."
        if kind
        else f"We exchanged {number:,} empty messages."
    )


def _kind(text: str) -> str:
    """Return the kind of content that a message consists of; empty for an empty one."""
    rest = _PLACEHOLDER.sub("", text)
    if not rest.strip().strip(UNSEEN + "\u200b"):
        named = [name for name in _PLACEHOLDER.findall(text) if name != _EMPTY]
        return _held(named[0]) if named else ""
    if not has_words(rest):
        has_symbols = any(unicodedata.category(mark) in _SYMBOLS for mark in rest)
        return "emoji" if has_symbols else "punctuation"
    return "a few words" if any(piece.prose for piece in sentences(rest)) else "code or tables"


def _held(name: str) -> str:
    return next((kind for begins, kind in _PLACEHOLDERS if name.startswith(begins)), _OTHER)


def paragraphs_for(memories: int, words: float) -> int:
    """Return how many paragraphs a fold of this many memories has in `words`."""
    return max(1, min(memories, int(words) // WORDS_OF_A_PARAGRAPH))


def in_paragraphs(
    passages: Sequence[Sequence[Said]],
    words: int,
    besides: Sequence[str] = (),
    before: Sequence[Said] = (),
) -> str:
    """Return the engine's account of each passage, oldest first, in about `words` together.

    Each passage is what a memory was made of; neighbours share a paragraph if there are too many.
    What one paragraph says is not said again in a later one.
    """
    reading = read(tuple(chain.from_iterable(passages)), tuple(before))
    if not reading.sentences:
        return NOTHING_MORE if any(passages) else ""
    starts = _starts(passages, paragraphs_for(len(passages), words))
    kept = _some(reading, worths(reading), words, besides, starts if len(starts) > 1 else ())
    paragraphs: list[str] = []
    day = ""
    for _, paragraph in groupby(kept, key=lambda at: bisect(starts, reading.sentences[at].message)):
        told = list(paragraph)
        paragraphs.append(account(reading, told, day))
        day = reading.days[told[-1]]
    text = "\n\n".join(paragraphs)
    return fit(text, words) if reading.sentences[kept[0]].words > words else text


def _starts(passages: Sequence[Sequence[Said]], paragraphs: int) -> list[int]:
    """Return the numbers of the messages with which the paragraphs about the passages begin."""
    ends = [0, *accumulate(map(len, passages))]
    return [ends[len(passages) * at // paragraphs] for at in range(paragraphs)]
