"""How kept sentences read: by day, each side behind its lead, in rows of whole sentences."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise, zip_longest

from rules.extract.brackets import closing_mark
from rules.extract.frames import Frames, spaced
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

    A day that the text before ended with, `day_before`, is not named again.
    """
    lines = []
    for day, of_day in groupby(kept, key=lambda at: reading.days[at]):
        head = _head(day, reading.frames) if day != day_before else ""
        lines.append(
            tell(reading, list(of_day), (reading.frames.told, reading.frames.answered), head)
        )
    return "\n".join(lines)


def tell(
    reading: WeighedPassage, kept: Sequence[int], leads: tuple[str, str], head: str = ""
) -> str:
    """Return the kept sentences, the person's before the persona's, each side after its lead.

    A question that the person answers in a word comes before the answer.
    """
    lines: list[str] = []
    asked = {at for at, after in pairwise(kept) if _is_answered(reading, at, after)}
    for is_persona in (False, True):
        side = [
            _as_asked(reading, at) if at in asked else reading.sentences[at]
            for at in kept
            if (reading.sentences[at].role == PERSONA and at not in asked) is is_persona
        ]
        if side:
            line = head + spaced(leads[is_persona]) + join_sentences(side)
            lines.append(line[:1].upper() + line[1:])
            head = ""
    return "\n".join(lines)


def _is_answered(reading: WeighedPassage, at: int, after: int) -> bool:
    """Return whether the sentence `after` is the person's answer that says nothing without the one before it."""
    is_next = after == at + 1 and reading.leaning[after]
    return is_next and reading.sentences[after].message != reading.sentences[at].message


def _as_asked(reading: WeighedPassage, at: int) -> Sentence:
    """Return a question of the persona as it is told among the person's words."""
    question = reading.sentences[at]
    return replace(question, text=f"({spaced(reading.frames.questioned)}{question.text})")


def _head(day: str, frames: Frames) -> str:
    return spaced(frames.day.format(frames.in_words(day))) if day else ""


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
    if following is not None and _are_items(sentence, following):
        return f"{text};"
    bare = text.rstrip(_DANGLING)
    return bare + _full_stop(bare[-1:])


def _full_stop(letter: str) -> str:
    """Return the full stop of a letter's script."""
    return next((stop for last, stop in _FULL_STOPS if letter <= last), ".")


def _are_items(sentence: Sentence, following: Sentence) -> bool:
    """Return whether both are lines of one list."""
    is_running = "own" in (sentence.voice, following.voice)
    return not is_running and following.message == sentence.message


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
