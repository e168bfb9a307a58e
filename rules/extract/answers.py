"""Write the engine's answers from the sentences that it keeps: view, analysis, memory, fold.

Each sentence was really said, and each answer says who said it. The same passage always gets the
same answers, and no answer repeats another one of the same memory. A fold has a paragraph for each
memory or, with little room, for each group of neighbours. Where nothing can be quoted or summed up
(emoji, images, code), one sentence says what was there.
"""

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from itertools import accumulate, chain, groupby

from rules.extract.choice import (
    asks,
    choose,
    find_binding,
    names_known,
    says_what_follows,
    weigh_sentences,
)
from rules.extract.frames import spaced
from rules.extract.prose import PERSONA, Said, has_placeholder, is_plain
from rules.extract.quoting import pick_quote
from rules.extract.rows import fit, join_sentences, tell, write_account
from rules.extract.sentences import split_sentences
from rules.extract.weights import WeighedPassage, read_passage
from rules.extract.words import UNSEEN, has_words

__all__ = ["in_paragraphs", "pick_quote", "write_analysis", "write_perspective"]

_VIEW_SHARE = 0.06
"""The share of the words that a view may take: the rest is better spent on the memory."""
_ANALYSIS_ROOM = 12.0
"""The words that an analysis may take: one sentence; the rest is better spent on the memory."""
_LEAST_VIEW_ROOM = 12.0
"""The fewest words for a view. Neither view nor analysis takes more than half of the words."""
_MOST_SENTENCES = 3
"""The most sentences of a view."""
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
"""The Unicode categories of emoji, of their skin tones, and of those unknown to Python as yet."""

WORDS_OF_A_PARAGRAPH = 40
"""The words that a fold's paragraph needs to say anything."""


