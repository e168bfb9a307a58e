"""Whatever a chunk holds, it gets a memory: six texts that can be shown, quotes that were said, no fence left open."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.models.completion import Completion
from daemon.models.roles import Roles
from primer.models import ENGINE
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, WRITTEN, Memory
from rules.extract.sentences import with_closed_fence
from tests.daemon.remember.test_compress import ROLES, Desk, remember
from tests.entries import entries, said

ENGINE_ONLY = Roles(ENGINE, ENGINE)
IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}
CALL = {"tool_calls": [{"id": "1", "function": {"name": "search", "arguments": "{}"}}]}
CODE = "```python\nfor day in days:\n    keep(day)\n```"
OPEN = "```python\nfor day in days:\n    keep(day)\n"


def chunk_of(*contents: object, **fields: object) -> tuple[Entry, ...]:
    return entries(
        [
            said(("user", "assistant")[at % 2], "", at, content=one, **fields)
            for at, one in enumerate(contents)
        ]
    )


ODD = {
    "emoji": chunk_of(*["😀😀👍🏽"] * 60),
    "images": chunk_of(*[[IMAGE]] * 40),
    "tool calls": chunk_of(*[""] * 40, **CALL),
    "white space": chunk_of(*[" \n\t\u00a0"] * 9),
    "nothing": chunk_of(*[""] * 9),
    "what nobody sees": chunk_of("\u200b\u3164", "\u2800"),
    "punctuation": chunk_of("...", "?!", "—", "***"),
    "code": chunk_of(CODE, CODE),
    "code that never ends": chunk_of(OPEN, OPEN),
    "fences": chunk_of("```", "~~~", "> ```"),
    "a table": chunk_of("| a | b |\n|---|---|\n| 1 | 2 |"),
    "single words": chunk_of(*["ok", "yes"] * 30),
    "tags": chunk_of("<to_remember>", "</context_manager>"),
}
WITHOUT_WORDS = (
    "emoji",
    "images",
    "tool calls",
    "white space",
    "nothing",
    "what nobody sees",
    "punctuation",
    "fences",
)


def is_sound(memory: Memory, chunk: Sequence[Entry]) -> bool:
    spoken = {entry.key: entry.message.words for entry in chunk}
    texts = memory.edition.texts
    assert all(any(mark.isalnum() for mark in text) for text in texts)
    assert [with_closed_fence(text) for text in texts] == list(texts)
    assert all(
        quote.text.strip() and quote.text in spoken[quote.source] for quote in memory.edition.quotes
    )
    return True


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("roles", [ENGINE_ONLY, ROLES], ids=["engine", "model"])
def test_every_chunk_gets_a_memory(kind: str, roles: Roles) -> None:
    desk = Desk({"quote": ["I made this up."]})
    memory = remember(desk, chunk=ODD[kind], roles=roles)
    assert is_sound(memory, ODD[kind])
    assert memory.edition.made == (
        EXTRACTED if roles is ENGINE_ONLY or kind in WITHOUT_WORDS else WRITTEN
    )


@pytest.mark.parametrize("kind", WITHOUT_WORDS)
def test_where_nothing_was_said_in_words_no_model_is_asked(kind: str) -> None:
    desk = Desk({})
    memory = remember(desk, chunk=ODD[kind])
    assert (desk.model.asked, desk.noted, memory.edition.quotes) == ([], [], ())
    assert memory.edition.texts[1] == "[no quote]"


def test_the_memory_of_emoji_says_how_many_messages_there_were() -> None:
    assert (
        remember(Desk({}), chunk=ODD["emoji"]).edition.texts[3]
        == "We exchanged 60 messages of emoji alone."
    )


@pytest.mark.parametrize(
    ("quoted", "kept"),
    [
        (CODE, CODE),
        ("```python\nfor day in days:", "for day in days:"),
        ("    keep(day)\n```", "keep(day)"),
        ("```python", "for day in days:"),
    ],
)
def test_a_quote_leaves_no_fence_open(quoted: str, kept: str) -> None:
    chunk = chunk_of(CODE, CODE)
    (quote,) = remember(Desk({"quote": [quoted]}), chunk=chunk).edition.quotes
    assert quote.text == kept


def test_a_fence_that_a_model_leaves_open_is_closed_where_it_stands_in_a_memory() -> None:
    unclosed = "This is what I keep of it:\n\n```python\nkeep(day)"
    script: dict[str, list[str | Completion]] = {
        step: [f"{step}: {unclosed}"] for step in ("perspective", "analysis", "refinement")
    }
    memory = remember(
        Desk({"quote": ["for day in days:"], **script}),
        chunk=chunk_of("for day in days: keep it", CODE),
    )
    assert memory.edition.texts[3] == f"perspective: {unclosed}\n```"
    assert f"{unclosed}\n```\n" in memory.edition.texts[4]
    assert memory.edition.texts[5] == f"refinement: {unclosed}\n```"


CONTENTS: st.SearchStrategy[object] = st.one_of(
    st.text(max_size=12),
    st.lists(st.sampled_from(["```", "~~~~", "\n", "x = 1", "> ", "- ", "😀", "...", "[image]", " ", "I am glad."]))
    .map("".join),
    st.lists(st.sampled_from([IMAGE, {"type": "text", "text": "ok"}, {"type": "thinking"}, {}, "", None]), max_size=3),
    st.sampled_from([None, 7, {}]),
)  # fmt: skip


@given(
    st.lists(CONTENTS, min_size=1, max_size=4),
    st.text(max_size=8),
    st.sampled_from([ENGINE_ONLY, ROLES]),
)
def test_no_content_is_too_odd_for_a_memory(
    contents: list[object], answer: str, roles: Roles
) -> None:
    chunk = chunk_of(*contents)
    assert is_sound(
        remember(Desk({"quote": [answer], "perspective": [answer]}), chunk=chunk, roles=roles),
        chunk,
    )
