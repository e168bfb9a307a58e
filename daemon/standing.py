"""Whether each chat's newest updated export still is what memproc wrote, by its hash."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.outputs import last_output
from daemon.files.hashing import sha256_of


@dataclass(frozen=True, slots=True)
class Standing:
    """How one updated export stands; one that is gone may be the person's doing."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def standing_exports(archive: Archive) -> Iterator[Standing]:
    """The updated exports of all chats that have one. Each is read to its last byte."""
    for chat in known_chats(archive):
        if last := last_output(archive, chat.chat_id):
            found = sha256_of(Path(last.path))
            state: Literal["changed", "gone"] = "gone" if found is None else "changed"
            yield Standing(chat.title, Path(last.path), "as written" if found == last.sha256 else state)
