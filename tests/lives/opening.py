"""Parse an opening as a person would read it: the preface, and the sections, facts and passages below headings.

It does not use memproc's own parser, and ignores what nobody sees: joiners, and white space at ends.
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
"""A heading's name, "" for the lines before the first heading, and the lines below it."""


@dataclass(frozen=True)
class Shown:
    """The parts of an opening as people see them."""

    preface: str
    sections: dict[str, str]
    facts: tuple[str, ...]
    headed: bool
    kept: tuple[str, ...] = ()
    """The passages that are kept word for word."""


def is_tagged(text: str) -> bool:
    """Return whether the text is in the tag of openings, which nobody else writes."""
    return text.startswith(_BEGIN) and text.endswith(_END)


def shown(text: str) -> Shown:
    """Return the parts of an opening; sections of which nothing can be seen are left out."""
    (_, head), *parts = blocks(text)
    texts = {name: plain(lines) for name, lines in parts if name not in (FACTS, KEPT)}
    facts = [fact(line) for name, lines in parts if name == FACTS for line in lines if fact(line)]
    kept = [words for name, lines in parts if name == KEPT for words in passages(lines)]
    sections = {name: one for name, one in texts.items() if one}
    return Shown(plain(head), sections, tuple(facts), bool(parts), tuple(kept))


def passages(lines: Sequence[str]) -> list[str]:
    """Return what people see of each passage in the lines below the heading."""
    texts: list[list[str]] = []
    for line in lines:
        if _SAID.fullmatch(line):
            texts.append([])
        elif texts:
            texts[-1].append(line)
    return ["\n".join(words).replace(_JOINER, "").strip() for words in texts]


def blocks(text: str) -> list[Block]:
    """Return the lines of an opening below each of its headings, without its tag."""
    parts: list[Block] = [("", [])]
    for line in text.removeprefix(_BEGIN).removesuffix(_END).split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            parts.append((heading[1], []))
        else:
            parts[-1][1].append(line)
    return parts


def written(parts: Iterable[Block]) -> str:
    """Return the text of an opening with these parts."""
    lines = [line for name, below in parts for line in ([f"## {name}"] if name else []) + below]
    return _BEGIN + "\n".join(lines) + _END


def plain(lines: Sequence[str]) -> str:
    """Return what people see of lines, whether they are entries of a list or not."""
    seen = (line.replace(_JOINER, "").rstrip().removeprefix("- ") for line in lines)
    return "\n".join(seen).strip()


def fact(line: str) -> str:
    """Return what people see of a fact's line."""
    return " ".join(line.replace(_JOINER, "").removeprefix("- ").split())
