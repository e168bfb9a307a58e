"""Pauses: how long, until when, and kept for the next daemon."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.status.pause import Pause, begin_pause, current_pause, end_pause, read_duration
from tests.daemon.status.filled import ago, ahead


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
    with pytest.raises(ValueError, match=r"^must be"):
        read_duration(text)


@given(st.text(alphabet="0123456789smhd -.", max_size=12))
def test_whatever_is_written_is_a_length_up_to_a_year_or_refused(text: str) -> None:
    try:
        length = read_duration(text)
    except ValueError:
        return
    assert timedelta() < length <= timedelta(days=366)


def test_a_pause_ends_by_itself(archive: Archive) -> None:
    until = begin_pause(archive, timedelta(hours=2), ago()).until

    assert until == ahead(hours=2)
    assert current_pause(archive, ahead(hours=1, minutes=59)) == Pause(until)
    assert current_pause(archive, until) is None


def test_a_pause_without_a_length_lasts_until_it_is_ended(archive: Archive) -> None:
    begin_pause(archive, None, ago())
    assert current_pause(archive, ahead(days=400)) == Pause("")

    assert end_pause(archive, ahead(days=400)) == Pause("")
    assert current_pause(archive, ahead(days=400)) is None
    assert end_pause(archive, ahead(days=400)) is None


def test_the_last_word_counts(archive: Archive) -> None:
    begin_pause(archive, None, ago())
    begin_pause(archive, timedelta(minutes=5), ago())

    assert current_pause(archive, ahead(minutes=6)) is None
