"""A passage of a conversation as sentences, and how much each word and each sentence of it weighs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from math import log, sqrt

from rules.extract.frames import Frames
from rules.extract.languages import TONGUES, Tongue, spoken
from rules.extract.patterns import Listed
from rules.extract.prose import PERSONA, Said, Sentence, forget_prose, of_message
from rules.extract.voices import QUESTION_MARKS
from rules.extract.wishes import find_wishes
from rules.extract.words import has_digit, terms

_MOST_PIECES = 10_000
_LAST_ONES = 4  # all the questions about a chunk are about one passage
_KNOWN = 0.3
"""A word that was said before counts so much: the memories before this one are likely to hold it."""
_FIGURE = 2.0
"""A number is a fact that no other word can replace."""
_CLOSINGS = 2
_FORMULA = 2
"""How many replies that close with the same words make these a formula."""
_GISTS = 4_096
"""Messages before a passage whose words are remembered, at about 1 KB each: several times those that
one memory is written in view of, so that none is forgotten before the next memory is written."""
_STRETCH = 1500.0
_BEFORE = 8
_AT_MOST_STATES = 4
_SHORT = 14.0
_SHORTEST_NAME = 3
_BARE = 8.0
"""A shorter question that ends with a pronoun ("Can you help me with that?") is about the sentence before it."""
_NAME = re.compile(r"[^\W\d_][\w'’-]+")


@dataclass(frozen=True, slots=True)
class WeighedPassage:
    """A passage's sentences, cut into `stretches` of about one chunk each.

    The lists are parallel to `sentences`, and `rare` to `stretches`.
    """

    sentences: tuple[Sentence, ...]
    days: tuple[str, ...]
    stretches: tuple[range, ...]
    rare: tuple[dict[str, float], ...]
    """The weights of words."""
    inward: list[float]
    """How densely each sentence holds the persona's own states."""
    near: list[bool]
    """Whether each speaks of the persona or to the person."""
    leaning: list[bool]
    """Whether each opens with a bare pronoun."""
    things: frozenset[str]
    """The names and the numbers that the person has said."""
    tongue: Tongue
    """The language of the persona."""
    frames: Frames
    """In the language that both sides speak most."""

    def rare_at(self, at: int) -> dict[str, float]:
        """Return the weights of words in the stretch of a sentence."""
        return next(
            rare for stretch, rare in zip(self.stretches, self.rare, strict=True) if at in stretch
        )


@dataclass(frozen=True, slots=True)
class _Gist:
    """What counts of a message before the passage."""

    words: tuple[str, ...]
    closings: frozenset[tuple[str, ...]]


class _Messages(tuple[Said, ...]):
    """Messages as a key of what is remembered; their hash is that of the last one, since they are many."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash((len(self), *self[-1:]))


def read(passage: Sequence[Said], before: Sequence[Said] = ()) -> WeighedPassage:
    """Read the prose of a passage, and of the messages `before` it.

    Each side may speak a language of its own.
    """
    return _read(_Messages(passage), _Messages(before))


@lru_cache(_LAST_ONES)
def _read(passage: _Messages, before: _Messages) -> WeighedPassage:
    earlier = [_gist(message.role, message.text) for message in before]
    prose = [of_message(message.role, message.text) for message in passage]
    closings = (*(gist.closings for gist in earlier), *map(_closings, prose))
    sentences = _numbered(prose, _formulas(closings))
    persona, person = _tongue(sentences, persona=True), _tongue(sentences, persona=False)
    inward = _of_persona(sentences, inwardness(sentences, persona))
    addressed = _of_persona(sentences, occurrences(sentences, persona.you))
    pairs = zip(inward, addressed, strict=True)
    stretches = tuple(_stretches(sentences))
    return WeighedPassage(
        sentences=sentences,
        days=tuple(passage[sentence.message].date for sentence in sentences),
        stretches=stretches,
        rare=tuple(_rarities(sentences, stretches, _words_of(earlier))),
        inward=inward,
        near=[max(of_self, to_person) > 0 for of_self, to_person in pairs],
        leaning=[_leans(sentence, persona, person) for sentence in sentences],
        things=frozenset(_things(sentences)),
        tongue=persona,
        frames=spoken((term for sentence in sentences for term in sentence.terms), TONGUES).frames,
    )


def _of_persona(sentences: Sequence[Sentence], weights: Sequence[float]) -> list[float]:
    """Return the weights of the persona's sentences, and 0 for the person's."""
    return [
        weight * (sentence.role == PERSONA)
        for sentence, weight in zip(sentences, weights, strict=True)
    ]


def _tongue(sentences: Sequence[Sentence], *, persona: bool) -> Tongue:
    """Return the language of one side."""
    own = (sentence for sentence in sentences if (sentence.role == PERSONA) is persona)
    return spoken((term for sentence in own for term in sentence.terms), TONGUES)


def _numbered(
    prose: Sequence[Sequence[Sentence]], formulas: frozenset[tuple[str, ...]]
) -> tuple[Sentence, ...]:
    """Return the sentences with the numbers of their messages.

    Of more than ten thousand (a pasted book) evenly spread ones, that many at most.
    """
    things = frozenset(_things(sentence for message in prose for sentence in message))
    numbered = [
        replace(sentence, message=number, courteous=_says_nothing(sentence, formulas, things))
        for number, message in enumerate(prose)
        for sentence in message
    ]
    return tuple(numbered[:: 1 + len(numbered) // _MOST_PIECES])


def _says_nothing(
    sentence: Sentence, formulas: frozenset[tuple[str, ...]], things: frozenset[str]
) -> bool:
    """Return whether a sentence is a courtesy, or a formula of the persona's that names and lists nothing."""
    if sentence.courteous or sentence.role != PERSONA or sentence.lists:
        return sentence.courteous
    names_things = any(term in things for term in sentence.terms)
    return sentence.opening in formulas or (sentence.is_formula and not names_things)


