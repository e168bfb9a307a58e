"""A passage of a conversation as sentences: in whose voice each stands, and how much its words weigh.

Running text in the speaker's own voice is what stands before the first heading, list, table, code or announced text of
a message, and behind the last. What lies between was written for somebody, or only set in order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import Final

from rules.extract.blocks import Block, blocks
from rules.extract.languages import COURTESY, TONGUES, Frames, Listed, Tongue, spoken
from rules.extract.sentences import MARK, sentences
from rules.extract.words import length, terms

PERSONA: Final = "assistant"

_PLACEHOLDER = re.compile(r"\[[^\]]*\]")
_LINKED = re.compile(r"\[[^\[\]\n]{3,}\](?!\()")
_MARKUP = re.compile(
    r"!?\[([^\]\n]*)\]\([^)\s]*\)|\*\*+|`+|__+|~~+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)
_RULE = re.compile(r"[-*_=\s]{3,}")
_STOPS = frozenset(".!?…。！？｡।॥؟۔။።፧፨។៕။༎།⸮‼⁇⁈⁉")
_BEHIND_STOPS = "\"'”’»›“‘)]}】」』）》〉*_~` "
_COLONS = (":", "：")
_QUOTATION = tuple('"“„«「『')

_MOST_PIECES = 10_000
_LABEL = 8.0
"""A line of fewer words that ends without a stop is a heading, a salutation or a signature."""
_MESSAGES = 16_384
"""Messages whose sentences are remembered: a fold reads all that it stands for, and a smaller cache would forget the
first of them before the last is read. About 20 KB each."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said it ("user" or "assistant"), its text, and its day (ISO, or "" where unknown)."""

    role: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The characters [start, stop) of message number `message`, and the same as `text` without markup.

    `terms` are its distinct words, `words` its length. `own`: it is running text in the speaker's own voice.
    `courteous`: it is a formula, which says nothing of this conversation.
    """

    message: int
    role: str
    start: int
    stop: int
    text: str
    terms: tuple[str, ...]
    words: float
    own: bool
    courteous: bool

    @property
    def opening(self) -> tuple[str, ...]:
        """The words that a formula begins with, whatever it ends with."""
        return self.terms[:3]


def has_placeholder(text: str) -> bool:
    """Whether something in square brackets stands in `text` that is neither a link nor a mark of a footnote."""
    return _LINKED.search(text) is not None


def between_placeholders(text: str) -> list[str]:
    """The parts of `text` before, between and behind its placeholders."""
    return _LINKED.split(text)


def is_finished(text: str) -> bool:
    """Whether the sentence ends with a stop, as headings and items of lists do not."""
    return text.rstrip(_BEHIND_STOPS)[-1:] in _STOPS


@lru_cache(_MESSAGES)
def of_message(role: str, text: str) -> tuple[Sentence, ...]:
    """The sentences of prose of one message; what is only a placeholder in square brackets is none."""
    spans = _own(text)
    prose = []
    for piece in sentences(text):
        if not piece.prose or _PLACEHOLDER.fullmatch(text, piece.start, piece.stop):
            continue
        plain = " ".join(
            _MARKUP.sub(lambda match: match[1] or "", text[piece.start : piece.stop]).split()
        )
        own = any(start <= piece.start and piece.stop <= stop for start, stop in spans)
        words = tuple(dict.fromkeys(terms(plain)))
        courteous = COURTESY.search(plain.replace("’", "'")) is not None
        prose.append(
            Sentence(
                0,
                role,
                piece.start,
                piece.stop,
                plain,
                words,
                length(plain),
                own=own,
                courteous=courteous,
            )
        )
    return tuple(prose)


def _own(text: str) -> list[tuple[int, int]]:
    """The two stretches of running text in the speaker's own voice; one, where nothing else stands between."""
    lines = [(line.start, line.stop, _is_running(text, line)) for line in blocks(text)]
    breaks = [(start, stop) for start, stop, running in lines if not running]
    if not breaks:
        return [(0, len(text))]
    begin, end = breaks[0][0], breaks[-1][1]
    is_announced = text[slice(*breaks[-1])].rstrip(_BEHIND_STOPS + "\r\n").endswith(_COLONS)
    return [(0, begin)] if is_announced else [(0, begin), (end, len(text))]


def _is_running(text: str, line: Block) -> bool:
    words = text[line.start : line.stop].strip()
    mark = MARK.match(words)
    if not line.prose or words.startswith(_QUOTATION) or _RULE.fullmatch(words):
        return False
    if mark is not None and mark.end():
        return False
    return is_finished(words) or (
        length(words) > _LABEL and not words.rstrip(_BEHIND_STOPS).endswith(_COLONS)
    )


_LAST_ONES = 4  # all the questions about a chunk are about one passage
_KNOWN = 0.3
"""A word that was said before counts so much: the memories before this one are likely to hold it."""
_FIGURE = 2.0
"""A number is a fact that no other word can stand for."""
_CLOSINGS = 2
_FORMULA = 2
"""So many replies that close with the same words make a formula of them."""
_STRETCH = 1500.0
_BEFORE = 8
_AT_MOST_STATES = 4
_SHORT = 14.0


