"""Lay out the kept sentences by day, each side after its lead, as rows of whole sentences."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise, zip_longest

from rules.extract.brackets import closing_mark
from rules.extract.frames import spaced
from rules.extract.prose import PERSONA, Sentence
from rules.extract.sentences import EMOJI
from rules.extract.voices import COLONS, is_finished
from rules.extract.weights import WeighedPassage
from rules.extract.words import length, shorten

_CUT = " …"
_CLAUSE_END = re.compile(r"[,;:，；：、](?=[^,;:，；：、]*\Z)")
_ENDS_CROWDED = re.compile(rf"[^\u0000-\u2fff{EMOJI}]\Z")
"""A text that ends in a script without spaces: the next sentence follows without one."""
_DANGLING = ",;，、；–- "
_FULL_STOPS = (
    ("\u08ff", "."),
    ("\u097f", "।"),
    ("\u0dff", "."),
    ("\u109f", ""),
    ("\u2fff", "."),
    ("\U0010ffff", "。"),
)
"""The full stop of each range of scripts, by the last character of the range; Thai and its
neighbours have none."""


def write_account(reading: WeighedPassage, kept: Sequence[int], day_before: str = "") -> str:
    """Return the kept sentences by day, as what the person told and the persona answered.

    A day is not named where the text before ended with it (`day_before`), nor a year that the day
    before it has named.
    """
    frames = reading.frames
    lines = []
    for day, of_day in groupby(kept, key=lambda at: reading.days[at]):
        head = ""
        if day not in ("", day_before):
            head = spaced(frames.day.format(frames.in_words(day, day_before)))
            day_before = day
        lines.append(tell(reading, list(of_day), (frames.told, frames.answered), head))
    return "\n".join(lines)


def tell(
    reading: WeighedPassage, kept: Sequence[int], leads: tuple[str, str], head: str = ""
) -> str:
    """Return the kept sentences, the person's before the persona's, each side after its lead.

    A question that the person answers in a word goes into brackets before the answer, which says
    nothing without it.
    """
    lines: list[str] = []
    questions: dict[int, Sentence] = {}
    for at, after in pairwise(kept):
        question, answer = reading.sentences[at], reading.sentences[after]
        if after == at + 1 and reading.leaning[after] and question.message != answer.message:
            text = f"({spaced(reading.frames.questioned)}{question.text})"
            questions[at] = replace(question, text=text)
    for is_persona in (False, True):
        side = [
            questions.get(at, reading.sentences[at])
            for at in kept
            if (reading.sentences[at].role == PERSONA and at not in questions) is is_persona
        ]
        if side:
            line = head + spaced(leads[is_persona]) + join_sentences(side)
            lines.append(line[:1].upper() + line[1:])
            head = ""
    return "\n".join(lines)


def join_sentences(kept: Sequence[Sentence]) -> str:
    """Join the sentences, each text once, with spaces between them where their script has any."""
    distinct = list({sentence.text: sentence for sentence in kept}.values())
    row = ""
    for sentence, following in zip_longest(distinct, distinct[1:]):
        text = _with_stop(sentence, following)
        row += text if following is None or _ENDS_CROWDED.search(text) else f"{text} "
    return row


def _with_stop(sentence: Sentence, following: Sentence | None) -> str:
    """Return a sentence with a stop at its end, where it has none.

    The stop is a semicolon between lines of one list, and an ellipsis where the sentence announces
    what is left out. A quotation that goes on beyond the sentence is closed.
    """
    text = sentence.text + (closing_mark(sentence.text) if sentence.is_broken else "")
    if is_finished(text):
        return text
    if text.endswith(COLONS):
        return f"{text}{_CUT}"
    if (
        following is not None
        and following.message == sentence.message
        and "own" not in (sentence.voice, following.voice)
    ):
        return f"{text};"
    bare = text.rstrip(_DANGLING)
    return bare + next((stop for last, stop in _FULL_STOPS if bare[-1:] <= last), ".")


def fit(text: str, words: float) -> str:
    """Cut the text to at most `words` words, since a single sentence may be longer than its budget.

    It is cut after a clause where that leaves more than half of what fits, else between words.
    """
    if length(text) <= words:
        return text
    cut = shorten(text, words)
    clause = _CLAUSE_END.search(cut)
    if clause is not None and 2 * clause.start() > len(cut):
        cut = cut[: clause.start()]
    return cut + _CUT
