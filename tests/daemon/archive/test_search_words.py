"""Words of any script are found, marked, and shown with what stands around them."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.search_words import cut_excerpt, cut_stretches, index_text, match_expression


def finds(text: str, query: str) -> bool:
    """Whether SQLite finds the text by the query."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5 (said, tokenize = 'unicode61 remove_diacritics 2')"
        )
        connection.execute("INSERT INTO words VALUES (?)", (index_text(text),))
        expression = match_expression(query)
        return bool(expression) and bool(
            connection.execute("SELECT 1 FROM words WHERE words MATCH ?", (expression,)).fetchall()
        )
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The harbour log of March", "harbour march"),
        ("The harbour log of March", "harb"),
        ("Größe und Café", "größe cafe"),
        ("私は日本語を話します", "日本"),
        ("私は日本語を話します", "日本語"),
        ("私は日本語を話します", "語"),
        ("我们在海边走了很久", "海边"),
        ("ฉันชอบทะเลมาก", "ทะเล"),
        ("오늘은 바다에 갔다", "바다"),
        ("Мы гуляли у моря", "моря"),
        ("ذهبنا إلى البحر", "البحر"),
        ('She said "flat as a plate" twice', '"flat as a plate"'),
        ("version 2.3.1 of Flask", "2.3.1"),
        ("at sea🌊🌊today", "🌊"),
        ("thumbs up 👍🏽", "👍"),
        ("I ❤️ you", "❤"),
        ("Die große Straße", "grosse strasse"),
        ("Die grosse STRASSE", "große"),
        ("GROẞE", "große"),
    ],
)
def test_a_text_is_found_by_its_words(text: str, query: str) -> None:
    assert finds(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The harbour log", "harbour moon"),
        ("a form to fill in", "for"),
        ("私は日本語を話します", "本日"),
        ("flat on a plate", '"flat as a plate"'),
        ("at sea 🌊", "🌋"),
        ("anything", ""),
        ("anything", '" * ( ) : ^ -'),
    ],
)
def test_a_text_without_the_words_is_not_found(text: str, query: str) -> None:
    assert not finds(text, query)


def test_one_of_the_words_is_enough_where_any_may_match() -> None:
    assert match_expression("harbour sea", any_word=True) == '"harbour"* OR "sea"'


def test_a_word_that_is_said_again_counts_once() -> None:
    assert match_expression('sea "sea" harbour ' * 5_000) == match_expression('"sea" sea harbour')


@given(st.text(max_size=60))
def test_no_query_is_an_error(query: str) -> None:
    finds("some text", query)


@given(st.text(max_size=80), st.text(max_size=20))
def test_marking_never_changes_a_text(text: str, query: str) -> None:
    assert "".join(stretch.text for stretch in cut_stretches(text, query)) == text


def test_words_are_marked_whatever_their_case_and_diacritics() -> None:
    marked = [
        stretch.text
        for stretch in cut_stretches("Das CAFÉ am Cafe-Platz", "café")
        if stretch.is_marked
    ]
    assert marked == ["CAFÉ", "Cafe"]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Die große Straße", "grosse", ["große"]),
        ("at sea 🌊🌊", "🌊", ["🌊", "🌊"]),
        ("I ❤ you", "❤", ["❤"]),
        ("the storm and the sto", "sto", ["sto"]),
        ("the storm", "sto", ["storm"]),
    ],
)
def test_emoji_sharp_s_and_beginnings_are_marked_as_they_are_written(
    text: str, query: str, marked: list[str]
) -> None:
    assert [part.text for part in cut_stretches(text, query) if part.is_marked] == marked


def test_an_excerpt_stands_around_the_words() -> None:
    text = f"{'before ' * 100}the protest in a biscuit tin {'after ' * 100}"
    shown = cut_excerpt(text, "biscuit tin", 60)
    assert "biscuit tin" in shown
    assert shown.startswith("... ")
    assert shown.endswith(" ...")
    assert len(shown) <= 60 + 8


def test_a_short_text_is_shown_whole() -> None:
    assert cut_excerpt("The sea\n was flat.", "sea", 60) == "The sea was flat."
