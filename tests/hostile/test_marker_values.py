"""Values in a marker that lie are worth no more than a marker without them."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import group_by_memory
from rules.conversation.memory import Edition, Memory, Wish, six_of
from rules.recognize.adopted import freeze, with_cited_sources
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from rules.typingmind.message import read_message
from tests.chats import Json
from tests.entries import chat_of, fold_of, memory_of
from tests.rules.output.finishing import TALK, chunk, finish

Lie = Callable[[Json], object]
"""Changes the field of one message of ours."""

M1, M2 = (memory_of(number, chunk(2 * number - 2, 2 * number)) for number in (1, 2))
WISH = "Call me Ada."


def wishing(memory: Memory) -> Memory:
    """The same memory, with a wish at its end."""
    *texts, last = memory.edition.texts
    ended = six_of([*texts, f"{last}\n\nYou asked me:\n- {WISH}"])
    edition = replace(memory.edition, texts=ended, wishes=(Wish(WISH, "wish"),))
    return replace(memory, edition=edition)


FOLD = wishing(fold_of(1, [M1, M2]))
SAID = {quote.source: [quote.text] for quote in FOLD.edition.quotes} | {"wish": [WISH]}
WRITTEN = [
    json.loads(message.raw)
    for message in read_messages(finish(chat_of(TALK), [M1, M2, FOLD], shown=[FOLD]).again())
]


def read_with(lie: Lie) -> Edition:
    """The fold as a rebuild reads it when the archive is lost, and its markers lie."""
    messages = json.loads(json.dumps(WRITTEN))
    for message in messages:
        if "memproc" in message:
            lie(message["memproc"])
    raw = [read_message(json.dumps(message).encode()) for message in messages]
    shown = group_by_memory(recognize(read_messages(chat_of(raw)), {}))
    (memory,) = freeze(shown, 1, len).memories
    return with_cited_sources(memory.edition, shown[memory.memory_id], SAID)


def without_values(marker: Json) -> None:
    for value in ("edition_kind", "cited"):
        marker.pop(value, None)


def citing(rows: object) -> Lie:
    """Has each answer cite this, also those that cite nothing."""
    return lambda marker: marker.update(cited=rows)


def passages(edition: Edition) -> list[tuple[str, str]]:
    """Words and source of each quote and each wish."""
    quotes = [(quote.text, quote.source) for quote in edition.quotes]
    return [*quotes, *((wish.text, wish.source) for wish in edition.wishes)]


def words(edition: Edition) -> list[str]:
    return [text for text, _ in passages(edition)]


def sources(edition: Edition) -> list[str]:
    return [source for _, source in passages(edition)]


def test_values_that_the_words_say_count() -> None:
    edition = read_with(lambda marker: None)
    assert passages(edition) == passages(FOLD.edition)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "lie",
    [
        without_values,
        citing([["no such message", 16], ["no such message", 16]]),
        citing([["wish", 16], ["wish", 16]]),
        citing([["wish", 5], ["wish", 5]]),
        citing([["wish", 10**9]]),
        citing([["wish", 12]] * 20_000),
        citing([["wish"]]),
        citing("wish"),
    ],
)
def test_values_that_lie_are_worth_as_much_as_none(lie: Lie) -> None:
    edition = read_with(lie)
    assert words(edition) == words(FOLD.edition)
    assert sources(edition) == ["", "", ""]


def test_a_kind_that_lies_changes_no_word_and_no_edition() -> None:
    true = read_with(lambda marker: None)
    for kind in ("hindsight", "person", "as-of", "obey", 7, None, ["person"]):
        assert read_with(lambda marker, kind=kind: marker.update(edition_kind=kind)) == true  # type: ignore[misc]


ROWS = st.lists(st.tuples(st.sampled_from([*SAID, "nobody"]), st.integers(0, 40)), max_size=4)


@given(ROWS)
def test_no_field_has_a_memory_quote_what_it_does_not_show_or_nobody_said(
    rows: list[tuple[str, int]],
) -> None:
    edition = read_with(citing([list(row) for row in rows]))
    assert "\n\n".join(quote.text for quote in edition.quotes) == edition.texts[1]
    assert edition.texts[5].endswith("".join(f"\n- {wish.text}" for wish in edition.wishes))
    for text, source in passages(edition):
        assert not source or any(text in part for part in SAID[source])
