"""Signs: what the daemon says of itself, and what it has been told to do, one value under each name."""

from dataclasses import dataclass

from daemon.archive.archive import Archive


@dataclass(frozen=True, slots=True)
class Sign:
    """A value, and when it was set."""

    value: str
    at: str


def sign(archive: Archive, name: str) -> Sign | None:
    """What stands under the name, or None."""
    row = archive.one("SELECT value, at FROM sign WHERE name = ?", (name,))
    return Sign(*row) if row else None


def set_sign(archive: Archive, name: str, value: str, when: str) -> None:
    """Put a value under the name; it is on the disk when this returns."""
    with archive.transaction():
        archive.run(
            "INSERT INTO sign (name, value, at) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
            (name, value, when),
        )


def take_down(archive: Archive, *names: str) -> None:
    """Let nothing stand under these names any more."""
    with archive.transaction():
        archive.run_many("DELETE FROM sign WHERE name = ?", [(name,) for name in names])
