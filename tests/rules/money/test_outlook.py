"""What a plan will cost: three sums that never contradict each other, and the day on which it has paid for itself."""

from hypothesis import given
from hypothesis import strategies as st

from rules.money.calls import Call
from rules.money.outlook import NOTHING, Asked, Outlook, outlook, pays_back_after
from rules.money.price import PICO, Price, Usage, cost, rates

SONNET = Price(rates(3, 15, 0.3, 3.75))
ASKED = Asked(SONNET, 1.0, 1.0, 1.0, 0)


@st.composite
def call(draw: st.DrawFn) -> Call:
    prompt = draw(st.integers(100, 100_000))
    kept = draw(st.integers(0, prompt))
    answer = draw(st.integers(5, 1000))
    return Call("agent", prompt, kept, draw(st.integers(kept, prompt)), answer, 200 + 4 * answer, 20)


@given(st.lists(call(), max_size=8), st.floats(0.7, 1.3))
def test_low_is_never_more_than_likely_nor_likely_more_than_at_most(calls: list[Call], factor: float) -> None:
    found = outlook(calls, lambda _: Asked(SONNET, factor, min(1.0, factor), factor, 0))
    assert 0 <= found.low <= found.likely <= found.at_most


@given(call(), st.floats(0.2, 1), st.floats(0, 1), st.floats(0.2, 4))
def test_a_call_that_goes_as_it_was_planned_lies_in_between(
    call: Call, answered: float, read: float, longer: float
) -> None:
    """Whatever part of what was sent before is read from the cache, and however long the answer is, in its room."""
    found = outlook([call], lambda _: ASKED)
    cached = round(call.seen * read)
    written = call.prompt - cached if answered > 0.5 else 0
    answer = max(call.answer // 5, min(call.room, round(call.answer * longer)))
    assert found.low <= cost(SONNET, Usage(call.prompt, cached, written, answer)) <= found.at_most


def test_all_chats_together_cost_their_sum() -> None:
    assert Outlook(1, 2, 3).plus(Outlook(10, 20, 30)).plus(NOTHING) == Outlook(11, 22, 33)


def test_it_has_paid_for_itself_when_what_is_saved_has_come_to_what_it_cost() -> None:
    six_dollars = 636 * PICO // 100
    assert pays_back_after(six_dollars, 63_400, SONNET.rates.input) == 34
    assert pays_back_after(six_dollars, 63_400, SONNET.rates.cache_read) == 335
    assert pays_back_after(six_dollars, 0, SONNET.rates.input) is None
    assert pays_back_after(six_dollars, 63_400, 0) is None
