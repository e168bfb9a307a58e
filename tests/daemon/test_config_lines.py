"""The line of each key of a TOML text, as a person would point at it."""

from typing import Any

import tomli
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.lines import key_lines, line_of

TEXT = '''\
top = 1
dotted.key = [ # not = a.key
  "[no.table]", { within = 1 },
]

[ table . "two words" ]
long = """
fake = 1
[fake]
\\""" still \"""""
raw = \'\'\'
fake = 2
\'\'\'
pi = 3.14
inline = { a = { b.c = 1 }, d = [1, 2], e = 2026-01-02 }
last = 1
[[many]]
one = 1
[[many]]
two = 2
'''


def test_every_key_is_found_on_its_line() -> None:
    table = ("table", "two words")

    assert tomli.loads(TEXT)  # or else this test would prove nothing
    assert key_lines(TEXT) == {
        ("top",): 1,
        ("dotted",): 2,
        ("dotted", "key"): 2,
        ("dotted", "key", "within"): 3,
        ("table",): 6,
        table: 6,
        (*table, "long"): 7,
        (*table, "raw"): 11,
        (*table, "pi"): 14,
        (*table, "inline"): 15,
        (*table, "inline", "a"): 15,
        (*table, "inline", "a", "b"): 15,
        (*table, "inline", "a", "b", "c"): 15,
        (*table, "inline", "d"): 15,
        (*table, "inline", "e"): 15,
        (*table, "last"): 16,
        ("many",): 17,
        ("many", "one"): 18,
        ("many", "two"): 20,
    }


def test_a_key_that_is_not_there_is_sought_at_its_table() -> None:
    lines = key_lines("\n[tail]\nstep = 1\n")

    assert line_of(lines, ("tail", "step")) == 3
    assert line_of(lines, ("tail", "tokens")) == 2
    assert line_of(lines, ("chunk", "tokens")) is None


TREES = st.recursive(
    st.one_of(
        st.integers(),
        st.sampled_from(["'a = 1'", '"""\nx = 1\n"""', '"""a""""', "'''a''''", '"\\""', "1.5", "['b', 2]", "[\n1,\n]"]),
    ),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)


def inline(tree: object) -> str:
    if isinstance(tree, dict):
        return "{ " + ", ".join(f"{name} = {inline(value)}" for name, value in tree.items()) + " }"
    return str(tree)


def keys_of(tree: object) -> set[tuple[str, ...]]:
    if not isinstance(tree, dict):
        return set()
    return {(name, *rest) for name, value in tree.items() for rest in ({()} | keys_of(value))}


@given(st.dictionaries(st.sampled_from("efgh"), TREES, min_size=1))
def test_the_keys_with_lines_are_the_keys_that_the_parser_sees(tree: dict[str, Any]) -> None:
    text = "\n".join(f"{name} = {inline(value)}" for name, value in tree.items())

    assert tomli.loads(text).keys() == tree.keys()
    lines = key_lines(text)
    assert set(lines) == keys_of(tree)
    for name in tree:
        assert text.split("\n")[lines[name,] - 1].startswith(f"{name} = ")
