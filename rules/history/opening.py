"""What stands in an opening message: its preface, and below headings the core memory's sections and the facts.

`rules/output/opening.py` writes it. It is read back as people's editors leave it: other line breaks, white space at
the end of lines, and further empty lines between the parts change nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rules.history.inert_lines import JOINER, make_inert, restore

FACTS = "facts"
"""The heading above the facts; no section has this name."""
HEADING = "##"

_TAGGED = re.compile(r"<system>\n(.*)\n</system>", re.DOTALL)
_BULLET = re.compile(r"[-*•](?:\s+|$)")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DATED = re.compile(rf"({_DAY}):\s*(.*)")
_DAY_IN_FRONT = re.compile(rf"\A(?={JOINER}*+{_DAY}:)")
_INERT_DAY = re.compile(rf"\A{JOINER}(?={JOINER}*+{_DAY}:)")


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact as the opening shows it. `day` is as in 2024-03-05, and empty where nobody knows it."""

    day: str
    text: str


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening, as it reads."""

    preface: str
    """What stands before the sections and the sentence that introduces them."""
    sections: Mapping[str, str]
    """The text below the heading of each section, empty where there is none. A list is a line `- entry` for each."""
    facts: tuple[FactLine, ...]
    headed: bool
    """At least one heading stands in it, of a section or of the facts."""


def one_line(text: str) -> str:
    """A fact's text as it stands in the opening: on a single line, whatever its white space was."""
    return " ".join(text.split())


def fact_line(fact: FactLine) -> str:
    """The line of a fact. A text that begins like a day is made inert, so that it is not taken for one."""
    said = _DAY_IN_FRONT.sub(JOINER, one_line(fact.text))
    return f"- {fact.day}: {said}" if fact.day else f"- {said}"


def read_opening(text: str, names: Collection[str], introduction: str) -> Opening:
    """Read an opening without its tag; `names` are those of all sections that it may show.

    What stands between the introduction and the first heading is the end of the preface. Without any heading, all of
    it is the preface, to the byte. A heading that stands there twice has the texts of both.
    """
    head, parts = _parts(text, {*names, FACTS})
    if not parts:
        return Opening(text, {}, (), headed=False)
    sections = {name: restore("\n\n".join(filter(None, said))) for name, said in parts.items() if name != FACTS}
    facts = tuple(_facts("\n".join(parts.get(FACTS, []))))
    return Opening(_preface(head, make_inert(introduction)), sections, facts, headed=True)


def read_tagged(text: str, names: Collection[str], introduction: str) -> Opening:
    """The same for an opening as it stands in a message: in its tag, if the person has left that."""
    tagged = _TAGGED.fullmatch(text.strip().replace("\r\n", "\n"))
    return read_opening(tagged[1] if tagged else text, names, introduction)


def _parts(text: str, names: Collection[str]) -> tuple[str, dict[str, list[str]]]:
    """What stands before the first heading, and the texts below each; without empty lines at their ends."""
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in text.replace("\r\n", "\n").split("\n"):
        name = line.removeprefix(HEADING).strip() if line.startswith(HEADING) else ""
        if name in names:
            blocks.append((name, []))
        else:
            blocks[-1][1].append(line.rstrip())
    head, *below = ((name, "\n".join(lines).strip("\n")) for name, lines in blocks)
    parts: dict[str, list[str]] = {}
    for name, said in below:
        parts.setdefault(name, []).append(said)
    return head[1], parts


def _preface(head: str, introduction: str) -> str:
    """The head without the introduction, where this stands there as it was written."""
    at = head.rfind(introduction)
    around = (head[:at], head[at + len(introduction) :]) if at >= 0 else (head,)
    return restore("\n\n".join(filter(None, (part.strip("\n") for part in around))))


def _facts(text: str) -> Iterator[FactLine]:
    for line in _joined(text.split("\n")):
        dated = _DATED.fullmatch(line)
        day, said = dated.groups() if dated else ("", line)
        if said:
            yield FactLine(day, _INERT_DAY.sub("", one_line(said)))


def _joined(lines: Iterable[str]) -> list[str]:
    """One line for each fact: an indented one without a bullet goes on with the fact before it."""
    found: list[str] = []
    for line in lines:
        said = line.strip()
        bullet = _BULLET.match(said)
        if line[:1].isspace() and found and said and not bullet:
            found[-1] = f"{found[-1]} {said}"
        elif said:
            found.append(said[bullet.end() :] if bullet else said)
    return found
