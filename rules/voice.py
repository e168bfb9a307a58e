"""Measure how near two texts are in voice, with Burrows' Delta, which needs no model.

Burrows 2002 ("Delta: a measure of stylistic difference"): the frequency of each of the commonest
words is measured in standard deviations over the texts that are compared, and Delta is the mean
difference. Besides function words, the length of sentences, punctuation, and the frequency of "I"
are measured. Code and tables are left out, as they have no voice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import NormalDist, fmean, pstdev

from rules.extract.languages import UNKNOWN, Tongue, find_tongue
from rules.extract.sentences import find_prose_sentences
from rules.extract.words import split_terms

LEAST_WORDS = 5_000
"""The fewest words of a persona that distinguish authors with some certainty (Eder 2015)."""
_PIECE_WORDS = 500
"""The words of the pieces into which texts are cut to see how much each feature varies."""
_PUNCTUATION = ",;:!?…—–-()\"'"


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence, with its words counted."""

    words: Counter[str]
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """The running words of a text, sentence by sentence."""

    words: int
    sentences: tuple[SpokenSentence, ...]


def read_prose(texts: Sequence[str]) -> Prose:
    """Return the sentences of texts, without code, tables and mere signs."""
    sentences: list[SpokenSentence] = []
    for text in texts:
        for sentence in find_prose_sentences(text):
            sentences.append(SpokenSentence(Counter(split_terms(sentence)), sentence))
    return Prose(sum(sentence.words.total() for sentence in sentences), tuple(sentences))


def measure_distances(persona: Prose, others: Mapping[str, Prose]) -> Mapping[str, float] | None:
    """Return each other text's Delta from the persona's; None without words or a known language."""
    tongue = find_tongue(chain.from_iterable(each.words for each in persona.sentences))
    if tongue is UNKNOWN or not persona.words:
        return None
    profiles: list[list[float]] = []
    for prose in (persona, *others.values()):
        profiles += [_profile(piece, tongue) for piece in _pieces(prose)]
    spreads = [NormalDist(fmean(values), pstdev(values)) for values in zip(*profiles, strict=True)]
    own = _standardize(_profile(persona.sentences, tongue), spreads)
    delta: dict[str, float] = {}
    for name, prose in others.items():
        if prose.words:
            features = _standardize(_profile(prose.sentences, tongue), spreads)
            pairs = zip(own, features, strict=True)
            delta[name] = fmean([abs(first - second) for first, second in pairs] or [0.0])
    return delta


def _standardize(profile: Sequence[float], spreads: Sequence[NormalDist]) -> list[float]:
    """Return the features of a text that vary, in standard deviations from the mean."""
    return [
        spread.zscore(value) for value, spread in zip(profile, spreads, strict=True) if spread.stdev
    ]


def _pieces(prose: Prose) -> list[list[SpokenSentence]]:
    """Cut a text into pieces of about 500 words; an empty text has none."""
    pieces: list[list[SpokenSentence]] = []
    words = _PIECE_WORDS
    for sentence in prose.sentences:
        if words >= _PIECE_WORDS:
            pieces.append([])
            words = 0
        pieces[-1].append(sentence)
        words += sentence.words.total()
    return pieces


def _profile(sentences: Sequence[SpokenSentence], tongue: Tongue) -> list[float]:
    """Return a text's shares of everyday words, words a sentence, and punctuation marks a word."""
    counts = Counter[str]()
    signs = Counter[str]()
    for sentence in sentences:
        counts.update(sentence.words)
        signs.update(sentence.text)
    total = counts.total() or 1
    listed = sorted(tongue.common.whole | tongue.you.whole | tongue.leaning.whole)
    first_person = sum(count for word, count in counts.items() if word in tongue.me)
    return [
        *(counts[word] / total for word in listed if word not in tongue.me),
        first_person / total,
        total / (len(sentences) or 1),
        *(signs[sign] / total for sign in _PUNCTUATION),
    ]
