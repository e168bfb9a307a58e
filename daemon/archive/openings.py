"""The openings that stood in a chat's exports: those that memproc wrote, and those that the person edited."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.seals import is_sound
from rules.conversation.marker import text_digest


@dataclass(frozen=True, slots=True)
class KeptOpening:
    """An opening's whole text, in its tag; and what stands in it before the sections, without a tag."""

    text: str
    preface: str
    by: Literal["memproc", "person"]
    base: str = ""
    """Digest of the text that memproc wrote, where the person has edited it."""

    def goes_back_to(self, written: str) -> bool:
        """Whether it is the opening with this digest, or an edit of it."""
        return written == self.base or written == text_digest(self.text)


def openings(archive: Archive, chat_id: str) -> tuple[KeptOpening, ...]:
    """All openings of a chat, oldest first."""
    rows = archive.run(
        "SELECT text, preface, by, base FROM opening JOIN chat ON chat.id = opening.chat WHERE chat_id = ? "
        "ORDER BY opening.rowid",
        (chat_id,),
    )
    return tuple(KeptOpening(*row) for row in rows)


def reworded(kept: Sequence[KeptOpening]) -> str | None:
    """The preface as the person has reworded it, the last time; None: they have left it as memproc writes it."""
    preface = None
    for at, opening in enumerate(kept):
        if opening.by == "person":
            before = edited_from(kept[:at], opening.base)
            if before is None or before.preface != opening.preface:
                preface = opening.preface
    return preface


def edited_from(kept: Sequence[KeptOpening], written: str) -> KeptOpening | None:
    """Of the openings, oldest first, the newest that is the one with this digest or an edit of it."""
    return next((opening for opening in reversed(kept) if opening.goes_back_to(written)), None)


def keep_opening(archive: Archive, chat_id: str, opening: KeptOpening, now: str) -> None:
    """Remember an opening that stands in an export, or is about to. The same one a second time changes nothing."""
    archive.run(
        "INSERT OR IGNORE INTO opening (chat, digest, text, preface, by, base, at) "
        "VALUES ((SELECT id FROM chat WHERE chat_id = ?), ?, ?, ?, ?, ?, ?)",
        (chat_id, text_digest(opening.text), opening.text, opening.preface, opening.by, opening.base, now),
    )


def openings_named(archive: Archive, digests: Collection[str]) -> tuple[str, ...]:
    """The openings of any chat with these digests: a fork shows those of another chat."""
    sound = f"SELECT text FROM opening WHERE digest = ? AND {is_sound('opening')}"  # noqa: S608
    return tuple(sorted({text for digest in digests for text in archive.column(sound, (digest,))}))
