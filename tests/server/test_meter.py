"""The account: sums, dollars, and which finished requests came again."""

import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.server.log import Log, read_meter
from tests.server.meter import Meter
from tests.server.usage import Price, Usage

PRICE = Price(
    Decimal("0.10"),
    Decimal("0.125"),
    Decimal("0.01"),
    Decimal("0.50"),
    step=100_000,
    factor=Decimal(5),
)
USAGE = asdict(Usage(fresh=100, written=1000, read=10_000, output=50))


def meter_of(*events: dict[str, object]) -> Meter:
    meter = Meter()
    for event in events:
        meter.note(event)
    return meter


def arrived(number: int, key: str = "k") -> dict[str, object]:
    return {"event": "arrived", "number": number, "key": key, "model": "m"}


def ended(event: str, number: int) -> dict[str, object]:
    return {"event": event, "number": number, "usage": USAGE}


def test_a_write_counts_one_and_a_quarter_and_a_read_a_tenth() -> None:
    assert Usage(**USAGE).billed_input == 100 + 1250 + 1000


def test_dollars_are_exact_and_fivefold_above_the_step() -> None:
    assert PRICE.dollars(Usage(fresh=100_000, output=1000)) == Decimal("0.0105")
    assert PRICE.dollars(Usage(fresh=90_000, read=10_001, output=1000)) == Decimal("0.04800005")


def test_a_request_that_comes_again_after_its_answer_is_noted() -> None:
    meter = meter_of(arrived(1), ended("answered", 1), arrived(2), arrived(3, "other"))
    assert meter.finished_and_seen_again == ["k"]
    assert (meter.calls, meter.seen["k"], meter.answered["k"]) == (3, 2, 1)


def test_a_request_that_comes_again_after_a_failure_is_none_of_them() -> None:
    failed = {"event": "failed", "number": 1, "fault": "529"}
    meter = meter_of(
        arrived(1), failed, arrived(2), ended("lost", 2), arrived(3), ended("answered", 3)
    )
    assert meter.finished_and_seen_again == []
    assert meter.failures == {"529": 1}
    assert meter.heard == Usage(**USAGE)
    assert meter.usage == Usage(**USAGE) + Usage(**USAGE)


def test_an_answer_that_turns_out_to_be_lost_is_billed_once_and_may_come_again() -> None:
    meter = meter_of(arrived(1), ended("answered", 1), ended("lost", 1), arrived(2))
    assert meter.finished_and_seen_again == []
    assert meter.usage == Usage(**USAGE)
    assert meter.heard == Usage()
    assert meter.dollars({"m": PRICE}) == PRICE.dollars(Usage(**USAGE))
    assert meter.dollars({"m": PRICE}, heard_only=True) == 0


def test_the_log_on_disk_gives_the_same_account(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path)
    for key in ("a", "b", "a"):
        number, _ = log.arrived(key, model="m")
        log.note("answered", number=number, usage=USAGE)
    assert read_meter(path).bills == log.meter.bills
    assert read_meter(path).finished_and_seen_again == log.meter.finished_and_seen_again == ["a"]
    log.close()


def test_a_line_that_is_being_written_waits(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(arrived(1)) + "\n" + json.dumps(arrived(2))[:20])
    assert read_meter(path).calls == 1


tokens = st.integers(0, 10**6)


@given(st.lists(st.builds(Usage, tokens, tokens, tokens, tokens)))
def test_the_sum_is_the_sum_of_the_calls(usages: list[Usage]) -> None:
    meter = Meter()
    for number, usage in enumerate(usages, 1):
        meter.note(arrived(number, str(number)))
        meter.note({"event": "answered", "number": number, "usage": asdict(usage)})
    assert meter.usage.billed_input == sum(usage.billed_input for usage in usages)
    assert meter.dollars({"m": PRICE}) == sum(PRICE.dollars(usage) for usage in usages)
