"""Check that an answer is own words about this passage, in sentences, and nothing else.

Each check is for one way in which models miss the question, and has a reason that is told to the
agent. A false alarm costs a call and maybe a good memory, so in doubt the answer passes: code,
addresses and quotations are not read, and an answer may speak of anything that the passage speaks
of.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rules.checks.form import OPEN_QUESTIONS, Form, find_rare_words, speaks_of
from rules.checks.reports import META, STATUS
from rules.checks.unseen import are_invented
from rules.checks.whose import claims_persons_life
from rules.checks.words import (
    AS_THIRD,
    CLOSING,
    DISCLAIMER,
    GREETING,
    OPENING,
    ROLE,
    SCRIPT,
    THIRD_NAMES,
    WE,
)
from rules.conversation.answer import in_own_words
from rules.conversation.quote import find_offset, plain_text
from rules.extract.languages import TONGUES
from rules.extract.phrases import REACTION
from rules.extract.sentences import MARK, ends_whole, find_prose_sentences, split_blocks
from rules.extract.voices import QUOTED, voiced_lines
from rules.extract.words import length, split_terms
from rules.layers.names import claimed_name

_WITH_PRONOUNS = TONGUES[:3]
"""English, German and French, in which a verb needs a pronoun to say who does it."""
_FEWEST_SENTENCES_OF_LOOP = 4
_LOOPED_RUN = 4
_FEWEST_WORDS_OF_LOOP = 24
_ECHOED_RUN = 5
"""The words in a row that are compared to find what an answer repeats."""
_ECHOED_SHARE = 0.6
"""An answer echoes a text where it has more than this share of its runs from there."""
_FEWEST_RUNS = 20
_FEWEST_WORDS_OF_ECHO = 10
_COPIED_RATIO = 97.0
"""The likeness, in percent, from which on an answer is a copy."""
_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_PAIR = re.compile(r"[{,]\s*\"[^\"\n]{1,80}\"\s*:")
_MARKUP = re.compile(
    r"</?\u2060*[A-Za-z][\w-]*(?=[\s/>])|\[/?[A-Z][A-Z_ ]{2,}\]|&(?:[a-z]{2,6}|#\d{1,5});"
)
"""An HTML element, a tag, an end mark in capitals ("[END_OF_MEMORY]"), or a character reference."""
_ROW = re.compile(r"^[ \t]*\|.+\|[ \t]*$", re.MULTILINE)
_FEWEST_LINES_OF_LIST = 3
_FEWEST_RARE_WORDS = 12
"""A passage with fewer rare words says too little for an answer to have some of them."""
_NEEDED_RARE_WORDS = 2
"""The rare words of the passage that an answer needs.

A short answer needs one less, and so does a perspective.
"""
_SHORT = 40.0
"""The most words of an answer that is short."""
_MOST_IN_FIRST_PERSON = 0.6
_LAST_SENTENCES = 2
_MOST_WHOLE = 0.8
"""An answer must end at the end of a sentence if this share of the persona's messages does."""
_STEM = 4
_SHORTEST_QUOTE = 4.0
_ONE_WORD = 2.0
"""A quote with fewer words is one word."""
_SHORT_VIEW = 15.0
"""The most words of a perspective that may leave out the first person."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check for one way to miss the question."""

    name: str
    reason: str
    """A sentence for the agent."""
    fails: Callable[[Form], bool]
    steps: Sequence[str] = (*OPEN_QUESTIONS, "analysis")
    """The questions whose answers it checks."""
    may_stay: bool = True
    """Whether an answer with only this fault is kept, marked as such, where no better one comes."""


def first_fault(form: Form) -> Check | None:
    """Return the first check that an answer fails; None where it passes all."""
    return next((check for check in CHECKS if form.step in check.steps and check.fails(form)), None)


