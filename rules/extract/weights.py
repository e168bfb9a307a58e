"""A passage of a conversation as sentences of prose, and how much each of them weighs.

A sentence is central when it shares the passage's telling words: the cosine between its words, weighed by how rare
they are, and those of the passage as a whole.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import Final

from rules.extract.languages import MONTHS, TONGUES, Listed, Tongue, spoken
from rules.extract.sentences import TextPiece, length, sentences, terms

_PLACEHOLDER = re.compile(r"\[[^\]]*\]")
_LINKED = re.compile(r"\[[^\[\]\n]{3,}\](?!\()")

_MOST_PIECES = 10_000
_STOPS = frozenset(".!?…。！？｡।॥؟۔։።፧፨។៕။༎།⸮‼⁇⁈⁉")
_BEHIND_STOPS = "\"'”’»›“‘)]}】」』）》〉*_~` "


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said it ("user" or "assistant"), its text, and its day (ISO, or "" where unknown)."""

    role: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The characters [start, stop) of message number `message`; `terms` are its distinct words, `words` its length."""

    message: int
    role: str
    start: int
    stop: int
    text: str
    terms: tuple[str, ...]
    words: float


def prose(passage: Sequence[Said]) -> tuple[Sentence, ...]:
    """The sentences of prose in the passage; what is only a placeholder in square brackets is none.

    Of a passage of more than ten thousand sentences (a pasted book), evenly spread ones that many at most.
    """
    pieces = [
        (number, piece)
        for number, said in enumerate(passage)
        for piece in sentences(said.text)
        if piece.prose
        and not (said.text[piece.start] == "[" and _PLACEHOLDER.fullmatch(said.text, piece.start, piece.stop))
    ]
    return tuple(
        _sentence(number, passage[number], piece) for number, piece in pieces[:: 1 + len(pieces) // _MOST_PIECES]
    )


def _sentence(number: int, said: Said, piece: TextPiece) -> Sentence:
    text = said.text[piece.start : piece.stop]
    words = tuple(dict.fromkeys(terms(text)))
    return Sentence(number, said.role, piece.start, piece.stop, text, words, length(text))


def has_placeholder(text: str) -> bool:
    """Whether something in square brackets stands in `text` that is neither a link nor a mark of a footnote."""
    return _LINKED.search(text) is not None


def between_placeholders(text: str) -> list[str]:
    """The parts of `text` before, between and behind its placeholders."""
    return _LINKED.split(text)


def is_finished(text: str) -> bool:
    """Whether the sentence ends with a stop, as headings and items of lists do not."""
    return text.rstrip(_BEHIND_STOPS)[-1:] in _STOPS


_WORD = re.compile(r"[^\W\d_]{2,}")
_SINGLE_DIGIT = 0.3
_MANY_CAPITALS = 0.08
_AT_MOST = 5.0


def details(sentences: Sequence[Sentence]) -> list[float]:
    """For each sentence, its names, months and numbers, counted up to five; a lone digit counts little.

    A name is a word with a capital inside a sentence that the passage never writes small. Where
    capitals are common (German nouns) each tells less.
    """
    names, weight = _names(sentences)
    return [min(_AT_MOST, sum(_weigh(term, names, weight) for term in sentence.terms)) for sentence in sentences]


def _weigh(term: str, names: frozenset[str], name_weight: float) -> float:
    if term in names:
        return max(name_weight, float(term in MONTHS))
    if any(map(str.isdecimal, term)):
        return 1.0 if len(term) > 1 else _SINGLE_DIGIT
    return 0.0


def _names(sentences: Sequence[Sentence]) -> tuple[frozenset[str], float]:
    """The casefolded names of the passage, and how much each tells, 0 to 1."""
    inside = Counter(word for sentence in sentences for word in _inner_words(sentence.text))
    small = {word for word in inside if word.islower()}
    names = {word.casefold(): count for word, count in inside.items() if word[0].isupper()}
    for word in small:
        names.pop(word, None)
    share = sum(names.values()) / (inside.total() or 1)
    return frozenset(names), min(1.0, _MANY_CAPITALS / share) if share else 1.0


def _inner_words(text: str) -> Iterator[str]:
    """The words of a sentence but its first; of a title, where most begin with capitals, only the small ones."""
    words = _WORD.findall(text)[1:]
    capitals = sum(word[0].isupper() for word in words)
    return iter(words) if 2 * capitals <= len(words) or len(words) < 3 else filter(str.islower, words)


_AT_MOST_STATES = 4
_COURTESY = 0.4
_SHORT = 14.0


def rarity(sentences: Sequence[Sentence]) -> dict[str, float]:
    """For each term, the logarithm of how many sentences there are for each that holds it."""
    held = Counter(term for sentence in sentences for term in sentence.terms)
    return {term: log((len(sentences) + 1) / count) for term, count in held.items()}


def centrality(sentences: Sequence[Sentence], rare: Mapping[str, float]) -> list[float]:
    """For each sentence, how near it is to the middle of the passage, 0 to 1."""
    lengths = [sqrt(sum(rare[term] ** 2 for term in sentence.terms)) for sentence in sentences]
    middle: dict[str, float] = {}
    for sentence, size in zip(sentences, lengths, strict=True):
        for term in sentence.terms:
            middle[term] = middle.get(term, 0.0) + rare[term] / (size or 1.0)
    whole = sqrt(sum(weight**2 for weight in middle.values())) or 1.0
    return [
        sum(rare[term] * middle[term] for term in sentence.terms) / ((size or 1.0) * whole)
        for sentence, size in zip(sentences, lengths, strict=True)
    ]


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """For each sentence, how densely it holds its speaker's own states; 0 without the first person.

    The courtesies of an assistant count for little, and without a state for nothing.
    """
    me, states, service = (occurrences(sentences, words) for words in (tongue.me, tongue.states, tongue.service))
    return [
        _density(sentence, states[at], courteous=service[at] > 0) if me[at] else 0.0
        for at, sentence in enumerate(sentences)
    ]


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """For each sentence, how many of its distinct terms are in `words`."""
    listed_terms = {
        term for term in dict.fromkeys(term for sentence in sentences for term in sentence.terms) if term in words
    }
    return [sum(term in listed_terms for term in sentence.terms) for sentence in sentences]


def _density(sentence: Sentence, states: int, *, courteous: bool) -> float:
    if courteous and not states:
        return 0.0
    share = (1 + 1.5 * min(states, _AT_MOST_STATES)) / sqrt(max(sentence.words, _SHORT))
    return share * (_COURTESY if courteous else 1.0)


_LAST_ONES = 4  # all the questions about a chunk are about one passage
PERSONA: Final = "assistant"
_ANNOUNCEMENT = 0.3
_FULL = 8.0
_TWO = 1.9


@dataclass(frozen=True, slots=True)
class WeighedPassage:
    """Parallel to `sentences`: how `central` each is, and how densely it holds the persona's own states (`inward`)."""

    sentences: tuple[Sentence, ...]
    rare: dict[str, float]
    central: list[float]
    inward: list[float]
    tongues: dict[str, Tongue]


