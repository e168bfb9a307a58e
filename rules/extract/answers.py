"""The answers of the built-in engine: which sentences are kept, and how they read as a quote, a perspective, a
summary.

Of all sentences that fit, the one is kept next whose words bring the most for its length: words that no kept sentence
holds yet, rare ones before common ones, and twice as much for what the person said. A passage of several chunks is
cut into stretches that share the room, so that no part of it is lost. Worth only ever falls, so a heap finds each next
best without looking at all. The same passage always gets the same answers.

Where nothing can be quoted or summed up (emoji, images, code, single words), one sentence says what was there.
"""

import heapq
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from math import inf

from rules.extract.blocks import is_fence
from rules.extract.languages import TONGUES, Frames
from rules.extract.sentences import sentences
from rules.extract.weights import (
    PERSONA,
    Said,
    Sentence,
    WeighedPassage,
    between_placeholders,
    has_placeholder,
    is_finished,
    read,
)
from rules.extract.words import UNSEEN, has_words, length, shorten, terms

_MOST_SENTENCES = 3
_CROWD = 0.6
_FULL = 30.0
_SILENT, _NEAR = 0.05, 0.1
_OWN_SHARE, _ANALYSIS_SHARE = 0.35, 0.47
"""Shares of the words that an answer may have: room is better spent on what the person said."""
_CUT = " …"
_HEAD = 8.0
_USER = 2.0
_LEAST = 4.0
_TWO = 1.9
_COLONS = (":", "：")
_LAST_SPACED = "\u2fff"
_NOTHING_MORE = "Nothing more was said."
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


def quote(passage: Sequence[Said], words: int, before: Sequence[Said] = ()) -> str:
    """One to three sentences of one message in which the persona speaks of itself or to the person, word for word.

    Never a formula, a heading, an item of a list, code, a placeholder, or what was written for somebody else, nor
    what was said `before` the passage, since another memory may quote that. Where the persona has no such line, the
    next best: one that is about neither, the person's, one of a list, any. Where every sentence is longer than
    `words`: the beginning of one. Where there is none: the beginning of the first line with words of the longest
    message that has one. Empty where no message has words.
    """
    reading = read(tuple(passage), tuple(before))
    for limit in (float(words), inf):
        candidates = [
            (_rank(passage, reading, span), _weight(reading, span), -span.start, span)
            for begin in range(len(reading.sentences))
            for span in _spans(passage, reading, begin, limit)
        ]
        for *_, span in sorted(candidates, key=lambda entry: entry[:3], reverse=True):
            parts = [_raw(passage, reading, range(at, at + 1)) for at in span]
            if not any(part in message.text for part in parts for message in before):
                return shorten(_raw(passage, reading, span), words)
    return _line_with_words(passage, words)


