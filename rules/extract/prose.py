"""Read a message as sentences: whose voice each is in, whether it says anything, its words."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple, get_args

from rules.extract.brackets import is_broken, whole_pieces, without_lone_brackets
from rules.extract.control_marks import holds_mark
from rules.extract.handed_on import owner_at
from rules.extract.phrases import COURTESY, FORMULA
from rules.extract.sentences import TextPiece, split_sentences
from rules.extract.voices import (
    QUOTED,
    Voice,
    is_finished,
    is_labelled,
    voiced_lines,
)
from rules.extract.words import has_digit, length, split_terms

PERSONA: Final = "assistant"

_PLACEHOLDER = re.compile(r"\[[^\]]*\]")
_LINKED = re.compile(r"\[[^\[\]\n]{3,}\](?!\()")
_MARKUP = re.compile(
    r"!?\[([^\]\n]*)\]\([^)\s]*\)|\*\*+|`+|__+|~~+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)
_BOLD_LABEL = re.compile(r"(\*\*|__)[^*_\n]{1,60}(?:[:：]\1|\1[^\S\n]*[:：])[^\S\n]*(?=\S)")
"""A bold label before the sentence of a list's item."""
_MOST_FIGURES = 0.4
"""A sentence with a larger share of numbers among its words is a row of a table."""
_LONGEST_COURTESY = 12.0
"""A sentence of the person's that begins with a courtesy, but has more words, says something."""
_CACHED_MESSAGES = 2_048
"""Messages whose sentences are cached, at about 6 KB each: more than one fold replaces."""
_MOST_OUTLINES = 65_536
"""Messages whose outline is cached, at about 300 bytes each."""
_OUTLINED = Struct("<IIB5?")
"""A sentence in an outline: its bounds in the message, its voice's index, its other marks."""
_VOICES: tuple[Voice, ...] = get_args(Voice)
_outlines: dict[bytes, bytes] = {}
"""The outlines of messages by fingerprint. Folds read messages again much later, and finding their
sentences and classifying them is four fifths of the work."""
_CACHED_WORDS = 16_384


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said it ("user" or "assistant"), its text, its day (ISO; "" if unknown)."""

    role: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: the characters [start, stop) of a message, and `text`, the same without markup.

    `message` is the number of the message.
    """

    message: int
    role: str
    start: int
    stop: int
    text: str
    terms: tuple[str, ...]
    """Its distinct words."""
    words: float
    """Its length in words."""
    unquoted: tuple[str, ...]
    """Its distinct words outside quotation marks."""
    voice: Voice
    courteous: bool
    """Whether it is a courtesy, which says nothing about this conversation."""
    is_formula: bool
    """Whether it says something only where it names or lists what it is about."""
    is_broken: bool
    """Whether it leaves a quotation or a bracket open, or is itself quoted."""
    is_row: bool
    """Whether it is a label with something after it."""
    is_figures: bool
    """Whether much of it is numbers."""

    @property
    def own(self) -> bool:
        """Return whether it is running text in the speaker's own voice."""
        return self.voice == "own" and not self.is_broken


def has_placeholder(text: str) -> bool:
    """Return whether `text` has square brackets that are neither a link nor a footnote's mark."""
    return _LINKED.search(text) is not None


def between_placeholders(text: str) -> list[str]:
    """Return the parts of `text` before, between and after its placeholders."""
    return _LINKED.split(text)


class _Marks(NamedTuple):
    """How a sentence is classified; the fields are the last ones of `Sentence`."""

    voice: Voice
    courteous: bool
    is_formula: bool
    is_broken: bool
    is_row: bool
    is_figures: bool


@lru_cache(_CACHED_MESSAGES)
def of_message(role: str, text: str) -> tuple[Sentence, ...]:
    """Return the sentences of prose of one message, without mere placeholders in square brackets.

    What the person hands on is left out, as it would read as if said by the person. A sentence with
    a control mark is left out, as it would read as a model's own format.
    """
    spelled = f"{role} {text}".encode(errors="surrogatepass")
    fingerprint = blake2b(spelled, digest_size=16).digest()
    outline = _outlines.get(fingerprint)
    if outline is not None:
        return tuple(_read_again(role, text, outline))
    prose = tuple(_read(role, text))
    if len(_outlines) >= _MOST_OUTLINES:
        _outlines.clear()
    _outlines[fingerprint] = b"".join(map(_outline, prose))
    return prose


