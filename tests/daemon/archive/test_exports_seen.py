"""An export is noted by its content."""

from daemon.archive.archive import Archive
from daemon.archive.outputs import record_export


def test_the_same_content_at_the_same_place_is_noted_once() -> None:
    with Archive.memory() as archive:
        for sha256, path in (
            ("a", "/x.json"),
            ("a", "/x.json"),
            ("b", "/x.json"),
            ("a", "/y.json"),
        ):
            record_export(archive, sha256, path, 7, "2026-03-03T00:00:00.000Z")
        assert archive.run("SELECT sha256, path FROM file_seen ORDER BY id") == [
            ("a", "/x.json"), ("b", "/x.json"), ("a", "/y.json"),
        ]  # fmt: skip
