"""Token counts by content hash: a text is counted once."""

from collections.abc import Mapping, Sequence

from daemon.archive.archive import Archive

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
