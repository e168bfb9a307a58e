"""Exports that were processed, by their content: what was dropped, and when."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.seals import is_sound
from daemon.files.read import Export, Part
from rules.typingmind.chat import Outline
from rules.typingmind.document import Layout
from rules.typingmind.spans import Member, Span


def record_export(archive: Archive, sha256: str, path: str, size: int, when: str) -> None:
    """Remember that an export of this content was read; the same content at the same place is one row."""
    with archive.transaction():
        known = archive.one("SELECT id FROM file_seen WHERE sha256 = ? AND path = ?", (sha256, path))
        if known is None:
            archive.run(
                "INSERT INTO file_seen (sha256, path, size, seen_at) VALUES (?, ?, ?, ?)", (sha256, path, size, when)
            )


_KEPT = 8
"""Exports; what is kept of one is about a hundredth of it."""


def known_parts(archive: Archive, sha256: str) -> tuple[Part, ...] | None:
    """The parts of the export of that hash, as this version of memproc has found them; None where it has not."""
    row = archive.one(
        f"SELECT parts FROM layout WHERE sha256 = ? AND version = ? AND {is_sound('layout')}",  # noqa: S608
        (sha256, _version()),
    )
    return tuple(map(_part, json.loads(row[0]))) if row else None


def keep_parts(archive: Archive, export: Export) -> None:
    """Remember where the chats of an export stand, and forget it of those that came long before."""
    key = (export.sha256, _version())
    with archive.transaction():
        if known_parts(archive, export.sha256) is None:
            parts = json.dumps([_as_rows(part) for part in export.parts], separators=(",", ":"))
            archive.run("INSERT OR REPLACE INTO layout (sha256, version, parts) VALUES (?, ?, ?)", (*key, parts))
            archive.run(
                "DELETE FROM layout WHERE number NOT IN (SELECT number FROM layout ORDER BY number DESC LIMIT ?)",
                (_KEPT,),
            )


def _version() -> str:
    return version("memproc-daemon")


def _as_rows(part: Part) -> list[object]:
    layout = part.layout
    outlines = [
        [
            one.chat_id, one.span.start, one.span.stop,
            [[member.key, member.start, member.value.start, member.value.stop] for member in one.members],
            list(chain.from_iterable((span.start, span.stop) for span in one.messages)),
        ]
        for one in layout.outlines
    ]  # fmt: skip
    return [part.entry, layout.name, layout.size, layout.chunks, [one.hex() for one in part.hashes], outlines]


def _part(rows: Sequence[Any]) -> Part:
    entry, name, size, chunks, hashes, outlines = rows
    layout = Layout(name, size, tuple(_outline(*one) for one in outlines), tuple(chunks))
    return Part(entry, layout, tuple(map(bytes.fromhex, hashes)))


def _outline(chat_id: str, start: int, stop: int, members: Sequence[Any], messages: Sequence[int]) -> Outline:
    return Outline(
        Span(start, stop),
        tuple(Member(key, at, Span(first, last)) for key, at, first, last in members),
        tuple(map(Span, messages[::2], messages[1::2])),
        chat_id,
    )


@dataclass(frozen=True, slots=True)
class Rest:
    """`sha256` is that of the chat's bytes, `stand` that of the settings, texts and versions that counted then."""

    sha256: str
    stand: str
    found: Mapping[str, Any]
    """What was found, and what else it depends on, as JSON."""


def rest_of(archive: Archive, chat_id: str) -> Rest | None:
    """What is known of the chat, if nothing has been written about it since."""
    row = archive.one(f"SELECT sha256, stand, found FROM rest WHERE chat_id = ? AND {is_sound('rest')}", (chat_id,))  # noqa: S608
    return Rest(row[0], row[1], json.loads(row[2])) if row else None


def keep_rest(archive: Archive, chat_id: str, rest: Rest) -> None:
    """The chat is at rest; what was known of it before is replaced."""
    archive.run(
        "INSERT OR REPLACE INTO rest (chat_id, sha256, stand, found) VALUES (?, ?, ?, ?)",
        (chat_id, rest.sha256, rest.stand, json.dumps(rest.found)),
    )


