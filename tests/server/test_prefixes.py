"""OpenAI's automatic cache: the longest known beginning, from 1,024 tokens on, in steps of 128."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from tests.server.entries import Entries
from tests.server.prefixes import look


def read_after(first: list[int], second: list[int], wait: float = 0.0) -> int:
    now = [0.0]
    entries = Entries(lambda: now[0])
    entries.use(look(entries, "gpt-4o", array("I", first), 1024).entries)
    now[0] = wait
    sight = look(entries, "gpt-4o", array("I", second), 1024)
    assert sight.fresh + sight.read == len(second)
    assert sight.written == 0
    return sight.read


def test_a_prompt_of_1023_tokens_is_not_cached() -> None:
    assert read_after([1] * 1023, [1] * 1023) == 0
    assert read_after([1] * 1024, [1] * 1024) == 1024


def test_an_entry_is_forgotten_after_five_minutes() -> None:
    assert read_after([1] * 1024, [1] * 1024, wait=299) == 1024
    assert read_after([1] * 1024, [1] * 1024, wait=300) == 0


def test_reading_an_entry_renews_it() -> None:
    now = [0.0]
    entries = Entries(lambda: now[0])
    prompt = array("I", [1] * 1200)
    entries.use(look(entries, "gpt-4o", prompt, 1024).entries)
    for later in (200.0, 400.0, 600.0):
        now[0] = later
        assert look(entries, "gpt-4o", prompt, 1024).read == 1152


@given(st.integers(0, 4000), st.integers(0, 500), st.integers(0, 500))
def test_what_is_read_is_the_common_beginning_in_whole_steps(
    common: int, first: int, second: int
) -> None:
    read = read_after([7] * common + [1] * first, [7] * common + [2] * second)
    assert read == (1024 + (common - 1024) // 128 * 128 if common >= 1024 else 0)
