"""Tell persona and person apart: the section `persona` must not claim the person's name.

A name is read after words such as "my name is": in what somebody says about themselves, about the
agent (the system message), or about somebody else (the section `human`). Small models take the
person's name, and their life, for their own.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rules.layers.core import CoreMemory, Refusal

PERSONA, HUMAN = "persona", "human"

_NAME = r"[\"'*_„“«]*((?-i:[^\W\d_a-zß-öø-ÿ])[^\W\d_]++)(?!['’]s)"
_CACHED_MESSAGES = 8192
"""Messages whose names are cached: each is in the tails of many chunks."""
_WORD = re.compile(r"\w+")
_BY_NAME = re.compile(
    r"(?:\bmy name(?:'s| is)|\bi am called|\bcall me|\bmein name ist|\bich hei(?:ß|ss)e"
    r"|\bje m['’]appelle|\bme llamo|\bmi nombre es|\bmi chiamo|\bmeu nome é|\bme chamo|\bik heet"
    rf"|(?:^|\n)[-*\t ]*+(?:name|nombre|nom|nome|naam)[\t ]*:)\s+{_NAME}",
    re.IGNORECASE,
)
_AS = re.compile(
    rf"(?:\bi am|\bi['’]m|\bich bin|\bje suis|\bsoy|\bsono|\bsou|\bik ben)\s+{_NAME}", re.IGNORECASE
)
_TOLD = re.compile(
    r"(?:\byou are|\byou['’]re|\byour name is|\bdu bist|\bdu hei(?:ß|ss)t|\bdein name ist|\btu es"
    rf"|\btu t['’]appelles|\beres|\bte llamas|\bsei|\bti chiami|\bje bent|\bje heet)\s+{_NAME}",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?:\byou are(?: (?:playing|called|named))?|\byou['’]re|\byour name is|\bdu bist|\bdu hei(?:ß|ss)t"
    r"|\bdein name ist|\btu es|\btu t['’]appelles|\beres|\bte llamas|\bsei|\bti chiami|\bje bent|\bje heet)"
    rf"\s+{_NAME}(?=\s*(?:[,.;:!?()\n]|[-–—]\s|\Z)|\s(?:and|und|et|y|e|en)\s)",
    re.IGNORECASE,
)
"""A name by which a system message introduces the persona; it also matches "You are Irish and"."""
_OTHER = re.compile(
    r"(?:\bname(?:'s| is| ist|:)|\bcalled|\bhei(?:ß|ss)t|\bs['’]appelle|\bse llama|\bsi chiama"
    rf"|\bse chama|\bheet|(?:^|\n)[-*\t ]*+)[\t ]*+{_NAME}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WhoIsWho:
    """The names of the persona and the person; empty where unknown."""

    persona: str = ""
    person: str = ""

    @property
    def sentence(self) -> str:
        """Return the sentence that says who is who; "" where no name is known."""
        you = f"You are {self.persona}" if self.persona else ""
        person = f"{self.person} is the person" if self.person else ""
        clauses = "; ".join(filter(None, (you, person)))
        return f"{clauses}." if clauses else ""

    @property
    def own_names(self) -> frozenset[str]:
        """Return the persona's name, casefolded, as a set; empty where unknown."""
        return frozenset({self.persona.casefold()} - {""})


def find_names(system_message: str, by_person: Iterable[str], own: Iterable[str]) -> WhoIsWho:
    """Return the names by which each introduces themselves or is introduced; the newest count.

    `by_person` and `own` are the texts of the person and of the persona.
    """
    personas = _names_in([system_message], _INTRODUCED) or _names_in(own, _BY_NAME)
    persona = personas[-1] if personas else ""
    persons = [name for name in _names_in(by_person, _BY_NAME) if name != persona]
    return WhoIsWho(persona, persons[-1] if persons else "")


def persons_names(
    memory: CoreMemory, said_by_person: Collection[str], own: Collection[str]
) -> frozenset[str]:
    """Return the person's names, casefolded: from `human`, and from what they say of themselves.

    `own` are texts that tell the agent who it is, or that it says: the names in them are not the
    person's.
    """
    section = memory.find(HUMAN)
    human = section.rendered if section else ""
    names = {*_names_in(said_by_person, _BY_NAME), *_names_in([human], _OTHER)}
    # "I am Nessa" gives a name only where another text has it too; "I am Irish" gives none.
    if called := set(_names_in(said_by_person, _AS)):
        names |= called.intersection(_WORD.findall(" ".join([human, *own])))
    names -= set(_names_in(own, _BY_NAME, _AS, _TOLD))
    return frozenset(name.casefold() for name in names)


def refuse_claim(before: CoreMemory, after: CoreMemory, names: frozenset[str]) -> Refusal | None:
    """Return a refusal if an edit has `persona` claim one of the person's names; else None."""
    was, now = (memory.find(PERSONA) for memory in (before, after))
    if was is None or now is None or was.value == now.value:
        return None
    old = _names_in([was.rendered], _BY_NAME, _AS)
    new = _names_in([now.rendered], _BY_NAME, _AS)
    claimed = next((name for name in new if name not in old and name.casefold() in names), None)
    if claimed is None:
        return None
    return Refusal(
        f'{claimed} is the person, and the section "{PERSONA}" is about you. What is true of the '
        f'person belongs in the section "{HUMAN}".',
        "the person's name",
    )


def claimed_name(text: str, names: frozenset[str]) -> str | None:
    """Return the first of `names` (casefolded) that the speaker of the text claims as their own."""
    claimed = _names_in([text], _BY_NAME, _AS)
    return next((name for name in claimed if name.casefold() in names), None)


def _names_in(texts: Iterable[str], *patterns: re.Pattern[str]) -> list[str]:
    return [name for text in texts for pattern in patterns for name in _all_names(text, pattern)]


@lru_cache(_CACHED_MESSAGES)
def _all_names(text: str, pattern: re.Pattern[str]) -> Sequence[str]:
    return tuple(pattern.findall(text))
