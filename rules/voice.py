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
from rules.extract.sentences import prose_sentences
from rules.extract.words import terms

LEAST_WORDS = 5_000
"""Of the persona's words: from here on authors are told apart with some certainty (Eder 2015)."""
_PIECE_WORDS = 500
"""The texts are cut into pieces of this size to see how much each mark varies."""
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


@dataclass(frozen=True, slots=True)
class _Spread:
    """How a mark varies over the texts that are compared."""

    mean: float
    deviation: float


def read_prose(texts: Sequence[str]) -> Prose:
    """Return the sentences of texts, without code, tables and mere signs."""
    read: list[SpokenSentence] = []
    for text in texts:
        for sentence in prose_sentences(text):
            read.append(SpokenSentence(Counter(terms(sentence)), sentence))
    return Prose(sum(sentence.words.total() for sentence in read), tuple(read))


def distances(persona: Prose, others: Mapping[str, Prose]) -> Mapping[str, float] | None:
    """Return the Delta of each other text from the persona's; None for an unknown language."""
    tongue = spoken(chain.from_iterable(said.words for said in persona.sentences), TONGUES)
    if tongue is UNKNOWN or not persona.words:
        return None
    profiles: list[list[float]] = []
    for prose in (persona, *others.values()):
        profiles += [_profile(piece, tongue) for piece in _pieces(prose)]
    spreads = [_Spread(fmean(values), pstdev(values)) for values in zip(*profiles, strict=True)]
    own = _measured(_profile(persona.sentences, tongue), spreads)
    delta: dict[str, float] = {}
    for name, prose in others.items():
        if prose.words:
            marks = _measured(_profile(prose.sentences, tongue), spreads)
            pairs = zip(own, marks, strict=True)
            delta[name] = fmean([abs(mark - other) for mark, other in pairs] or [0.0])
    return delta


def _measured(profile: Sequence[float], spreads: Sequence[_Spread]) -> list[float]:
    """Return a text's marks in standard deviations, without those that are all the same."""
    return [
        (value - spread.mean) / spread.deviation
        for value, spread in zip(profile, spreads, strict=True)
        if spread.deviation
    ]


def _pieces(prose: Prose) -> list[list[SpokenSentence]]:
    """Cut a text into pieces of about the same number of words, at least one."""
    pieces: list[list[SpokenSentence]] = []
    words = _PIECE_WORDS
    for sentence in prose.sentences:
        if words >= _PIECE_WORDS:
            pieces.append([])
            words = 0
        pieces[-1].append(sentence)
        words += sentence.words.total()
    return pieces


def _profile(said: Sequence[SpokenSentence], tongue: Tongue) -> list[float]:
    """Return a text's marks: shares of its words, words a sentence, and signs a word."""
    counts = Counter[str]()
    signs = Counter[str]()
    for sentence in said:
        counts.update(sentence.words)
        signs.update(sentence.text)
    total = counts.total() or 1
    listed = sorted(tongue.common.whole | tongue.you.whole | tongue.leaning.whole)
    first_person = sum(count for word, count in counts.items() if word in tongue.me)
    return [
        *(counts[word] / total for word in listed if word not in tongue.me),
        first_person / total,
        total / (len(said) or 1),
        *(signs[sign] / total for sign in _PUNCTUATION),
    ]
