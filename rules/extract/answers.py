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

from rules.extract.choice import (
    Room,
    asks,
    binding,
    choose,
    is_bare_request,
    is_usable,
    says_what_follows,
    whole_worths,
)
from rules.extract.frames import spaced
from rules.extract.prose import PERSONA, Said, Sentence, has_placeholder, is_plain
from rules.extract.quoting import quote
from rules.extract.rows import account, fit, join_sentences, tell_by_day
from rules.extract.sentences import sentences
from rules.extract.weights import WeighedPassage, read
from rules.extract.words import UNSEEN, has_words

__all__ = ["analysis", "in_paragraphs", "perspective", "quote"]

_OWN_SHARE, _ANALYSIS_SHARE = 0.35, 0.27
"""Shares of the words that an answer may have: room is better spent on what the person said."""
_WANTED_SHARE, _PERSONA_SHARE = 0.15, 0.22
_RUN_ON = 30.0
"""Words of a wish that a view tells; a longer one tells a whole story, and the memory has that."""
_TELLING_ITEM = 12.0
"""Words from which on an item of a list says enough for a view."""
_NAMING = 1.0
"""The worth of what names things of the person's, or is said of the persona itself."""
_BARE_AMONG_OTHERS = 0.2
"""The worth of a request that names nothing, where another one does."""
_SAID_TWICE = 25.0
"""The most words of a view that the analysis has, too."""
_OF_ANALYSIS = 0.6
"""The words of an analysis, as a multiple of the view's."""
_THIN, _ENOUGH = 30.0, 60.0
"""The words of an answer that says too little by itself, and of the one that takes its place."""
_HALF = 0.5
_LEAD, _DAY = 4.0, 4.0
"""The most words of "you told me:" and of "On 5 March 2024" in any language, or nearly."""
_TWO = 1.9
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
    """Return the persona's first-person sentences, in order.

    Where there are none: what it promised, corrected or advised; else what the person wanted, if
    neither the analysis nor any text of `besides` has it; else what it answered about the person's
    things; else one sentence that says so. Where nothing was said in words: what was there instead.
    `besides` are texts of the same memory, not to be said again.
    """
    reading = read(tuple(passage), tuple(before))
    if not any(sentence.words >= _TWO for sentence in reading.sentences):
        return what_was_there(passage)
    analysed = analysis(passage, int(words * _OF_ANALYSIS), (), before)
    room, told = words * _WANTED_SHARE, (*besides, analysed)
    text = (
        _inward(reading, words * _OWN_SHARE, besides)
        or _bound(reading, room, told)
        or _wanted(reading, room, told, longest=_RUN_ON)
        or _answered(reading, room, told)
        or _wanted(reading, min(_SAID_TWICE, room), besides)
        or _nothing(reading, "\n".join(besides))
    )
    return fit(text, words)


