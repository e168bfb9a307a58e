"""Show records to a model: quoted line by line, dated, and within a bound of tokens.

What an archive holds is not trusted. So each line begins with "> ", control characters are written
out, our tags are inert, and no line can end the quotation, pose as ours, or steer its reader. A
record is a text and the same as data, both within the bound: some programs show a model the one,
some the other.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.models.tokens import tokens_at_most
from daemon.status.printable import in_one_line, make_visible
from primer.wording import make_tags_inert
from rules.typingmind.dates import day_of

_HEAD_TOKENS = 200
LIST_TOKENS = 1_500 - _HEAD_TOKENS
TEXT_TOKENS = 4_000 - _HEAD_TOKENS
"""The tokens for the records of an answer, as text or data; the rest is for what is around them."""
CUT = " [cut here]"
_MOST_CHARACTERS = 4  # in a token
_LONGEST_NAME = 200  # characters of a title or an id
_PLAIN_NAME = re.compile(r"[\w:#.-]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """A piece of a tool's answer, as a text and as data."""

    text: str
    data: Mapping[str, Any]

    @property
    def tokens(self) -> int:
        """Return a bound on the tokens of the longer of the two forms."""
        data = json.dumps(self.data, ensure_ascii=False)
        return 1 + max(tokens_at_most(self.text), tokens_at_most(data))


def make_plain(text: str) -> str:
    """Return a foreign text with nothing that steers or deceives, and with our tags inert."""
    return make_tags_inert(make_visible(text))


def in_quotes(text: str) -> str:
    """Return the text as a quotation, line by line."""
    return "\n".join(f"> {make_plain(line)}" for line in text.strip().splitlines()) or "> (nothing)"


def named(name: str) -> str:
    """Return a title or an id for a line of ours: quoted and cut unless it is a plain word."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    inert = make_tags_inert(in_one_line(name[:_LONGEST_NAME]))
    without_quotes = inert.replace('"', "'")
    return f'"{without_quotes}"'


def in_data(name: str) -> str:
    """Return a title or an id as data, cut, and with nothing that steers or deceives."""
    return make_plain(name[:_LONGEST_NAME])


def dated(date: str | None) -> str:
    """Return the day of a date of the archive."""
    return day_of(date) or "an unknown day"


def quote_record(head: str, text: str, data: Mapping[str, Any]) -> Record:
    """Return a record with its text quoted under the head, and added to the data."""
    return Record(f"{head}\n{in_quotes(text)}", {**data, "text": make_plain(text)})


def fit_record(head: str, text: str, data: Mapping[str, Any], tokens: int) -> Record:
    """Return the record of the text, or of as much of it as fits, marked as cut."""
    record = quote_record(head, text, data)
    while record.tokens > tokens and text:
        characters = len(text) * tokens // record.tokens
        text = text[: min(len(text) - 1, characters)]
        record = quote_record(head, text + CUT, data)
    return record


def records_within(records: Sequence[Record], tokens: int) -> tuple[Record, ...]:
    """Return as many of the first records as fit together."""
    fitting: list[Record] = []
    for record in records:
        tokens -= record.tokens
        if tokens < 0:
            break
        fitting.append(record)
    return tuple(fitting)


def cut_pages(parts: Iterable[str], tokens: int) -> Iterator[str]:
    """Yield the parts, with an empty line between them, in pages that fit, cut between lines.

    Only a line that is larger than a page is itself cut.
    """
    page: list[str] = []
    size = 0
    for line in (line for part in parts for line in (*_short_lines(part, tokens), "")):
        weight = _in_either_form(line)
        if page and size + weight > tokens:
            yield "\n".join(page).rstrip("\n")
            page, size = [], 0
        if page or line:
            page.append(line)
            size += weight
    if page:
        yield "\n".join(page).rstrip("\n")


def _short_lines(text: str, tokens: int) -> Iterator[str]:
    """Yield the lines of the text; one larger than a page is yielded in pieces, each quoted."""
    for line in text.split("\n"):
        mark = "> " if line.startswith("> ") else ""
        remaining = line.removeprefix(mark)
        while len(remaining) > tokens or _in_either_form(mark + remaining) > tokens:
            piece = remaining[: _MOST_CHARACTERS * tokens]
            while _in_either_form(mark + piece) > tokens:
                piece = piece[: len(piece) * 9 // 10]
            yield mark + piece
            remaining = remaining[len(piece) :]
        yield mark + remaining


def _in_either_form(line: str) -> int:
    """Return a bound on the tokens of a line, as text or as JSON."""
    return tokens_at_most(json.dumps(line, ensure_ascii=False))
