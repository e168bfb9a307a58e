"""An answer with all that its form is judged by; what several checks read of it is read once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rules.conversation.answer import in_own_words, is_everyday
from rules.extract.languages import Tongue, find_tongue_of
from rules.extract.sentences import find_prose_sentences
from rules.extract.words import CROWDED, has_digit, split_terms

OPEN_QUESTIONS = ("perspective", "refinement")
"""The questions that the agent answers about itself."""

_SHORTEST_RARE = 4
_STEM = 5
_FEWEST_WORDS = 12
"""An answer with fewer words does not show its language."""
_IS_CROWDED = re.compile(rf"[{CROWDED}]")


@dataclass(frozen=True)  # without slots, for its cached properties
class Form:
    """An answer, and everything that its form is judged by."""

    answer: str
    step: str
    passage: Sequence[str]
    """The messages that the answer is about."""
    by_person: Sequence[str] = ()
    """Those of these messages that the person wrote."""
    primer: str = ""
    names: frozenset[str] = frozenset()
    """The person's names, casefolded."""
    own_names: frozenset[str] = frozenset()
    """The persona's names, casefolded."""
    seen: Sequence[str] = ()
    """All texts that the model was shown."""

    @cached_property
    def own(self) -> str:
        """Return the answer's own words, in small letters and with straight apostrophes."""
        return in_own_words(self.answer).replace("’", "'").lower()

    @cached_property
    def sentences(self) -> Sequence[str]:
        """Return the sentences of the answer's own words."""
        return find_prose_sentences(self.own)

    @cached_property
    def words(self) -> Sequence[str]:
        """Return the words of the whole answer."""
        return split_terms(self.answer)

    @cached_property
    def by_persona(self) -> tuple[str, ...]:
        """Return the messages of the passage that the persona wrote."""
        person = set(self.by_person)
        return tuple(text for text in self.passage if text not in person)

    @cached_property
    def tongue(self) -> Tongue:
        """Return the language of the answer; a short answer is read together with the passage."""
        is_short = len(split_terms(self.own)) < _FEWEST_WORDS
        return find_tongue_of((self.own, *(self.passage if is_short else ())))


@lru_cache(2048)
def find_rare_words(text: str) -> frozenset[str]:
    """Return the stems of the rare words of a text."""
    return frozenset(stem(word) for word in set(split_terms(text)) if is_rare(word))


def is_rare(word: str) -> bool:
    """Return whether a word is a number, or a longer word that is no everyday one."""
    if has_digit(word):
        return True
    is_long = len(word) >= _SHORTEST_RARE or _IS_CROWDED.match(word) is not None
    return is_long and not is_everyday(word)


def stem(word: str) -> str:
    """Return the beginning of a word, since words inflect."""
    return word[:_STEM]


def speaks_of(sentence: str, tongue: Tongue) -> bool:
    """Return whether a sentence is in the first person."""
    return any(term in tongue.me for term in split_terms(sentence))
