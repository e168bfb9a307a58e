"""Titles are taken out of what others may see, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.archive.work import Titled, known_titles
from daemon.events import ChatIs, FileIs, ModelAnswered
from daemon.files.paths import file_name
from daemon.status.titles import event_without_titles, without_titles
from tests.daemon.status.filled import arrival, outcome


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ('The chat "My Secret" is too large.', "My Secret", "The chat abc is too large."),
        ("My Secret: it is too large.", "My Secret", "abc: it is too large."),
        ('"inbox" is too large for the inbox.', "inbox", "abc is too large for the inbox."),
        ("My Secrets", "My Secret", "My Secrets"),
        ("a+ b? is left (a+ b?)", "a+ b?", "abc is left (abc)"),
        (r"back \\slash 1", r"back \\slash", "abc 1"),
        (
            "it is in /b/versions/Ada-Bob x (abc)/1.json.gz",
            "Ada/Bob: x",
            "it is in /b/versions/Ada-Bob x (abc)/1.json.gz",
        ),
        ("nothing", "", "nothing"),
        ("no thing", " ", "no thing"),
    ],
)
def test_the_id_stands_where_the_title_stood(text: str, title: str, expected: str) -> None:
    assert without_titles(text, [Titled(title, "abc")]) == expected


def test_a_chat_without_an_id_is_this_chat() -> None:
    assert without_titles('"Secret" has no id', [Titled("Secret", "")]) == "this chat has no id"


def test_the_longest_title_comes_first() -> None:
    chats = [Titled("The Garden", "short"), Titled("The Garden Party", "long")]
    assert without_titles("The Garden Party, The Garden", chats) == "long, short"


@given(st.text(min_size=1, max_size=30), st.text(alphabet="abc123", min_size=5, max_size=10))
def test_a_file_is_told_by_the_name_that_it_has(title: str, chat_id: str) -> None:
    name, new = file_name(title, chat_id), file_name(f"{title.strip()} (memories)", "new1")
    told = f"ready to be imported: /u/{name}, /u/{new}, and in /backups/{name[:-5]}/1.gz"
    assert without_titles(
        told, [Titled(title, chat_id), Titled("to be", "d"), Titled("and in", "e")]
    ) == (f"ready d imported: /u/{name}, /u/{new}, e /backups/{name[:-5]}/1.gz")


def test_a_title_in_the_name_of_another_chat_s_file_stays_too() -> None:
    chats = [Titled("The Garden", "g"), Titled("The Garden Party", "p")]
    said = 'The updated export of "The Garden" is The Garden Party (p).json; The Garden goes on.'
    assert (
        without_titles(said, chats)
        == "The updated export of g is The Garden Party (p).json; g goes on."
    )


def test_only_sentences_are_changed() -> None:
    chats = [Titled("My Secret", "abc")]
    event = FileIs(1, "My Secret.json", "skipped", "My Secret is too large", "Leave My Secret out")
    assert event_without_titles(event, chats) == FileIs(
        1, "My Secret.json", "skipped", "abc is too large", "Leave abc out"
    )
    answer = ModelAnswered("abc", "quote", "My Secret", 1, 0, 0, 1, None)
    assert event_without_titles(answer, chats) == answer


def test_what_became_of_a_chat_is_told_without_its_title_even_before_the_archive_knows_it() -> None:
    chat = ChatIs("abc", "My Secret", "skipped", '"My Secret": too large.', "Leave My Secret out.")
    told = ChatIs("abc", "", "skipped", "abc: too large.", "Leave abc out.")
    assert event_without_titles(chat, []) == told


def test_chats_that_were_skipped_at_once_have_titles_too(archive: Archive) -> None:
    of = arrival(archive, "a.json", "skipped")
    for title in ("The Well", "The Well", "a.json"):
        outcome(archive, of, title, "skipped")
    archive.run(
        "INSERT INTO chat (chat_id, title, head, tail, last_seen) VALUES ('g', 'Garden', x'', x'', '')"
    )

    assert set(known_titles(archive)) == {Titled("The Well", ""), Titled("Garden", "g")}