def _is_json(form: Form) -> bool:
    text = form.answer.strip()
    fenced = _FENCE.match(text)
    inside = fenced[1].strip() if fenced else text
    if inside[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(inside), dict | list)
    except (ValueError, RecursionError):
        return inside[0] == "{" and _PAIR.match(inside) is not None


def _disclaims(form: Form) -> bool:
    return any(DISCLAIMER.match(sentence) for sentence in form.sentences)


def _loops(form: Form) -> bool:
    sentences = [" ".join(split_terms(sentence)) for sentence in form.sentences]
    if len(sentences) >= _FEWEST_SENTENCES_OF_LOOP and len(set(sentences)) * 2 < len(sentences):
        return True
    runs = _runs(form.words, _LOOPED_RUN)
    return len(form.words) >= _FEWEST_WORDS_OF_LOOP and len(set(runs)) * 4 < len(runs)


def _says_primer(form: Form) -> bool:
    runs = _runs(form.words, _ECHOED_RUN)
    known = _runs_of(form.primer)
    shared = sum(run in known for run in runs)
    return len(form.words) >= _FEWEST_WORDS_OF_ECHO and shared > _ECHOED_SHARE * len(runs)


def _is_copied(form: Form) -> bool:
    """Return whether the answer is pieces of the passage, or one piece but for a few characters."""
    from rapidfuzz import fuzz  # late: a run with nothing new compares nothing

    if len(form.words) < _FEWEST_WORDS_OF_ECHO:
        return False
    runs = _runs(split_terms(form.own), _ECHOED_RUN)
    said = {run for text in form.passage for run in _runs_of(text)}
    is_patchwork = sum(run in said for run in runs) > _ECHOED_SHARE * len(runs)
    # A fold, which has no messages of the person's, may repeat its memories.
    if is_patchwork and len(runs) >= _FEWEST_RUNS and form.by_person:
        return True
    piece = plain_text(form.answer).lower()
    whole = plain_text("\n".join(form.passage)).lower()
    ratio = fuzz.ratio if len(piece) > len(whole) else fuzz.partial_ratio
    return ratio(piece, whole, score_cutoff=_COPIED_RATIO) > 0


def _begins_with_preface(form: Form) -> bool:
    return OPENING.match(form.own) is not None


def _is_live_reply(form: Form) -> bool:
    """Return whether the answer reads as the conversation's next message, or as a dialogue."""
    labels = len(SCRIPT.findall(form.own))
    last = form.sentences[-_LAST_SENTENCES:]
    return (
        GREETING.match(form.own) is not None
        or labels > (form.step == "analysis")  # an analysis may begin with a label
        or (len(form.sentences) > 1 and any(CLOSING.search(sentence) for sentence in last))
    )


def _is_list(form: Form) -> bool:
    lines = [line for line in form.answer.splitlines() if line.strip()]
    items = [line for line in lines if (mark := MARK.match(line)) and mark.group().strip()]
    return len(lines) >= _FEWEST_LINES_OF_LIST and len(items) == len(lines)


def _has_table(form: Form) -> bool:
    prose = in_own_words(form.answer)
    return len(_ROW.findall(prose)) > 1


def _has_markup(form: Form) -> bool:
    """Return whether the answer has HTML elements or tags of ours that are not in the passage."""
    own = in_own_words(form.answer)
    marks = {mark[0] for mark in _MARKUP.finditer(own)}
    said = "\n".join(form.passage)
    return any(mark not in said for mark in marks)


def _tells_status(form: Form) -> bool:
    parts = (*form.sentences, *map(str.strip, form.own.splitlines()))
    return any(STATUS.match(part) or META.search(part) for part in parts)


def _breaks_off(form: Form) -> bool:
    """Return whether the last sentence has no end, where most of the persona's messages do."""
    answer = form.answer.strip()
    mark = MARK.match(answer, answer.rfind("\n") + 1)
    if ends_whole(answer) or not form.sentences or (mark and mark.group().strip()):
        return False
    whole = [ends_whole(text) for text in form.by_persona if text.strip()]
    return sum(whole) >= _MOST_WHOLE * len(whole)


