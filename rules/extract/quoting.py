"""Choose the built-in engine's quote: a few sentences of one message, word for word."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

from rules.extract.choice import says_what_follows, weigh_sentences
from rules.extract.control_marks import holds_mark
from rules.extract.frames import spaced
from rules.extract.languages import find_tongue_of
from rules.extract.prose import Said, between_placeholders, has_placeholder, is_plain
from rules.extract.sentences import is_fence
from rules.extract.voices import QUESTION_MARKS, is_finished
from rules.extract.weights import WeighedPassage, read_passage
from rules.extract.words import has_words, shorten

_MOST_SENTENCES = 3
_OVERHEAD, _POWER = 6.0, 0.7
"""What a quote says is divided by (words + 6) to the power of 0.7: less than by its words, as a
long quote says more by itself."""
_INWARD = 2.0
"""A sentence in which the persona speaks of its own states counts this many times."""


def said_lead(texts: Sequence[str]) -> str:
    """Return the lead before a quote of the person's words, in the language of these texts."""
    return spaced(find_tongue_of(texts).frames.said)


def pick_quote(
    passage: Sequence[Said], words: int, before: Sequence[Said] = (), besides: Sequence[str] = ()
) -> str:
    """Return one to three sentences of a message, word for word: those that say most of a passage.

    It never quotes code, placeholders, what was written for somebody else, what was said `before`
    the passage (another memory may quote that) or what the texts `besides` say (the memory has it
    anyway). Questions, reactions, courtesies, headings and announcements are quoted only where
    there is nothing else.

    Where every sentence is longer than `words`, the quote is the beginning of one; where there is
    no sentence, of the first line with words in the longest message that has one; and empty where
    no message has words.
    """
    reading = read_passage(passage, before)
    # A sentence is within one line, so it cannot match across the line breaks.
    elsewhere = "\n".join((*(message.text for message in before), *besides))
    for limit in (float(words), inf):
        spans = _spans(passage, reading, limit)
        for span in sorted(spans, key=partial(_fitness, passage, reading), reverse=True):
            parts = [_raw(passage, reading, range(at, at + 1)) for at in span]
            if not any(part in elsewhere for part in parts):
                return shorten(_raw(passage, reading, span), words)
    return _line_with_words(passage, words)


def _raw(passage: Sequence[Said], reading: WeighedPassage, span: range) -> str:
    first, last = reading.sentences[span[0]], reading.sentences[span[-1]]
    return passage[first.message].text[first.start : last.stop]


def _spans(passage: Sequence[Said], reading: WeighedPassage, words: float) -> Iterator[range]:
    """Yield the runs of at most `words` that could be quoted.

    Between their sentences is nothing but white space.
    """
    for begin, first in enumerate(reading.sentences):
        spent, stop = 0.0, first.start
        for at, sentence in enumerate(reading.sentences[begin : begin + _MOST_SENTENCES], begin):
            spent += sentence.words
            if sentence.message != first.message or spent > words or has_placeholder(sentence.text):
                break
            between = passage[first.message].text[stop : sentence.start]
            if between.strip() or (at > begin and not (is_plain(sentence) and is_plain(first))):
                break
            yield range(begin, at + 1)
            stop = sentence.stop


def _fitness(
    passage: Sequence[Said], reading: WeighedPassage, span: range
) -> tuple[int, float, int]:
    """Return a sort key of how fit a run is to be quoted.

    That is its rank, what it says for its length, and how early it is.
    """
    worth = weigh_sentences(reading)
    values: dict[str, float] = {}
    for at in span:
        value = worth[at] * (_INWARD if reading.inward[at] else 1.0)
        for term in reading.sentences[at].terms:
            values[term] = max(values.get(term, 0.0), value * reading.weights[term])
    words = sum(reading.sentences[at].words for at in span)
    return (
        _rank(passage, reading, span),
        sum(values.values()) / (words + _OVERHEAD) ** _POWER,
        -span[0],
    )


def _rank(passage: Sequence[Said], reading: WeighedPassage, span: range) -> int:
    """Return the rank of a run for a quote, the higher the better.

    3 is running text that makes sense by itself; 2 has markup, asks, or leans on the sentence
    before it; 1 begins or ends with a set phrase; 0 is broken, unfinished, or in another voice.
    """
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
    """Return whether a sentence is plain running text without any markup."""
    sentence = reading.sentences[at]
    return is_plain(sentence) and sentence.text == _raw(passage, reading, range(at, at + 1))


def _line_with_words(passage: Sequence[Said], words: int) -> str:
    """Return the first line with words, cut to `words`, of the longest message with one; else "".

    Fences of code and lines with a control mark are passed over. A line is split at placeholders in
    square brackets.
    """
    longest_first = sorted(passage, key=lambda message: len(message.text), reverse=True)
    lines = (line for message in longest_first for line in message.text.splitlines())
    prose_lines = (line for line in lines if not (is_fence(line) or holds_mark(line)))
    parts = (part.strip() for line in prose_lines for part in between_placeholders(line))
    part = next((part for part in parts if has_words(part) and not is_fence(part)), "")
    return shorten(part, words) if part else ""
