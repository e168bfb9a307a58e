"""How near two texts are in voice: Burrows' Delta, which needs no model.

Burrows 2002 ("Delta: a measure of stylistic difference"): how often each of the commonest words
occurs, measured in standard deviations over the texts that are compared, and the mean difference of
that. Besides function words, these say how one speaks: the length of sentences, punctuation, and
how often one says "I". What is said of code, tables and lists is no voice, and left out.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, pstdev

from rules.extract.languages import TONGUES, UNKNOWN, Tongue, spoken
from rules.extract.sentences import sentences
from rules.extract.words import terms

LEAST_WORDS = 5_000
"""Of the persona's words: from here on authors are told apart with some certainty (Eder 2015)."""
_PIECE_WORDS = 500
"""The texts are cut into pieces of this size to see how much each mark varies."""
_PUNCTUATION = ",;:!?…—–-()\"'"


@dataclass(frozen=True, slots=True)
class Prose:
    """The running words of a text: sentence by sentence, with what stands in each."""

    words: int
    sentences: tuple[tuple[Counter[str], str], ...]
    """The words of each sentence, counted, and its text."""


def read_prose(texts: Sequence[str]) -> Prose:
    """Return the sentences of texts, without code, tables and mere signs."""
    found = []
    for text in texts:
        for piece in sentences(text):
            if piece.prose:
                spoken_text = text[piece.start : piece.stop]
                found.append((Counter(terms(spoken_text)), spoken_text))
    return Prose(sum(words.total() for words, _ in found), tuple(found))


def distances(persona: Prose, others: Mapping[str, Prose]) -> Mapping[str, float] | None:
    """Return the Delta of each other text from the persona's; None for an unknown language."""
    tongue = spoken(chain.from_iterable(words for words, _ in persona.sentences), TONGUES)
    if tongue is UNKNOWN or not persona.words:
        return None
    pieces = [
        _profile(piece, tongue) for prose in (persona, *others.values()) for piece in _pieces(prose)
    ]
    means = [fmean(values) for values in zip(*pieces, strict=True)]
    spreads = [pstdev(values) for values in zip(*pieces, strict=True)]

    def standing(prose: Prose) -> list[float]:
        profile = _profile(prose.sentences, tongue)
        return [
            (value - mean) / spread
            for value, mean, spread in zip(profile, means, spreads, strict=True)
            if spread
        ]

    own = standing(persona)
    return {
        name: fmean([abs(a - b) for a, b in zip(own, standing(prose), strict=True)] or [0.0])
        for name, prose in others.items()
        if prose.words
    }


def _pieces(prose: Prose) -> list[Sequence[tuple[Counter[str], str]]]:
    """Cut a text into pieces of about the same number of words, at least one."""
    pieces: list[list[tuple[Counter[str], str]]] = [[]]
    words = 0
    for sentence in prose.sentences:
        if words >= _PIECE_WORDS:
            pieces.append([])
            words = 0
        pieces[-1].append(sentence)
        words += sentence[0].total()
    return [piece for piece in pieces if piece]


def _profile(said: Sequence[tuple[Counter[str], str]], tongue: Tongue) -> list[float]:
    """Return a text's marks: shares of its words, words a sentence, and signs a word."""
    counts = Counter[str]()
    for words, _ in said:
        counts.update(words)
    total = counts.total() or 1
    listed = sorted(tongue.common.whole | tongue.you.whole | tongue.leaning.whole)
    signs = Counter("".join(text for _, text in said))
    first_person = sum(count for word, count in counts.items() if word in tongue.me)
    return [
        *(counts[word] / total for word in listed if word not in tongue.me),
        first_person / total,
        total / (len(said) or 1),
        *(signs[sign] / total for sign in _PUNCTUATION),
    ]
