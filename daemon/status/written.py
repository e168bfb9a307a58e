"""Look at the updated exports that memproc has written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.outputs import standing_outputs
from daemon.files.packing import sha256_of


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """An updated export as it is now; one that is gone may be the person's doing."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def written_exports(archive: Archive) -> Iterator[WrittenExport]:
    """Yield the updated exports that chats have now, each file once; each is read to its end."""
    titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    for output in standing_outputs(archive):
        path = Path(output.path)
        content = sha256_of(path)
        state: Literal["changed", "gone"] = "gone" if content is None else "changed"
        title = titles.get(output.chat_id, output.chat_id)
        yield WrittenExport(title, path, "as written" if content == output.sha256 else state)
