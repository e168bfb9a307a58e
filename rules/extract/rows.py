"""How kept sentences read: by day, each side behind its lead, in rows of whole sentences."""

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
"""After a stop of a script without spaces the next sentence follows at once."""
_DANGLING = ",;，、；–- "
_FULL_STOPS = (
    ("\u08ff", "."),
    ("\u097f", "।"),
    ("\u0dff", "."),
    ("\u109f", ""),
    ("\u2fff", "."),
    ("\U0010ffff", "。"),
)
"""The full stop of a script, by its last letter; Thai and its neighbours have none."""


def account(reading: WeighedPassage, kept: Sequence[int], day_before: str = "") -> str:
    """Return the kept sentences by day, as what the person told and the persona answered.

    A day that the text before ended with, `day_before`, is not named again, nor a year in the days after it.
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

    A question that the person answers in a word comes before the answer.
    """
    lines: list[str] = []
    asked: dict[int, Sentence] = {}
    for at, after in pairwise(kept):
        question, answer = reading.sentences[at], reading.sentences[after]
        # The person's answer comes next, and says nothing without the question.
        if after == at + 1 and reading.leaning[after] and question.message != answer.message:
            text = f"({spaced(reading.frames.questioned)}{question.text})"
            asked[at] = replace(question, text=text)
    for is_persona in (False, True):
        side = [
            asked.get(at, reading.sentences[at])
            for at in kept
            if (reading.sentences[at].role == PERSONA and at not in asked) is is_persona
        ]
        if side:
            line = head + spaced(leads[is_persona]) + join_sentences(side)
            lines.append(line[:1].upper() + line[1:])
            head = ""
    return "\n".join(lines)


def join_sentences(kept: Sequence[Sentence]) -> str:
    """Return the sentences in a row, each text once, with a space where their script has one."""
    distinct = list({sentence.text: sentence for sentence in kept}.values())
    row = ""
    for sentence, following in zip_longest(distinct, distinct[1:]):
        text = _with_stop(sentence, following)
        row += text if following is None or _ENDS_CROWDED.search(text) else f"{text} "
    return row


def _with_stop(sentence: Sentence, following: Sentence | None) -> str:
    """Return a sentence with a stop if it has none: after it another one or nothing follows.

    Between items of a list it is a semicolon, and an ellipsis where a sentence announces what is not there. A
    quotation of which more was said is closed.
    """
    text = sentence.text + (closing_mark(sentence.text) if sentence.is_broken else "")
    if is_finished(text):
        return text
    if text.endswith(COLONS):
        return f"{text}{_CUT}"
    # Lines of one list.
    if (
        following is not None
        and following.message == sentence.message
        and "own" not in (sentence.voice, following.voice)
    ):
        return f"{text};"
    bare = text.rstrip(_DANGLING)
    # The full stop of the script of its last letter.
    return bare + next((stop for last, stop in _FULL_STOPS if bare[-1:] <= last), ".")


def fit(text: str, words: float) -> str:
    """Return the text, cut where it is longer: a single sentence may be longer than its budget.

    It is cut after a clause if more than half is left so, else between words.
    """
    if length(text) <= words:
        return text
    cut = shorten(text, words)
    clause = _CLAUSE_END.search(cut)
    if clause is not None and 2 * clause.start() > len(cut):
        cut = cut[: clause.start()]
    return cut + _CUT
