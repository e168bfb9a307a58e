"""Whether an answer has the form of what was asked: own words about this passage, and no more.

One check for each way in which small models miss the question. Each returns a Refused with a reason
that can be said to the agent, or None. A false alarm is a paid call and may cost a good memory, so
every doubt is settled for the answer: code, addresses and quotations are never looked at, and what
the passage itself speaks of may be spoken of.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

from primer.core_questions import parsed
from primer.form_words import (
    AS_THIRD,
    CLOSING,
    DISCLAIMER,
    GREETING,
    OPENING,
    SCRIPT,
    THIRD_NAMES,
    WE,
)
from primer.reply import FormFault, Refused
from rules.conversation.answer import in_own_words, is_everyday
from rules.conversation.quote import plain_text
from rules.extract.languages import TONGUES, Tongue, spoken
from rules.extract.sentences import MARK, prose_sentences
from rules.extract.words import CROWDED, length, terms
from rules.layers.names import claimed_name

NEVER_KEPT: frozenset[FormFault] = frozenset({"echo", "loop", "JSON", "disclaimer"})
"""Forms of answers that no memory has; one of another form is kept where nothing better comes."""
OPEN_QUESTIONS = ("perspective", "refinement")
"""The questions that the agent answers about itself."""

_SHOWING_THE_PERSON = TONGUES[:3]
"""English, German and French: a verb alone does not tell who does it."""
_LEAST_TO_LOOP = 4
_LOOPED_RUN = 4
_LEAST_WORDS_TO_LOOP = 24
_ECHOED_RUN = 5
_ECHOED_SHARE = 0.6
_LEAST_WORDS_TO_ECHO = 10
_COPIED = 97.0
_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_PAIR = re.compile(r"[{,]\s*\"[^\"\n]{1,80}\"\s*:")
_LEAST_LINES = 3
_LEAST_RARE_WORDS = 12
_RARE_WORDS = 2
_SHORT = 40.0
_LONG_ENOUGH = 4
_STEM = 5
_LEAST_TO_TELL_TONGUE = 12
_IS_CROWDED = re.compile(rf"[{CROWDED}]")
_MOST_OWN = 0.6
_LAST_SENTENCES = 2


@dataclass(frozen=True)  # without slots, so that it can remember what it has read
class Form:
    """An answer, and all that its form is judged by."""

    answer: str
    step: str
    passage: Sequence[str]
    by_person: Sequence[str] = ()
    """Those messages of the passage that the person wrote."""
    primer: str = ""
    names: frozenset[str] = frozenset()
    """The names of the person, casefolded."""

    @cached_property
    def own(self) -> str:
        """Return the answer's own words, in small letters and with straight apostrophes."""
        return in_own_words(self.answer).replace("’", "'").lower()

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences of the answer's own words."""
        return tuple(prose_sentences(self.own))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the words of the whole answer."""
        return tuple(terms(self.answer))

    @cached_property
    def tongue(self) -> Tongue:
        """Return the language of the answer; of a short one that of the passage, too."""
        own = tuple(terms(self.own))
        is_short = len(own) < _LEAST_TO_TELL_TONGUE
        return spoken(chain(own, *map(terms, self.passage if is_short else ())), TONGUES)

    @property
    def is_about_oneself(self) -> bool:
        """Return whether the agent was asked, and not the context manager."""
        return self.step in OPEN_QUESTIONS


def misshapen(form: Form) -> Refused | None:
    """Return why the answer has not the form that was asked for; None if it has."""
    faults = (fault for check in _CHECKS if (fault := check(form)))
    return next(faults, None)


def json_alone(form: Form) -> Refused | None:
    """Refuse data in the place of words."""
    text = form.answer.strip()
    fenced = _FENCE.match(text)
    inside = fenced[1].strip() if fenced else text
    is_data = inside[:1] in ("{", "[") and isinstance(parsed(inside), dict | list)
    if is_data or (inside[:1] == "{" and _PAIR.match(inside)):
        return _refused(form, "JSON", "The answer is JSON, and words were asked for.")
    return None


def disclaimer(form: Form) -> Refused | None:
    """Refuse an answer that says what a machine cannot do."""
    if any(DISCLAIMER.match(sentence) for sentence in form.sentences):
        return _refused(
            form,
            "disclaimer",
            "The answer says what a machine cannot do, and nothing like that was asked.",
        )
    return None


def loop(form: Form) -> Refused | None:
    """Refuse an answer that says the same over and over again."""
    every = [" ".join(terms(sentence)) for sentence in form.sentences]
    is_looping = len(every) >= _LEAST_TO_LOOP and len(set(every)) * 2 < len(every)
    if len(form.words) >= _LEAST_WORDS_TO_LOOP:
        runs = list(_runs(form.words, _LOOPED_RUN))
        is_looping |= len(set(runs)) * 4 < len(runs)
    if is_looping:
        return _refused(form, "loop", "The answer says the same over and over again.")
    return None


def echo(form: Form) -> Refused | None:
    """Refuse the primer or the passage said back."""
    if len(form.words) < _LEAST_WORDS_TO_ECHO:
        return None
    runs = list(_runs(form.words, _ECHOED_RUN))
    known = _runs_of(form.primer)
    if runs and sum(run in known for run in runs) > _ECHOED_SHARE * len(runs):
        return _refused(form, "echo", "The answer says back what the primer says.")
    if _is_copied(form.answer, form.passage):
        return _refused(form, "echo", "The answer copies the passage and says nothing of its own.")
    return None


def opening(form: Form) -> Refused | None:
    """Refuse an answer that begins with a preface."""
    if OPENING.match(form.own):
        return _refused(form, "opening", "The answer begins with a preface; begin with its matter.")
    return None


def live_reply(form: Form) -> Refused | None:
    """Refuse what would be the conversation's next message, or lines of such a dialogue."""
    last = form.sentences[-_LAST_SENTENCES:]
    labels = len(SCRIPT.findall(form.own))
    is_live = (
        GREETING.match(form.own) is not None
        or labels > (form.step == "analysis")  # which may begin with whom it is about
        or (len(form.sentences) > 1 and any(CLOSING.search(sentence) for sentence in last))
    )
    if is_live:
        return _refused(
            form,
            "live reply",
            "The answer goes on with the conversation; the question was about what lies behind.",
        )
    return None


