"""Texts in order of how well they match, in any script, whatever stands in them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.full_text import index_path
from daemon.archive.layers import rank_texts
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

FACTS = (
    "Ada likes tea.",
    "Tomas takes the ferry to Ilse.",
    "The ferry is late.",
    "彼女は猫が好きです。",
)


def test_the_texts_that_share_the_rarest_words_come_first() -> None:
    assert rank_texts(FACTS, "When does Tomas take the FERRY?") == [1, 2]
    assert rank_texts(FACTS, "猫が好き") == [3]
    assert rank_texts(FACTS, "nobody knows") == ()
    assert rank_texts((), "ferry") == ()


def test_of_equals_the_first_stands_first() -> None:
    assert rank_texts(["tea", "milk", "tea", "water", "bread"], "tea") == [0, 2]


@pytest.mark.parametrize(
    "words", ['"', "NEAR(ferry)", "ferry OR", "words : ferry", "-ferry", "ferry*", "'; DROP", "^"]
)
def test_nobody_s_text_is_read_as_a_query(words: str) -> None:
    assert rank_texts(FACTS, words) in ([2, 1], [1, 2], ())


@given(st.lists(st.text(max_size=20), max_size=5), st.text(max_size=40))
def test_any_text_can_be_ranked(texts: list[str], words: str) -> None:
    found = rank_texts(texts, words)
    assert len(set(found)) == len(found)
    assert all(0 <= at < len(texts) for at in found)


class Bare(sqlite3.Connection):
    """A SQLite that was built without FTS5."""

    def execute(self, sql: str, *_: object) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("no such module: fts5")


def test_a_sqlite_without_a_full_text_index_is_told_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda place: connect(place, factory=Bare))
    with pytest.raises(ArchiveError, match="FTS5") as told:
        rank_texts(["tea"], "tea")
    assert "facts.enabled" in told.value.next_step


def test_an_index_of_an_older_version_is_made_again(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    found = ada.memproc("search", "harbour").out
    with closing(sqlite3.connect(index_path(ada.home / "state"))) as index:
        index.executescript("DELETE FROM words; PRAGMA user_version = 0")
    assert ada.memproc("search", "harbour").out == found != "Nothing holds all of: harbour\n"


def test_a_raw_message_that_is_lost_leaves_all_others_to_be_found(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    with closing(sqlite3.connect(archive_path(ada.home / "state"))) as archive, archive:
        archive.execute("DELETE FROM body WHERE sha256 = (SELECT min(sha256) FROM body)")
    found = ada.memproc("search", "harbour")
    assert (found.code, found.err) == (0, "")
    assert "harbour" in found.out