RESTORED = "restored"
"""In the place of the messages' hash: `memproc restore` has put a kept version there."""
_SEPARATOR = re.compile(r"[/\\]")
"""Of folders, on the system that wrote the path: no name of an updated export holds either."""
_COLUMNS = "chat_id, path, sha256, messages_sha256, source_sha256, written_at, ours_sha256"


@dataclass(frozen=True, slots=True)
class Output:
    """An updated export: where, what, and from which export it was made. The hashes are SHA-256."""

    chat_id: str
    path: str
    sha256: str
    messages_sha256: str
    source_sha256: str
    written_at: str
    ours_sha256: str = ""
    """Of what memproc itself said in it; empty where nobody knows."""


def last_output(archive: Archive, chat_id: str) -> Output | None:
    """The chat's newest updated export, whatever the clock said, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM output WHERE chat_id = ? ORDER BY id DESC LIMIT 1", (chat_id,))  # noqa: S608
    return Output(*row) if row else None


def output_in(archive: Archive, path: str) -> Output | None:
    """What was written last into this place, by whichever chat, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM output WHERE path = ? ORDER BY id DESC LIMIT 1", (path,))  # noqa: S608
    return Output(*row) if row else None


def standing_outputs(archive: Archive) -> tuple[Output, ...]:
    """The newest updated export of each chat, unless another chat has been written into the same file since.

    A whole export holds many chats, and a new chat is written first by the old one, then by itself.
    """
    rows = archive.run(
        f"""
        SELECT {_COLUMNS} FROM output
        WHERE id IN (SELECT max(id) FROM output GROUP BY chat_id) AND id IN (SELECT max(id) FROM output GROUP BY path)
        ORDER BY id
        """  # noqa: S608
    )
    return tuple(Output(*row) for row in rows)


def was_written(archive: Archive, ending: str) -> bool:
    """Whether an updated export with a name that ends so was ever written."""
    return archive.one("SELECT 1 FROM output WHERE substr(path, -length(?1)) = ?1 LIMIT 1", (ending,)) is not None


def record_output(archive: Archive, output: Output) -> None:
    """Remember that an updated export is in its place."""
    archive.run(f"INSERT INTO output ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(output))  # noqa: S608


def let_go_of_restored(archive: Archive, chat_id: str) -> None:
    """The version that was restored may be replaced by the next run."""
    archive.run(
        "UPDATE output SET messages_sha256 = '' WHERE messages_sha256 = ? "
        "AND id = (SELECT max(id) FROM output WHERE chat_id = ?)",
        (RESTORED, chat_id),
    )


def acknowledge(archive: Archive, chat_id: str, ours_sha256: str) -> None:
    """What the person did in TypingMind stands there already: the newest updated export need not say it too."""
    archive.run(
        "UPDATE output SET ours_sha256 = ? WHERE id = (SELECT max(id) FROM output WHERE chat_id = ?)",
        (ours_sha256, chat_id),
    )


def move_outputs(archive: Archive, folder: Path) -> None:
    """The updated exports lie in this folder from now on: the accounts came from another computer."""
    with archive.transaction():
        for table in ("output", "outcome"):
            paths = archive.run(f"SELECT DISTINCT path FROM {table} WHERE path <> ''")  # noqa: S608
            moved = [(str(folder / _SEPARATOR.split(path)[-1]), path) for (path,) in paths]
            archive.run_many(f"UPDATE {table} SET path = ? WHERE path = ?", moved)  # noqa: S608


_AT_ONCE = 500


def known_counts(archive: Archive, encoding: str, digests: Sequence[str]) -> dict[str, int]:
    """The counts that the archive has of these texts, in tokens of the encoding."""
    found: dict[str, int] = {}
    for start in range(0, len(digests), _AT_ONCE):
        some = digests[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        found |= archive.run(
            f"SELECT digest, tokens FROM token_count WHERE encoding = ? AND digest IN ({marks})",  # noqa: S608
            (encoding, *some),
        )
    return found


def keep_counts(archive: Archive, encoding: str, counts: Mapping[str, int]) -> None:
    """Remember counts; what is known stays."""
    with archive.transaction():
        archive.run_many(
            "INSERT OR IGNORE INTO token_count (encoding, digest, tokens) VALUES (?, ?, ?)",
            [(encoding, digest, tokens) for digest, tokens in counts.items()],
        )
