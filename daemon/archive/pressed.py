"""Changes of core memory, facts and kept passages that were pressed or typed during a run.

They are carried out at its end, in order and each once: the change and its mark as done are one
transaction.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.records import list_columns
from daemon.files.clock import at, in_full, now
from rules.typingmind.dates import write_date


@dataclass(frozen=True, slots=True)
class Pressed:
    """A change that waits, or was done or refused after a run; then `says` tells the result."""

    id: int
    change: str
    chat_id: str
    asked: Mapping[str, Any]
    """Its values by name; empty once it is done."""
    at: str
    done_at: str | None
    is_refused: bool
    says: str

    @property
    def sentence(self) -> str:
        """Return a sentence that it waits, or was done or refused."""
        asked = f"memproc {self.change}, asked at {in_full(self.at)}"
        if self.done_at is None:
            return f"Waits for the end of a run: {asked}."
        how = "Could not be done after a run" if self.is_refused else "Done after a run"
        return f"{how}: {asked}. {self.says}"


def keep_pressed(
    archive: Archive, change: str, chat_id: str, values: Mapping[str, object], when: str
) -> int:
    """Store a change to be carried out later, and return its number. Durable when this returns."""
    row = {"change": change, "chat_id": chat_id, "asked": json.dumps(values), "at": when}
    return archive.insert("pressed", row)


def waiting_presses(archive: Archive) -> tuple[Pressed, ...]:
    """Return the changes that wait, oldest first."""
    return _select(archive, "done_at IS NULL ORDER BY id")


def pressed_lines(archive: Archive, chat_id: str, *groups: str) -> list[str]:
    """Return sentences on a chat's changes that wait, or were done or refused in the last 24 hours.

    `groups` are the first words of what is typed for them: "core", "facts", "keep", "release".
    """
    yesterday = write_date(at(now()) - timedelta(days=1))
    recent = "chat_id = ? AND coalesce(done_at > ?, 1) ORDER BY id"
    return [
        pressed.sentence
        for pressed in _select(archive, recent, chat_id, yesterday)
        if pressed.change.split()[0] in groups
    ]


def find_pressed(archive: Archive, number: int) -> Pressed | None:
    """Return the change of that number; None where its chat was erased."""
    return next(iter(_select(archive, "id = ?", number)), None)


def settle_pressed(
    archive: Archive, number: int, says: str, when: str, *, is_refused: bool = False
) -> None:
    """Record the result of a change, and remove its values."""
    archive.run(
        "UPDATE pressed SET asked = '{}', done_at = ?, is_refused = ?, says = ? WHERE id = ?",
        (when, is_refused, says, number),
    )


def _select(archive: Archive, where: str, *values: object) -> tuple[Pressed, ...]:
    changes = f"SELECT {list_columns(Pressed)} FROM pressed WHERE {where}"  # noqa: S608
    return archive.rows(Pressed, changes, values)
