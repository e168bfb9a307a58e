"""A program that hangs leaves, one that lives does not."""

from threading import Event

from service.notify import STALLED, StallExit


def test_a_silent_program_leaves_with_70() -> None:
    left, codes = Event(), list[int]()

    def leave(code: int) -> None:
        codes.append(code)
        left.set()

    watchman = StallExit(0.05, leave)
    watchman.start()
    assert left.wait(60)
    watchman.stop()
    assert codes == [STALLED]


def test_a_program_that_is_heard_stays() -> None:
    watchman = StallExit(60.0)
    for _ in range(20):
        watchman.feed()
        assert not watchman.look()


def test_only_four_looks_in_a_row_without_a_word_are_a_stall() -> None:
    watchman = StallExit(60.0)
    assert [watchman.look() for _ in range(4)] == [False] * 4, "the start counts as a word"
    watchman.feed()
    assert [watchman.look() for _ in range(5)] == [False, False, False, False, True]
