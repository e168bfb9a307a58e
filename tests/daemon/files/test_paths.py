"""Where the folders are, which choices of folders are refused, and names that are safe everywhere."""

import ntpath
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.files.paths import (
    LONGEST_NAME,
    Folders,
    NoPath,
    RefusedFolders,
    archive_path,
    file_name,
    is_sent,
    resolve_folders,
    sent_name,
    settle_folders,
)

pytestmark = pytest.mark.usefixtures("home")

# Python 3.13 has it in ntpath, and warns of the older place.
_RESERVED = getattr(ntpath, "isreserved", lambda name: PureWindowsPath(name).is_reserved())

FORBIDDEN = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
IDS = st.one_of(ANY_TEXT, st.from_regex(r"[0-9a-fA-F~-]{0,44}", fullmatch=True))


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


def test_a_chat_is_named_after_its_title_and_its_id() -> None:
    assert file_name("Aria", "d6a9eafe2b") == "Aria (d6a9eafe2b).json"


@pytest.mark.parametrize("title", ["Aria", "", "x" * 500, "\u0950" * 200, "CON", "../../etc"])
def test_what_the_extension_has_sent_is_known_by_its_name_however_long_the_title_is(
    title: str,
) -> None:
    assert is_sent(sent_name(title, "d6a9eafe2b"))
    assert not is_sent(file_name(title, "d6a9eafe2b"))


def test_a_uuid_stays_as_it_is() -> None:
    assert (
        file_name("Aria", "7b1e0e0a-3f43-4c6e-9a63-3f8d0e8f0c11")
        == "Aria (7b1e0e0a-3f43-4c6e-9a63-3f8d0e8f0c11).json"
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("AC/DC: live", "AC-DC- live"),
        ('What is "this"?', "What is this"),
        ("  two\n lines\t", "two lines"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("The end...", "The end"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("nul .txt", "_nul .txt"),
        ("XAX", "XAX"),
        ("Console", "Console"),
        ("👩‍🚀✨", "👩‍🚀✨"),
        ("日本語の題", "日本語の題"),
        ("", "Untitled"),
        ("...", "Untitled"),
        ("\x00\x07", "Untitled"),
    ],
)
def test_what_a_platform_refuses_leaves_the_title(title: str, shown: str) -> None:
    assert file_name(title, "d6a9eafe2b") == f"{shown} (d6a9eafe2b).json"


@pytest.mark.parametrize("letter", ["a", "é", "語", "👩", "e\u0301", "\u0301", "\ufdfa"])
def test_a_title_of_any_length_is_cut_to_fit(letter: str) -> None:
    name = file_name(letter * 5_000, "d6a9eafe2b")

    assert LONGEST_NAME - 4 < len(name.encode()) <= LONGEST_NAME
    assert name.endswith(" (d6a9eafe2b).json")


@pytest.mark.parametrize("end", [" ", ".", "\u200d"])
def test_a_title_is_not_cut_behind_a_blank_a_dot_or_a_joiner(end: str) -> None:
    room = LONGEST_NAME - len(" (d6a9eafe2b).json") - len(end.encode())
    assert file_name("a" * room + end + "b", "d6a9eafe2b") == "a" * room + " (d6a9eafe2b).json"


@pytest.mark.parametrize(
    ("chat_id", "kept"),
    [("My Chat!", "my-chat"), ("-X-", "x"), ("XyX", "xyx"), ("?", "chat"), ("X" * 41, "x" * 19)],
)
def test_what_is_plain_in_an_id_is_kept_before_its_hash(chat_id: str, kept: str) -> None:
    assert file_name("Aria", chat_id).startswith(f"Aria ({kept}~")


@pytest.mark.parametrize("chat_id", ["../x", "", "A", "x" * 5_000, "a b", "CON.", "\ud800", "id)"])
def test_an_id_that_no_file_could_carry_gets_a_hash(chat_id: str) -> None:
    name = file_name("Aria", chat_id)

    assert re.fullmatch(r"Aria \([0-9a-z_-]{1,19}~[0-9a-f]{20}\)\.json", name)


def test_an_id_cannot_pose_as_the_changed_id_of_another() -> None:
    changed = file_name("Aria", "Foo").removeprefix("Aria (").removesuffix(").json")

    assert file_name("Aria", changed) != file_name("Aria", "Foo")


@given(ANY_TEXT, IDS)
@example("a" * 200 + ".", "x" * 40)
@example("\u0344" * 90, "COM1")
@example("COM¹.x", "nul")
def test_every_name_is_safe_on_every_platform(title: str, chat_id: str) -> None:
    name = file_name(title, chat_id)

    assert not FORBIDDEN.search(name)
    assert name == unicodedata.normalize("NFC", name)
    assert len(name.encode()) <= LONGEST_NAME
    assert name[0] not in " .-~"
    assert name.endswith(").json")
    assert not _RESERVED(name)
    assert not any(part.endswith((" ", ".")) for part in (name, name.removesuffix(".json")))


def folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold())


@given(ANY_TEXT, IDS, ANY_TEXT, IDS)
@example("Aria", "abc", "Aria", "ABC")
@example("Aria", "\u212a", "Aria", "k")
@example("Aria", "x" * 40, "Aria", "x" * 41)
@example("Aria (b", "a", "Aria", "b (a")
def test_two_chats_never_share_a_name_even_where_case_is_ignored(
    title: str, chat_id: str, other_title: str, other_id: str
) -> None:
    names = {
        unicodedata.normalize("NFKC", file_name(*pair).casefold())
        for pair in [(title, chat_id), (other_title, other_id)]
    }

    assert (len(names) == 2) or chat_id == other_id


@given(ANY_TEXT, st.text("aAbB", max_size=3), st.text("aAbB", max_size=3))
def test_ids_that_differ_in_case_alone_give_two_names(title: str, chat_id: str, other: str) -> None:
    same = file_name(title, chat_id).casefold() == file_name(title, other).casefold()

    assert same == (chat_id == other)