def forget_prose() -> None:
    """Clear the caches of messages, outlines and words."""
    of_message.cache_clear()
    _once.cache_clear()
    _outlines.clear()


def _read(role: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a message that is read for the first time."""
    pieces = [
        without_lone_brackets(text, piece)
        for piece in split_sentences(text)
        if piece.prose
        and not _PLACEHOLDER.fullmatch(text, piece.start, piece.stop)
        and not holds_mark(text[piece.start : piece.stop])
        and (role == PERSONA or owner_at(text, piece.start) not in ("foreign", "unsure"))
    ]
    lines = voiced_lines(text, drafts=role == PERSONA)
    starts = [line.start for line in lines]
    pieces = whole_pieces(text, pieces)
    for piece in pieces if role != PERSONA else map(partial(_without_label, text), pieces):
        at = bisect_right(starts, piece.start) - 1
        is_within = at >= 0 and piece.stop <= lines[at].stop
        voice = lines[at].voice if is_within else "other"
        broken = is_broken(text, piece.start, piece.stop)
        yield _sentence(role, text, piece, voice, is_broken=broken)


def _outline(sentence: Sentence) -> bytes:
    """Return a sentence's part of its message's outline."""
    return _OUTLINED.pack(
        sentence.start,
        sentence.stop,
        _VOICES.index(sentence.voice),
        sentence.courteous,
        sentence.is_formula,
        sentence.is_broken,
        sentence.is_row,
        sentence.is_figures,
    )


def _read_again(role: str, text: str, outline: bytes) -> Iterator[Sentence]:
    """Yield the sentences of a message, taking their bounds and marks from its outline."""
    for start, stop, voice, *others in _OUTLINED.iter_unpack(outline):
        plain = without_markup(text[start:stop])
        listed = list(map(_once, split_terms(plain)))
        marks = _Marks(_VOICES[voice], *others)
        yield _with_words(role, TextPiece(start, stop, prose=True), plain, listed, marks)


def _without_label(text: str, piece: TextPiece) -> TextPiece:
    """Return the piece without its bold label if a whole sentence follows that; else the piece."""
    label = _BOLD_LABEL.match(text, piece.start, piece.stop)
    if label is None or not is_finished(text[label.end() : piece.stop]):
        return piece
    return replace(piece, start=label.end())


def _sentence(role: str, text: str, piece: TextPiece, voice: Voice, *, is_broken: bool) -> Sentence:
    plain = without_markup(text[piece.start : piece.stop])
    listed = list(map(_once, split_terms(plain)))
    can_be_courteous = role == PERSONA or length(plain) <= _LONGEST_COURTESY
    spelled = plain.replace("’", "'")
    is_formula = can_be_courteous and FORMULA.are_in(spelled)
    is_courtesy = can_be_courteous and COURTESY.are_in(spelled)
    marks = _Marks(
        voice=voice,
        courteous=is_courtesy or (is_formula and role != PERSONA),
        is_formula=is_formula,
        is_broken=is_broken,
        is_row=is_labelled(plain),
        is_figures=sum(map(has_digit, listed)) > _MOST_FIGURES * len(listed),
    )
    return _with_words(role, piece, plain, listed, marks)


def _with_words(
    role: str, piece: TextPiece, plain: str, listed: Sequence[str], marks: _Marks
) -> Sentence:
    """Return the sentence with the text `plain`, whose words are `listed` in order."""
    distinct = tuple(dict.fromkeys(listed))
    outside = QUOTED.sub(" ", plain)
    unquoted = distinct
    if outside != plain:
        unquoted = tuple(dict.fromkeys(map(_once, split_terms(outside))))
    return Sentence(
        0, role, piece.start, piece.stop, plain, distinct, length(plain), unquoted, *marks
    )


@lru_cache(_CACHED_WORDS)
def _once(term: str) -> str:
    """Return one shared string for all equal ones: a long conversation repeats few words."""
    return term


def without_markup(text: str) -> str:
    """Return a piece of Markdown as plain text in one line."""
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", text).split())


def is_plain(sentence: Sentence) -> bool:
    """Return whether a sentence is finished prose in the speaker's own voice, and no courtesy."""
    return sentence.own and not sentence.courteous and is_finished(sentence.text)
