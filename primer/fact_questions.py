"""Ask about facts, and read the answer. The context manager is shown:

system     who it is
user       the passage: raw messages, each with its role, date and a number from 1
user       the facts to compare with, numbered from 0, and the question
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ValidationError

from primer.prompt import Turn, wrap_message
from primer.wording import Texts, fill, keep_inert, restore_tags
from rules.conversation.history import Entry
from rules.layers.facts import Fact, Operation
from rules.typingmind.dates import parse_date

_FORM = """\
{"memory": [
{"event": "ADD", "text": "...", "message": 1},
{"event": "UPDATE", "id": "...", "old_memory": "...", "text": "...", "message": 3},
{"event": "DELETE", "id": "...", "old_memory": "...", "message": 3},
{"event": "NONE", "id": "...", "message": 4}
]}"""
_DECODER = json.JSONDecoder()


def numbered_passage(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """Return the turns before the question: the chunk's messages with their numbers."""
    passage = "\n".join(
        wrap_message(entry.message, entry.message.speaker, message=str(number))
        for number, entry in enumerate(chunk, 1)
    )
    return Turn("system", texts.fact_keeper), Turn("user", passage)


def ask_facts(texts: Texts, shown: Sequence[Fact]) -> str:
    """Return the question with the facts to compare.

    A fact's id is its index here, so that invented ids are noticed.
    """
    listed: list[str] = []
    for number, fact in enumerate(shown):
        entry = {"id": str(number), "text": keep_inert(fact.text)}
        if parse_date(fact.said_at):
            entry["date"] = fact.said_at[:10]
        listed.append(json.dumps(entry, ensure_ascii=False))
    facts = ",\n".join(listed)
    return fill(texts.facts, facts=f"[{facts}]", form=_FORM)


@dataclass(frozen=True, slots=True)
class Operations:
    """The operations that an answer asks for, in its order."""

    read: tuple[Operation, ...]
    malformed: int
    """How many entries of its list are no operations."""


def _to_upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _number(value: object) -> int | None:
    """Return a message's number; None for anything else, which is no reason to refuse the rest."""
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len("1000000") else None


def _line(value: object) -> str:
    """Return a text on one line, with inert tags restored; "" for anything but a text."""
    return restore_tags(" ".join(value.split())) if isinstance(value, str) else ""


class _OperationEntry(BaseModel):
    event: Annotated[Literal["ADD", "UPDATE", "DELETE", "NONE"], BeforeValidator(_to_upper)]
    id: str | int | None = None
    text: Annotated[str, BeforeValidator(_line)] = ""
    old_memory: Annotated[str, BeforeValidator(_line)] = ""
    message: Annotated[int | None, BeforeValidator(_number)] = None


def read_operations(answer: str) -> Operations | None:
    """Return an answer's operations; None where it has none.

    They are in an object with a list `memory`, or in a bare list of objects.
    """
    values = list(read_json_values(answer))
    named = (
        value["memory"]
        for value in values
        if isinstance(value, dict) and isinstance(value.get("memory"), list)
    )
    bare = (
        value
        for value in values
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
    )
    listed = next(chain(named, bare), None)
    if listed is None:
        return None
    kept: list[Operation] = []
    for entry in listed:
        try:
            read = _OperationEntry.model_validate(entry)
        except ValidationError:
            continue
        fact_id = "" if read.id is None else str(read.id).strip()
        kept.append(Operation(read.event, fact_id, read.text, read.old_memory, read.message))
    return Operations(tuple(kept), len(listed) - len(kept))


def read_json_values(answer: str) -> Iterator[object]:
    """Yield every JSON object and list in the answer, also in the middle of prose."""
    for at, character in enumerate(answer):
        if character in "{[":
            try:
                yield _DECODER.raw_decode(answer, at)[0]
            except (ValueError, RecursionError):  # brackets in prose, or nested too deep
                continue
