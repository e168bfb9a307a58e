"""An opening as anybody would read it: what stands first, and below headings the sections and the facts.

It is read without any look at memproc's own reading of it, and without what nobody sees: joiners, white space at ends.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.lives.keeper import SECTIONS

FACTS, KEPT = "facts", "Kept, word for word"
_HEADING = re.compile(rf"## ?({'|'.join((*SECTIONS, FACTS, KEPT))})\s*")
_SAID = re.compile(r"- (?:\d{4}-\d{2}-\d{2}, )?(?:the person|you) said:")
_BEGIN, _END = "<system>\n", "\n</system>"
_JOINER = "\u2060"

Block = tuple[str, list[str]]
"""A heading's name, empty for what stands before the first one, and the lines below it."""


@dataclass(frozen=True)
class Shown:
    """What an opening says."""

    preface: str
    sections: dict[str, str]
    facts: tuple[str, ...]
    headed: bool
    kept: tuple[str, ...] = ()
    """What is kept word for word."""


def is_tagged(text: str) -> bool:
    """It is an announcement in its tag, as nobody else writes one."""
    return text.startswith(_BEGIN) and text.endswith(_END)


def shown(text: str) -> Shown:
    """What stands in an opening; a section of which nothing can be seen is none."""
    (_, head), *parts = blocks(text)
    said = {name: plain(lines) for name, lines in parts if name not in (FACTS, KEPT)}
    facts = [fact(line) for name, lines in parts if name == FACTS for line in lines if fact(line)]
    kept = [words for name, lines in parts if name == KEPT for words in passages(lines)]
    sections = {name: one for name, one in said.items() if one}
    return Shown(plain(head), sections, tuple(facts), bool(parts), tuple(kept))


def passages(lines: Sequence[str]) -> list[str]:
    """What people see of each passage below its heading."""
    found: list[list[str]] = []
    for line in lines:
        if _SAID.fullmatch(line):
            found.append([])
        elif found:
            found[-1].append(line)
    return ["\n".join(words).replace(_JOINER, "").strip() for words in found]


def blocks(text: str) -> list[Block]:
    """The lines of an opening below each of its headings, without its tag."""
    found: list[Block] = [("", [])]
    for line in text.removeprefix(_BEGIN).removesuffix(_END).split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            found.append((heading[1], []))
        else:
            found[-1][1].append(line)
    return found


def written(parts: Iterable[Block]) -> str:
    """The opening that has these parts."""
    lines = [line for name, below in parts for line in ([f"## {name}"] if name else []) + below]
    return _BEGIN + "\n".join(lines) + _END


def plain(lines: Sequence[str]) -> str:
    """What people see of lines, whether they are entries of a list or not."""
    seen = (line.replace(_JOINER, "").rstrip().removeprefix("- ") for line in lines)
    return "\n".join(seen).strip()


def fact(line: str) -> str:
    """What people see of a fact's line."""
    return " ".join(line.replace(_JOINER, "").removeprefix("- ").split())
