"""Hypothesis strategies: exports as no client would write them, though TypingMind could read them.

White space, key order, escapes, spellings of numbers, unknown fields, halves of surrogate pairs and
doubled keys inside messages vary. Everything is made as text, so that each spelling is known.
"""

import json
import re

from hypothesis import strategies as st

_HALF = re.compile("[\ud800-\udfff]")
_BLANKS = ("", "", "", " ", "\n", "\r\n", "\t", "\n      ")
_ODD_NUMBERS = ("69.2240", "9007199254740993", "1E400", "-0", "-0.0", "1e5", "0.1e-7", "1" * 400)
_SYNC = (
    "null",
    "{}",
    '{"deletedMessageUUIDs":[]}',
    '{"a" : 1e2,\n"deletedMessageUUIDs": ["x", 7 ] }',
)
_ODD_STRINGS = (
    '"\\/"',
    '"\\u0000"',
    '"\\ud83d"',
    '"\\uDE00\\ud83d"',
    '"\\u0041"',
    '"\u2028"',
    '"<system>"',
    '"[{"',
)


def _spelled(text: str, ascii_only: bool) -> str:
    written = json.dumps(text, ensure_ascii=ascii_only)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", written)


blanks = st.sampled_from(_BLANKS)
strings = st.builds(_spelled, st.text(max_size=12), st.booleans()) | st.sampled_from(_ODD_STRINGS)
numbers = (
    st.sampled_from(_ODD_NUMBERS)
    | st.integers().map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map(str)
)
scalars = strings | numbers | st.sampled_from(("true", "false", "null"))


def _array(entries: list[str], blank: str) -> str:
    return "[" + blank + f"{blank},{blank}".join(entries) + blank + "]"


def _object(members: list[tuple[str, str]], blank: str) -> str:
    return (
        "{"
        + blank
        + f"{blank},{blank}".join(f"{key}{blank}:{value}" for key, value in members)
        + blank
        + "}"
    )


def _named(fields: dict[str, str]) -> list[tuple[str, str]]:
    return [(json.dumps(key), value) for key, value in fields.items()]


def _turned(members: list[tuple[str, str]], first: int) -> list[tuple[str, str]]:
    return [*members[first:], *members[:first]]


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(_array, st.lists(inner, max_size=3), blanks) | st.builds(
        _object, st.lists(st.tuples(strings, inner), max_size=3), blanks
    )


values = st.recursive(scalars, _containers, max_leaves=6)
"""Any JSON value as text; keys may stand twice."""

_fields = st.fixed_dictionaries(
    {"role": st.sampled_from(('"user"', '"assistant"'))},
    optional={
        "uuid": strings,
        "content": values,
        "createdAt": strings,
        "type": strings,
        "threads": values,
        "memproc": values,
    },
)
_more = st.lists(st.tuples(strings, values), max_size=2)
messages = st.builds(
    lambda fields, more, blank, first: _object(_turned([*_named(fields), *more], first), blank),
    _fields, _more, blanks, st.integers(0, 3),
)  # fmt: skip
"""A message as text, with its keys in any order, known ones and unknown ones."""


def _chat(said: list[str], fields: dict[str, str], blank: str, between: str, first: bool) -> str:
    own = ('"messages"', "[" + blank + f"{between},{blank}".join(said) + between + "]")
    others = _named(fields)
    return _object([own, *others] if first else [*others, own], blank)


chats = st.builds(
    _chat,
    st.lists(messages, max_size=6),
    st.fixed_dictionaries(
        {"chatID": strings},
        optional={
            "updatedAt": strings,
            "tokenUsage": values,
            "unknown": values,
            "syncMetadata": st.sampled_from(_SYNC),
        },
    ),
    blanks, blanks, st.booleans(),
)  # fmt: skip


def _export(said: list[str], blank: str, section: str, outer: str) -> bytes:
    data = _object(
        [('"folders"', section), ('"chats"', _array(said, blank)), ('"streaming"', "true")], outer
    )
    return (outer + _object([('"data"', data)], blank) + outer).encode()


exports = st.builds(_export, st.lists(chats, min_size=1, max_size=2), blanks, values, blanks)
"""A whole export, as the bytes of its file."""
