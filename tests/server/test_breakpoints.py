"""Anthropic's cache rules, one sentence each; the clock stands in the test's hand."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.breakpoints import Block, look
from tests.server.entries import Entries, Sight

MODEL = "claude-haiku-5-5"
MINIMUM = 100


class Cache:
    """A cache with a clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.entries = Entries(lambda: self.now)

    def look(self, blocks: Sequence[Block], model: str = MODEL) -> Sight:
        return look(self.entries, model, blocks, MINIMUM)

    def ask(self, blocks: Sequence[Block], model: str = MODEL) -> Sight:
        """Look, and let the answer begin."""
        sight = self.look(blocks, model)
        self.entries.use(sight.entries)
        return sight


def prompt(*sizes: int, marks: Sequence[int] = (), start: int = 0) -> list[Block]:
    """Blocks of these many tokens, some of them marked; each differs from the others."""
    return [Block(f"block {start + at}", size, at in marks) for at, size in enumerate(sizes)]


def paid(sight: Sight) -> tuple[int, int, int]:
    return sight.fresh, sight.written, sight.read


@pytest.fixture
def cache() -> Cache:
    return Cache()


def test_without_marks_nothing_is_cached(cache: Cache) -> None:
    assert paid(cache.ask(prompt(500, 500))) == paid(cache.ask(prompt(500, 500))) == (1000, 0, 0)


def test_what_was_written_is_read(cache: Cache) -> None:
    assert paid(cache.ask(prompt(500, 30, marks=[0]))) == (30, 500, 0)
    assert paid(cache.ask(prompt(500, 30, marks=[0]))) == (30, 0, 500)


def test_a_longer_prompt_reads_the_beginning_and_writes_the_rest(cache: Cache) -> None:
    cache.ask(prompt(500, marks=[0]))
    assert paid(cache.ask(prompt(500, 200, 7, marks=[1]))) == (7, 200, 500)


def test_one_changed_block_ends_what_can_be_read(cache: Cache) -> None:
    cache.ask(prompt(500, 200, 300, marks=[0, 2]))
    changed = prompt(500, 200, 300, marks=[0, 2])
    changed[1] = Block("another", 200)
    assert paid(cache.ask(changed)) == (0, 500, 500)


def test_entries_exist_at_marks_only(cache: Cache) -> None:
    cache.ask(prompt(500, 200, marks=[1]))
    assert paid(cache.ask(prompt(500, marks=[0]))) == (0, 500, 0)


def test_a_short_prefix_is_not_cached(cache: Cache) -> None:
    assert (
        paid(cache.ask(prompt(99, 7, marks=[0])))
        == paid(cache.ask(prompt(99, 7, marks=[0])))
        == (106, 0, 0)
    )
    assert paid(cache.ask(prompt(100, 7, marks=[0]))) == (7, 100, 0)


def test_a_mark_looks_back_over_twenty_blocks_and_no_further(cache: Cache) -> None:
    sizes = [100] * 40
    cache.ask(prompt(*sizes[:10], marks=[9]))
    assert paid(cache.look(prompt(*sizes[:29], marks=[28]))) == (0, 1900, 1000)
    assert paid(cache.look(prompt(*sizes[:30], marks=[29]))) == (0, 3000, 0)


def test_a_mark_in_between_reaches_further_back(cache: Cache) -> None:
    sizes = [100] * 40
    cache.ask(prompt(*sizes[:10], marks=[9]))
    assert paid(cache.look(prompt(*sizes, marks=[25, 39]))) == (0, 3000, 1000)


def test_an_entry_lives_five_minutes_from_its_last_use(cache: Cache) -> None:
    cache.ask(prompt(500, marks=[0]))
    for later in (299.0, 598.0):
        cache.now = later
        assert cache.look(prompt(500, marks=[0])).read == 500
    cache.now = 898.0
    assert cache.look(prompt(500, marks=[0])).read == 0


def test_an_entry_can_be_used_once_its_first_answer_has_begun(cache: Cache) -> None:
    first = cache.look(prompt(500, marks=[0]))
    assert paid(cache.look(prompt(500, marks=[0]))) == (0, 500, 0)
    cache.entries.use(first.entries)
    assert paid(cache.look(prompt(500, marks=[0]))) == (0, 0, 500)


def test_each_model_has_a_cache_of_its_own(cache: Cache) -> None:
    cache.ask(prompt(500, marks=[0]))
    assert cache.look(prompt(500, marks=[0]), model="claude-sonnet-5-5").read == 0


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=30),
    st.lists(st.sets(st.integers(0, 29), max_size=4), min_size=1, max_size=6),
)
def test_every_token_is_paid_in_exactly_one_way(sizes: list[int], rounds: list[set[int]]) -> None:
    cache = Cache()
    for marks in rounds:
        sight = cache.ask(prompt(*sizes, marks=sorted(marks)))
        assert min(paid(sight)) >= 0
        assert sum(paid(sight)) == sum(sizes)
        again = cache.ask(prompt(*sizes, marks=sorted(marks)))
        assert paid(again) == (sight.fresh, 0, sight.written + sight.read)
