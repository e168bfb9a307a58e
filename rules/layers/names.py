"""Who is who in the core memory: an edit of `persona` that claims the person's name is none of the persona's.

A claim is a name behind words such as "my name is"; in what somebody says of themselves, of the agent (the system
message), or of somebody else (the section `human`). Small models take the person's name, and their life, for their own.
"""

import re
from collections.abc import Collection, Iterable

from rules.layers.core import CoreMemory, Refusal

PERSONA, HUMAN = "persona", "human"

_NAME = r"[\"'*_„“«]*((?-i:[^\W\d_a-zß-öø-ÿ])[^\W\d_]++)(?!['’]s)"
_BY_NAME = re.compile(
    r"(?:\bmy name(?:'s| is)|\bi am called|\bcall me|\bmein name ist|\bich hei(?:ß|ss)e|\bje m['’]appelle|\bme llamo"
    r"|\bmi nombre es|\bmi chiamo|\bmeu nome é|\bme chamo|\bik heet"
    rf"|(?:^|\n)[-*\s]*(?:name|nombre|nom|nome|naam)\s*:)\s+{_NAME}",
    re.IGNORECASE,
)
_AS = re.compile(
    rf"(?:\bi am|\bi['’]m|\bich bin|\bje suis|\bsoy|\bsono|\bsou|\bik ben)\s+{_NAME}", re.IGNORECASE
)
_TOLD = re.compile(
    r"(?:\byou are|\byou['’]re|\byour name is|\bdu bist|\bdu hei(?:ß|ss)t|\bdein name ist|\btu es|\btu t['’]appelles"
    rf"|\beres|\bte llamas|\bsei|\bti chiami|\bje bent|\bje heet)\s+{_NAME}",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:\bname(?:'s| is| ist|:)|\bcalled|\bhei(?:ß|ss)t|\bs['’]appelle|\bse llama|\bsi chiama|\bse chama|\bheet"
    rf"|(?:^|\n)[-*\s]*)\s*{_NAME}",
    re.IGNORECASE,
)


def persons_names(
    memory: CoreMemory, said_by_person: Iterable[str], own: Collection[str]
) -> frozenset[str]:
    """The names by which the person is known: from `human`, and from how they speak of themselves.

    `own` are texts that tell the agent who it is, and what the agent says: the names in them are its own.
    """
    section = memory.find(HUMAN)
    human = section.rendered if section else ""
    names = {name for text in said_by_person for name in _BY_NAME.findall(text)} | set(
        _OTHER.findall(human)
    )
    # "I am Irish" tells no name; "I am Nessa" does, where somebody else calls the person so, too.
    known = " ".join([human, *own])
    names |= {
        name
        for text in said_by_person
        for name in _AS.findall(text)
        if re.search(rf"\b{name}\b", known)
    }
    agents = {
        name for text in own for pattern in (_BY_NAME, _AS, _TOLD) for name in pattern.findall(text)
    }
    return frozenset(name.casefold() for name in names - agents)


def claims(before: CoreMemory, after: CoreMemory, names: frozenset[str]) -> Refusal | None:
    """Why the edit cannot be made, where it brings a name of the person's into `persona` as the agent's own."""
    was, now = (memory.find(PERSONA) for memory in (before, after))
    if was is None or now is None or was.value == now.value:
        return None
    new = [name for pattern in (_BY_NAME, _AS) for name in pattern.findall(now.rendered)]
    old = {name for pattern in (_BY_NAME, _AS) for name in pattern.findall(was.rendered)}
    claimed = next((name for name in new if name not in old and name.casefold() in names), None)
    if claimed is None:
        return None
    return Refusal(
        f'{claimed} is the person, and the section "{PERSONA}" is about you. What is true of the person belongs in '
        f'the section "{HUMAN}".',
        "the person's name",
    )
