"""An export is read from disk within bounds, whatever the file turns out to be."""

import hashlib
import io
import os
import tracemalloc
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files import packing
from daemon.files.read import chats_in, fingerprint_of, read_export
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind.document import DocumentLayout, lay_out_document
from tests.chats import chat, export_bytes, json_bytes, long_chat
from tests.exports.chats import CHATS
from tests.exports.files import CONTAINERS, FOREIGN, ZIPS, chunked_zip, zip_bytes

PLAIN = CHATS["plain"]
INDEX = export_bytes(PLAIN)


def refused(data: bytes) -> str:
    with pytest.raises(NotAnExport) as caught:
        chats_in("x.zip", data)
    assert caught.value.next_step
    return caught.value.message


@pytest.mark.parametrize("data", [INDEX, ZIPS["chunked"]])
def test_a_file_is_read_with_its_hash_and_its_stand(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "export"
    path.write_bytes(data)
    export = read_export(path)

    assert (export.path, export.sha256) == (path, hashlib.sha256(data).hexdigest())
    assert export.fingerprint == fingerprint_of(path)
    assert export.fingerprint.size == len(data)
    assert next(export.chats()).title == "The lighthouse"


def test_another_file_in_its_place_has_another_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(INDEX)
    before = fingerprint_of(path)
    path.write_bytes(INDEX + b" ")
    assert fingerprint_of(path) != before
    path.unlink()
    assert fingerprint_of(path) is None


def test_a_folder_is_read_within_the_bounds_of_a_zip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Export"
    with zipfile.ZipFile(io.BytesIO(chunked_zip([PLAIN], [PLAIN | {"chatID": "b"}]))) as package:
        package.extractall(folder)
    assert read_export(folder).sha256 == read_export(folder).sha256
    monkeypatch.setattr(packing, "LARGEST_BYTES", 2000)
    with pytest.raises(NotAnExport, match="Export has 0 MiB"):
        read_export(folder)


def test_a_part_of_a_folder_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(chunked_zip([PLAIN]))) as package:
        package.extractall(tmp_path / "Export")
    export = read_export(tmp_path / "Export")
    with (tmp_path / "Export/chunks/chats_part_1.json").open("ab") as part:
        part.write(b" ")
    with pytest.raises(FileTrouble, match="was changed while memproc read it"):
        list(export.chats())


def test_several_exports_zipped_together_are_refused_with_what_to_do() -> None:
    assert refused(zip_bytes({"a/data.json": INDEX, "b/data.json": INDEX})) == (
        "x.zip holds 2 exports, each in a folder of its own."
    )


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_gives_the_chats_of_all_its_parts(name: str) -> None:
    assert [one.title for one in chats_in("x.zip", ZIPS[name])] == ["The lighthouse", "The second"]


def test_a_zip_may_bear_any_name_and_json_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(ZIPS["plain"])
    (tmp_path / "b.zip").write_bytes(INDEX)
    assert [len(list(read_export(tmp_path / name).chats())) for name in ("a.json", "b.zip")] == [
        2,
        1,
    ]


def test_errors_name_the_part_of_the_zip() -> None:
    assert refused(zip_bytes({"data.json": b"[1"})).startswith("x.zip:data.json is cut off")
    broken = zip_bytes(
        {"data.json": json_bytes({"data": {"chats": {"chunks": ["c.json"]}}}), "c.json": b"{}"}
    )
    assert refused(broken).startswith("x.zip:c.json is not proper JSON at line 1, column 1")


def test_the_index_of_a_zip_by_itself_says_where_the_chats_are() -> None:
    assert refused(FOREIGN["index of a ZIP"]) == (
        "x.zip is the index of a ZIP export, and the chats are in the other files of that ZIP."
    )


def test_a_zip_without_its_index_is_another_zip() -> None:
    assert refused(zip_bytes({"items/CHAT_1.json": b"{}"})) == (
        "x.zip is a ZIP file without a data.json, so it is no TypingMind export."
    )
    assert "without a data.json" in refused(zip_bytes({}))


def test_a_part_that_is_missing_is_told() -> None:
    data = chunked_zip(
        [PLAIN], index=["chunks/chats_part_1.json", "chunks/gone.json", "chunks/gone too.json"]
    )
    assert refused(data) == "x.zip lacks 2 of the parts that it names."


def test_a_part_that_is_named_twice_is_read_once() -> None:
    data = chunked_zip([PLAIN], index=["chunks/chats_part_1.json"] * 1000)
    assert len(chats_in("x.zip", data)) == 1


@given(st.integers(4, len(ZIPS["chunked"]) - 1))
def test_a_zip_that_stops_anywhere_is_told_to_be_cut_off(size: int) -> None:
    assert refused(ZIPS["chunked"][:size]) == "x.zip is a ZIP file that is damaged or cut off."


def with_flag(data: bytes, flag: int) -> bytes:
    """The ZIP with that flag set on every entry, in the directory as in front of the contents."""
    changed = bytearray(data)
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(sign)
        while at >= 0:
            changed[at + place] |= flag
            at = data.find(sign, at + 4)
    return bytes(changed)


def test_an_encrypted_zip_is_told() -> None:
    assert refused(with_flag(ZIPS["plain"], 1)) == "x.zip is an encrypted ZIP file."


def test_an_encrypted_attachment_is_none_of_our_business() -> None:
    file = io.BytesIO(zip_bytes({"data.json": INDEX}))
    with zipfile.ZipFile(file, "a") as package:
        package.writestr("attachments/x.blob", b"x")
    data = bytearray(file.getvalue())
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    assert len(chats_in("x.zip", bytes(data))) == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_in_another_way_is_told(method: int) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as package:
        package.writestr("data.json", INDEX)
    assert refused(file.getvalue()) == "x.zip is a ZIP file packed in an unusual way."