def write_perspective(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return what the persona says about itself, in at most three sentences, in order.

    Where it says nothing about itself, return what it promised, corrected or advised; else a
    sentence that says so. Where nothing was said in words, return what was there instead. Nothing
    is repeated from `besides`, texts of the same memory.
    """
    reading, elsewhere = read_passage(passage, before), "\n".join(besides)
    if not reading.sentences:
        return what_was_there(passage)
    room = min(max(words * _VIEW_SHARE, _LEAST_VIEW_ROOM), words / 2)
    text = _write_inward(reading, room, elsewhere) or _write_bindings(reading, room, elsewhere)
    return fit(text or _say_nothing(reading, elsewhere), words)


def _write_inward(reading: WeighedPassage, room: float, elsewhere: str) -> str:
    """Write what the persona says about itself, a line for each of its messages."""
    worth = [
        weight
        * (is_plain(sentence) and not (reacts or says_what_follows(sentence)))
        * (not has_placeholder(sentence.text))
        for weight, reacts, sentence in zip(
            reading.inward, reading.reacts, reading.sentences, strict=True
        )
    ]
    lines = _lines(reading, worth, room, elsewhere)
    return "\n".join(join_sentences([reading.sentences[at] for at in line]) for line in lines)


def _write_bindings(reading: WeighedPassage, room: float, elsewhere: str) -> str:
    """Write the persona's promises, corrections and advice, each after a lead that says which."""
    worth = [
        value
        * (sentence.role == PERSONA and is_plain(sentence) and not sentence.is_formula)
        * bool(find_binding(sentence))
        for value, sentence in zip(weigh_sentences(reading), reading.sentences, strict=True)
    ]
    lines = []
    for line in _lines(reading, worth, room, elsewhere):
        lead = getattr(reading.frames, find_binding(reading.sentences[line[-1]]))
        lines.append(spaced(lead) + join_sentences([reading.sentences[at] for at in line]))
    return "\n".join(lines)


def _lines(
    reading: WeighedPassage, worth: Sequence[float], room: float, elsewhere: str
) -> list[list[int]]:
    """Return the indices of the three fullest sentences in order, a list for each message."""
    kept = sorted(_fullest(reading, worth, room, elsewhere)[:_MOST_SENTENCES])
    by_message = groupby(kept, key=lambda at: reading.sentences[at].message)
    return [list(line) for _, line in by_message]


def _fullest(
    reading: WeighedPassage, worth: Sequence[float], room: float, elsewhere: str
) -> list[int]:
    """Return the indices of the sentences that say most, and are not `elsewhere`, the fullest first.

    They are as many as fit whole into `room` words. Sentences that lean on others come last, and
    each says at least half of what the first one does: "I know." says nothing. Where none fits, the
    shortest is returned alone.
    """
    brought = {
        at: value * sum(map(reading.weights.__getitem__, reading.sentences[at].terms))
        for at, value in enumerate(worth)
        if value > 0 and reading.sentences[at].text not in elsewhere
    }
    kept: list[int] = []
    for at in sorted(brought, key=lambda at: (reading.leaning[at], -brought[at])):
        says_enough = not kept or brought[at] >= brought[kept[0]] / 2
        if says_enough and reading.sentences[at].words <= room:
            kept.append(at)
            room -= reading.sentences[at].words
    return kept or nsmallest(1, brought, key=lambda at: reading.sentences[at].words)


def _say_nothing(reading: WeighedPassage, elsewhere: str) -> str:
    """Return a sentence saying that the persona did not speak about itself.

    If it did in the text `elsewhere`, the sentence says that it said no more than there.
    """
    inward = zip(reading.inward, reading.sentences, strict=True)
    is_elsewhere = any(weight and sentence.text in elsewhere for weight, sentence in inward)
    return reading.frames.nothing_more if is_elsewhere else reading.frames.nothing


def write_analysis(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return a request of the person's that names something; else the sentence that says most.

    It is short, to leave room for the refinement, which names the days. Nothing is repeated from
    `besides`, texts of the same memory.
    """
    reading, elsewhere = read_passage(passage, before), "\n".join(besides)
    if not reading.sentences:
        return what_was_there(passage)
    room, worth, frames = min(_ANALYSIS_ROOM, words / 2), weigh_sentences(reading), reading.frames
    requests = [
        value * (is_plain(sentence) and asks(sentence) and names_known(reading, sentence))
        for value, sentence in zip(worth, reading.sentences, strict=True)
    ]
    asked = _fullest(reading, requests, room, elsewhere)
    fullest = (
        asked
        or _fullest(reading, worth, room, elsewhere)
        or choose(reading, worth, room, elsewhere)
    )
    return fit(
        tell(reading, fullest[:1], (frames.asked if asked else frames.person, frames.persona)),
        words,
    )


def what_was_there(passage: Sequence[Said]) -> str:
    """Return a sentence that says what the messages consisted of; "" for no messages."""
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
    """Return the kind of content that a message consists of; "" for an empty one."""
    rest = _PLACEHOLDER.sub("", text)
    if not rest.strip().strip(UNSEEN + "\u200b"):
        named = [name for name in _PLACEHOLDER.findall(text) if name != _EMPTY]
        if not named:
            return ""
        return next((kind for begins, kind in _PLACEHOLDERS if named[0].startswith(begins)), _OTHER)
    if not has_words(rest):
        has_symbols = any(unicodedata.category(mark) in _SYMBOLS for mark in rest)
        return "emoji" if has_symbols else "punctuation"
    return (
        "a few words" if any(piece.prose for piece in split_sentences(rest)) else "code or tables"
    )


def paragraphs_for(memories: int, words: float) -> int:
    """Return how many paragraphs a fold of this many memories has within `words`."""
    return max(1, min(memories, int(words) // WORDS_OF_A_PARAGRAPH))


def in_paragraphs(
    passages: Sequence[Sequence[Said]],
    words: int,
    besides: Sequence[str] = (),
    before: Sequence[Said] = (),
) -> str:
    """Return the engine's account of the passages, oldest first, in about `words` words.

    Each passage is what one memory was made of; neighbours share a paragraph where there are too
    many. No paragraph repeats what an earlier one says.
    """
    reading = read_passage(list(chain.from_iterable(passages)), before)
    if not reading.sentences:
        return NOTHING_MORE if any(passages) else ""
    count = paragraphs_for(len(passages), words)
    ends = [0, *accumulate(map(len, passages))]
    starts = [ends[len(passages) * at // count] for at in range(count)]  # of each paragraph
    kept = choose(reading, weigh_sentences(reading), words, "\n".join(besides), starts)
    paragraphs: list[str] = []
    day = ""
    for _, group in groupby(kept, key=lambda at: bisect(starts, reading.sentences[at].message)):
        paragraph = list(group)
        paragraphs.append(write_account(reading, paragraph, day))
        day = reading.days[paragraph[-1]]
    text = "\n\n".join(paragraphs)
    return fit(text, words) if reading.sentences[kept[0]].words > words else text
