"""Find the names that both sides call each other by: "Hey Marta!", "Good night, Wren."."""

import re
from collections import Counter
from collections.abc import Iterable

_NAME = r"([^\W\d_a-zß-ÿа-яё][^\W\d_]{1,14}|[\u30a1-\u30fa\u30fc]{2,6})"
_AT_START = re.compile(
    rf"(?:\A|[\n.!?…。！？]\s?)(?:[^\W\d_]{{2,10}},?\s)?{_NAME}(?=\s?(?:[,!?，、！？]|\Z))"
)
_AT_END = re.compile(rf"[,，、]\s?{_NAME}(?=\s?(?:[.!?…。！？]|\Z))")
_FEWEST_CALLS = 2
"""A word that is called once may be any word: "Sorry!"."""
_SHARE_OF_MOST = 0.25
"""A name is called at least this part as often as the most frequent one."""


def find_called_names(texts: Iterable[str]) -> frozenset[str]:
    """Return the names by which one side calls the other in its messages, casefolded.

    A name begins or ends sentences as a call, in at least two messages and in a quarter as many as
    the most frequent one.
    """
    calls = Counter[str]()
    for text in texts:
        calls.update(
            {name.casefold() for call in (_AT_START, _AT_END) for name in call.findall(text)}
        )
    most = max(calls.values(), default=0)
    fewest = max(_FEWEST_CALLS, most * _SHARE_OF_MOST)
    return frozenset(name for name, times in calls.items() if times >= fewest)