def forget_messages() -> None:
    """Drop what is remembered of messages: they are read again where another conversation has them."""
    _read.cache_clear()
    _gist.cache_clear()
    forget_prose()
    find_wishes.cache_clear()


@lru_cache(_GISTS)
def _gist(role: str, text: str) -> _Gist:
    prose = of_message(role, text)
    words = dict.fromkeys(term for sentence in prose for term in sentence.terms)
    return _Gist(tuple(words), _closings(prose))


def _words_of(gists: Iterable[_Gist]) -> frozenset[str]:
    return frozenset().union(*(gist.words for gist in gists))


def _closings(message: Sequence[Sentence]) -> frozenset[tuple[str, ...]]:
    """Return how the sentences begin with which the persona closes a reply; nothing for others."""
    if not message or message[0].role != PERSONA:
        return frozenset()
    return frozenset(sentence.opening for sentence in message[-_CLOSINGS:])


def _formulas(closings: Iterable[frozenset[tuple[str, ...]]]) -> frozenset[tuple[str, ...]]:
    """Return the beginnings of the sentences with which the persona closes many of its replies."""
    counts = Counter(chain.from_iterable(closings))
    return frozenset(opening for opening, count in counts.items() if count >= _FORMULA)


def _stretches(sentences: Sequence[Sentence]) -> Iterator[range]:
    """Yield parts of about equal length, none of which ends within a message."""
    whole = sum(sentence.words for sentence in sentences)
    share = whole / max(1, round(whole / _STRETCH))
    begin, words = 0, 0.0
    for at, sentence in enumerate(sentences):
        if words >= share and sentence.message != sentences[at - 1].message:
            yield range(begin, at)
            begin, words = at, 0.0
        words += sentence.words
    yield range(begin, len(sentences))


def _rarities(
    sentences: Sequence[Sentence],
    stretches: Sequence[range],
    known: frozenset[str],
) -> list[dict[str, float]]:
    rare: list[dict[str, float]] = []
    for stretch in stretches:
        rare.append(rarity([sentences[at] for at in stretch], known.union(*rare[-_BEFORE:])))
    return rare


def rarity(sentences: Sequence[Sentence], known: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return the weight of each word: the fewer sentences hold it, the more.

    Numbers weigh more yet, and less what is known.
    """
    sentences_with = Counter(term for sentence in sentences for term in sentence.terms)
    return {
        term: sqrt(log((len(sentences) + 1) / count))
        * (_KNOWN if term in known else 1.0)
        * (_FIGURE if has_digit(term) else 1.0)
        for term, count in sentences_with.items()
    }


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """Return the density of the speaker's own states in each sentence.

    It is 0 without the first person outside quotation marks, and for a formula.
    """
    me, states = (occurrences(sentences, words) for words in (tongue.me, tongue.states))
    return [
        (1 + 1.5 * min(states[at], _AT_MOST_STATES)) / sqrt(max(sentence.words, _SHORT))
        if me[at] and not sentence.courteous
        else 0.0
        for at, sentence in enumerate(sentences)
    ]


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """Count the distinct terms of each sentence, outside quotation marks, that are in `words`."""
    distinct = dict.fromkeys(term for sentence in sentences for term in sentence.unquoted)
    listed = {term for term in distinct if term in words}
    return [sum(term in listed for term in sentence.unquoted) for sentence in sentences]


def _leans(sentence: Sentence, persona: Tongue, person: Tongue) -> bool:
    """Return whether a sentence says nothing without the one before it."""
    leaning = (persona if sentence.role == PERSONA else person).leaning
    if not sentence.terms:
        return False
    is_bare = sentence.words < _BARE and sentence.text.endswith(QUESTION_MARKS)
    return sentence.terms[0] in leaning or (is_bare and sentence.terms[-1] in leaning)


def _things(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the terms of the names and the numbers in the person's sentences.

    A word that the person also writes small is no name, nor is one of two letters (AM, TV).
    """
    names: set[str] = set()
    small: set[str] = set()
    for sentence in sentences:
        if sentence.role == PERSONA:
            continue
        yield from filter(has_digit, sentence.terms)
        for at, word in enumerate(map(re.Match.group, _NAME.finditer(sentence.text))):
            if word[0].islower():
                small.add(word.casefold())
            elif at and len(word) >= _SHORTEST_NAME and word[1] not in "'’":
                names.update(terms(word))
    yield from names - small
