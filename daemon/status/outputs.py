"""Whether each updated export still is what memproc wrote, by its hash."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.outputs import standing_outputs
from daemon.files.packed import sha256_of


@dataclass(frozen=True, slots=True)
class Standing:
    """How one updated export stands; one that is gone may be the person's doing."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def standing_exports(archive: Archive) -> Iterator[Standing]:
    """The updated exports that chats have now, each file once. Each is read to its last byte."""
    titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    for output in standing_outputs(archive):
        found = sha256_of(Path(output.path))
        state: Literal["changed", "gone"] = "gone" if found is None else "changed"
        yield Standing(
            titles.get(output.chat_id, output.chat_id),
            Path(output.path),
            "as written" if found == output.sha256 else state,
        )
