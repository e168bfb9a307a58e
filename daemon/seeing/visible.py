"""What is printed of texts that others wrote: nothing in them steers a terminal or turns a line around."""

import re

# Control characters but for the end of a line, and the marks that reverse what stands behind them.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with every character that would steer the terminal written out, as `\\x1b`; tabs become spaces."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text.expandtabs(4))


def in_one_line(text: str) -> str:
    """The same for a title or a name, which stands in one line."""
    return visible(text.replace("\n", " "))
