"""The answers of the built-in engine: how the sentences that are kept read as a view, an analysis, a
memory, and a fold.

Each sentence was really said, and each answer says who said it. The same passage always gets the
same answers. A fold has a paragraph for each memory, or with little room, for each stretch. Where
nothing can be quoted or summed up (emoji, images, code, single words), one sentence says what was
there.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain, groupby, pairwise

from rules.extract.choice import Room, asks, binding, choose, is_usable, whole_worths
from rules.extract.frames import ENGLISH, Frames, spaced
from rules.extract.prose import PERSONA, Said, has_placeholder, is_plain
from rules.extract.quoting import quote
from rules.extract.sentences import sentences
from rules.extract.voices import COLONS, is_finished
from rules.extract.weights import WeighedPassage, read
from rules.extract.words import UNSEEN, has_words, length, shorten

__all__ = ["analysis", "perspective", "quote", "refinement"]

_OWN_SHARE, _ANALYSIS_SHARE = 0.35, 0.24
"""Shares of the words that an answer may have: room is better spent on what the person said."""
_WANTED_SHARE, _PERSONA_SHARE = 0.15, 0.2
_SAID_TWICE = 25.0
"""The most words of a view that the analysis has, too."""
_OF_ANALYSIS = 0.6
"""The words of an analysis, as a multiple of the view's."""
_CUT = " …"
_HEAD = 8.0
_TWO = 1.9
_LAST_SPACED = "\u2fff"
NOTHING_MORE = "Nothing more was said."
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip

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
    """Return the persona's first-person sentences, in order.

    Where there are none: what it promised, corrected or advised; else what the person wanted; else one sentence that
    says so. Where nothing was said in words: what was there instead. `besides` are texts of the same memory, not to be
    said again.
    """
    reading = read(tuple(passage), tuple(before))
    if not any(sentence.words >= _TWO for sentence in reading.sentences):
        return what_was_there(passage)
    analysed = analysis(passage, int(words * _OF_ANALYSIS), besides, before)
    text = (
        _inward(reading, words * _OWN_SHARE, besides)
        or _bound(reading, words * _WANTED_SHARE, (*besides, analysed))
        or _wanted(reading, words * _WANTED_SHARE, (*besides, analysed))
        or _wanted(reading, min(_SAID_TWICE, words * _WANTED_SHARE), besides)
        or _nothing(reading, "\n".join(besides))
    )
    return fit(text, words)