def _has_persons_name(form: Form) -> bool:
    return claimed_name(in_own_words(form.answer), form.names) is not None


def _claims_life(form: Form) -> bool:
    return claims_persons_life(form.answer, form.by_person, form.by_persona, form.names)


def _speaks_of_roles(form: Form) -> bool:
    """Return whether the answer says "the assistant" or "the user", and the passage does not."""
    if not any(map(AS_THIRD.match, form.sentences)):
        return False
    return THIRD_NAMES.isdisjoint(term for text in form.passage for term in split_terms(text))


def _speaks_of_itself(form: Form) -> bool:
    """Return whether a sentence of the answer has the persona's name, and no first person."""
    names = tuple(name[: max(_STEM, len(name) - 1)] for name in form.own_names)
    return any(
        any(term.startswith(names) for term in split_terms(sentence))
        and not speaks_of(sentence, form.tongue)
        for sentence in form.sentences
    )


def _lacks_first_person(form: Form) -> bool:
    """Return whether the answer has no "I" or "we", in a language that needs them.

    A short perspective may leave them out: "Glad for the no, sorry for what rode along with it."
    """
    is_short_view = form.step == "perspective" and length(form.answer) <= _SHORT_VIEW
    if is_short_view or form.tongue not in _WITH_PRONOUNS:
        return False
    words = split_terms(in_own_words(form.answer))
    says_i = any(word in tongue.me for word in words for tongue in _WITH_PRONOUNS)
    return not says_i and WE[form.tongue.frames].isdisjoint(words)


def _is_in_first_person(form: Form) -> bool:
    own = [sentence for sentence in form.sentences if speaks_of(sentence, form.tongue)]
    return len(own) > 1 and len(own) > _MOST_IN_FIRST_PERSON * len(form.sentences)


def _invents(form: Form) -> bool:
    return are_invented(form.answer, form.passage, form.seen)


def _is_about_another(form: Form) -> bool:
    """Return whether the answer has too few of the passage's rare words."""
    needed = _NEEDED_RARE_WORDS - (length(form.answer) <= _SHORT) - (form.step == "perspective")
    rare = frozenset[str]().union(*map(find_rare_words, form.passage))
    return len(rare) >= _FEWEST_RARE_WORDS and len(rare & find_rare_words(form.answer)) < needed


def _is_drafted(form: Form) -> bool:
    """Return whether a quote is from a text that the persona drafted, or from a role's lines."""
    label, speakers = ROLE.match(form.answer), form.names | form.own_names
    if label and (SCRIPT.match(form.own) or speakers.issuperset(split_terms(label[0]))):
        return True
    quote = plain_text(form.answer).strip(" \"'")
    if not quote or any(quote in plain_text(text) for text in form.by_person):
        return False
    quoted = next((text for text in form.by_persona if quote in plain_text(text)), None)
    return quoted is not None and _is_for_another(quoted, quote)


def _is_for_another(text: str, quote: str) -> bool:
    """Return whether a quote from a message of the persona's is not in its own voice.

    In the message `text` it is quoted, drafted for somebody, or a line of a role.
    """
    at = plain_text(text).find(quote)
    start, stop = find_offset(text, at), find_offset(text, at + len(quote))
    if any(mark.start() < start and stop < mark.end() for mark in QUOTED.finditer(text)):
        return True
    lines = voiced_lines(text, drafts=True)
    within = [line for line in lines if line.start < stop and line.stop > start]
    code = {block.start for block in split_blocks(text) if not block.prose}
    is_other = any(line.voice == "other" and line.start not in code for line in within)
    # In a message that lets roles speak, more than one line begins with a role's name.
    role_lines = [line for line in lines if ROLE.match(text, line.start, line.stop)]
    return is_other or (len(role_lines) > 1 and any(line in role_lines for line in within))


