"""What the person has been told already, so that a notice is given once and not in every round."""

from daemon.archive.archive import Archive


def is_news(archive: Archive, text: str, when: str) -> bool:
    """Whether this was never told before; from now on it counts as told."""
    with archive.transaction():
        told = archive.one("SELECT 1 FROM notice WHERE text = ?", (text,)) is not None
        archive.run("INSERT OR IGNORE INTO notice (text, told_at) VALUES (?, ?)", (text, when))
    return not told
