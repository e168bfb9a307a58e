"""Exports that were read, by their content; and where the chats of the last ones lie in their files."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from itertools import chain
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.seals import is_sound
from daemon.files.read import Export, ExportPart
from rules.typingmind.chat import Outline
from rules.typingmind.document import DocumentLayout
from rules.typingmind.spans import Member, Span


def record_export(archive: Archive, sha256: str, path: str, size: int, when: str) -> None:
    """Remember that an export of this content was read; the same content at the same place is one row."""
    archive.run(
        """
        INSERT INTO file_seen (sha256, path, size, seen_at) SELECT ?1, ?2, ?3, ?4
        WHERE NOT EXISTS (SELECT 1 FROM file_seen WHERE sha256 = ?1 AND path = ?2)
        """,
        (sha256, path, size, when),
    )


_KEPT = 8
"""Exports; what is kept of one is about a hundredth of it."""


def known_parts(archive: Archive, sha256: str) -> tuple[ExportPart, ...] | None:
    """The parts of the export of that hash, as this version of memproc has found them; None where it has not."""
    parts = archive.value(
        f"SELECT parts FROM layout WHERE sha256 = ? AND version = ? AND {is_sound('layout')}",  # noqa: S608
        (sha256, _version()),
    )
    return None if parts is None else tuple(_part(*rows) for rows in json.loads(parts))


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


def _as_rows(part: ExportPart) -> list[object]:
    layout = part.layout
    outlines = [
        [
            chat.chat_id, chat.span.start, chat.span.stop,
            [[member.key, member.start, member.value.start, member.value.stop] for member in chat.members],
            list(chain.from_iterable((span.start, span.stop) for span in chat.messages)),
        ]
        for chat in layout.outlines
    ]  # fmt: skip
    return [part.entry, layout.name, layout.size, layout.chunks, [digest.hex() for digest in part.hashes], outlines]


def _part(
    entry: str, name: str, size: int, chunks: Sequence[str], hashes: Sequence[str], outlines: Sequence[Any]
) -> ExportPart:
    layout = DocumentLayout(name, size, tuple(_outline(*row) for row in outlines), tuple(chunks))
    return ExportPart(entry, layout, tuple(map(bytes.fromhex, hashes)))


def _outline(chat_id: str, start: int, stop: int, members: Sequence[Any], messages: Sequence[int]) -> Outline:
    return Outline(
        Span(start, stop),
        tuple(Member(key, at, Span(first, last)) for key, at, first, last in members),
        tuple(map(Span, messages[::2], messages[1::2])),
        chat_id,
    )
