"""The quote of the built-in engine: a few sentences of one message, word for word, and whose they are."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf

from rules.extract.choice import says_what_follows, worths
from rules.extract.control_marks import holds_mark
from rules.extract.frames import spaced
from rules.extract.languages import TONGUES, spoken
from rules.extract.prose import Said, between_placeholders, has_placeholder, is_plain
from rules.extract.sentences import is_fence
from rules.extract.voices import QUESTION_MARKS, is_finished
from rules.extract.weights import WeighedPassage, read
from rules.extract.words import has_words, shorten, terms

_MOST_SENTENCES = 3
_OVERHEAD, _POWER = 6.0, 0.7
"""What a quote says is shared by its words less than evenly: a long one says more by itself."""
_INWARD = 2.0
"""The worth of words in which the persona speaks of its own states."""


def said_lead(texts: Sequence[str]) -> str:
    """Return what comes before quoted words of the person, in the language of these texts."""
    frames = spoken((term for text in texts for term in terms(text)), TONGUES).frames
    return spaced(frames.said)


def quote(
    passage: Sequence[Said], words: int, before: Sequence[Said] = (), besides: Sequence[str] = ()
) -> str:
    """Return one to three sentences of one message, word for word: those that say most of the passage.

    Never code, a placeholder, or what was written for somebody else, nor what was said `before` the passage, since
    another memory may quote that, nor what `besides` say, as the memory has it anyway. Questions, reactions,
    courtesies, headings and announcements only where there is nothing else.

    Where every sentence is longer than `words`: the beginning of one. Where there is none: the beginning of the first
    line with words of the longest message that has one. Empty where no message has words.
    """
    reading = read(tuple(passage), tuple(before))
    # No sentence goes over a line.
    elsewhere = "\n".join((*(message.text for message in before), *besides))
    for limit in (float(words), inf):
        for span in _best_first(passage, reading, limit):
            parts = [_raw(passage, reading, range(at, at + 1)) for at in span]
            if not any(part in elsewhere for part in parts):
                return shorten(_raw(passage, reading, span), words)
    return _line_with_words(passage, words)


def _best_first(passage: Sequence[Said], reading: WeighedPassage, words: float) -> list[range]:
    """Return the runs of sentences of at most `words` that could be quoted, the fittest first."""
    worth = worths(reading)
    spans = chain.from_iterable(
        _spans(passage, reading, begin, words) for begin in range(len(reading.sentences))
    )
    return sorted(spans, key=lambda span: _fitness(passage, reading, worth, span), reverse=True)


def _raw(passage: Sequence[Said], reading: WeighedPassage, span: range) -> str:
    first, last = reading.sentences[span[0]], reading.sentences[span[-1]]
    return passage[first.message].text[first.start : last.stop]


def _spans(
    passage: Sequence[Said], reading: WeighedPassage, begin: int, words: float
) -> Iterator[range]:
    """Yield the runs of sentences from `begin` on with nothing but white space between them."""
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
        yield range(begin, at + 1)


def _fitness(
    passage: Sequence[Said], reading: WeighedPassage, worth: Sequence[float], span: range
) -> tuple[int, float, int]:
    """Return how fit sentences are to be quoted: their rank, what they say for their length, and how early."""
    news: dict[str, float] = {}
    for at in span:
        value = worth[at] * (_INWARD if reading.inward[at] else 1.0)
        for term in reading.sentences[at].terms:
            news[term] = max(news.get(term, 0.0), value * reading.weights[term])
    words = sum(reading.sentences[at].words for at in span)
    return (
        _rank(passage, reading, span),
        sum(news.values()) / (words + _OVERHEAD) ** _POWER,
        -span[0],
    )


def _rank(passage: Sequence[Said], reading: WeighedPassage, span: range) -> int:
    """Return 3 for running text that says something by itself, less for what leans, for lists, and for set phrases."""
    first = reading.sentences[span[0]]
    if first.is_broken or first.voice == "other" or not is_finished(first.text):
        return 0
    if any(_is_set(reading, at) for at in (span[0], span[-1])):
        return 1
    is_running = all(_is_running(passage, reading, at) for at in span)
    asks = reading.sentences[span[-1]].text.endswith(QUESTION_MARKS)
    if not is_running or asks or reading.leaning[span[0]]:
        return 2
    return 3


def _is_set(reading: WeighedPassage, at: int) -> bool:
    """Return whether a sentence only asks, reacts, greets, thanks, or announces what follows."""
    sentence = reading.sentences[at]
    is_phrase = sentence.courteous or sentence.is_formula or says_what_follows(sentence)
    return is_phrase or reading.reacts[at] or sentence.text.endswith(QUESTION_MARKS)


def _is_running(passage: Sequence[Said], reading: WeighedPassage, at: int) -> bool:
    """Return whether a sentence is running text without any markup."""
    sentence = reading.sentences[at]
    return is_plain(sentence) and sentence.text == _raw(passage, reading, range(at, at + 1))


def _line_with_words(passage: Sequence[Said], words: int) -> str:
    """Return the first line with words of the longest message that has one, or as much as `words` allow.

    No fence of code and no line with a control mark is such a line, and nothing in square brackets is a part of
    one: it ends there.
    """
    longest = sorted(passage, key=lambda message: len(message.text), reverse=True)
    lines = (line for message in longest for line in message.text.splitlines())
    of_prose = (line for line in lines if not (is_fence(line) or holds_mark(line)))
    parts = (part.strip() for line in of_prose for part in between_placeholders(line))
    part = next((part for part in parts if has_words(part) and not is_fence(part)), "")
    return shorten(part, words) if part else ""