def perspective(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """The persona's first-person sentences, in order; where there are none, one sentence that says so.

    Where nobody says anything: what was there instead. `besides` are texts of the same memory, not to be said again.
    """
    reading = read(tuple(passage), tuple(before))
    if not any(sentence.words >= _TWO for sentence in reading.sentences):
        return what_was_there(passage)
    worths = [
        weight
        * (_is_plain(reading.sentences[at]) and not has_placeholder(reading.sentences[at].text))
        for at, weight in enumerate(reading.inward)
    ]
    kept = _choose(passage, reading, worths, words * _OWN_SHARE, besides, head=0.0)
    turns = groupby((reading.sentences[at] for at in kept), key=lambda sentence: sentence.message)
    text = "\n".join(_joined([sentence.text for sentence in turn]) for _, turn in turns)
    return _fit(text or _nothing(reading, "\n".join(besides)), words)


def _nothing(reading: WeighedPassage, besides: str) -> str:
    """A sentence saying that the persona did not speak of itself, or no more than `besides` tell."""
    inward = zip(reading.inward, reading.sentences, strict=True)
    is_told = any(weight and sentence.text in besides for weight, sentence in inward)
    return reading.frames.nothing_more if is_told else reading.frames.nothing


def analysis(passage: Sequence[Said], words: int, before: Sequence[Said] = ()) -> str:
    """Everything new that both sides said, by day."""
    return _minutes(passage, words * _ANALYSIS_SHARE, (), before, 1.0) or what_was_there(passage)


def refinement(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """The person's words by day, and the persona's answers.

    `besides` are the memory's other texts, which are not said again unless nothing else is left.
    """
    return _minutes(passage, words, besides, before, _USER) or (_NOTHING_MORE if passage else "")


def _raw(passage: Sequence[Said], reading: WeighedPassage, span: range) -> str:
    first, last = reading.sentences[span[0]], reading.sentences[span[-1]]
    return passage[first.message].text[first.start : last.stop]


def _spans(
    passage: Sequence[Said], reading: WeighedPassage, begin: int, words: float
) -> Iterator[range]:
    """The runs of sentences from `begin` on with nothing but white space between them; formulas stand alone."""
    first = reading.sentences[begin]
    spent = 0.0
    for at in range(begin, min(begin + _MOST_SENTENCES, len(reading.sentences))):
        sentence = reading.sentences[at]
        spent += sentence.words
        if sentence.message != first.message or spent > words or has_placeholder(sentence.text):
            return
        if at > begin:
            between = passage[first.message].text[reading.sentences[at - 1].stop : sentence.start]
            if between.strip() or not (_is_plain(sentence) and _is_plain(first)):
                return
        yield range(begin, at + 1)


def _is_plain(sentence: Sentence) -> bool:
    """Whether it is a sentence of running text that says something."""
    return sentence.own and not sentence.courteous and is_finished(sentence.text)


def _rank(passage: Sequence[Said], reading: WeighedPassage, span: range) -> int:
    """The fitness of sentences to be quoted, whatever they say."""
    parts = [reading.sentences[at] for at in span]
    is_plain = all(map(_is_plain, parts)) and all(
        part.text == _raw(passage, reading, range(at, at + 1))
        for at, part in zip(span, parts, strict=True)
    )
    if parts[0].role != PERSONA:
        return 3 if is_plain else 1
    if is_plain:
        return 5 if any(reading.near[at] for at in span) else 4
    return 2 if not parts[0].courteous and is_finished(parts[0].text) else 0


def _weight(reading: WeighedPassage, span: range) -> float:
    """Three sentences must hold more than one does to outweigh it, and a very short cry has little to say."""
    words = sum(reading.sentences[at].words for at in span)
    states = sum(
        (_SILENT + _NEAR * reading.near[at] + reading.inward[at]) * _news(reading, at)
        for at in span
    )
    return min(1.0, words / _FULL) * states / float(len(span) ** _CROWD)


def _news(reading: WeighedPassage, at: int) -> float:
    """The average weight of a word of a sentence."""
    words = reading.sentences[at].terms
    rare = next(
        rare for stretch, rare in zip(reading.stretches, reading.rare, strict=True) if at in stretch
    )
    return sum(rare[term] for term in words) / max(1, len(words))


def _minutes(
    passage: Sequence[Said],
    words: float,
    besides: Sequence[str],
    before: Sequence[Said],
    user: float,
) -> str:
    """The kept sentences, by day, the person's before the persona's; `user` is how much more the former count."""
    reading = read(tuple(passage), tuple(before))
    whole = [
        _is_whole(sentence) * (user if sentence.role != PERSONA else 1.0)
        for sentence in reading.sentences
    ]
    anything = [float(sentence.words >= _TWO) for sentence in reading.sentences]
    worths = whole if any(whole) else anything
    places = _choose(passage, reading, worths, words, besides, _HEAD) or _choose(
        passage, reading, worths, words, (), _HEAD
    )
    kept = [reading.sentences[at] for at in places]
    frames = reading.frames
    lines = []
    for day, of_day in groupby(kept, key=lambda sentence: passage[sentence.message].date):
        sides = sorted(of_day, key=lambda sentence: sentence.role == PERSONA)
        head = frames.day.format(_in_words(day, frames)) if day else ""
        head += " " if head and head[-1] <= _LAST_SPACED else ""
        for is_persona, side in groupby(sides, key=lambda sentence: sentence.role == PERSONA):
            leads = (frames.told, frames.answered) if user > 1 else (frames.person, frames.persona)
            line = head + _joined([leads[is_persona], *(sentence.text for sentence in side)])
            lines.append(line[:1].upper() + line[1:])
            head = ""
    return _fit("\n".join(lines), words) if lines else ""


def _is_whole(sentence: Sentence) -> bool:
    """Whether it is worth a place in a summary: the persona's headings and announcements are not."""
    if sentence.courteous or sentence.words < _LEAST or sentence.text.endswith(_COLONS):
        return False
    return sentence.role != PERSONA or is_finished(sentence.text)


def _in_words(day: str, frames: Frames) -> str:
    """An ISO day as it is written in English; as it is for other languages."""
    parts = day.split("-")
    if frames is not TONGUES[0].frames or len(parts) != 3:
        return day
    return f"{int(parts[2])} {_MONTHS[int(parts[1]) - 1]} {parts[0]}"


def _choose(
    passage: Sequence[Said],
    reading: WeighedPassage,
    worths: Sequence[float],
    words: float,
    besides: Sequence[str],
    head: float,
) -> list[int]:
    """The indices of the sentences to keep, in order; those of no worth never, equal ones once.

    The first sentence of each side on each day also costs its `head`. The stretches share the room equally. If
    not even one sentence fits, the best one is returned by itself.
    """
    beside = "\n".join(besides)
    known = set(terms(beside))
    left, kept = words, list[int]()
    best: tuple[float, int] | None = None
    headed: set[tuple[str, str]] = set()
    for number, (stretch, rare) in enumerate(zip(reading.stretches, reading.rare, strict=True)):
        room = left / (len(reading.stretches) - number)
        used = set(known)

        def gain(at: int, used: set[str] = used, rare: Mapping[str, float] = rare) -> float:
            sentence = reading.sentences[at]
            fresh = sum(rare[term] for term in sentence.terms if term not in used)
            return worths[at] * fresh / max(sentence.words, 1.0)

        heap = [
            (-gain(at), at)
            for at in stretch
            if worths[at] and reading.sentences[at].text not in beside
        ]
        heapq.heapify(heap)
        best = min([entry for entry in (best, *heap[:1]) if entry], default=None)
        while heap:
            _, at = heapq.heappop(heap)
            sentence = reading.sentences[at]
            side = (passage[sentence.message].date, sentence.role)
            cost = sentence.words + head * (side not in headed)
            worth = gain(at)
            if cost > room or worth <= 0:
                continue
            if heap and worth < -heap[0][0]:
                heapq.heappush(heap, (-worth, at))
                continue
            kept.append(at)
            headed.add(side)
            used.update(sentence.terms)
            room -= cost
            left -= cost
    return sorted(kept) if kept or best is None else [best[1]]


def what_was_there(passage: Sequence[Said]) -> str:
    """One sentence on what the messages consisted of, as the persona would say it; empty for no messages."""
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
    """The kind of content that a message consists of; empty for an empty one."""
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


def _joined(texts: Sequence[str]) -> str:
    """The sentences in a row: after a fragment a semicolon, and no space where the script has none."""
    parts = list(texts[:1])
    for before, text in pairwise(texts):
        stopped = is_finished(before) or before.endswith(_COLONS)
        parts.append(
            ("" if stopped and before[-1] > _LAST_SPACED else " " if stopped else "; ") + text
        )
    return "".join(parts)


def _fit(text: str, words: float) -> str:
    """A single sentence may be longer than the budget; it is cut between words."""
    return text if length(text) <= words else shorten(text, words) + _CUT


def _line_with_words(passage: Sequence[Said], words: int) -> str:
    """The first line with words of the longest message that has one, or as much of it as `words` allow.

    No fence of code is such a line, and nothing in square brackets is a part of one: it ends there.
    """
    for message in sorted(passage, key=lambda message: len(message.text), reverse=True):
        for line in message.text.splitlines():
            for part in map(str.strip, between_placeholders(line)):
                if has_words(part) and not is_fence(line) and not is_fence(part):
                    return shorten(part, words)
    return ""
