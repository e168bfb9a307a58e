"""Caches of what depends on texts alone: their tokens, and the prices of bounds.

Each result is stored under the hash of exactly what it was computed from. It belongs to no chat,
and is computed again if it is lost.
"""

import json
from collections.abc import Mapping, Sequence

from daemon.archive.archive import Archive


def known_counts(archive: Archive, encoding: str, digests: Sequence[str]) -> dict[str, int]:
    """Return the stored tokens of these texts in an encoding, by their digests."""
    counts = """
        SELECT digest, tokens FROM token_count
        WHERE encoding = ? AND digest IN (SELECT value FROM json_each(?))
    """
    return dict(archive.run(counts, (encoding, json.dumps(digests))))


def keep_counts(archive: Archive, encoding: str, counts: Mapping[str, int]) -> None:
    """Store the tokens of texts, by their digests; stored ones stay."""
    with archive.transaction():
        archive.run_many(
            "INSERT OR IGNORE INTO token_count (encoding, digest, tokens) VALUES (?, ?, ?)",
            [(encoding, digest, tokens) for digest, tokens in counts.items()],
        )


def known_prices(archive: Archive, window: bytes) -> bytes | None:
    """Return the prices of a window's bounds, one byte each, by its hash; None if not stored."""
    prices: bytes | None = archive.value(
        "SELECT CAST(prices AS BLOB) FROM bound_prices WHERE window = ?", (window,)
    )
    return prices


def keep_prices(archive: Archive, prices: Mapping[bytes, bytes]) -> None:
    """Store the prices of the bounds in windows, by their hashes, replacing damaged ones."""
    with archive.transaction():
        archive.run_many(
            "INSERT OR REPLACE INTO bound_prices (window, prices) VALUES (?, ?)",
            list(prices.items()),
        )