def _inward(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    """Return what the persona says of itself, a line for each of its messages."""
    worths = [
        weight * (is_plain(sentence) and not has_placeholder(sentence.text))
        for weight, sentence in zip(reading.inward, reading.sentences, strict=True)
    ]
    kept = _chosen(reading, worths, words, besides)
    turns = groupby(kept, key=lambda sentence: sentence.message)
    return "\n".join(join_sentences(list(turn)) for _, turn in turns)


def _bound(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    """Return the persona's promises, corrections and advice, each as what it is."""
    worths = [
        float(is_plain(sentence) and is_usable(sentence) and _binds(sentence))
        for sentence in reading.sentences
    ]
    kept = _chosen(reading, worths, words, besides)
    lines = []
    for how, group in groupby(kept, key=lambda sentence: binding(sentence) or "advised"):
        lines.append(spaced(getattr(reading.frames, how)) + join_sentences(list(group)))
    return "\n".join(lines)


def _answered(reading: WeighedPassage, words: float, besides: Sequence[str]) -> str:
    """Return what the persona answered about things of the person's."""
    worths = [
        float(worth >= _NAMING and _tells_by_itself(sentence))
        for worth, sentence in zip(whole_worths(reading), reading.sentences, strict=True)
    ]
    kept = _chosen(reading, worths, words, besides)
    lead = reading.frames.answered
    return spaced(lead[:1].upper() + lead[1:]) + join_sentences(kept) if kept else ""


def _tells_by_itself(sentence: Sentence) -> bool:
    """Return whether the persona says it in running text or a long item, and by more than a set phrase."""
    is_long = sentence.voice != "item" or sentence.words >= _TELLING_ITEM
    return sentence.role == PERSONA and is_long and not _is_set_phrase(sentence)


def _binds(sentence: Sentence) -> bool:
    """Return whether the persona promises, corrects or advises something by more than a set phrase."""
    return sentence.role == PERSONA and not _is_set_phrase(sentence) and bool(binding(sentence))


def _is_set_phrase(sentence: Sentence) -> bool:
    return sentence.is_formula or says_what_follows(sentence)


def _wanted(
    reading: WeighedPassage, words: float, besides: Sequence[str], longest: float | None = None
) -> str:
    """Return what the person wanted; with `longest`, without bare requests and those of more words."""
    worths = _requests(reading)
    if longest is not None:
        worths = [
            worth * (worth > _BARE_AMONG_OTHERS and sentence.words <= longest)
            for worth, sentence in zip(worths, reading.sentences, strict=True)
        ]
    kept = _chosen(reading, worths, words, besides)
    return spaced(reading.frames.wanted) + join_sentences(kept) if kept else ""


def _chosen(
    reading: WeighedPassage, worths: Sequence[float], words: float, besides: Sequence[str]
) -> list[Sentence]:
    """Return the sentences to keep by their worths, in order."""
    return [reading.sentences[at] for at in choose(reading, worths, Room(words), besides)]


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
    asked = choose(reading, _requests(reading), Room(room), besides)
    rest = [] if asked else keep_of_both(reading, room, besides)
    days = set(reading.days)
    day_of_all = days.pop() if len(days) == 1 else ""
    lines = (
        tell_by_day(reading, asked, (frames.asked, frames.asked), day_of_all),
        tell_by_day(reading, rest, (frames.person, frames.persona), day_of_all),
    )
    return fit("\n".join(filter(None, lines)), max(room, words)) or what_was_there(passage)


def _requests(reading: WeighedPassage) -> list[float]:
    """Return the worths of the person's questions and requests, and 0 for all other sentences.

    Bare ones are worth less where there are others.
    """
    are_requests = [asks(sentence) and is_usable(sentence) for sentence in reading.sentences]
    are_bare = [is_bare_request(reading, sentence) for sentence in reading.sentences]
    worths = [
        is_request * (_BARE_AMONG_OTHERS if is_bare else 1.0)
        for is_request, is_bare in zip(are_requests, are_bare, strict=True)
    ]
    return worths if 1.0 in worths else list(map(float, are_requests))


def keep_of_both(
    reading: WeighedPassage, words: float, besides: Sequence[str], paragraphs: Sequence[int] = ()
) -> list[int]:
    """Choose the sentences of both sides; `paragraphs` are the messages with which these begin."""
    worths = _worths_of_both(reading)
    room = Room(words, _LEAD, _DAY, _PERSONA_SHARE, paragraphs)
    return choose(reading, worths, room, besides) or choose(reading, worths, room)


def _worths_of_both(reading: WeighedPassage) -> list[float]:
    """Return the worths of the sentences for a summary; where none has any, the same for all but cries."""
    whole = whole_worths(reading)
    if any(whole):
        return whole
    return [float(sentence.words >= _TWO) for sentence in reading.sentences]


def _keep_for_memory(
    reading: WeighedPassage, words: float, besides: Sequence[str], paragraphs: Sequence[int] = ()
) -> list[int]:
    """Choose the sentences of both sides, where little else is left also of those that one of `besides` holds."""
    kept = keep_of_both(reading, words, besides, paragraphs)
    if _words_of(reading, kept) >= min(_THIN, words):
        return kept
    worths = [
        worth * (not sentence.is_formula and _times_in(besides, sentence) <= 1)
        for worth, sentence in zip(_worths_of_both(reading), reading.sentences, strict=True)
    ]
    run_ons = [
        at for at, worth in enumerate(worths) if worth and reading.sentences[at].words > words
    ]
    enough = Room(min(_ENOUGH, words), _LEAD, _DAY, _HALF)
    again = run_ons[:1] or choose(reading, worths, enough)
    return max(kept, again, key=lambda chosen: _words_of(reading, chosen))


def _times_in(texts: Sequence[str], sentence: Sentence) -> int:
    return sum(sentence.text in text for text in texts)


def _words_of(reading: WeighedPassage, kept: Sequence[int]) -> float:
    return sum(reading.sentences[at].words for at in kept)


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
    cuts = [len(passages) * at // number for at in range(number + 1)]
    ends = [0, *accumulate(map(len, passages))]
    starts = [ends[at] for at in cuts[:-1]]
    kept = _keep_for_memory(reading, words, besides, starts)
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
