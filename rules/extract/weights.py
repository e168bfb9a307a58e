"""Read a passage: its sentences, how much each word weighs, and how its persona speaks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from math import sqrt

from rules.extract.frames import Frames
from rules.extract.languages import UNKNOWN, Tongue, find_tongue
from rules.extract.names import find_called_names
from rules.extract.patterns import Listed
from rules.extract.phrases import REACTION
from rules.extract.prose import PERSONA, Said, Sentence, forget_prose, of_message
from rules.extract.voices import QUESTION_MARKS
from rules.extract.wishes import forget_wishes
from rules.extract.words import has_digit, split_terms

_CACHED_PASSAGES = 4  # all the questions about a chunk are about one passage
_CACHED_GISTS = 4_096
"""Messages before a passage whose words are cached: several times those that one memory is written
in view of, so that all are still cached when the next memory is written."""
_KNOWN = 0.3
"""The weight of a known word is multiplied by this: earlier memories are likely to hold it."""
_EVERYDAY = 0.07
"""The weight of an everyday word; any other weighs at least 1."""
_FIGURE = 3.0
"""The weight of a number is multiplied by this: it is a fact that no other word can replace."""
_TAKEN_UP = 1.5
"""A word that both sides say is likely a subject of theirs, so its weight is multiplied by up to 1
+ this: the more the persona only listens, since two who both tell of their lives share everyday
words anyway."""
_MOST_TIMES = 4
"""A word weighs no more for being in more sentences than this."""
_LISTENS = 0.15
"""The worth of the words of a persona that says nothing of its own."""
_AS_OFTEN = 2.0
"""A persona that says "my" half as often as the person is worth as much as the person."""
_UNKNOWN_LIFE = 0.5
"""The worth of the words of a persona whose language is not recognized."""
_NEUTRAL_SENTENCES = 5
"""Sentences without "my" that are added to each side's count, so that a few do not decide."""
_LEAST_SHARE = 0.02
"""The least share of "my" that the person is taken to have, as it is divided by."""
_RUNNING_SHARE = 0.5
"""A message with a smaller share of its words in running text is a lecture."""
_MOST_STATES = 4
"""A sentence counts for no more words of states than this."""
_SHORT = 14.0
"""The fewest words to spread a sentence's states over, so that none wins by being short."""
_FEWEST_WORDS = 6.0
"""A sentence of fewer words ("Thursday, in Peterborough.") says little without the one before."""
_SHORTEST_ANSWER = 4.0
"""An answer of fewer words ("Toast.") says nothing without its question."""
_SHORTEST_NAME = 3
"""The fewest letters of a name; shorter ones are AM, TV and the like."""
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_CALL = re.compile(r"\W*([^\W\d_]+)\s?[,!?.…，、！？。]")
_SHORT_QUESTION = 8.0
"""A question of fewer words that ends with a pronoun ("Can you help me with that?") is about the
sentence before it."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedPassage:
    """A passage's sentences and what was found about them.

    All sequences are parallel to `sentences`.
    """

    sentences: tuple[Sentence, ...]
    days: tuple[str, ...]
    weights: dict[str, float]
    """The weight of each word."""
    inward: list[float]
    """How densely each sentence speaks of the persona's own states; 0 where it does not."""
    leaning: list[bool]
    """Whether each sentence says little without the one before it."""
    reacts: list[bool]
    """Whether each sentence begins with an interjection, with praise, or by calling the other."""
    lectures: frozenset[int]
    """The numbers of the persona's messages that are mostly headings, lists and drafts."""
    life: float
    """The worth of the persona's own words, relative to the person's, at most 1."""
    names: frozenset[str]
    """The terms of the names that the person has said."""
    frames: Frames
    """The engine's own words, in the language of most sentences."""


