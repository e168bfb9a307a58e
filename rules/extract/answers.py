"""The answers of the built-in engine: which sentences are kept, and how they read as a quote, a perspective, a
summary.

Where nothing can be quoted or summed up (emoji, images, code, single words), one sentence says what was there.

Each sentence that is kept lowers the worth of its words for the others (maximal marginal relevance, with words for
likeness). Worth only ever falls, so a heap finds each next best without looking at all. The same passage always gets
the same answers.
"""

import heapq
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf

from rules.extract.sentences import UNSEEN, has_words, is_fence, length, sentences, shorten, terms
from rules.extract.weights import (
    PERSONA,
    Said,
    Sentence,
    WeighedPassage,
    between_placeholders,
    details,
    has_placeholder,
    is_finished,
    plain,
    read,
    threads,
)

_MOST_SENTENCES = 3
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


def densest(passage: Sequence[Said], reading: WeighedPassage, role: str, words: float) -> Window | None:
    """The weightiest window in what `role` said, at most `words` words long; the first of equals.

    None if that side has no sentence that short, or only such as hold a placeholder in square brackets.
    """
    windows = (
        _window(reading, span)
        for begin, sentence in enumerate(reading.sentences)
        if sentence.role == role
        for span in _spans(passage, reading.sentences, begin, words)
    )
    return max(windows, key=lambda window: window.weight, default=None)


def _spans(passage: Sequence[Said], sentences: Sequence[Sentence], begin: int, words: float) -> Iterator[range]:
    """The runs of sentences from `begin` on with nothing but white space between them."""
    first = sentences[begin]
    text = passage[first.message].text
    spent = 0.0
    for at in range(begin, min(begin + _MOST_SENTENCES, len(sentences))):
        sentence = sentences[at]
        spent += sentence.words
        if sentence.message != first.message or spent > words or has_placeholder(sentence.text):
            return
        if at > begin and text[sentences[at - 1].stop : sentence.start].strip():
            return
        yield range(begin, at + 1)


def _window(reading: WeighedPassage, span: range) -> Window:
    """Three sentences must hold more than one does to outweigh it, and a very short cry has little to say."""
    parts = [reading.sentences[at] for at in span]
    states = sum(reading.central[at] * (_SILENT + reading.inward[at]) for at in span)
    fullness = min(1.0, sum(part.words for part in parts) / _FULL)
    whole = 1.0 if all(is_finished(part.text) and "`" not in part.text for part in parts) else _FRAGMENT
    weight = states / len(parts) ** _CROWD * fullness * whole
    return Window(parts[0].message, parts[0].start, parts[-1].stop, weight)


_STALE = 0.4
_RARITY = 0.3
_AT_MOST = 2000


def choose(
    sentences: Sequence[Sentence],
    weights: Sequence[float],
    rare: Mapping[str, float],
    budget: float,
    *,
    turn_cost: float = 0.0,
    besides: Sequence[str] = (),
) -> list[int]:
    """The indices of the sentences to keep, in order; those of weight 0 never, equal ones once.

    `budget` and `turn_cost` (for the first sentence of each message) are words. `besides` are texts
    whose sentences are not kept again (unless there are no others), and whose words are no longer new.
    If not even one sentence fits, the best one is returned by itself. Only the two thousand weightiest
    are looked at.
    """
    beside = "\n".join(besides)
    used = dict.fromkeys(terms(beside), 1)
    first = {sentence.text: at for at, sentence in reversed(tuple(enumerate(sentences))) if weights[at] > 0}
    unsaid = [at for text, at in first.items() if text not in beside] or list(first.values())
    worths = ((-weights[at] * _novelty(sentences[at], used, rare), at) for at in unsaid)
    heap = heapq.nsmallest(_AT_MOST, worths)
    best = min(heap)[1] if heap else None
    kept: set[int] = set()
    turns: set[int] = set()
    while heap:
        _, at = heapq.heappop(heap)
        sentence = sentences[at]
        cost = sentence.words + (0.0 if sentence.message in turns else turn_cost)
        if cost > budget:
            continue
        worth = -weights[at] * _novelty(sentence, used, rare)
        if heap and worth > heap[0][0]:
            heapq.heappush(heap, (worth, at))
            continue
        kept.add(at)
        turns.add(sentence.message)
        budget -= cost
        for term in sentence.terms:
            used[term] = used.get(term, 0) + 1
    return sorted(kept) if kept or best is None else [best]


def _novelty(sentence: Sentence, used: Mapping[str, int], rare: Mapping[str, float]) -> float:
    """Which part of the sentence's words is still new, 0 to 1.

    Rare words count for more, but not for much more: a number alone does not make an old sentence new.
    """
    whole = fresh = 0.0
    for term in sentence.terms:
        share = rare[term] ** _RARITY
        whole += share
        fresh += share * _STALE ** used.get(term, 0)
    return fresh / whole if whole else 0.0


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


def what_was_there(passage: Sequence[Said]) -> str:
    """One sentence on what the messages consisted of, as the persona would say it; empty for no messages."""
    kinds = Counter(_kind(said.text) for said in passage).most_common()
    if not kinds:
        return ""
    if len(kinds) == 1:
        return _of_one_kind(*kinds[0])
    parts = [f"{number:,} of {kind} alone" if kind else f"{number:,} empty" for kind, number in kinds]
    return f"We exchanged {len(passage):,} messages: {', '.join(parts[:-1])} and {parts[-1]}."


def _of_one_kind(kind: str, number: int) -> str:
    if number == 1:
        return f"There was one message of {kind} alone." if kind else "There was one message, and it was empty."
    return f"We exchanged {number:,} messages of {kind} alone." if kind else f"We exchanged {number:,} empty messages."


def _kind(text: str) -> str:
    """What a message consists of; empty for an empty one."""
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
        weight * (1 + telling) * (1 / (1 + inward) if sentence.role == PERSONA else _USER)
        for sentence, weight, telling, inward in zip(
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


def _perspective(passage: Sequence[Said], reading: WeighedPassage, words: int, besides: Sequence[str]) -> str:
    weights = plain(reading)
    own = [central * inward for central, inward in zip(reading.central, reading.inward, strict=True)]
    persona = [weight * (sentence.role == PERSONA) for sentence, weight in zip(reading.sentences, weights, strict=True)]
    telling = next((some for some in (own, persona) if any(some)), weights)
    kept = choose(reading.sentences, telling, reading.rare, words, besides=besides)
    turns = groupby((reading.sentences[at] for at in kept), key=lambda sentence: sentence.message)
    text = "\n".join(_joined([sentence.text for sentence in turn]) for _, turn in turns)
    return _fit(text, words) if text else what_was_there(passage)


def _minutes(
    passage: Sequence[Said], reading: WeighedPassage, weights: Sequence[float], words: int, besides: Sequence[str]
) -> str:
    """The kept sentences, a line for each turn: who speaks, and the day where it is another than before."""
    kept = choose(reading.sentences, weights, reading.rare, words, turn_cost=_DAY_AND_SPEAKER, besides=besides)
    lines = []
    day = ""
    for number, turn in groupby((reading.sentences[at] for at in kept), key=lambda sentence: sentence.message):
        message = passage[number]
        head = f"{message.date}, {message.role}: " if message.date not in ("", day) else f"{message.role}: "
        day = message.date or day
        lines.append(head + _joined([sentence.text for sentence in turn]))
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
