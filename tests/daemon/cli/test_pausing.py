"""How long `memproc pause` lasts, as it is written."""

from datetime import timedelta

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.cli.pausing import read_duration


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("2h", timedelta(hours=2)),
        ("3d", timedelta(days=3)),
        ("45s", timedelta(seconds=45)),
        ("1h30m", timedelta(minutes=90)),
        ("366d", timedelta(days=366)),
    ],
)
def test_a_length_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    assert read_duration(text) == length


@pytest.mark.parametrize(
    "text", ["", "2", "h", "2 h", "-2h", "2w", "1.5h", "2h!", "0m", "367d", "9999999h", "٣h"]
)
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"^must be"):
        read_duration(text)


@given(st.text(alphabet="0123456789smhd -.", max_size=12))
def test_whatever_is_written_is_a_length_up_to_a_year_or_refused(text: str) -> None:
    try:
        length = read_duration(text)
    except click.BadParameter:
        return
    assert timedelta() < length <= timedelta(days=366)
