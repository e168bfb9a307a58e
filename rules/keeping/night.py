"""The window of the night, "02:00-05:00", in which postponed work is tried again; it may go past midnight."""

from datetime import time


def in_window(window: str, now: time) -> bool:
    """Whether the time of day lies in the window: its beginning does, its end does not. Empty: never."""
    if not window:
        return False
    begin, end = begins(window), _clock(window.partition("-")[2])
    return begin <= now < end if begin < end else now >= begin or now < end


def begins(window: str) -> time:
    """When the window opens."""
    return _clock(window.partition("-")[0])


def _clock(text: str) -> time:
    return time.fromisoformat(text)
