"""What a sentence is worth before its words are weighed: of either side, what says something by itself.

Of the person, all whole sentences, and lists and headings only if there is little else. Of the persona, what it
says in its own voice, promises, advises and corrects, and the whole sentences of its lists that name the person's own
things.
"""

from math import inf

from rules.extract.phrases import ADVICE, ANNOUNCING, ASKING, CORRECTION, PROMISE
from rules.extract.prose import PERSONA, Sentence, has_placeholder
from rules.extract.voices import COLONS, QUESTION_MARKS, is_finished
from rules.extract.weights import WeighedPassage

_USER = 3.5
"""How much more the words of the person count."""
_LEAST = 4.0
_LONG_ENOUGH = 12.0
_IN_ORDER = 0.3
"""The worth of the person's lists and labels, which are no sentences."""
_PASSING = 0.3
"""The worth of what the persona says in its own voice of nothing in particular."""


def is_usable(sentence: Sentence) -> bool:
    """Return whether a sentence may be kept at all: it is whole, and says more than a courtesy."""
    return not (
        sentence.courteous
        or sentence.is_broken
        or sentence.is_figures
        or sentence.words < _LEAST
        or _announces(sentence)
        or has_placeholder(sentence.text)
    )


def _announces(sentence: Sentence) -> bool:
    """Return whether a sentence only says that something follows; the person's long ones say more."""
    most = inf if sentence.role == PERSONA else _LONG_ENOUGH
    return sentence.text.endswith(COLONS) and sentence.words <= most


def whole_worths(reading: WeighedPassage) -> list[float]:
    """Return the worth of each sentence for a summary of both sides."""
    return [
        _persona_worth(reading, at) if sentence.role == PERSONA else _USER * _person_worth(sentence)
        for at, sentence in enumerate(reading.sentences)
    ]


def _person_worth(sentence: Sentence) -> float:
    if not is_usable(sentence):
        return 0.0
    return _IN_ORDER if sentence.is_row or sentence.voice != "own" else 1.0


def _persona_worth(reading: WeighedPassage, at: int) -> float:
    sentence = reading.sentences[at]
    if not is_usable(sentence) or sentence.is_row or not is_finished(sentence.text):
        return 0.0
    names_things = any(term in reading.things for term in sentence.terms)
    if sentence.voice == "own":
        says_more = names_things or reading.inward[at] > 0 or binding(sentence)
        return 1.0 if says_more else _PASSING
    return float(names_things and _is_set_for_the_person(reading, sentence))


def _is_set_for_the_person(reading: WeighedPassage, sentence: Sentence) -> bool:
    """Return whether a sentence between headings or in a list is what the persona tells the person.

    There an "I" may be anyone's, and a question is one to ask others.
    """
    speaks = any(term in reading.tongue.me for term in sentence.unquoted)
    is_told = sentence.voice in ("set", "item") and not sentence.text.endswith(QUESTION_MARKS)
    return is_told and not speaks


def binding(sentence: Sentence) -> str:
    """Return how the persona binds itself by a sentence: promised, corrected or advised; else nothing."""
    text = sentence.text.replace("’", "'")
    if CORRECTION.are_in(text):
        return "corrected"
    if PROMISE.are_in(text):
        return "promised"
    return "advised" if ADVICE.are_in(text) and not ANNOUNCING.are_in(text) else ""


def asks(sentence: Sentence) -> bool:
    """Return whether the person wants something by a sentence."""
    return sentence.role != PERSONA and ASKING.are_in(sentence.text.replace("’", "'"))
