"""What the context manager is shown and asked so that it keeps the facts.

system     who it is
user       the passage: raw messages, each with its role, date and a number from 1; never memories
user       the facts to compare with, numbered afresh from 0, and the question
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ValidationError

from primer.prompt import Turn, keep_inert, restore, to_remember
from primer.texts import Texts, fill
from rules.conversation.history import Entry
from rules.layers.fact_operations import Operation
from rules.layers.facts import Fact
from rules.typingmind.message import parse_date

_FORM = """\
{"memory": [
{"event": "ADD", "text": "...", "message": 1},
{"event": "UPDATE", "id": "...", "old_memory": "...", "text": "...", "message": 3},
{"event": "DELETE", "id": "...", "old_memory": "...", "message": 3},
{"event": "NONE", "id": "...", "message": 4}
]}"""


def numbered_passage(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """What stands before the question: the chunk and nothing else, each message with its number."""
    passage = "\n".join(
        to_remember(entry.message, entry.message.speaker, message=str(number)) for number, entry in enumerate(chunk, 1)
    )
    return Turn("system", texts.fact_keeper), Turn("user", passage)


def ask_facts(texts: Texts, shown: Sequence[Fact]) -> str:
    """The question, with the facts to compare with. The id of each is its place here, so that none can be made up."""
    listed = ",\n".join(json.dumps(_as_shown(number, fact), ensure_ascii=False) for number, fact in enumerate(shown))
    return fill(texts.facts, facts=f"[{listed}]", form=_FORM)


def _as_shown(number: int, fact: Fact) -> dict[str, str]:
    dated = {"date": fact.said_at[:10]} if parse_date(fact.said_at) else {}
    return {"id": str(number), "text": keep_inert(fact.text)} | dated


_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Operations:
    """What an answer wants done, in its order."""

    read: tuple[Operation, ...]
    malformed: int
    """How many entries of its list are no operations."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why nothing can be made of an answer, as a sentence that can be said to the model."""

    reason: str


def _shouted(said: object) -> object:
    return said.strip().upper() if isinstance(said, str) else said


def _number(said: object) -> int | None:
    """A message's number, if it is one: what names no message is no reason to refuse the rest."""
    text = str(said).strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len("1000000") else None


def _line(said: object) -> str:
    """A text on one line, with the tags that were made inert for the model as people wrote them."""
    return restore(" ".join(said.split())) if isinstance(said, str) else ""


class _OperationEntry(BaseModel):
    event: Annotated[Literal["ADD", "UPDATE", "DELETE", "NONE"], BeforeValidator(_shouted)]
    id: str | int | None = None
    text: Annotated[str, BeforeValidator(_line)] = ""
    old_memory: Annotated[str, BeforeValidator(_line)] = ""
    message: Annotated[int | None, BeforeValidator(_number)] = None


def read_operations(answer: str) -> Operations | Unreadable:
    """The operations that an answer holds: as an object with a list `memory`, or as a bare list of objects."""
    values = list(_values(answer))
    named = (value["memory"] for value in values if isinstance(value, dict) and isinstance(value.get("memory"), list))
    bare = (value for value in values if isinstance(value, list) and all(isinstance(entry, dict) for entry in value))
    listed = next(named, None)
    listed = next(bare, None) if listed is None else listed
    if listed is None:
        return Unreadable('The answer holds no JSON object with a list "memory".')
    read = [_operation(entry) for entry in listed]
    kept = tuple(value for value in read if value is not None)
    return Operations(kept, len(read) - len(kept))


def _values(answer: str) -> Iterator[object]:
    """Every JSON value in the answer that begins with a bracket, wherever it begins."""
    for at, character in enumerate(answer):
        if character in "{[":
            try:
                yield _DECODER.raw_decode(answer, at)[0]
            except (ValueError, RecursionError):  # brackets of prose, or more of them than Python follows
                continue


def _operation(entry: object) -> Operation | None:
    try:
        read = _OperationEntry.model_validate(entry)
    except ValidationError:
        return None
    fact_id = "" if read.id is None else str(read.id).strip()
    return Operation(read.event, fact_id, read.text, read.old_memory, read.message)
