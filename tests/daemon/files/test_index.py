"""The plain list of what is kept."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files.backup_index import INDEX, IndexLine, UnreadableLine, append, read_index
from tests.daemon.files.children import needs_root, small_disk

LINE = IndexLine(
    "2026-03-02T12:00:00.123Z",
    "d6a9eafe2b",
    "Aria",
    "updated",
    "a" * 64,
    12,
    "versions/Aria/x.json.gz",
    "b" * 64,
)
SECOND = replace(LINE, chat_id="other", kind="original")


def test_lines_come_back_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    append(tmp_path, LINE)
    append(tmp_path, SECOND)

    assert read_index(tmp_path) == (LINE, SECOND)


def test_the_list_is_plain_and_names_its_columns(tmp_path: Path) -> None:
    append(tmp_path, LINE)

    assert (tmp_path / INDEX).read_text() == (
        "written_at\tchat_id\ttitle\tkind\tsha256\tsize\tfile\tpacked_sha256\n"
        "2026-03-02T12:00:00.123Z\td6a9eafe2b\tAria\tupdated\t"
        + "a" * 64
        + "\t12\tversions/Aria/x.json.gz\t"
        + "b" * 64
        + "\n"
    )


def test_there_are_no_lines_before_the_first(tmp_path: Path) -> None:
    assert read_index(tmp_path) == ()


def test_a_line_cut_short_anywhere_is_no_line_and_is_cleared_away(tmp_path: Path) -> None:
    append(tmp_path, LINE)
    first = (tmp_path / INDEX).stat().st_size
    append(tmp_path, SECOND)
    content = (tmp_path / INDEX).read_bytes()

    for size in range(len(content)):
        (tmp_path / INDEX).write_bytes(content[:size])
        whole = [line for line, end in ((LINE, first), (SECOND, len(content))) if size >= end - 1]

        assert read_index(tmp_path) == tuple(whole)
        append(tmp_path, SECOND)
        assert read_index(tmp_path) == (*whole, SECOND)


def test_a_long_line_cut_short_leaves_nothing_behind_a_shorter_one(tmp_path: Path) -> None:
    append(tmp_path, LINE)
    with (tmp_path / INDEX).open("ab") as file:
        file.write(b"2026-03-02T12:00:00.123Z\t" + b"x" * 2_000)
    append(tmp_path, SECOND)

    assert read_index(tmp_path) == (LINE, SECOND)
    assert b"xx" not in (tmp_path / INDEX).read_bytes()


def test_a_line_that_is_not_ours_is_counted_and_the_others_stay(tmp_path: Path) -> None:
    append(tmp_path, LINE)
    with (tmp_path / INDEX).open("ab") as file:
        file.write(b"\xff\xfe\n")
    append(tmp_path, SECOND)

    assert read_index(tmp_path) == (LINE, UnreadableLine(3), SECOND)


def test_line_ends_of_windows_do_no_harm(tmp_path: Path) -> None:
    append(tmp_path, LINE)
    (tmp_path / INDEX).write_bytes((tmp_path / INDEX).read_bytes().replace(b"\n", b"\r\n"))
    append(tmp_path, SECOND)

    assert read_index(tmp_path) == (LINE, SECOND)


ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, ANY_TEXT)
def test_no_id_and_no_title_can_break_a_line(
    tmp_path_factory: pytest.TempPathFactory,
    chat_id: str,
    title: str,
) -> None:
    folder = tmp_path_factory.mktemp("index")
    append(folder, replace(LINE, chat_id=chat_id, title=title))
    append(folder, SECOND)

    first, second = read_index(folder)
    assert isinstance(first, IndexLine)
    assert (first.chat_id, second) == (chat_id, SECOND)
    assert (folder / INDEX).read_text("utf-8").count("\n") == 3


@needs_root
def test_a_disk_that_fills_up_loses_no_earlier_line() -> None:
    with small_disk("64k") as disk:
        append(disk, LINE)
        (disk / "filler").write_bytes(b"x" * 56_000)
        with pytest.raises(Exception, match="the disk is full"):
            while True:
                append(disk, LINE)
        kept = read_index(disk)
        (disk / "filler").unlink()
        append(disk, SECOND)

        assert read_index(disk) == (*kept, SECOND)
        assert set(kept) == {LINE}
