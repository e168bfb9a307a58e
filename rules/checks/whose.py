"""Find sentences in which the persona tells the person's life as its own.

    the person    I moved to Porto five weeks ago, with two suitcases.
    claimed       I've moved to Porto five weeks ago.
    reported      You moved to Porto five weeks ago. I remember that move, and the two suitcases.

A sentence with "I" claims the person's life where at least half of its rare words, and at least
two, are in one first-person sentence of theirs, more than in any sentence of the persona's, and it
does not report. It reports where it speaks to the person or about them, or where "I" remembers,
hears, is told, wishes and the like; but not where "I" or "my" comes before the same word as in the
person's sentence. Words for times, such as "tomorrow", do not count as shared.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rules.checks.form import find_rare_words, speaks_of, stem
from rules.checks.words import AUXILIARIES, STANCE, THIRD_PERSON, TIMES
from rules.conversation.answer import in_own_words, is_everyday
from rules.extract.languages import TONGUES, UNKNOWN, Tongue, find_tongue
from rules.extract.sentences import find_prose_sentences
from rules.extract.words import split_terms

_FEWEST_SHARED = 2
_REACH = 5
"""The words after an "I" in which the word is looked for that it is about."""
_SHORTEST_SUBJECT = 3
_TIMES = frozenset(map(stem, TIMES))
_FRAMES = sorted(
    {frame for tongue in TONGUES for frame in (tongue.frames.told, tongue.frames.said)}
)
_REPORTED = re.compile(
    rf"(?:{'|'.join(map(re.escape, _FRAMES))}|\b(?:told me|said|wrote|was told)\b[^.:\n]{{0,60}}:).*",
    re.IGNORECASE,
)
"""Words that introduce somebody else's, and all that follows them in the line."""


def claims_persons_life(
    text: str, by_person: Sequence[str], by_persona: Sequence[str], names: frozenset[str]
) -> bool:
    """Return whether a sentence tells the person's life as the speaker's own.

    `names` are the person's, casefolded.
    """
    own = _REPORTED.sub(" ", in_own_words(text).replace("’", "'"))
    words = [word for source in (own, *by_person) for word in split_terms(source)]
    tongue = find_tongue(words)
    if tongue is UNKNOWN:  # a short talk has few everyday words: the words for "I" show as much
        tongue = max(TONGUES, key=lambda known: sum(word in known.me for word in words))
    lived = [sentence for sentence in _all_sentences(by_person) if speaks_of(sentence, tongue)]
    of_persona = _all_sentences(by_persona)
    candidates = (sentence for sentence in find_prose_sentences(own) if speaks_of(sentence, tongue))
    return any(_is_claimed(sentence, lived, of_persona, tongue, names) for sentence in candidates)


def _is_claimed(
    sentence: str,
    lived: Sequence[str],
    of_persona: Sequence[str],
    tongue: Tongue,
    names: frozenset[str],
) -> bool:
    """Return whether a first-person sentence tells what one of the person's sentences tells.

    `lived` are the person's sentences.
    """
    rare = find_rare_words(sentence) - _TIMES
    most = max((len(rare & find_rare_words(other)) for other in of_persona), default=0)
    least = max(_FEWEST_SHARED, -(-len(rare) // 2), most + 1)
    return any(
        len(rare & find_rare_words(of_person)) >= least
        and not _reports(sentence, of_person, tongue, names)
        for of_person in lived
    )


def _reports(sentence: str, of_person: str, tongue: Tongue, names: frozenset[str]) -> bool:
    """Return whether a sentence reports what the person's sentence says, instead of claiming it."""
    words = split_terms(sentence)
    if _subjects(words, tongue) & _subjects(split_terms(of_person), tongue):
        return False
    new_words = set(words) - set(split_terms(of_person))
    speaks_of_person = any(
        word in THIRD_PERSON or word in tongue.you or word in names for word in new_words
    )
    return speaks_of_person or any(word in STANCE for word in new_words)


def _subjects(words: Sequence[str], tongue: Tongue) -> frozenset[str]:
    """Return what each "I" or "my" of a sentence is about.

    That is the stem of the first word after it that is no everyday word.
    """
    subjects = set()
    for at, word in enumerate(words):
        if word not in tongue.me:
            continue
        for after in words[at + 1 : at + 1 + _REACH]:
            if after in STANCE:
                break
            if (
                len(after) >= _SHORTEST_SUBJECT
                and after not in AUXILIARIES
                and not is_everyday(after)
            ):
                subjects.add(stem(after))
                break
    return frozenset(subjects)


def _all_sentences(texts: Sequence[str]) -> list[str]:
    return [sentence for text in texts for sentence in _sentences(text)]


@lru_cache(1024)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(find_prose_sentences(in_own_words(text).replace("’", "'")))
