"""By which names the two of a conversation call each other: "Hey Marta!", "Good night, Wren."."""

import re
from collections import Counter
from collections.abc import Iterable

_NAME = r"([^\W\d_a-zß-ÿа-яё][^\W\d_]{1,14}|[\u30a1-\u30fa\u30fc]{2,6})"
_AT_START = re.compile(
    rf"(?:\A|[\n.!?…。！？]\s?)(?:[^\W\d_]{{2,10}},?\s)?{_NAME}(?=\s?(?:[,!?，、！？]|\Z))"
)
_AT_END = re.compile(rf"[,，、]\s?{_NAME}(?=\s?(?:[.!?…。！？]|\Z))")
_LEAST = 2
_SHARE_OF_MOST = 0.25


def addressed(texts: Iterable[str]) -> frozenset[str]:
    """Return the names by which one side calls the other in its messages, casefolded.

    They are those that most often begin or end a sentence as a call, at least twice.
    """
    calls = Counter[str]()
    for text in texts:
        calls.update(
            {name.casefold() for calls in (_AT_START, _AT_END) for name in calls.findall(text)}
        )
    most = max(calls.values(), default=0)
    least = max(_LEAST, most * _SHARE_OF_MOST)
    return frozenset(name for name, times in calls.items() if times >= least)
