"""Where the folders lie, and which choices of folders are refused."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from daemon.files.paths import (
    Folders,
    NoPath,
    RefusedFolders,
    archive_path,
    resolve_folders,
    settle_folders,
)

pytestmark = pytest.mark.usefixtures("home")


def written(tmp_path: Path, **names: str) -> Mapping[str, str]:
    """Four folders side by side, except for those in `names`, which are paths below `tmp_path`."""
    standard = {name: name for name in ("inbox", "updated", "backups", "state")}
    return {name: str(tmp_path / place) for name, place in (standard | names).items()}


def refused(folders: Folders | tuple[RefusedFolders, ...]) -> list[tuple[str, str]]:
    assert not isinstance(folders, Folders)
    return [(no.names[0], no.reason) for no in folders]


def test_a_tilde_is_the_home_folder(home: Path) -> None:
    assert resolve_folders("~/memproc/inbox", Path("/elsewhere")) == home / "memproc" / "inbox"
    assert resolve_folders("~", Path("/elsewhere")) == home


def test_a_relative_path_begins_at_the_base(tmp_path: Path) -> None:
    assert resolve_folders("../inbox", tmp_path / "etc") == tmp_path / "inbox"


def test_an_absolute_path_stays_where_it_is(tmp_path: Path) -> None:
    assert resolve_folders(str(tmp_path / "inbox"), Path("/elsewhere")) == tmp_path / "inbox"


def test_a_tilde_within_a_name_means_nothing(tmp_path: Path) -> None:
    assert resolve_folders("old~/in", tmp_path) == tmp_path / "old~" / "in"


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert resolve_folders("link/inbox", tmp_path) == tmp_path / "real" / "inbox"


def test_a_loop_of_symbolic_links_is_a_path_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    assert isinstance(resolve_folders("loop/inbox", tmp_path), Path)


def test_a_person_without_a_home_folder_is_told(tmp_path: Path) -> None:
    no = resolve_folders("~nobody-of-this-name/inbox", tmp_path)

    assert isinstance(no, NoPath)
    assert "~nobody-of-this-name has no home folder" in no.reason


def test_a_home_folder_that_is_no_full_path_is_no_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, "somewhere")

    assert isinstance(resolve_folders("~/inbox", tmp_path), NoPath)


def test_a_path_with_a_nul_character_is_none(tmp_path: Path) -> None:
    assert resolve_folders("in\0box", tmp_path) == NoPath("must not hold a NUL character")


def test_a_path_of_endless_length_is_none(tmp_path: Path) -> None:
    assert resolve_folders("a/" * 500_000, tmp_path) == NoPath(
        "must not be longer than 4096 characters"
    )


def test_folders_side_by_side_are_fine(tmp_path: Path) -> None:
    assert settle_folders(written(tmp_path)) == Folders(
        tmp_path / "inbox", tmp_path / "updated", tmp_path / "backups", tmp_path / "state"
    )


def test_an_empty_state_is_the_platforms_state_folder(tmp_path: Path, home: Path) -> None:
    folders = settle_folders({**written(tmp_path), "state": ""})

    assert isinstance(folders, Folders)
    assert folders.state.is_relative_to(home)
    assert "memproc" in folders.state.parts


def test_every_folder_without_a_home_is_named(tmp_path: Path) -> None:
    nobody = "~nobody-of-this-name"

    names = {**written(tmp_path), "inbox": nobody, "backups": f"{nobody}/backups"}

    assert [name for name, _ in refused(settle_folders(names))] == ["inbox", "backups"]


@pytest.mark.parametrize("name", ["inbox", "updated"])
def test_the_folder_that_expand_writes_to_is_neither_inbox_nor_updated(
    tmp_path: Path, name: str
) -> None:
    settled = settle_folders(
        written(tmp_path, **{name: "Expanded" if name == "inbox" else "expanded"})
    )
    ((refused_name, reason),) = refused(settled)
    assert (refused_name, reason) == (
        name,
        f"must not be {tmp_path / 'expanded'}: memproc expand writes there",
    )


@pytest.mark.parametrize("place", ["/", "~", "~/.."])
def test_the_inbox_is_never_the_root_or_home_or_around_home(tmp_path: Path, place: str) -> None:
    ((name, reason),) = refused(settle_folders({**written(tmp_path), "inbox": place}))

    assert name == "inbox"
    assert "a folder of their own" in reason


def test_the_inbox_is_not_home_by_way_of_a_link(tmp_path: Path, home: Path) -> None:
    (tmp_path / "inbox").symlink_to(home)

    assert [name for name, _ in refused(settle_folders(written(tmp_path)))] == ["inbox"]


@pytest.mark.parametrize("name", ["updated", "backups", "state"])
def test_nothing_that_memproc_writes_lies_in_the_inbox(tmp_path: Path, name: str) -> None:
    settled = settle_folders(written(tmp_path, **{name: "inbox/deep/down"}))

    assert refused(settled) == [(name, "must not lie in the inbox")]


@pytest.mark.parametrize("name", ["updated", "backups", "state"])
def test_the_inbox_lies_in_nothing_that_memproc_writes(tmp_path: Path, name: str) -> None:
    settled = settle_folders(written(tmp_path, inbox=f"{name}/in"))

    assert refused(settled) == [("inbox", f"must not lie in the folder {name}")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("inbox", "updated"),
        ("inbox", "state"),
        ("updated", "backups"),
        ("updated", "state"),
        ("backups", "state"),
    ],
)
def test_no_two_folders_are_the_same(tmp_path: Path, one: str, other: str) -> None:
    settled = settle_folders(written(tmp_path, **{other: one}))

    assert refused(settled) == [(other, f"must not be the same folder as {one}")]


def test_folders_that_only_macos_and_windows_take_for_the_same_are_the_same(tmp_path: Path) -> None:
    settled = settle_folders(written(tmp_path, updated="Inbox"))

    assert refused(settled) == [("updated", "must not be the same folder as inbox")]


def test_folders_whose_names_begin_alike_are_two(tmp_path: Path) -> None:
    assert isinstance(settle_folders(written(tmp_path, updated="inbox-updated")), Folders)


def test_backups_may_lie_in_the_state_folder(tmp_path: Path) -> None:
    assert isinstance(settle_folders(written(tmp_path, backups="state/backups")), Folders)


def test_the_archive_lies_in_the_state_folder(tmp_path: Path) -> None:
    assert archive_path(tmp_path).parent == tmp_path
