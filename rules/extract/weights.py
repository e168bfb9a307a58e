"""A passage of a conversation as sentences, how much each word of it weighs, and how its persona speaks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from math import sqrt

from rules.extract.frames import Frames
from rules.extract.languages import TONGUES, UNKNOWN, Tongue, spoken
from rules.extract.names import addressed
from rules.extract.patterns import Listed
from rules.extract.phrases import REACTION
from rules.extract.prose import PERSONA, Said, Sentence, forget_prose, of_message
from rules.extract.voices import QUESTION_MARKS
from rules.extract.wishes import forget_wishes
from rules.extract.words import has_digit, terms

_LAST_ONES = 4  # all the questions about a chunk are about one passage
_GISTS = 4_096
"""Messages before a passage whose words are remembered: several times those that one memory is written
in view of, so that none is forgotten before the next memory is written."""
_KNOWN = 0.3
"""A word that was said before counts so much: the memories before this one are likely to hold it."""
_EVERYDAY = 0.07
_FIGURE = 3.0
"""A number is a fact that no other word can replace."""
_TAKEN_UP = 1.5
"""What one side says and a listener takes up is what they talk about: added to the weight, 1, of a word. Two
who both have a life of their own to tell share the words of every day."""
_MOST_TIMES = 4
"""Sentences with a word, of which more do not make it weigh more."""
_LISTENS = 0.15
"""The worth of the words of a persona that has nothing of its own to tell."""
_AS_OFTEN = 2.0
_UNTOLD = 0.5
"""The same where its language does not tell."""
_FEW = 5
"""Sentences of neither kind that each side is counted with, so that a few do not decide."""
_SELDOM = 0.02
_TALKED = 0.5
"""A message that has less than this share of its words in running text lectures."""
_AT_MOST_STATES = 4
_SHORT = 14.0
_FEWEST_WORDS = 6.0
"""A shorter sentence ("Thursday, in Peterborough.") says little without the one before it."""
_ANSWER = 4.0
"""A shorter answer ("Toast.") says nothing without its question."""
_SHORTEST_NAME = 3
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_CALL = re.compile(r"\W*([^\W\d_]+)\s?[,!?.…，、！？。]")
_SHORT_QUESTION = 8.0
"""A shorter question that ends with a pronoun ("Can you help me with that?") is about the sentence before it."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedPassage:
    """A passage's sentences. The lists are parallel to `sentences`."""

    sentences: tuple[Sentence, ...]
    days: tuple[str, ...]
    weights: dict[str, float]
    """The weight of each word."""
    inward: list[float]
    """How densely each sentence holds the persona's own states."""
    leaning: list[bool]
    """Whether each says nothing without the one before it in its message."""
    reacts: list[bool]
    """Whether each begins with an interjection, with praise, or by greeting the other."""
    lectures: frozenset[int]
    """The numbers of the persona's messages that are mostly headings, lists and drafts."""
    life: float
    """The worth of the persona's own words beside the person's."""
    names: frozenset[str]
    """The terms of the names that the person has said."""
    frames: Frames
    """In the language that both sides speak most."""


class _Messages(tuple[Said, ...]):
    """Messages as a key of what is remembered; since they are many, the last one gives their hash."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash((len(self), *self[-1:]))


def read(passage: Sequence[Said], before: Sequence[Said] = ()) -> WeighedPassage:
    """Read the prose of a passage, and the words of the messages `before` it.

    Each side may speak a language of its own.
    """
    return _read(_Messages(passage), _Messages(before))


@lru_cache(_LAST_ONES)
def _read(passage: _Messages, before: _Messages) -> WeighedPassage:
    sentences = tuple(
        replace(sentence, message=number)
        for number, message in enumerate(passage)
        for sentence in of_message(message.role, message.text)
    )
    of_persona = [sentence for sentence in sentences if sentence.role == PERSONA]
    of_person = [sentence for sentence in sentences if sentence.role != PERSONA]
    tongues = persona, person = _tongue(of_persona), _tongue(of_person)
    names = _called(passage, of_persona=True) | _called(passage, of_persona=False)
    life = _life(of_persona, of_person, persona, person)
    reacts = [_reacts(sentence, names) for sentence in sentences]
    known = frozenset().union(*(_words_said(message.role, message.text) for message in before))
    return WeighedPassage(
        sentences=sentences,
        days=tuple(passage[sentence.message].date for sentence in sentences),
        weights=_weights(sentences, known, tongues, life),
        inward=inwardness(sentences, persona),
        leaning=_leaning(sentences, reacts, persona, person),
        reacts=reacts,
        lectures=frozenset(_lectures(of_persona)),
        life=life,
        names=frozenset(_names(of_person)),
        frames=_tongue(sentences).frames,
    )


def _called(passage: Sequence[Said], *, of_persona: bool) -> frozenset[str]:
    """Return the names by which one side calls the other."""
    return addressed(said.text for said in passage if (said.role == PERSONA) is of_persona)


def forget_messages() -> None:
    """Drop what is remembered of messages: they are read again where another conversation has them."""
    _read.cache_clear()
    _words_said.cache_clear()
    forget_prose()
    forget_wishes()


@lru_cache(_GISTS)
def _words_said(role: str, text: str) -> frozenset[str]:
    return frozenset(_words_of(of_message(role, text)))


def _tongue(sentences: Iterable[Sentence]) -> Tongue:
    """Return the language that is spoken in most of the sentences."""
    return spoken(_words_of(sentences), TONGUES)


def _words_of(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the distinct words of each sentence."""
    for sentence in sentences:
        yield from sentence.terms


