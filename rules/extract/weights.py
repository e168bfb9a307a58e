"""A passage of a conversation as sentences, and how much each word and each sentence of it weighs."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress
from math import log, sqrt
from operator import mul, not_

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
_SHORT_QUESTION = 8.0
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
        ends = [stretch.stop for stretch in self.stretches]
        return self.rare[bisect_right(ends, at)]


@dataclass(frozen=True, slots=True)
class _Gist:
    """What counts of a message before the passage."""

    words: tuple[str, ...]
    closings: frozenset[tuple[str, ...]]


class _Messages(tuple[Said, ...]):
    """Messages as a key of what is remembered; since they are many, the last one gives their hash."""

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
    sentences = _sentences_of(passage, earlier)
    days = [passage[sentence.message].date for sentence in sentences]
    stretches = tuple(_stretches(sentences))
    known = frozenset().union(*[gist.words for gist in earlier])
    of_persona = [sentence.role == PERSONA for sentence in sentences]
    persona = _tongue(compress(sentences, of_persona))
    person = _tongue(compress(sentences, map(not_, of_persona)))
    inward = list(map(mul, inwardness(sentences, persona), of_persona))
    addressed = map(mul, occurrences(sentences, persona.you), of_persona)
    return WeighedPassage(
        sentences=sentences,
        days=tuple(days),
        stretches=stretches,
        rare=tuple(_rarities(sentences, stretches, known)),
        inward=inward,
        near=[bool(own or to_you) for own, to_you in zip(inward, addressed, strict=True)],
        leaning=[_leans(sentence, persona, person) for sentence in sentences],
        things=frozenset(_things(sentences)),
        tongue=persona,
        frames=_tongue(sentences).frames,
    )


def _sentences_of(passage: _Messages, earlier: Sequence[_Gist]) -> tuple[Sentence, ...]:
    """Return the passage's sentences, with what closes messages here and earlier taken as formulas."""
    prose = [of_message(message.role, message.text) for message in passage]
    closings = [*(gist.closings for gist in earlier), *map(_closings, prose)]
    return _numbered(prose, _formulas(closings))


def _tongue(sentences: Iterable[Sentence]) -> Tongue:
    """Return the language that is spoken in most of the sentences."""
    return spoken(_words_of(sentences), TONGUES)


def _words_of(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the distinct words of each sentence."""
    for sentence in sentences:
        yield from sentence.terms


def _numbered(
    prose: Sequence[Sequence[Sentence]], formulas: frozenset[tuple[str, ...]]
) -> tuple[Sentence, ...]:
    """Return the sentences with the numbers of their messages.

    Of more than ten thousand (a pasted book) evenly spread ones, that many at most; none of them
    then follows the one before it.
    """
    things = frozenset(_things(chain.from_iterable(prose)))
    step = 1 + sum(map(len, prose)) // _MOST_PIECES
    numbered: list[Sentence] = []
    for number, message in enumerate(prose):
        for sentence in message:
            courteous = _says_nothing(sentence, formulas, things)
            follows = sentence.follows and step == 1
            numbered.append(replace(sentence, message=number, courteous=courteous, follows=follows))
    return tuple(numbered[::step])


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
    words = dict.fromkeys(_words_of(prose))
    return _Gist(tuple(words), _closings(prose))


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
    weights: dict[str, float] = {}
    for term, holding in Counter(_words_of(sentences)).items():
        weight = sqrt(log((len(sentences) + 1) / holding))
        if term in known:
            weight *= _KNOWN
        if has_digit(term):
            weight *= _FIGURE
        weights[term] = weight
    return weights


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """Return the density of the speaker's own states in each sentence.

    It is 0 without the first person outside quotation marks, and for a formula.
    """
    me = occurrences(sentences, tongue.me)
    states = occurrences(sentences, tongue.states)
    return list(map(_density, sentences, me, states))


def _density(sentence: Sentence, me: int, states: int) -> float:
    if not me or sentence.courteous:
        return 0.0
    weight = 1 + 1.5 * min(states, _AT_MOST_STATES)
    return weight / sqrt(max(sentence.words, _SHORT))


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """Count the distinct terms of each sentence, outside quotation marks, that are in `words`."""
    distinct = set(chain.from_iterable(sentence.unquoted for sentence in sentences))
    listed = {term for term in distinct if term in words}
    return [sum(term in listed for term in sentence.unquoted) for sentence in sentences]


def _leans(sentence: Sentence, persona: Tongue, person: Tongue) -> bool:
    """Return whether a sentence says nothing without the one before it."""
    leaning = (persona if sentence.role == PERSONA else person).leaning
    if not sentence.terms:
        return False
    is_bare = sentence.words < _SHORT_QUESTION and sentence.text.endswith(QUESTION_MARKS)
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