@dataclass(frozen=True, slots=True)
class WeighedPassage:
    """A passage's sentences, cut into `stretches` of about one chunk each; `rare` has the weights of words by stretch.

    `inward` says, parallel to `sentences`, how densely each holds the persona's own states, and `near` whether it
    speaks of the persona or to the person. `frames` are in the language that both sides speak most.
    """

    sentences: tuple[Sentence, ...]
    stretches: tuple[range, ...]
    rare: tuple[dict[str, float], ...]
    inward: list[float]
    near: list[bool]
    frames: Frames


@lru_cache(_LAST_ONES)
def read(passage: tuple[Said, ...], before: tuple[Said, ...] = ()) -> WeighedPassage:
    """Reads the prose of the passage, and of the messages `before` it; each side may speak a language of its own."""
    earlier = [of_message(message.role, message.text) for message in before]
    sentences = _prose(
        passage,
        _formulas([*earlier, *(of_message(message.role, message.text) for message in passage)]),
    )
    tongue = spoken(
        (term for sentence in sentences if sentence.role == PERSONA for term in sentence.terms),
        TONGUES,
    )
    frames = spoken((term for sentence in sentences for term in sentence.terms), TONGUES).frames
    inward = [
        weight * (sentences[at].role == PERSONA)
        for at, weight in enumerate(inwardness(sentences, tongue))
    ]
    addressed = occurrences(sentences, tongue.you)
    near = [
        inward[at] > 0 or (addressed[at] > 0 and sentence.role == PERSONA)
        for at, sentence in enumerate(sentences)
    ]
    stretches = tuple(_stretches(sentences))
    known = frozenset(
        term for message in earlier for sentence in message for term in sentence.terms
    )
    rare: list[dict[str, float]] = []
    for stretch in stretches:
        rare.append(rarity([sentences[at] for at in stretch], known.union(*rare[-_BEFORE:])))
    return WeighedPassage(sentences, stretches, tuple(rare), inward, near, frames)


def _prose(passage: Sequence[Said], formulas: frozenset[tuple[str, ...]]) -> tuple[Sentence, ...]:
    """The passage's sentences; of more than ten thousand (a pasted book), evenly spread ones that many at most."""
    prose = [
        Sentence(
            number, message.role, sentence.start, sentence.stop, sentence.text, sentence.terms, sentence.words,
            sentence.own, sentence.courteous or (message.role == PERSONA and sentence.opening in formulas),
        )
        for number, message in enumerate(passage)
        for sentence in of_message(message.role, message.text)
    ]  # fmt: skip
    return tuple(prose[:: 1 + len(prose) // _MOST_PIECES])


def _formulas(messages: Sequence[Sequence[Sentence]]) -> frozenset[tuple[str, ...]]:
    """The beginnings of the sentences with which the persona closes many of its replies."""
    closings = Counter(
        opening
        for message in messages
        if message and message[0].role == PERSONA
        for opening in {sentence.opening for sentence in message[-_CLOSINGS:]}
    )
    return frozenset(opening for opening, count in closings.items() if count >= _FORMULA)


def _stretches(sentences: Sequence[Sentence]) -> Iterator[range]:
    """Parts of about equal length, none of which ends within a message."""
    whole = sum(sentence.words for sentence in sentences)
    share = whole / max(1, round(whole / _STRETCH))
    begin, words = 0, 0.0
    for at, sentence in enumerate(sentences):
        if words >= share and sentence.message != sentences[at - 1].message:
            yield range(begin, at)
            begin, words = at, 0.0
        words += sentence.words
    yield range(begin, len(sentences))


def rarity(sentences: Sequence[Sentence], known: frozenset[str] = frozenset()) -> dict[str, float]:
    """The weight of each word: the fewer sentences hold it, the more; numbers more yet, and less what is known."""
    sentences_with = Counter(term for sentence in sentences for term in sentence.terms)
    return {
        term: sqrt(log((len(sentences) + 1) / count))
        * (_KNOWN if term in known else 1.0)
        * (_FIGURE if any(map(str.isdecimal, term)) else 1.0)
        for term, count in sentences_with.items()
    }


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """The density of the speaker's own states in each sentence; 0 without the first person, or for a formula."""
    me, states = (occurrences(sentences, words) for words in (tongue.me, tongue.states))
    return [
        (1 + 1.5 * min(states[at], _AT_MOST_STATES)) / sqrt(max(sentence.words, _SHORT))
        if me[at] and not sentence.courteous
        else 0.0
        for at, sentence in enumerate(sentences)
    ]


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """The number of distinct terms of each sentence that are in `words`."""
    distinct = dict.fromkeys(term for sentence in sentences for term in sentence.terms)
    listed = {term for term in distinct if term in words}
    return [sum(term in listed for term in sentence.terms) for sentence in sentences]