class _Messages(tuple[Said, ...]):
    """Messages as a cache key.

    Only their number and the last one are hashed, since there may be many.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return hash((len(self), *self[-1:]))


def read_passage(passage: Sequence[Said], before: Sequence[Said] = ()) -> WeighedPassage:
    """Read the prose of a passage, and the words of the messages `before` it.

    Each side may speak its own language.
    """
    return _read(_Messages(passage), _Messages(before))


@lru_cache(_CACHED_PASSAGES)
def _read(passage: _Messages, before: _Messages) -> WeighedPassage:
    sentences = tuple(
        replace(sentence, message=number)
        for number, message in enumerate(passage)
        for sentence in of_message(message.role, message.text)
    )
    of_persona = [sentence for sentence in sentences if sentence.role == PERSONA]
    of_person = [sentence for sentence in sentences if sentence.role != PERSONA]
    tongues = persona, person = _tongue(of_persona), _tongue(of_person)
    called = _find_called(passage, of_persona=True) | _find_called(passage, of_persona=False)
    life = _life(of_persona, of_person, persona, person)
    reacts = [_reacts(sentence, called) for sentence in sentences]
    known = frozenset().union(*(_words_said(message.role, message.text) for message in before))
    return WeighedPassage(
        sentences=sentences,
        days=tuple(passage[sentence.message].date for sentence in sentences),
        weights=_weights(of_persona, of_person, known, tongues, life),
        inward=measure_inwardness(sentences, persona),
        leaning=_leaning(sentences, reacts, persona, person),
        reacts=reacts,
        lectures=frozenset(_lectures(of_persona)),
        life=life,
        names=frozenset(_names(of_person)),
        frames=_tongue(sentences).frames,
    )


def _find_called(passage: Sequence[Said], *, of_persona: bool) -> frozenset[str]:
    """Return the names by which one side calls the other."""
    return find_called_names(said.text for said in passage if (said.role == PERSONA) is of_persona)


def forget_messages() -> None:
    """Clear all caches of messages, as another conversation has other ones."""
    _read.cache_clear()
    _words_said.cache_clear()
    forget_prose()
    forget_wishes()


@lru_cache(_CACHED_GISTS)
def _words_said(role: str, text: str) -> frozenset[str]:
    return frozenset(_words_of(of_message(role, text)))


def _tongue(sentences: Iterable[Sentence]) -> Tongue:
    """Return the language that is spoken in most of the sentences."""
    return find_tongue(_words_of(sentences))


def _words_of(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the distinct words of each sentence."""
    for sentence in sentences:
        yield from sentence.terms


def _weights(
    of_persona: Sequence[Sentence],
    of_person: Sequence[Sentence],
    known: frozenset[str],
    tongues: Sequence[Tongue],
    life: float,
) -> dict[str, float]:
    """Return the weight of each word.

    A word that recurs or that both sides say weighs more, one known from before less.
    """
    by_persona, by_person = Counter(_words_of(of_persona)), Counter(_words_of(of_person))
    everyday = [words for tongue in tongues for words in tongue.everyday]
    weights: dict[str, float] = {}
    for term, count in (by_persona + by_person).items():
        is_everyday = any(term in words for words in everyday)
        weights[term] = _EVERYDAY if is_everyday else sqrt(min(count, _MOST_TIMES))
        if term in by_persona and term in by_person:
            weights[term] *= 1 + _TAKEN_UP * (1 - life)
        if term in known:
            weights[term] *= _KNOWN
        if has_digit(term):
            weights[term] *= _FIGURE
    return weights


def measure_inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """Return how densely each sentence speaks of the persona's own states.

    It is 0 for the person's sentences, for courtesies, and without the first person outside
    quotation marks.
    """
    me = count_occurrences(sentences, tongue.me)
    states = count_occurrences(sentences, tongue.states)
    return list(map(_density, sentences, me, states))


