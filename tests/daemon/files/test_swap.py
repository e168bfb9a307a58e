"""A finished file goes into its place, also where a virus scanner holds the old one open for a moment."""

from pathlib import Path

import pytest

from daemon.files.write import put_in_place


class HeldOpen(PermissionError):
    """What Windows says of a file that another program has open."""

    winerror = 32


class Scanner:
    """Holds a file open for the first tries, and counts the seconds that were waited."""

    def __init__(self, tries: int) -> None:
        self.left, self.waited, self.moved = tries, 0.0, False

    def move(self, _temp: Path, _path: Path) -> None:
        if self.left:
            self.left -= 1
            raise HeldOpen
        self.moved = True

    def wait(self, seconds: float) -> None:
        self.waited += seconds


def test_a_file_is_moved_at_once_where_nobody_holds_it(tmp_path: Path) -> None:
    (tmp_path / "temp").write_text("new")

    put_in_place(tmp_path / "temp", tmp_path / "file")

    assert (tmp_path / "file").read_text() == "new"


def test_a_file_that_is_let_go_in_time_is_replaced() -> None:
    scanner = Scanner(tries=3)

    put_in_place(Path("temp"), Path("file"), scanner.move, scanner.wait)

    assert scanner.moved
    assert scanner.waited < 1


def test_a_file_that_is_not_let_go_is_given_up_after_two_seconds() -> None:
    scanner = Scanner(tries=100)

    with pytest.raises(HeldOpen):
        put_in_place(Path("temp"), Path("file"), scanner.move, scanner.wait)

    assert 2 < scanner.waited < 3


def test_any_other_error_is_told_at_once(tmp_path: Path) -> None:
    scanner = Scanner(tries=0)

    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "gone", tmp_path / "file", wait=scanner.wait)

    assert scanner.waited == 0
