"""Small chunks: what a model writes about them is kept, or nothing is paid; a chat never grows by its memories."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.person import Person
from tests.stories.rounds import ENGINE, Life, life

LEAST = 300
"""So many tokens a chunk must have before a model is asked about it."""


@pytest.fixture
def aria(tmp_path: Path) -> Iterator[Life]:
    with life(tmp_path / "aria", memory="hindsight = 0") as aria:
        yield aria


def chunked(aria: Life, size: int) -> Person:
    """The same person, with chunks of so many tokens, and a chat of 6,000."""
    aria.person = replace(aria.person, tail=1600 if size < 400 else 4 * size, step=size, chunk=size)
    aria.settings()
    aria.talk(6000)
    aria.drop()
    return aria.person


@pytest.mark.full
def test_chunks_of_four_hundred_tokens_are_worth_what_they_cost(aria: Life) -> None:
    chunked(aria, 400)
    plan = aria.plan()
    requests = aria.run()
    for memory in aria.memories():
        assert memory.edition.made == ("model" if memory.source_tokens >= LEAST else "extracted"), (
            "nobody is asked"
        )
    assert len({request.key for request in requests}) == len(requests) >= plan["calls"] > 0
    replaced = sum(memory.source_tokens for memory in aria.memories())
    taken = sum(memory.edition.tokens for memory in aria.memories())
    assert taken + plan["canned_tokens"] < replaced
    assert abs(taken - plan["section_tokens"]) < replaced // 4


@pytest.mark.sampled
@pytest.mark.parametrize("size", [400, 450])
def test_without_a_model_small_chunks_make_a_chat_smaller_all_the_same(
    aria: Life, size: int
) -> None:
    aria.models = ENGINE
    chunked(aria, size)
    plan = aria.plan()
    assert aria.run() == []
    memories = aria.memories()
    assert len(memories) == len(plan["chunks"]) > 0
    assert all(memory.edition.tokens * 5 <= memory.source_tokens * 4 for memory in memories)
    taken = sum(memory.edition.tokens for memory in memories)
    assert taken + plan["canned_tokens"] < sum(memory.source_tokens for memory in memories)


def test_a_chunk_size_that_cannot_work_is_refused_with_its_line(aria: Life) -> None:
    ended = chunked(aria, 399).memproc("run")
    assert ended.code == 2
    assert "memproc.toml has 1 problem" in ended.err
    assert (
        "line 10: chunk.tokens: must be at least 400, since about 40 tokens of each memory"
        in ended.err
    )


@pytest.mark.full
@pytest.mark.parametrize("size", [1000, 1400])
def test_longer_questions_of_the_person_s_own_are_reckoned_with_before_anything_is_paid(
    aria: Life, size: int
) -> None:
    folder = aria.person.home / "texts"
    folder.mkdir()
    for name in ("quote", "perspective", "refinement"):
        shipped = Path(f"primer/texts/{name}.md").read_text(encoding="utf-8")
        (folder / f"{name}.md").write_text(
            shipped + "\nTake your time, and leave out what does not matter." * 18
        )
    aria.tables["texts"] = f'folder = "{folder}"'
    aria.talk(6000)
    chunked(aria, size)
    plan = aria.plan()
    requests = aria.run()
    if size == 1000:
        assert (requests, aria.memories()) == ([], [])
        assert "too small for what a model writes" in plan["reason"]
        assert "chunk.tokens in memproc.toml is larger, 1200 or more" in plan["reason"]
    else:
        assert {memory.edition.made for memory in aria.memories()} == {"model"}
        assert len(requests) == plan["calls"] > 0
