"""An export that comes again unchanged is known by its hash, and is not walked over again."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from daemon.archive.archive import Archive
from daemon.archive.outputs import keep_parts, known_parts
from daemon.files.read import Export, read_export
from tests.chats import chat, export_bytes
from tests.exports.chats import CHATS
from tests.exports.files import CONTAINERS, ZIPS


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def read(archive: Archive, path: Path, data: bytes) -> Export:
    path.write_bytes(data)
    return read_export(path, partial(known_parts, archive))


@pytest.mark.parametrize("data", [*CONTAINERS.values(), *ZIPS.values(), export_bytes(*CHATS.values(), ascii_only=True)])
def test_what_is_known_of_an_export_is_what_was_found_in_it(archive: Archive, tmp_path: Path, data: bytes) -> None:
    found = read(archive, tmp_path / "a.json", data)
    keep_parts(archive, found)
    assert known_parts(archive, found.sha256) == found.parts
    assert list(read(archive, tmp_path / "a.json", data).chats()) == list(found.chats())


def test_an_unchanged_file_is_not_walked_over(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, other = export_bytes(chat()), export_bytes(chat(), chat(chatID="another"))
    keep_parts(archive, read(archive, tmp_path / "a.json", before))

    def refuse(*_: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr("daemon.files.read.lay_out_document", refuse)
    assert len(list(read(archive, tmp_path / "renamed.json", before).chats())) == 1
    with pytest.raises(AssertionError):
        read(archive, tmp_path / "a.json", other)


def test_what_another_version_has_found_does_not_count(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read(archive, tmp_path / "a.json", export_bytes(chat()))
    keep_parts(archive, found)
    monkeypatch.setattr("daemon.archive.outputs.version", lambda _: "another")
    assert known_parts(archive, found.sha256) is None
    keep_parts(archive, found)
    assert known_parts(archive, found.sha256) == found.parts


def test_only_the_last_few_exports_are_known(archive: Archive, tmp_path: Path) -> None:
    found = [read(archive, tmp_path / "a.json", export_bytes(chat(chatID=f"c{number}"))) for number in range(20)]
    for export in found:
        keep_parts(archive, export)
        keep_parts(archive, export)
    assert [export for export in found if known_parts(archive, export.sha256)] == found[-8:]