def test_a_stored_zip_is_read() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as package:
        package.writestr("data.json", INDEX)
    assert len(chats_in("x.zip", file.getvalue())) == 1


def test_a_bomb_is_known_by_what_it_claims_before_it_is_unpacked() -> None:
    """Each part is within the limit, all together are not."""
    names = [f"chunks/{number}.json" for number in range(3)]
    index = json_bytes({"data": {"chats": {"chunks": names}}})
    data = bytearray(zip_bytes({"data.json": index} | dict.fromkeys(names, b"[]")))
    at = data.find(b"PK\x01\x02", data.find(b"PK\x01\x02") + 4)
    while at >= 0:
        data[at + 24 : at + 28] = (200 << 20).to_bytes(4, "little")
        at = data.find(b"PK\x01\x02", at + 4)
    assert (
        refused(bytes(data))
        == "x.zip, unpacked, has 600 MiB, and memproc reads exports of up to 512 MiB."
    )


def test_a_bomb_in_the_index_is_known_too() -> None:
    data = bytearray(zip_bytes({"data.json": INDEX}))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = (3000 << 20).to_bytes(4, "little")
    assert (
        refused(bytes(data))
        == "x.zip, unpacked, has 3,000 MiB, and memproc reads exports of up to 512 MiB."
    )


def test_a_bomb_that_claims_to_be_small_is_not_unpacked_beyond_its_claim() -> None:
    data = bytearray(zip_bytes({"data.json": b" " * 10_000_000}))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = (100).to_bytes(4, "little")
    tracemalloc.start()
    try:
        assert refused(bytes(data)) == "x.zip is a ZIP file that is damaged or cut off."
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_attachments_of_any_size_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGEST_BYTES", len(INDEX))
    assert chats_in("x.zip", zip_bytes({"data.json": INDEX, "attachments/film.json": b"x" * 5000}))


def test_a_zip_with_very_many_files_is_refused_before_its_directory_is_read() -> None:
    assert refused(b"PK\x03\x04" + b"PK\x01\x02" * 20_001) == "x.zip holds more than 20,000 files."


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate((512 << 20) + 1)
    with pytest.raises(
        NotAnExport, match="has 512 MiB, and memproc reads exports of up to 512 MiB"
    ):
        read_export(path)


def test_a_file_at_the_limit_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGEST_BYTES", len(INDEX))
    (tmp_path / "a.json").write_bytes(INDEX)
    assert read_export(tmp_path / "a.json").chat_ids


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="There is no file"):
        read_export(tmp_path / "a.json")


@pytest.mark.timeout(60)
def test_a_named_pipe_and_a_folder_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe.json", "folder.json"):
        with pytest.raises(FileTrouble, match="is no regular file"):
            read_export(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(INDEX)
    (tmp_path / "a.json").chmod(0o000)
    with pytest.raises(FileTrouble, match="cannot be read: Permission denied"):
        read_export(tmp_path / "a.json")


@given(
    st.sampled_from(sorted(ZIPS)),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4),
)
def test_a_damaged_zip_is_read_or_refused(name: str, damage: list[tuple[int, int]]) -> None:
    data = bytearray(ZIPS[name])
    for at, byte in damage:
        data[at % len(data)] = byte
    try:
        chats_in("x.zip", bytes(data))
    except NotAnExport as refusal:
        assert refusal.message.startswith("x.zip")


def test_two_chats_of_one_zip_keep_their_own_bytes() -> None:
    assert b"".join(one.slice(one.span)[:1] for one in chats_in("x.zip", ZIPS["plain"])) == b"{{"


def test_an_export_without_chats_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(export_bytes())
    assert read_export(tmp_path / "a.json").chat_ids == ()
    assert chats_in("x.json", export_bytes(chat()))


def test_the_chats_of_a_file_are_those_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "export"
    for data in (
        *CONTAINERS.values(),
        *ZIPS.values(),
        export_bytes(long_chat(400_000), chat(chatID="b")),
    ):
        path.write_bytes(data)
        export = read_export(path)
        once, again = list(export.chats()), list(export.chats())
        assert once == again == list(chats_in("export", data))


@pytest.mark.parametrize("name", ["json", "zip"])
def test_a_file_that_is_another_by_the_second_reading_is_not_mixed_with_the_first(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "a.json"
    before = {"json": export_bytes(PLAIN), "zip": ZIPS["plain"]}[name]
    path.write_bytes(before)
    export = read_export(path)
    for other in (
        before[:-200],
        b"PK\x03\x04",
        b"",
        ZIPS["chunked"],
        INDEX.replace(b"lighthouse", b"lightHouse"),
    ):
        path.write_bytes(other)
        with pytest.raises(FileTrouble, match="was changed while memproc read it"):
            list(export.chats())
    path.unlink()
    with pytest.raises(FileTrouble):
        list(export.chats())


def test_a_file_that_changes_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(INDEX)

    def slow(name: str, blocks: Iterable[bytes]) -> DocumentLayout:
        found = lay_out_document(name, blocks)
        path.write_bytes(INDEX + b" ")
        return found

    monkeypatch.setattr("daemon.files.read.lay_out_document", slow)
    with pytest.raises(FileTrouble, match="was changed while memproc read it"):
        read_export(path)


@pytest.mark.full
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    one = json_bytes(long_chat(20_000))
    path.write_bytes(b'{"data":{"chats":[' + b",".join([one] * 60) + b"]}}")
    tracemalloc.start()
    try:
        export = read_export(path)
        assert sum(len(found.messages) for found in export.chats()) > 2_400
        assert tracemalloc.get_traced_memory()[1] < export.fingerprint.size / 3
    finally:
        tracemalloc.stop()