def _inward(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    worths = [
        weight * (is_plain(sentence) and not has_placeholder(sentence.text))
        for weight, sentence in zip(reading.inward, reading.sentences, strict=True)
    ]
    kept = choose(reading, worths, Room(words), besides)
    turns = groupby((reading.sentences[at] for at in kept), key=lambda sentence: sentence.message)
    return "\n".join(_joined([sentence.text for sentence in turn]) for _, turn in turns)


def _bound(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    """Return the persona's promises, corrections and advice, each as what it is."""
    bound = [
        binding(sentence)
        if sentence.role == PERSONA and is_plain(sentence) and is_usable(sentence)
        else ""
        for sentence in reading.sentences
    ]
    kept = choose(reading, [float(bool(how)) for how in bound], Room(words), besides)
    lines = []
    for how, group in groupby(kept, key=lambda at: bound[at] or "advised"):
        lead = spaced(getattr(reading.frames, how))
        lines.append(lead + _joined([reading.sentences[at].text for at in group]))
    return "\n".join(lines)


def _wanted(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    """Return what the person wanted."""
    kept = _asked(reading, words, besides)
    if not kept:
        return ""
    return spaced(reading.frames.wanted) + _joined([reading.sentences[at].text for at in kept])


def _nothing(reading: WeighedPassage, besides: str) -> str:
    """Return a sentence saying that the persona did not speak of itself, or no more than `besides` tell."""
    inward = zip(reading.inward, reading.sentences, strict=True)
    is_told = any(weight and sentence.text in besides for weight, sentence in inward)
    return reading.frames.nothing_more if is_told else reading.frames.nothing


def analysis(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return by day what the person asked; where nothing was asked, what both sides said.

    It is short, for the sake of the refinement, and does not name a day that is the only one: the refinement does.
    `besides` are texts of the same memory, which are said again only where nothing else is left.
    """
    reading = read(tuple(passage), tuple(before))
    room, frames = words * _ANALYSIS_SHARE, reading.frames
    asked = _asked(reading, room, besides)
    rest = [] if asked else keep_of_both(reading, room, besides)
    days = set(reading.days)
    day_of_all = days.pop() if len(days) == 1 else ""
    lines = (
        _minutes(reading, asked, (frames.asked, frames.asked), day_of_all),
        _minutes(reading, rest, (frames.person, frames.persona), day_of_all),
    )
    return fit("\n".join(filter(None, lines)), max(room, words)) or what_was_there(passage)


def _asked(reading: WeighedPassage, words: float, besides: Sequence[str] = ()) -> list[int]:
    """Choose the person's questions and requests."""
    wants = [float(asks(sentence) and is_usable(sentence)) for sentence in reading.sentences]
    return choose(reading, wants, Room(words), besides)


def refinement(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """Return the person's words by day, and the persona's answers.

    `besides` are the memory's other texts, which are not said again unless nothing else is left.
    """
    reading = read(tuple(passage), tuple(before))
    kept = keep_of_both(reading, words, besides)
    return fit(account(reading, kept), words) or (NOTHING_MORE if passage else "")


def keep_of_both(reading: WeighedPassage, words: float, besides: Sequence[str]) -> list[int]:
    """Choose the sentences of both sides."""
    whole = whole_worths(reading)
    anything = [float(sentence.words >= _TWO) for sentence in reading.sentences]
    worths = whole if any(whole) else anything
    room = Room(words, _HEAD, _PERSONA_SHARE)
    return choose(reading, worths, room, besides) or choose(reading, worths, room)


def account(reading: WeighedPassage, kept: Sequence[int], day_before: str = "") -> str:
    """Return the kept sentences by day, as what the person told and the persona answered.

    A day that the text before ended with, `day_before`, is not named again.
    """
    return _minutes(reading, kept, (reading.frames.told, reading.frames.answered), day_before)


def _minutes(
    reading: WeighedPassage, kept: Sequence[int], leads: tuple[str, str], day_before: str = ""
) -> str:
    """Return the kept sentences by day, the person's before the persona's, each after its lead."""
    lines: list[str] = []
    for day, of_day in groupby(kept, key=lambda at: reading.days[at]):
        head = _head(day, reading.frames) if day != day_before else ""
        sides = sorted(of_day, key=lambda at: reading.sentences[at].role == PERSONA)
        for is_persona, side in groupby(
            sides, key=lambda at: reading.sentences[at].role == PERSONA
        ):
            texts = [reading.sentences[at].text for at in side]
            line = head + _joined([leads[is_persona], *texts])
            lines.append(line[:1].upper() + line[1:])
            head = ""
    return "\n".join(lines)


def _head(day: str, frames: Frames) -> str:
    return spaced(frames.day.format(_in_words(day, frames))) if day else ""


def _in_words(day: str, frames: Frames) -> str:
    """Return an ISO day as it is written in English; as it is for other languages."""
    parts = day.split("-")
    if frames is not ENGLISH or len(parts) != 3:
        return day
    return f"{int(parts[2])} {_MONTHS[int(parts[1]) - 1]} {parts[0]}"


def _joined(texts: Sequence[str]) -> str:
    """Return the sentences in a row.

    After a fragment comes a semicolon, and no space where the script has none.
    """
    parts = list(texts[:1])
    for before, text in pairwise(texts):
        stopped = is_finished(before) or before.endswith(COLONS)
        parts.append(
            ("" if stopped and before[-1] > _LAST_SPACED else " " if stopped else "; ") + text
        )
    return "".join(parts)


def fit(text: str, words: float) -> str:
    """Return the text, cut between words where it is longer: a single sentence may be longer than its budget."""
    return text if length(text) <= words else shorten(text, words) + _CUT


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
    What one paragraph says counts less in a later one.
    """
    reading = read(tuple(chain.from_iterable(passages)), tuple(before))
    number = paragraphs_for(len(passages), words)
    kept = keep_of_both(reading, words, besides)
    cuts = [len(passages) * at // number for at in range(number + 1)]
    ends = [0, *accumulate(map(len, passages))]
    paragraphs: list[str] = []
    day = ""
    for start, stop in pairwise(cuts):
        if told := _within(reading, kept, range(ends[start], ends[stop])):
            paragraphs.append(account(reading, told, day))
            day = reading.days[told[-1]]
    text = "\n\n".join(paragraphs)
    return fit(text, words) or (NOTHING_MORE if any(passages) else "")


def _within(reading: WeighedPassage, kept: Sequence[int], messages: range) -> list[int]:
    """Return those of the kept sentences that these messages say."""
    return [at for at in kept if reading.sentences[at].message in messages]
