"""When the next call may leave, by what was told and by what has left since."""

import heapq
from dataclasses import dataclass, field
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from rules.rate_limits import UNTIL_AN_ANSWER, Book, Departure, Kind, Limit, Need, end, leave, wait

SMALL = Need(100, 20)


def told(*limits: Limit, model: str = "a/one", pause: float = 0.0) -> Book:
    """After one call that left and ended at 0."""
    book, first = leave(Book(), model, SMALL, 0.0)
    return end(book, first, limits, pause, 0.0)


def sent(book: Book, *needs: Need, model: str = "a/one", at: float = 1.0) -> tuple[Book, list[Departure]]:
    departures = []
    for need in needs:
        book, departure = leave(book, model, need, at)
        departures.append(departure)
    return book, departures


def test_of_what_is_not_known_nothing_is_waited_for() -> None:
    book, _ = sent(Book(), *[SMALL] * 40)
    assert wait(book, "a/one", SMALL, 1.0) == 0.0


def test_requests_leave_while_some_are_left_and_then_wait_until_all_are_there_again() -> None:
    book = told(Limit("requests", 10, 2, 30.0))
    book, _ = sent(book, SMALL)
    assert wait(book, "a/one", SMALL, 1.0) == 0.0
    book, _ = sent(book, SMALL)
    assert wait(book, "a/one", SMALL, 1.0) == 29.0
    assert wait(book, "a/one", SMALL, 30.0) == 0.0


def test_each_kind_of_tokens_counts_what_it_is_named_for() -> None:
    short: dict[Kind, tuple[int, int]] = {"tokens": (119, 120), "input-tokens": (99, 100), "output-tokens": (19, 20)}
    for kind, (too_few, enough) in short.items():
        assert wait(told(Limit(kind, 1000, too_few, 5.0)), "a/one", SMALL, 1.0) == 4.0
        assert wait(told(Limit(kind, 1000, enough, 5.0)), "a/one", SMALL, 1.0) == 0.0


def test_a_small_call_passes_where_a_large_one_waits() -> None:
    book = told(Limit("tokens", 1000, 200, 5.0))
    assert wait(book, "a/one", Need(500, 20), 1.0) == 4.0
    assert wait(book, "a/one", SMALL, 1.0) == 0.0


def test_what_is_under_way_counts_until_a_reply_includes_it() -> None:
    book = told(Limit("requests", 10, 3, 30.0))
    book, (one, two, three) = sent(book, SMALL, SMALL, SMALL)
    book = end(book, one, [Limit("requests", 10, 2, 31.0)], 0.0, 2.0)
    assert wait(book, "a/one", SMALL, 2.0) == 31.0, "the other two may not have been counted yet"
    book = end(book, two, [Limit("requests", 10, 0, 32.0)], 0.0, 2.5)
    book = end(book, three, [Limit("requests", 10, 0, 32.0)], 0.0, 2.5)
    assert wait(book, "a/one", SMALL, 2.5) == 32.0


def test_a_reply_that_says_that_more_is_left_than_was_reckoned_makes_room() -> None:
    book = told(Limit("input-tokens", 1000, 300, 30.0))
    book, (large,) = sent(book, Need(250, 0))
    assert wait(book, "a/one", SMALL, 1.0) == 29.0
    book = end(book, large, [Limit("input-tokens", 1000, 900, 3.0)], 0.0, 2.0)
    assert wait(book, "a/one", SMALL, 2.0) == 0.0, "most of it was read from the cache"


def test_an_older_reply_that_comes_late_is_not_believed() -> None:
    book, (early,) = sent(Book(), SMALL, at=0.0)
    book, (late,) = sent(book, SMALL, at=1.0)
    book = end(book, late, [Limit("requests", 10, 0, 30.0)], 0.0, 2.0)
    book = end(book, early, [Limit("requests", 10, 9, 3.0)], 0.0, 3.0)
    assert wait(book, "a/one", SMALL, 3.0) == 29.0


def test_a_call_larger_than_a_limit_leaves_when_the_limit_is_full_and_nothing_else_is_under_way() -> None:
    book, large = told(Limit("tokens", 1000, 1000, 5.0)), Need(5000, 20)
    assert wait(book, "a/one", large, 1.0) == 4.0
    book, (small,) = sent(book, SMALL)
    assert wait(book, "a/one", large, 5.0) == UNTIL_AN_ANSWER
    book = end(book, small, [], 0.0, 6.0)
    assert wait(book, "a/one", large, 6.0) == 0.0


def test_after_answers_that_told_nothing_one_call_at_a_time_leaves_until_one_tells() -> None:
    book = told(Limit("requests", 2, 2, 0.0))
    for at in (1.0, 2.0):
        book, (silent,) = sent(book, SMALL, at=at)
        book = end(book, silent, [], 0.0, at)
    assert wait(book, "a/one", SMALL, 3.0) == 0.0
    book, (asking,) = sent(book, SMALL, at=3.0)
    assert wait(book, "a/one", SMALL, 3.0) == UNTIL_AN_ANSWER
    book = end(book, asking, [Limit("requests", 2, 1, 9.0)], 0.0, 4.0)
    assert wait(book, "a/one", SMALL, 4.0) == 0.0