def _density(sentence: Sentence, me: int, states: int) -> float:
    if not me or sentence.courteous or sentence.role != PERSONA:
        return 0.0
    weight = 1 + 1.5 * min(states, _MOST_STATES)
    return weight / sqrt(max(sentence.words, _SHORT))


def count_occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """Count the distinct terms of each sentence, outside quotation marks, that are in `words`."""
    distinct = set(chain.from_iterable(sentence.unquoted for sentence in sentences))
    listed = {term for term in distinct if term in words}
    return [sum(term in listed for term in sentence.unquoted) for sentence in sentences]


def _leaning(
    sentences: Sequence[Sentence], reacts: Sequence[bool], persona: Tongue, person: Tongue
) -> list[bool]:
    """Return for each sentence whether it leans on the one before it.

    No sentence leans on a reaction, nor on another message's sentence, except the person's short
    answer on its question.
    """
    return [
        at > 0
        and not reacts[at - 1]
        and (
            _leans(sentence, (persona if sentence.role == PERSONA else person).leaning)
            if sentences[at - 1].message == sentence.message
            else _answers(sentence, sentences[at - 1])
        )
        for at, sentence in enumerate(sentences)
    ]


def _answers(sentence: Sentence, before: Sentence) -> bool:
    asks = before.role == PERSONA and before.text.endswith(QUESTION_MARKS)
    return asks and sentence.role != PERSONA and sentence.words < _SHORTEST_ANSWER


def _leans(sentence: Sentence, leaning: Listed) -> bool:
    if not sentence.terms or sentence.words < _FEWEST_WORDS:
        return True
    is_bare = sentence.words < _SHORT_QUESTION and sentence.text.endswith(QUESTION_MARKS)
    return sentence.terms[0] in leaning or (is_bare and sentence.terms[-1] in leaning)


def _reacts(sentence: Sentence, names: frozenset[str]) -> bool:
    call = _CALL.match(sentence.text)
    is_call = call is not None and call[1].casefold() in names
    return is_call or REACTION.are_in(sentence.text.replace("’", "'"))


def _lectures(of_persona: Sequence[Sentence]) -> Iterator[int]:
    """Yield the numbers of the messages in which the persona lectures."""
    words, running = Counter[int](), Counter[int]()
    for sentence in of_persona:
        words[sentence.message] += round(10 * sentence.words)
        running[sentence.message] += round(10 * sentence.words) * (sentence.voice == "own")
    yield from (number for number, all_ in words.items() if running[number] < _RUNNING_SHARE * all_)


def _life(
    of_persona: Sequence[Sentence], of_person: Sequence[Sentence], persona: Tongue, person: Tongue
) -> float:
    """Return the worth of the persona's own words.

    It depends on how often the persona says "my", compared with the person.
    """
    if persona is UNKNOWN:
        return _UNKNOWN_LIFE
    share = _share_of_own(of_persona, persona) / max(_LEAST_SHARE, _share_of_own(of_person, person))
    return _LISTENS + (1 - _LISTENS) * min(1.0, _AS_OFTEN * share)


def _share_of_own(sentences: Sequence[Sentence], tongue: Tongue) -> float:
    """Return the share of a side's sentences of running text that say "my" or "our"."""
    running = [sentence for sentence in sentences if sentence.voice == "own"]
    return sum(map(bool, count_occurrences(running, tongue.mine))) / (
        len(running) + _NEUTRAL_SENTENCES
    )


def _names(of_person: Iterable[Sentence]) -> Iterator[str]:
    """Yield the terms of the names in the person's sentences.

    A name is capitalized within a sentence, and is nowhere written in small letters.
    """
    capital: set[str] = set()
    small: set[str] = set()
    for sentence in of_person:
        for at, match in enumerate(_WORD.finditer(sentence.text)):
            word = re.split("['’]", match.group())[0]
            if word[0].islower():
                small.add(word.casefold())
            elif at and len(word) >= _SHORTEST_NAME:
                capital.update(split_terms(word))
    yield from capital - small