def _weights(
    sentences: Sequence[Sentence],
    known: frozenset[str],
    tongues: Sequence[Tongue],
    life: float,
) -> dict[str, float]:
    """Return the weight of each word: what comes up again and what is taken up weighs more, known words less."""
    times = Counter(_words_of(sentences))
    of_persona = set(_words_of(each for each in sentences if each.role == PERSONA))
    of_person = set(_words_of(each for each in sentences if each.role != PERSONA))
    weights: dict[str, float] = {}
    for term, number in times.items():
        is_everyday = any(_is_everyday(term, tongue) for tongue in tongues)
        weights[term] = _EVERYDAY if is_everyday else sqrt(min(number, _MOST_TIMES))
        if term in of_persona and term in of_person:
            weights[term] *= 1 + _TAKEN_UP * (1 - life)
        if term in known:
            weights[term] *= _KNOWN
        if has_digit(term):
            weights[term] *= _FIGURE
    return weights


def _is_everyday(term: str, tongue: Tongue) -> bool:
    return any(term in words for words in (tongue.common, tongue.me, tongue.you, tongue.leaning))


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """Return the density of the persona's own states in each sentence.

    It is 0 for the person's, for a courtesy, and without the first person outside quotation marks.
    """
    me = occurrences(sentences, tongue.me)
    states = occurrences(sentences, tongue.states)
    return list(map(_density, sentences, me, states))


def _density(sentence: Sentence, me: int, states: int) -> float:
    if not me or sentence.courteous or sentence.role != PERSONA:
        return 0.0
    weight = 1 + 1.5 * min(states, _AT_MOST_STATES)
    return weight / sqrt(max(sentence.words, _SHORT))


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """Count the distinct terms of each sentence, outside quotation marks, that are in `words`."""
    distinct = set(chain.from_iterable(sentence.unquoted for sentence in sentences))
    listed = {term for term in distinct if term in words}
    return [sum(term in listed for term in sentence.unquoted) for sentence in sentences]


def _leaning(
    sentences: Sequence[Sentence], reacts: Sequence[bool], persona: Tongue, person: Tongue
) -> list[bool]:
    """Return for each sentence whether it leans on the one before it.

    That is no reaction, and of another message only where it asks what the person answers in a word.
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
    return asks and sentence.role != PERSONA and sentence.words < _ANSWER


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
    yield from (number for number, all_ in words.items() if running[number] < _TALKED * all_)


def _life(
    of_persona: Sequence[Sentence], of_person: Sequence[Sentence], persona: Tongue, person: Tongue
) -> float:
    """Return the worth of the persona's own words: as often as it speaks of things of its own, beside the person."""
    if persona is UNKNOWN:
        return _UNTOLD
    share = _share_of_own(of_persona, persona) / max(_SELDOM, _share_of_own(of_person, person))
    return _LISTENS + (1 - _LISTENS) * min(1.0, _AS_OFTEN * share)


def _share_of_own(sentences: Sequence[Sentence], tongue: Tongue) -> float:
    """Return in what part of its running text a side says "my" or "our"."""
    running = [sentence for sentence in sentences if sentence.voice == "own"]
    return sum(map(bool, occurrences(running, tongue.mine))) / (len(running) + _FEW)


def _names(of_person: Iterable[Sentence]) -> Iterator[str]:
    """Yield the terms of the names in the person's sentences.

    A word that the person also writes small is no name, nor is one of two letters (AM, TV).
    """
    capital: set[str] = set()
    small: set[str] = set()
    for sentence in of_person:
        for at, match in enumerate(_WORD.finditer(sentence.text)):
            word = re.split("['’]", match.group())[0]
            if word[0].islower():
                small.add(word.casefold())
            elif at and len(word) >= _SHORTEST_NAME:
                capital.update(terms(word))
    yield from capital - small