def test_what_leaves_for_one_model_counts_for_the_others_of_its_key() -> None:
    book = told(Limit("requests", 10, 1, 30.0))
    book, _ = sent(book, SMALL, model="a/two")
    assert wait(book, "a/one", SMALL, 1.0) == 29.0
    assert wait(book, "a/two", SMALL, 1.0) == 29.0, "of its own limits nothing is told yet"


def test_a_model_goes_by_its_own_limits_once_they_are_told() -> None:
    book = told(Limit("requests", 10, 0, 30.0))
    book, (other,) = sent(book, SMALL, model="a/two")
    book = end(book, other, [Limit("requests", 10, 9, 3.0)], 0.0, 2.0)
    assert wait(book, "a/two", SMALL, 2.0) == 0.0
    assert wait(book, "a/one", SMALL, 2.0) == 28.0


def test_a_pause_that_was_asked_for_is_kept_by_all_calls_of_the_model_but_not_for_ever() -> None:
    assert wait(told(pause=20.0), "a/one", SMALL, 1.0) == 19.0
    assert wait(told(pause=20.0), "a/two", SMALL, 1.0) == 0.0
    assert wait(told(pause=7200.0), "a/one", SMALL, 0.0) == 300.0


def test_the_book_stays_small() -> None:
    book = Book()
    for at in range(1000):
        book, departure = leave(book, "a/one", SMALL, float(at))
        book = end(book, departure, [Limit("requests", 10, 9, 0.5)], 0.0, at + 0.5)
    assert len(book.departures) <= 2
    assert len(book.told) == 1


@dataclass
class Provider:
    """A provider's limit: a bucket that refills steadily, or at once when a window ends. It goes below 0 for nobody."""

    size: int
    seconds: float
    steady: bool
    level: float = 0.0
    at: float = 0.0
    refused: list[float] = field(default_factory=list)

    def take(self, amount: int, now: float) -> None:
        self.refill(now)
        if amount > self.level + 1e-6:
            self.refused.append(now)
        else:
            self.level -= amount

    def refill(self, now: float) -> None:
        if self.steady:
            self.level = min(self.size, self.level + (now - self.at) * self.size / self.seconds)
            self.at = now
        elif now - self.at >= self.seconds:
            self.level, self.at = self.size, now - (now - self.at) % self.seconds

    def says(self, kind: Kind, now: float) -> Limit:
        self.refill(now)
        missing = (self.size - self.level) / self.size * self.seconds
        full_in = missing if self.steady else self.at + self.seconds - now
        return Limit(kind, self.size, int(self.level), full_in)


CALLS = st.tuples(
    st.integers(1, 40),  # tokens
    st.sampled_from([0.0, 0.1, 1.0, 7.0, 40.0]),  # on the way there
    st.sampled_from([0.0, 0.1, 1.0, 7.0, 40.0]),  # and back
    st.sampled_from([0.0, 0.0, 0.5, 3.0, 60.0]),  # after the one before was thought of
    st.sampled_from(["a/one", "a/two"]),
)


@given(st.lists(CALLS, max_size=25), st.integers(40, 90), st.sampled_from([1.0, 10.0, 60.0]), st.booleans())
def test_no_schedule_of_calls_is_ever_refused_after_the_first_answer(
    calls: list[tuple[int, float, float, float, str]], size: int, seconds: float, steady: bool
) -> None:
    tokens, requests = (Provider(most, seconds, steady, most) for most in (size, 5))
    book, first = leave(Book(), "a/one", Need(1, 0), 0.0)
    for bucket in (tokens, requests):
        bucket.take(1, 0.0)
    book = end(book, first, [tokens.says("tokens", 0.0), requests.says("requests", 0.0)], 0.0, 0.0)
    order, left = count(), 0
    now = 0.0
    events: list[tuple[float, int, str, tuple[object, ...]]] = []
    for call in calls:
        now += call[3]
        heapq.heappush(events, (now, next(order), "wants", call))
    while events:
        now, _, what, (*facts,) = heapq.heappop(events)
        if what == "wants":
            amount, there, back, _, model = facts
            assert isinstance(amount, int)
            assert isinstance(there, float)
            assert isinstance(back, float)
            need = Need(amount, 0)
            delay = wait(book, str(model), need, now)
            if delay:
                heapq.heappush(events, (now + min(delay + 1e-6, 50.0), next(order), what, tuple(facts)))
                continue
            book, gone = leave(book, str(model), need, now)
            left += 1
            heapq.heappush(events, (now + there, next(order), "arrives", (gone, back)))
        elif what == "arrives":
            here, back = facts
            assert isinstance(here, Departure)
            assert isinstance(back, float)
            tokens.take(here.need.tokens_in, now)
            requests.take(1, now)
            limits = [tokens.says("tokens", now), requests.says("requests", now)]
            heapq.heappush(events, (now + back, next(order), "answered", (here, limits)))
        else:
            over, said = facts
            assert isinstance(over, Departure)
            assert isinstance(said, list)
            book = end(book, over, said, 0.0, now)
    assert (tokens.refused, requests.refused) == ([], [])
    assert left == len(calls)
