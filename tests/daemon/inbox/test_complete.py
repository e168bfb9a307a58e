"""Whether what lies in the inbox is complete."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from daemon.files.candidates import LARGEST_BYTES
from daemon.inbox.intake import look_inside
from rules.arrival import Incomplete
from tests.exports.files import zip_bytes
from tests.foreign import talks, trees

EXPORT = json.dumps(
    {"data": {"chats": [{"messages": [{"content": 'a "}" \\ ü'}]}]}}, ensure_ascii=False
).encode()


def packed() -> bytes:
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("data.json", EXPORT)
        package.writestr("chunks/1.json", b"[]" * 500)
    return packet.getvalue()


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return tmp_path / "a.json"


def look(path: Path, data: bytes) -> Incomplete | None:
    path.write_bytes(data)
    return look_inside(path)


@pytest.mark.parametrize(
    "data", [EXPORT, b"\xef\xbb\xbf" + EXPORT, b"\n \t" + EXPORT + b"\n", b"[]", packed()]
)
def test_a_whole_export_is_complete(content: Path, data: bytes) -> None:
    assert look(content, data) is None


@pytest.mark.parametrize("data", [EXPORT, b"\xef\xbb\xbf" + EXPORT, packed()])
def test_no_beginning_of_an_export_is_complete_unless_it_ends_with_a_bracket(
    content: Path, data: bytes
) -> None:
    for end in range(len(data)):
        cut = data[:end]
        assert isinstance(look(content, cut), Incomplete) or cut[-1:] in (b"}", b"]")


def test_it_is_said_where_the_text_ends(content: Path) -> None:
    assert look(content, EXPORT[:20]) == Incomplete("JSON not closed at byte 20")


def test_it_is_said_where_a_zip_ends(content: Path) -> None:
    assert look(content, packed()[:50]) == Incomplete("ZIP without its directory at byte 50")
    assert look(content, packed()[:2]) == Incomplete("it has 2 bytes so far")


def test_a_zip_with_a_comment_or_with_nothing_in_it_is_complete(content: Path) -> None:
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as package:
        package.comment = b"nothing" * 1_000
    assert look(content, empty.getvalue()) is None


@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf\n", b" " * 600_000])
def test_what_is_empty_so_far_is_not_complete(content: Path, data: bytes) -> None:
    assert look(content, data) == Incomplete("it is empty so far")


def test_what_is_filled_with_zeros_is_not_complete(content: Path) -> None:
    assert look(content, bytes(5_000)) == Incomplete("it holds zeros so far")
    half = EXPORT[:20] + bytes(len(EXPORT) - 20)
    assert look(content, half) == Incomplete(f"JSON not closed at byte {len(EXPORT)}")


@pytest.mark.parametrize(
    "data", [b"hello", b"<html>", b"\x89PNG\r\n", b'"text"', b"\xff\xfe{\x00}\x00"]
)
def test_what_is_no_json_counts_as_complete_and_is_left_to_the_reader(
    content: Path, data: bytes
) -> None:
    assert look(content, data) is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(EXPORT)
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    found = look_inside(tmp_path / "link.json")
    assert found
    assert found.reason.startswith("it cannot be read yet: ")


def test_a_file_that_is_not_there_any_more_is_not_complete(tmp_path: Path) -> None:
    assert look_inside(tmp_path / "a.json") == Incomplete(
        "it cannot be read yet: No such file or directory"
    )


def test_a_file_that_no_reader_would_take_is_told_at_once(content: Path) -> None:
    with content.open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    found = look_inside(content)
    assert found and found.next_step
    assert "512 MiB" in found.reason


@pytest.mark.parametrize(
    "data",
    [trees.exported(talks.claude("1", 1)), zip_bytes({"x.json": trees.exported(talks.claude("1", 1))})],
    ids=["JSON", "ZIP"],
)  # fmt: skip
def test_what_another_program_exported_waits_for_the_person(content: Path, data: bytes) -> None:
    assert look(content, data) == Incomplete(
        "it is an export of Claude's own app, and waits for you",
        "To choose what to bring from it: memproc bring a.json",
    )
