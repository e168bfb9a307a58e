"""Whose life a sentence tells: the person's is not the persona's "I".

    the person    I moved to Porto five weeks ago, with two suitcases.
    claimed       I've moved to Porto five weeks ago.
    told          You moved to Porto five weeks ago. I remember that move, and the two suitcases.

A sentence with "I" claims the person's life where half of its rarer words, two at least, are in one
first-person sentence of theirs, more than in any of the persona's, and it reports nothing. It
reports where it speaks to the person or of them, or where "I" remembers, hears, is told, wishes and
the like. It does not where "I" or "my" comes before the very word that the person has put after
theirs. When something happens is not what was lived: "tomorrow" is no word that is shared.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rules.checks.form import rare_words, speaks_of, stem
from rules.checks.words import AUXILIARIES, STANCE, THIRD_PERSON, TIMES
from rules.conversation.answer import in_own_words, is_everyday
from rules.extract.languages import TONGUES, UNKNOWN, Tongue, spoken
from rules.extract.sentences import prose_sentences
from rules.extract.words import terms

_LEAST_SHARED = 2
_REACH = 5
"""Words after an "I" among which the one is looked for that it is about."""
_SHORTEST = 3
_TIMES = frozenset(map(stem, TIMES))
_FRAMES = sorted(
    {frame for tongue in TONGUES for frame in (tongue.frames.told, tongue.frames.said)}
)
_REPORTED = re.compile(
    rf"(?:{'|'.join(map(re.escape, _FRAMES))}|\b(?:told me|said|wrote|was told)\b[^.:\n]{{0,60}}:).*",
    re.IGNORECASE,
)
"""A frame of somebody else's words, with all that follows it in its line."""


def claimed_life(
    text: str, by_person: Sequence[str], by_persona: Sequence[str], names: frozenset[str]
) -> str | None:
    """Return the first sentence of a text that tells the person's life as its speaker's own.

    `names` are the person's, casefolded.
    """
    own = _REPORTED.sub(" ", in_own_words(text).replace("’", "'"))
    words = [word for said in (own, *by_person) for word in terms(said)]
    tongue = spoken(words, TONGUES)
    if tongue is UNKNOWN:  # everyday words are few in a short talk: who says "I" tells as much
        tongue = max(TONGUES, key=lambda known: sum(word in known.me for word in words))
    lived = [said for said in _all_sentences(by_person) if speaks_of(said, tongue)]
    others = _all_sentences(by_persona)
    sentences = (told for told in prose_sentences(own) if speaks_of(told, tongue))
    return next(
        (told for told in sentences if _is_claimed(told, lived, others, tongue, names)), None
    )


def _is_claimed(
    told: str, lived: Sequence[str], others: Sequence[str], tongue: Tongue, names: frozenset[str]
) -> bool:
    """Return whether a sentence in the first person is one of those that the person has `lived`."""
    rare = rare_words([told]) - _TIMES
    least = max(_LEAST_SHARED, -(-len(rare) // 2))
    most = max((len(rare & rare_words([said])) for said in others), default=0)
    for theirs in lived:
        shared = len(rare & rare_words([theirs]))
        if shared >= least and shared > most and _is_as_lived(told, theirs, tongue, names):
            return True
    return False


def _is_as_lived(told: str, theirs: str, tongue: Tongue, names: frozenset[str]) -> bool:
    """Return whether a sentence reports nothing, or says of "I" what the person says of theirs."""
    words = terms(told)
    if _subjects(words, tongue) & _subjects(terms(theirs), tongue):
        return True
    elsewhere = set(words) - set(terms(theirs))
    speaks_of_them = any(
        word in THIRD_PERSON or word in tongue.you or word in names for word in elsewhere
    )
    return not speaks_of_them and not any(word in STANCE for word in elsewhere)


def _subjects(words: Sequence[str], tongue: Tongue) -> frozenset[str]:
    """Return what each "I" or "my" of a sentence is about: the first word of weight after it."""
    found = set()
    for at, word in enumerate(words):
        if word not in tongue.me:
            continue
        for after in words[at + 1 : at + 1 + _REACH]:
            if after in STANCE:
                break
            if len(after) >= _SHORTEST and after not in AUXILIARIES and not is_everyday(after):
                found.add(stem(after))
                break
    return frozenset(found)


def _all_sentences(texts: Sequence[str]) -> list[str]:
    return [sentence for text in texts for sentence in _sentences(text)]


@lru_cache(1024)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(prose_sentences(in_own_words(text).replace("’", "'")))
