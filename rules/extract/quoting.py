"""The quote of the built-in engine: a few sentences of one message, word for word, and whose they are."""

from collections.abc import Iterator, Sequence
from math import inf

from rules.extract.choice import binding, says_what_follows
from rules.extract.control_marks import holds_mark
from rules.extract.frames import spaced
from rules.extract.languages import TONGUES, spoken
from rules.extract.prose import (
    PERSONA,
    Said,
    between_placeholders,
    has_placeholder,
    is_plain,
)
from rules.extract.sentences import is_fence
from rules.extract.voices import is_finished
from rules.extract.weights import WeighedPassage, read
from rules.extract.words import has_words, shorten, terms

_MOST_SENTENCES = 3
_CROWD = 0.6
_FULL = 30.0
_SILENT, _NEAR = 0.05, 0.1


def said_lead(texts: Sequence[str]) -> str:
    """Return what comes before quoted words of the person, in the language of these texts."""
    frames = spoken((term for text in texts for term in terms(text)), TONGUES).frames
    return spaced(frames.said)


def quote(passage: Sequence[Said], words: int, before: Sequence[Said] = ()) -> str:
    """Return one to three sentences of one message, word for word.

    In them the persona speaks of itself or to the person. Never a formula, a heading, an item of a list, code, a
    placeholder, or what was written for somebody else, nor what was said `before` the passage, since another
    memory may quote that. Where the persona has no such line, the next best: the person's, one of a list, any. Where
    every sentence is longer than `words`: the beginning of one. Where there is none: the beginning of the first line
    with words of the longest message that has one. Empty where no message has words.
    """
    reading = read(tuple(passage), tuple(before))
    said_before = "\n".join(message.text for message in before)  # no sentence goes over a line
    for limit in (float(words), inf):
        for span in _best_first(passage, reading, limit):
            parts = [_raw(passage, reading, range(at, at + 1)) for at in span]
            if not any(part in said_before for part in parts):
                return shorten(_raw(passage, reading, span), words)
    return _line_with_words(passage, words)


def _best_first(passage: Sequence[Said], reading: WeighedPassage, words: float) -> Iterator[range]:
    """Yield the runs of sentences of at most `words` that could be quoted, the fittest first."""
    candidates: list[tuple[int, float, int, range]] = []
    for begin in range(len(reading.sentences)):
        for span in _spans(passage, reading, begin, words):
            rank, weight = _rank(passage, reading, span), _weight(reading, span)
            candidates.append((rank, weight, -begin, span))
    candidates.sort(key=lambda candidate: candidate[:3], reverse=True)
    for *_, span in candidates:
        yield span


def _raw(passage: Sequence[Said], reading: WeighedPassage, span: range) -> str:
    first, last = reading.sentences[span[0]], reading.sentences[span[-1]]
    return passage[first.message].text[first.start : last.stop]


def _spans(
    passage: Sequence[Said], reading: WeighedPassage, begin: int, words: float
) -> Iterator[range]:
    """Yield the runs of sentences from `begin` on with nothing but white space between them.

    Formulas stay alone.
    """
    first = reading.sentences[begin]
    spent = 0.0
    for at in range(begin, min(begin + _MOST_SENTENCES, len(reading.sentences))):
        sentence = reading.sentences[at]
        spent += sentence.words
        if sentence.message != first.message or spent > words or has_placeholder(sentence.text):
            return
        if at > begin:
            between = passage[first.message].text[reading.sentences[at - 1].stop : sentence.start]
            if between.strip() or not (is_plain(sentence) and is_plain(first)):
                return
            if first.role == PERSONA and not any(reading.inward[begin : at + 1]):
                continue
        yield range(begin, at + 1)


def _rank(passage: Sequence[Said], reading: WeighedPassage, span: range) -> int:
    """Return how fit sentences are to be quoted, before what they say is weighed."""
    first = reading.sentences[span[0]]
    leans = reading.leaning[span[0]]
    if not all(_is_running(passage, reading, at) for at in span):
        is_fair = not (first.courteous or first.is_broken) and is_finished(first.text)
        return is_fair + (is_fair and first.role != PERSONA)
    if first.role == PERSONA:
        return _persona_rank(reading, span, leans=leans)
    return 3 if leans else 4


def _is_running(passage: Sequence[Said], reading: WeighedPassage, at: int) -> bool:
    """Return whether a sentence is running text without any markup."""
    sentence = reading.sentences[at]
    return is_plain(sentence) and sentence.text == _raw(passage, reading, range(at, at + 1))


def _persona_rank(reading: WeighedPassage, span: range, *, leans: bool) -> int:
    """Return the rank of running sentences of the persona: of itself, of the person, of anything.

    What leans on a sentence that is not quoted says little unless the persona speaks of itself. The person's words
    say more than a formula, or than what would suit anyone.
    """
    if any(reading.inward[at] for at in span):
        return 6 if leans else 7
    if leans:
        return 2
    parts = [reading.sentences[at] for at in span]
    names_things = any(term in reading.things for part in parts for term in part.terms)
    if not names_things or any(part.is_formula or says_what_follows(part) for part in parts):
        return 3
    speaks_to = any(reading.near[at] or binding(reading.sentences[at]) for at in span)
    return 6 if speaks_to else 5


def _weight(reading: WeighedPassage, span: range) -> float:
    """Weigh what sentences say.

    Three must hold more than one does to outweigh it, and a very short cry has little to say.
    """
    words = sum(reading.sentences[at].words for at in span)
    states = sum(
        (_SILENT + _NEAR * reading.near[at] + reading.inward[at]) * _news(reading, at)
        for at in span
    )
    return min(1.0, words / _FULL) * states / float(len(span) ** _CROWD)


def _news(reading: WeighedPassage, at: int) -> float:
    """Return the average weight of a word of a sentence."""
    words, rare = reading.sentences[at].terms, reading.rare_at(at)
    return sum(rare[term] for term in words) / max(1, len(words))


def _line_with_words(passage: Sequence[Said], words: int) -> str:
    """Return the first line with words of the longest message that has one, or as much as `words` allow.

    No fence of code and no line with a control mark is such a line, and nothing in square brackets is a part of
    one: it ends there.
    """
    for message in sorted(passage, key=lambda message: len(message.text), reverse=True):
        for line in message.text.splitlines():
            part = _part_with_words(line)
            if part:
                return shorten(part, words)
    return ""


def _part_with_words(line: str) -> str:
    """Return the first part of a line with words outside square brackets; empty for code and control marks."""
    if is_fence(line) or holds_mark(line):
        return ""
    for between in between_placeholders(line):
        part = between.strip()
        if has_words(part) and not is_fence(part):
            return part
    return ""
