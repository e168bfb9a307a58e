"""Names of files: safe everywhere, and never two chats under one name."""

import ntpath
import re
import unicodedata
from pathlib import PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.files.names import LONGEST_NAME, file_name, is_sent, sent_name

# Python 3.13 has it in ntpath, and warns of the older place.
_RESERVED = getattr(ntpath, "isreserved", lambda name: PureWindowsPath(name).is_reserved())

FORBIDDEN = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
IDS = st.one_of(ANY_TEXT, st.from_regex(r"[0-9a-fA-F~-]{0,44}", fullmatch=True))


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
