"""Pauses: how long, until when, and kept for the next daemon."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.status.status import NotAPause, Paused, pause, paused, read_duration, resume
from tests.daemon.seeing.filled import ago, ahead


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


@pytest.mark.parametrize("text", ["", "2", "h", "2 h", "-2h", "2w", "1.5h", "2h!", "0m", "367d", "9999999h", "٣h"])
def test_what_is_no_length_is_refused(text: str) -> None:
    assert isinstance(read_duration(text), NotAPause)


@given(st.text(alphabet="0123456789smhd -.", max_size=12))
def test_whatever_is_written_is_a_length_up_to_a_year_or_refused(text: str) -> None:
    length = read_duration(text)
    assert isinstance(length, NotAPause) or timedelta() < length <= timedelta(days=366)


def test_a_pause_ends_by_itself(archive: Archive) -> None:
    until = pause(archive, timedelta(hours=2), ago()).until

    assert until == ahead(hours=2)
    assert paused(archive, ahead(hours=1, minutes=59)) == Paused(until)
    assert paused(archive, until) is None


def test_a_pause_without_a_length_lasts_until_it_is_ended(archive: Archive) -> None:
    pause(archive, None, ago())
    assert paused(archive, ahead(days=400)) == Paused("")

    assert resume(archive, ahead(days=400)) == Paused("")
    assert paused(archive, ahead(days=400)) is None
    assert resume(archive, ahead(days=400)) is None


def test_the_last_word_counts(archive: Archive) -> None:
    pause(archive, None, ago())
    pause(archive, timedelta(minutes=5), ago())

    assert paused(archive, ahead(minutes=6)) is None
