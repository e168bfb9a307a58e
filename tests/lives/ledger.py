"""Read core memory, facts and kept passages from the archive with plain SQL (see witness.py)."""

import json
import sqlite3
from dataclasses import dataclass

from tests.lives.keeper import SECTIONS
from tests.lives.opening import fact, plain


@dataclass(frozen=True)
class CoreRow:
    """A change of a section."""

    number: int
    section: str
    value: str | tuple[str, ...]
    held: bool
    by: str
    memory: int | None
    own: tuple[str, ...] = ()
    """Lines that the person has written."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of the text, or the entries of the list."""
        return self.value if isinstance(self.value, tuple) else tuple(self.value.split("\n"))

    @property
    def characters(self) -> int:
        """Return its length as it is shown."""
        listed = isinstance(self.value, tuple)
        return sum(map(len, self.value)) + (3 * len(self.value) - 1 if listed and self.value else 0)

    @property
    def seen(self) -> str:
        """Return what people see of it."""
        return seen(self.value)


@dataclass(frozen=True)
class FactRow:
    """A change of a fact."""

    number: int
    fact: int
    event: str
    text: str
    said_at: str
    by: str
    memory: int | None
    forgotten: bool
    """Whether the person has deleted the memory of the chunk from which it was taken."""

    @property
    def line(self) -> str:
        """Return the fact's line in the opening as people see it."""
        day = self.said_at[:10]
        return fact(f"{day}: {self.text}" if day else self.text)


@dataclass(frozen=True)
class PassageRow:
    """A passage that is, was or may be kept word for word."""

    number: int
    message: int | None
    text: str
    state: str
    by: str


@dataclass(frozen=True)
class Ledger:
    """All that was ever noted of core memory, facts and passages, oldest first, and the steps of both layers."""

    core: tuple[CoreRow, ...] = ()
    facts: tuple[FactRow, ...] = ()
    steps: tuple[tuple[str, str, int, str | None], ...] = ()
    """Memory, layer, edition, and when the step was done; None if it is still to be done."""
    passages: tuple[PassageRow, ...] = ()

    @property
    def sections(self) -> dict[str, str]:
        """Return what people see of each section now, without empty sections."""
        now = {name: seen(section.get("value", "")) for name, section in SECTIONS.items()}
        now |= {row.section: row.seen for row in self.core}
        return {name: said for name, said in now.items() if said}

    @property
    def live(self) -> list[FactRow]:
        """Return the facts that are true now, each as it was last said."""
        newest: dict[int, FactRow] = {}
        for row in self.facts:
            if row.forgotten:
                continue
            if row.event in ("ADD", "UPDATE"):
                newest[row.fact] = row
            elif row.event in ("DELETE", "FORGET"):
                newest.pop(row.fact, None)
        return list(newest.values())


def seen(value: str | list[str] | tuple[str, ...]) -> str:
    """Return what people see of a value."""
    return plain(
        (value if isinstance(value, str) else "\n".join(f"- {entry}" for entry in value)).split(
            "\n"
        )
    )


def ledger(connection: sqlite3.Connection, chat: int) -> Ledger:
    """Return the ledger of a chat in the archive."""
    core = connection.execute(
        "SELECT core_event.id, section, value, held, by, memory.number, held_lines "
        "FROM core_event LEFT JOIN memory ON memory.id = memory WHERE core_event.chat = ? ORDER BY core_event.id",
        (chat,),
    )
    facts = connection.execute(
        "SELECT fact_event.id, fact, event, text, said_at, by, memory.number, forgotten_at IS NOT NULL "
        "FROM fact_event LEFT JOIN memory ON memory.id = memory WHERE fact_event.chat = ? ORDER BY fact_event.id",
        (chat,),
    )
    steps = connection.execute(
        "SELECT memory, layer, edition, done_at FROM layer_step WHERE memory IN (SELECT id FROM memory WHERE chat = ?) "
        "ORDER BY memory, layer",
        (chat,),
    )
    passages = connection.execute(
        "SELECT number, message, text, state, by FROM kept_passage WHERE chat = ? ORDER BY number",
        (chat,),
    )
    return Ledger(
        tuple(
            CoreRow(number, section, _value(kept), bool(held), by, memory, tuple(json.loads(own)))
            for number, section, kept, held, by, memory, own in core
        ),
        tuple(
            FactRow(number, fact, event, text, said_at, by, memory, bool(forgotten))
            for number, fact, event, text, said_at, by, memory, forgotten in facts
        ),
        tuple(steps),
        tuple(PassageRow(*row) for row in passages),
    )


def _value(kept: str) -> str | tuple[str, ...]:
    value = json.loads(kept)
    return value if isinstance(value, str) else tuple(value)