def read(passage: Sequence[Said]) -> WeighedPassage:
    """Reads the prose of the passage; each side may speak a language of its own."""
    return _read(tuple(passage))


@lru_cache(_LAST_ONES)
def _read(passage: tuple[Said, ...]) -> WeighedPassage:
    sentences = prose(passage)
    rare = rarity(sentences)
    roles = dict.fromkeys(sentence.role for sentence in sentences)
    tongues = {
        role: spoken((term for sentence in sentences if sentence.role == role for term in sentence.terms), TONGUES)
        for role in roles
    }
    inward = inwardness(sentences, tongues[PERSONA]) if PERSONA in tongues else [0.0] * len(sentences)
    own = [weight if sentence.role == PERSONA else 0.0 for weight, sentence in zip(inward, sentences, strict=True)]
    return WeighedPassage(sentences, rare, centrality(sentences, rare), own, tongues)


def plain(reading: WeighedPassage) -> list[float]:
    """What each sentence is worth in a summary: half for being central, half for being there at all.

    Else a promise made in passing would be lost among forty sentences about bread. Headings and
    exclamations of a few words say less, one word nothing; what only announces a list says little.
    """
    mean = sum(reading.central) / max(1, len(reading.central))
    return [
        (weight + mean)
        * (min(1.0, sentence.words / _FULL) if sentence.words >= _TWO else 0.0)
        * (_ANNOUNCEMENT if sentence.text.rstrip("*_ ").endswith((":", "：")) else 1.0)
        for sentence, weight in zip(reading.sentences, reading.central, strict=True)
    ]


def threads(reading: WeighedPassage) -> list[int]:
    """For each sentence, how many of its words speak of promises, plans or corrections; three at most."""
    counts = {role: occurrences(reading.sentences, tongue.threads) for role, tongue in reading.tongues.items()}
    return [min(3, counts[sentence.role][at]) for at, sentence in enumerate(reading.sentences)]
