"""Signs: single values by name, stored by the daemon and its runs; and notices told once."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.archive.archive import Archive


@dataclass(frozen=True, slots=True)
class Sign:
    """A stored value, and when it was set."""

    value: str
    at: str


def sign(archive: Archive, name: str) -> Sign | None:
    """Return the sign of that name, or None."""
    return archive.first(Sign, "SELECT value, at FROM sign WHERE name = ?", (name,))


def signs_of(archive: Archive, beginning: str) -> Mapping[str, str]:
    """Return the values of the signs with this prefix, by the rest of their names."""
    rows = archive.run(
        "SELECT substr(name, length(?1) + 1), value FROM sign "
        "WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
        (beginning,),
    )
    return dict(rows)


def all_signs(archive: Archive) -> dict[str, Sign]:
    """Return every sign, by its name."""
    rows = archive.run("SELECT name, value, at FROM sign")
    return {name: Sign(value, at) for name, value, at in rows}


def set_sign(archive: Archive, name: str, value: str, when: str) -> None:
    """Set the sign of that name; it is on the disk when this returns."""
    archive.run(
        "INSERT INTO sign (name, value, at) VALUES (?, ?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
        (name, value, when),
    )


def remove_signs(archive: Archive, *names: str) -> None:
    """Remove the signs of these names."""
    with archive.transaction():
        archive.run_many("DELETE FROM sign WHERE name = ?", [(name,) for name in names])


def is_news(archive: Archive, text: str) -> bool:
    """Return whether a notice was never told before, and mark it as told."""
    new = "INSERT OR IGNORE INTO notice VALUES (?) RETURNING 1"
    return archive.value(new, (text,)) is not None
