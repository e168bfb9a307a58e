"""The line of each key of a TOML text, as a person would point at it."""

from pathlib import Path
from typing import Any

import tomli
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.as_toml import key_lines
from daemon.config.problems import report_problems
from daemon.config.tables import ConfigProblem, Key

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
[many.inner]
deep = 1
[[many.inners]]
[[many.inners]]
deep = 2
[[many]]
two = 2
[many.inner]
[listed]
entries = [[1, 2], { a = 1 },
  {}, [{ b = 1 }],
]
'''


def test_every_key_is_found_on_its_line() -> None:
    table = ("table", "two words")

    assert tomli.loads(TEXT)  # or else this test would prove nothing
    assert key_lines(TEXT) == {
        ("top",): 1,
        ("dotted",): 2,
        ("dotted", "key"): 2,
        ("dotted", "key", 1): 2,
        ("dotted", "key", 1, "within"): 2,
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
        ("many", 0): 17,
        ("many", 0, "one"): 18,
        ("many", 0, "inner"): 19,
        ("many", 0, "inner", "deep"): 20,
        ("many", 0, "inners"): 21,
        ("many", 0, "inners", 0): 21,
        ("many", 0, "inners", 1): 22,
        ("many", 0, "inners", 1, "deep"): 23,
        ("many", 1): 24,
        ("many", 1, "two"): 25,
        ("many", 1, "inner"): 26,
        ("listed",): 27,
        ("listed", "entries"): 28,
        ("listed", "entries", 1): 28,
        ("listed", "entries", 1, "a"): 28,
        ("listed", "entries", 2): 28,
        ("listed", "entries", 3): 28,
        ("listed", "entries", 3, 0): 28,
        ("listed", "entries", 3, 0, "b"): 28,
    }


def test_a_key_that_is_not_there_is_sought_at_its_table() -> None:
    keys = (("tail", "step"), ("tail", "tokens"), ("chunk", "tokens"))
    problems = [ConfigProblem((key,), "is wrong") for key in keys]

    assert report_problems(problems, "\n[tail]\nstep = 1\n", Path("file")).splitlines()[1:] == [
        "  chunk.tokens: is wrong",
        "  line 2: tail.tokens: is wrong",
        "  line 3: tail.step: is wrong",
    ]


TREES = st.recursive(
    st.one_of(
        st.integers(),
        st.sampled_from(
            [
                "'a = 1'",
                '"""\nx = 1\n"""',
                '"""a""""',
                "'''a''''",
                '"\\""',
                "1.5",
                "['b', 2]",
                "[\n1,\n]",
            ]
        ),
    ),
    lambda inner: (
        st.dictionaries(st.sampled_from("abcd"), inner, max_size=3) | st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


def inline(tree: object) -> str:
    if isinstance(tree, dict):
        return "{ " + ", ".join(f"{name} = {inline(value)}" for name, value in tree.items()) + " }"
    if isinstance(tree, list):
        return "[ " + ",\n ".join(map(inline, tree)) + " ]"
    return str(tree)


def keys_of(tree: object) -> set[Key]:
    """The keys in a value, and the tables in its lists."""
    if isinstance(tree, dict):
        return {(name, *rest) for name, value in tree.items() for rest in ({()} | keys_of(value))}
    if isinstance(tree, list):
        within = {(index, *rest) for index, value in enumerate(tree) for rest in keys_of(value)}
        tables: set[Key] = {(index,) for index, value in enumerate(tree) if isinstance(value, dict)}
        return within | tables | {key[:length] for key in within for length in range(1, len(key))}
    return set()


@given(st.dictionaries(st.sampled_from("efgh"), TREES, min_size=1))
def test_the_keys_with_lines_are_the_keys_that_the_parser_sees(tree: dict[str, Any]) -> None:
    text = "\n".join(f"{name} = {inline(value)}" for name, value in tree.items())

    assert tomli.loads(text).keys() == tree.keys()
    lines = key_lines(text)
    assert set(lines) == keys_of(tree)
    for name in tree:
        assert text.split("\n")[lines[name,] - 1].startswith(f"{name} = ")


@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.sampled_from("abc"), unique=True, max_size=3)),
        min_size=1,
    )
)
def test_every_table_of_a_list_of_tables_has_lines_of_its_own(
    tables: list[tuple[bool, list[str]]],
) -> None:
    text = ""
    for nested, names in tables:
        text += (
            "[[x]]\n" + ("[x.y]\n" if nested else "") + "".join(f"{name} = 1\n" for name in names)
        )
    parsed = tomli.loads(text)

    found = key_lines(text)

    assert set(found) == keys_of(parsed)
    for key, line in found.items():
        if isinstance(key[-1], str) and key[-1] in "abc":
            assert text.split("\n")[line - 1] == f"{key[-1]} = 1"
    assert [found["x", index] for index in range(len(tables))] == [
        number for number, line in enumerate(text.split("\n"), 1) if line == "[[x]]"
    ]
