"""Round brackets around several sentences: each of these has at most one end of them.

    (I have kept it. It lies by the door.)    ->   I have kept it.   It lies by the door.

The brackets of ":)" and its like are no ends of any, nor are those in code.
"""

import re

_OPENING, _CLOSING = "(（", ")）"
_BRACKET = re.compile(r"[()（）]")
_SIGN = re.compile(r"[:;=]['’]?-?[()]+|`[^`\n]*`")


def without_lone_brackets(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the bounds of the sentence [start, stop) without brackets at its ends that have no partner in it."""
    lone = lone_brackets(text[start:stop])
    inner, outer = 0, stop - start
    for at in lone:
        inner += at == inner
    for at in reversed(lone):
        outer -= at == outer - 1
    return start + inner, start + max(inner, outer)


def is_left_open(sentence: str) -> bool:
    """Return whether a bracket opens in the sentence and does not close there."""
    return any(sentence[at] in _OPENING for at in lone_brackets(sentence))


def lone_brackets(sentence: str) -> list[int]:
    """Return the places of the brackets without a partner, in order."""
    if not _BRACKET.search(sentence):
        return []
    plain = _SIGN.sub(lambda match: " " * len(match.group()), sentence)
    opened: list[int] = []
    lone: list[int] = []
    for at, mark in enumerate(plain):
        if mark in _OPENING:
            opened.append(at)
        elif mark in _CLOSING and opened:
            opened.pop()
        elif mark in _CLOSING:
            lone.append(at)
    return sorted(lone + opened)
