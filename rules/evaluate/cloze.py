"""Test what is still known without a model.

The questions are sentences of the person's that lack a number or a name:

    said       On 12 March we moved the archive to Tromsø.
    asked      On __ March we moved the archive to Tromsø.
    context    The archive went to Tromsø on 12 March.        12 is found

It is answered by the sentence of the context that has most of the other words, at least half of
them. A model understands more than words, so that this is a lower bound and no proof.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.checks.words import GREETING
from rules.evaluate.questions import CHOICES, draw
from rules.extract.languages import find_tongue_of
from rules.extract.phrases import COURTESY
from rules.extract.sentences import find_prose_sentences
from rules.extract.words import split_terms

PER_CHUNK = CHOICES - 1
"""The sentences that are drawn from one chunk."""
_FEWEST, _MOST = 6, 40
"""The terms of a sentence that says something by itself, and not many things."""
_SHARE = 0.5
"""The share of a sentence's other words that the sentence with the answer must have."""
_GAP = re.compile(r"(?<![\w.,:/-])\d(?:[\d.,:/-]*\d)?(?![\w.,:/-]*\w)|(?<=\w )[^\W\d_]{2}\w*")
"""A number, or a word within a sentence, which counts as a name where it begins with a capital."""


@dataclass(frozen=True, slots=True)
class Cloze:
    """A sentence of a chunk with one word left out."""

    memory: str
    message: str
    sentence: str
    left_out: str
    rest: frozenset[str]
    """Its other words, without everyday ones."""

    @property
    def asked(self) -> str:
        """Return the sentence with its gap."""
        return self.sentence.replace(self.left_out, "__", 1)


def make_clozes(
    memory: str, said: Iterable[tuple[str, str]], common: frozenset[str]
) -> tuple[Cloze, ...]:
    """Return a few sentences of the person's from a chunk, drawn by hashes.

    `said` are the person's messages, each with its key.
    """
    clozes = [
        cloze
        for key, text in said
        for sentence in find_prose_sentences(text)
        if (cloze := _cloze(memory, key, sentence, common))
    ]
    return tuple(draw(clozes, memory)[:PER_CHUNK])


def common_words(texts: Sequence[str], names: frozenset[str]) -> frozenset[str]:
    """Return the everyday words of the texts' language, and the speakers' `names` (casefolded)."""
    return names.union(*(words.whole for words in find_tongue_of(texts).everyday))


def _cloze(memory: str, key: str, sentence: str, common: frozenset[str]) -> Cloze | None:
    """Leave out a number, else a name; None without either, or if the sentence says little else."""
    if GREETING.match(sentence.lower()) or COURTESY.are_in(sentence):
        return None
    words = list(split_terms(sentence))
    gaps = [
        gap
        for gap in _GAP.findall(sentence)
        if (gap[0].isdigit() or gap[0].isupper()) and common.isdisjoint(split_terms(gap))
    ]
    if not gaps or not _FEWEST <= len(words) <= _MOST:
        return None
    gap = min(draw(gaps, sentence), key=lambda word: not word[0].isdigit())
    left_out = set(split_terms(gap))
    rest = frozenset(words) - common - left_out
    return Cloze(memory, key, sentence, gap, rest) if len(rest) >= _FEWEST // 2 else None


class SearchedText:
    """The sentences of a context, to be searched by their words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._sentences = [
            frozenset(split_terms(part)) for text in texts for part in find_prose_sentences(text)
        ]
        self._having: defaultdict[str, set[int]] = defaultdict(set)
        for at, words in enumerate(self._sentences):
            for word in words:
                self._having[word].add(at)

    def knows(self, cloze: Cloze) -> bool:
        """Return whether a sentence that shares most of the other words has the one left out."""
        shared: defaultdict[int, int] = defaultdict(int)
        for word in cloze.rest:
            for at in self._having.get(word, ()):
                shared[at] += 1
        most = max(shared.values(), default=0)
        if most < _SHARE * len(cloze.rest):
            return False
        left_out = set(split_terms(cloze.left_out))
        return any(left_out <= self._sentences[at] for at, count in shared.items() if count == most)