def list_alone(form: Form) -> Refused | None:
    """Refuse an answer that consists of headings and items of lists."""
    lines = [line for line in form.answer.splitlines() if line.strip()]
    items = [line for line in lines if (mark := MARK.match(line)) and mark.group().strip()]
    if len(lines) >= _LEAST_LINES and len(items) == len(lines):
        return _refused(form, "list alone", "The answer is a list, and sentences were asked for.")
    return None


def persons_name(form: Form) -> Refused | None:
    """Refuse an answer in which the agent has the person's name."""
    name = form.is_about_oneself and claimed_name(in_own_words(form.answer), form.names)
    if name:
        return _refused(
            form,
            "the person's name",
            f"{name} is the person; you are the one who answered.",
        )
    return None


def person_as_i(form: Form) -> Refused | None:
    """Refuse an answer that consists of what the person said of themselves."""
    if not form.is_about_oneself:
        return None
    said = " ".join(plain_text(text).lower() for text in form.by_person)
    own = [sentence for sentence in form.sentences if _speaks_of(sentence, form.tongue)]
    copied = [sentence for sentence in own if plain_text(sentence).strip(" .!?") in said]
    if len(copied) > 1 and len(copied) > _MOST_OWN * len(form.sentences):
        return _refused(
            form,
            "the person as I",
            "The answer tells what the person lived through as if it were yours.",
        )
    return None


