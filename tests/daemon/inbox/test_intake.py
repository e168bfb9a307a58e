"""The copy of a file that stands still."""

import os
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from daemon.files.candidates import sighting_of
from daemon.files.paths import arrivals_folder
from daemon.inbox import intake
from daemon.inbox.intake import Changed, copy_path, take
from rules.arrival import Sighting
from rules.errors import FileTrouble

CONTENT = b'{"a": 1}' * 300_000  # more than two blocks


def new(content_sha256: str) -> str:
    return ""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "inbox" / "a.JSON"
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    return path


def seen(path: Path) -> Sighting:
    return sighting_of(path.stat())


def left_behind(state: Path) -> list[Path]:
    return list(arrivals_folder(state).iterdir())


def test_a_file_is_copied_whole_and_hashed(source: Path, tmp_path: Path) -> None:
    digest = sha256(CONTENT).hexdigest()
    assert take(source, seen(source), tmp_path, new) == (digest, "")
    path = tmp_path / "arrivals" / f"{digest}.json"
    assert path.read_bytes() == CONTENT
    assert copy_path(tmp_path, digest, source.name) == path
    assert left_behind(tmp_path) == [path]


def test_a_copy_is_as_old_as_the_file(source: Path, tmp_path: Path) -> None:
    os.utime(source, ns=(0, 1_700_000_000_123_456_700))
    digest, _ = take(source, seen(source), tmp_path, new)
    copy = copy_path(tmp_path, digest, source.name).stat()
    assert copy.st_mtime_ns == source.stat().st_mtime_ns
    assert copy.st_atime > source.stat().st_mtime, "what clears old copies away goes by this"


def test_known_content_is_not_kept(source: Path, tmp_path: Path) -> None:
    found = take(source, seen(source), tmp_path, lambda _: "already done")
    assert found == (sha256(CONTENT).hexdigest(), "already done")
    assert left_behind(tmp_path) == []


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b" ")


def rewrite(path: Path) -> None:
    path.write_bytes(CONTENT[:-1] + b" ")


def replace(path: Path) -> None:
    (path.parent / "b.json").write_bytes(CONTENT)
    (path.parent / "b.json").replace(path)


def link(path: Path) -> None:
    (path.parent / "b.json").write_bytes(CONTENT)
    path.unlink()
    path.symlink_to(path.parent / "b.json")


CHANGES = [grow, rewrite, replace, link, Path.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_before_the_copy_is_not_taken(
    source: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    before = seen(source)
    change(source)
    with pytest.raises(Changed):
        take(source, before, tmp_path, new)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("late", [False, True])
def test_a_file_that_changes_during_the_copy_is_not_taken(
    source: Path,
    tmp_path: Path,
    change: Callable[[Path], None],
    late: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pour = intake._copy_blocks

    def pour_and_change(*all: object) -> object:
        if late:
            poured = pour(*all)  # type: ignore[arg-type]
            change(source)
            return poured
        change(source)
        return pour(*all)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "_copy_blocks", pour_and_change)
    with pytest.raises(Changed):
        take(source, seen(source), tmp_path, new)
    assert left_behind(tmp_path) == []


class Stingy(BytesIO):
    """A file that takes a thousand bytes at a time, as one on a disk that is nearly full may."""

    name = "stingy"

    def write(self, block: Any, /) -> int:
        return super().write(block[:1000])


def test_a_disk_that_takes_only_a_part_at_once_gets_the_rest_too(source: Path) -> None:
    copy = Stingy()
    with source.open("rb") as file:
        assert intake._copy_blocks(file, copy, len(CONTENT)) == (
            sha256(CONTENT).hexdigest(),
            len(CONTENT),
        )
    assert copy.getvalue() == CONTENT


def test_a_link_is_never_followed(source: Path, tmp_path: Path) -> None:
    link = source.with_name("link.json")
    link.symlink_to(source)
    with pytest.raises(Changed):
        take(link, seen(source), tmp_path, new)


def test_a_file_that_grows_for_ever_does_not_fill_the_disk(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seen(source)
    endless = source.with_name("endless")
    with endless.open("wb") as file:
        file.truncate(1 << 40)
    monkeypatch.setattr(intake, "open_dropped", lambda path: endless.open("rb"))
    monkeypatch.setattr(intake, "sighting_at", lambda path: before)
    with pytest.raises(Changed):
        take(source, before, tmp_path, new)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("call", ["flush_file", "put_in_place", "flush_folder"])
def test_a_disk_that_refuses_is_told_and_nothing_is_left_behind(
    source: Path, tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*all: object) -> None:
        raise OSError(28, os.strerror(28))

    (tmp_path / "arrivals").mkdir()
    monkeypatch.setattr(intake, call, refuse)
    with pytest.raises(FileTrouble, match="the disk is full") as refused:
        take(source, seen(source), tmp_path, new)
    assert refused.value.next_step
    # After the rename the copy is whole; that its name may not last is why it does not count.
    assert [path for path in left_behind(tmp_path) if path.name.startswith(".")] == []


def test_an_error_of_the_sources_disk_is_not_the_state_folders(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, path: Path) -> None:
            self._file = path.open("rb")

        def __enter__(self) -> "Failing":
            return self

        def __exit__(self, *fault: object) -> None:
            self._file.close()

        def fileno(self) -> int:
            return self._file.fileno()

        def read(self, size: int) -> bytes:
            raise OSError(5, os.strerror(5))

    monkeypatch.setattr(intake, "open_dropped", Failing)
    with pytest.raises(Changed, match="could not be read to its end"):
        take(source, seen(source), tmp_path, new)