def _says_nothing(form: Form) -> bool:
    """Return whether a short quote says nothing, though the passage has longer sentences.

    A quote of less than four words says nothing if it is one word, a reaction, or words that any
    conversation has. "Die rote blüht." says something.
    """
    longest = max(
        (length(sentence) for text in form.passage for sentence in find_prose_sentences(text)),
        default=0,
    )
    words = length(form.answer)
    if not words < _SHORTEST_QUOTE <= longest:
        return False
    reacts = REACTION.are_in(form.answer.replace("’", "'"))
    return words < _ONE_WORD or reacts or not find_rare_words(form.answer)


CHECKS: tuple[Check, ...] = (
    Check("JSON", "The answer is JSON, and words were asked for.", _is_json, may_stay=False),
    Check(
        "disclaimer",
        "The answer says what a machine cannot do, and nothing like that was asked.",
        _disclaims,
        may_stay=False,
    ),
    Check("loop", "The answer says the same over and over again.", _loops, may_stay=False),
    Check("echo", "The answer says back what the primer says.", _says_primer, may_stay=False),
    Check(
        "echo",
        "The answer copies the passage and says nothing of its own.",
        _is_copied,
        may_stay=False,
    ),
    Check(
        "opening", "The answer begins with a preface; begin with its matter.", _begins_with_preface
    ),
    Check(
        "live reply",
        "The answer goes on with the conversation; the question was about what lies behind.",
        _is_live_reply,
    ),
    Check("list alone", "The answer is a list, and sentences were asked for.", _is_list),
    Check("table", "The answer has a table, and sentences were asked for.", _has_table),
    Check("markup", "The answer has tags in angle brackets; answer in plain words.", _has_markup),
    Check(
        "status",
        "The answer reports that something was saved; write the memory itself and nothing else.",
        _tells_status,
    ),
    Check("no end", "The last sentence of the answer has no end; finish it.", _breaks_off),
    Check(
        "the person's name",
        "The answer gives you the person's name; you are the one who answered.",
        _has_persons_name,
        OPEN_QUESTIONS,
    ),
    Check(
        "the person as I",
        "The answer tells what the person lived through as if it were yours; tell it with their "
        "name, as something that you were told.",
        _claims_life,
        OPEN_QUESTIONS,
        may_stay=False,
    ),
    Check(
        "third person",
        "The answer speaks of the assistant or the user; you are the one who answered, "
        "and the person has a name.",
        _speaks_of_roles,
        OPEN_QUESTIONS,
    ),
    Check(
        "own name",
        'The answer tells of you by your name; you are the one who answered, so say "I".',
        _speaks_of_itself,
        OPEN_QUESTIONS,
    ),
    Check(
        "no first person",
        "The answer is not in the first person.",
        _lacks_first_person,
        OPEN_QUESTIONS,
    ),
    Check(
        "first person",
        "The summary is in the first person; tell it in the third.",
        _is_in_first_person,
        ("analysis",),
    ),
    Check(
        "invented",
        "The answer has names or numbers that were never said; leave out what you do not find.",
        _invents,
        may_stay=False,
    ),
    Check(
        "not about the passage",
        "The answer names nothing of the passage: no name, thing or number in it.",
        _is_about_another,
    ),
    Check(
        "drafted",
        "These lines were written for somebody or for a role; "
        "quote your own words or the person's.",
        _is_drafted,
        ("quote",),
    ),
    Check(
        "short quote",
        "So few words say nothing later; quote a whole sentence.",
        _says_nothing,
        ("quote",),
    ),
)


def _runs(words: Sequence[str], count: int) -> Sequence[tuple[str, ...]]:
    """Return every run of `count` neighbouring words."""
    return [tuple(words[at : at + count]) for at in range(len(words) - count + 1)]


@lru_cache(512)
def _runs_of(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_runs(split_terms(text), _ECHOED_RUN))