def third_person(form: Form) -> Refused | None:
    """Refuse an answer about "the assistant" and "the user", unless the passage speaks of such."""
    if not form.is_about_oneself or not any(map(AS_THIRD.match, form.sentences)):
        return None
    spoken_of = {term for text in form.passage for term in terms(text)}
    if spoken_of.intersection(THIRD_NAMES):
        return None
    return _refused(
        form,
        "third person",
        "The answer speaks of the assistant or the user; you are the one who answered, "
        "and the person has a name.",
    )


def no_first_person(form: Form) -> Refused | None:
    """Refuse an answer without an "I" or "we", where the language has to show it."""
    if not form.is_about_oneself or form.tongue not in _SHOWING_THE_PERSON:
        return None
    words = set(terms(in_own_words(form.answer)))
    if words & WE or any(word in tongue.me for word in words for tongue in _SHOWING_THE_PERSON):
        return None
    return _refused(form, "no first person", "The answer is not in the first person.")


def first_person(form: Form) -> Refused | None:
    """Refuse an analysis that is told by one of the two who speak."""
    own = [sentence for sentence in form.sentences if _speaks_of(sentence, form.tongue)]
    if form.step == "analysis" and len(own) > 1 and len(own) > _MOST_OWN * len(form.sentences):
        return _refused(
            form, "first person", "The summary is in the first person; tell it in the third."
        )
    return None


def about_another(form: Form) -> Refused | None:
    """Refuse an answer with hardly a word of the passage; a short one needs less."""
    needed = _RARE_WORDS - (length(form.answer) <= _SHORT) - (form.step == "perspective")
    rare = rare_words(form.passage)
    if len(rare) < _LEAST_RARE_WORDS or len(rare & rare_words([form.answer])) >= needed:
        return None
    return _refused(
        form,
        "not about the passage",
        "The answer names nothing of the passage: no name, thing or number in it.",
    )


_CHECKS: tuple[Callable[[Form], Refused | None], ...] = (
    json_alone,
    disclaimer,
    loop,
    echo,
    opening,
    live_reply,
    list_alone,
    persons_name,
    person_as_i,
    third_person,
    no_first_person,
    first_person,
    about_another,
)


def rare_words(texts: Sequence[str]) -> frozenset[str]:
    """Return the words of the texts that not every talk has, long ones by their beginnings."""
    return frozenset(stem for text in texts for stem in _stems(text))


@lru_cache(2048)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in set(terms(text)) if _is_rare(word))


def _is_rare(word: str) -> bool:
    """Return whether a word is a number, or a longer word that not every talk has."""
    if any(map(str.isdecimal, word)):
        return True
    is_long = len(word) >= _LONG_ENOUGH or _IS_CROWDED.match(word) is not None
    return is_long and not is_everyday(word)


def _stem(word: str) -> str:
    """Return the beginning of a long word: its ending changes with its place in a sentence."""
    return word[:_STEM]


def _speaks_of(sentence: str, tongue: Tongue) -> bool:
    """Return whether a sentence is in the first person."""
    return any(term in tongue.me for term in terms(sentence))


def _runs(words: Sequence[str], count: int) -> Sequence[tuple[str, ...]]:
    """Return every run of `count` neighbouring words."""
    return [tuple(words[at : at + count]) for at in range(len(words) - count + 1)]


@lru_cache(8)
def _runs_of(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_runs(tuple(terms(text)), _ECHOED_RUN))


def _is_copied(answer: str, passage: Sequence[str]) -> bool:
    """Return whether the answer is one piece of the passage, to a few characters."""
    from rapidfuzz import fuzz  # late: a run with nothing new compares nothing

    piece, whole = plain_text(answer).lower(), plain_text("\n".join(passage)).lower()
    if len(piece) > len(whole):
        return fuzz.ratio(piece, whole, score_cutoff=_COPIED) > 0
    return fuzz.partial_ratio(piece, whole, score_cutoff=_COPIED) > 0


def _refused(form: Form, kind: FormFault, reason: str) -> Refused:
    return Refused(kind, reason, form.answer)
