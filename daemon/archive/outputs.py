"""Updated exports that were written."""

from dataclasses import astuple, dataclass

from daemon.archive.archive import Archive

_COLUMNS = "chat_id, path, sha256, messages_sha256, source_sha256, written_at"


@dataclass(frozen=True, slots=True)
class Output:
    """An updated export: where, what, and from which export it was made. The hashes are SHA-256."""

    chat_id: str
    path: str
    sha256: str
    messages_sha256: str
    source_sha256: str
    written_at: str


def last_output(archive: Archive, chat_id: str) -> Output | None:
    """The chat's newest updated export, whatever the clock said, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM output WHERE chat_id = ? ORDER BY id DESC LIMIT 1", (chat_id,))  # noqa: S608
    return Output(*row) if row else None


def record_output(archive: Archive, output: Output) -> None:
    """Remember that an updated export is in its place."""
    with archive.transaction():
        archive.run(f"INSERT INTO output ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", astuple(output))  # noqa: S608
