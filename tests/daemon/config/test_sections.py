"""A section of the core memory whose first value is wrong is told by its key and line."""

import json

import pytest

from tests.daemon.config.test_problems import problems, read

pytestmark = pytest.mark.usefixtures("home")

LONG = "x" * 2001


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        (
            'limit = 3\nvalue = "abcd"',
            "line 3: core.sections.a.value: must have at most 3 characters",
        ),
        (
            'value = ["a", "b"]\nlimit = 6',
            "line 2: core.sections.a.value: must have at most 6 characters",
        ),
        (f'value = "{LONG}"', "line 2: core.sections.a.value: must have at most 2000 characters"),
        (
            "value = 3",
            "line 2: core.sections.a.value: must be a text in quotes, or a list of texts, like",
        ),
        (
            'value = ["a", 3]',
            "line 2: core.sections.a.value: must be a text in quotes, or a list of texts, like",
        ),
        (
            'value = [" "]',
            "line 2: core.sections.a.value: must be a text in quotes, or a list of texts, like",
        ),
    ],
)
def test_a_first_value_that_cannot_be_is_told_with_its_line(section: str, problem: str) -> None:
    (told,) = problems(f"[core.sections.a]\n{section}")
    assert told.startswith(problem)


def test_how_long_a_value_is_stands_behind_what_it_may_be() -> None:
    (told,) = problems('[core.sections.a]\nlimit = 3\nvalue = ["ab"]')
    assert told.endswith("must have at most 3 characters, the limit of its section (has 4)")


def test_in_an_override_it_is_told_with_the_override() -> None:
    (told,) = problems(
        f'[[chats.override]]\nchat = "x"\n[chats.override.core.sections.human]\nvalue = "{LONG}"'
    )
    assert told.startswith(
        "line 4: chats.override[1].core.sections.human.value: must have at most 2000 characters"
    )


@pytest.mark.parametrize(
    "text",
    [
        '[core.sections.a]\nlimit = 4\nvalue = "abcd"',
        '[core.sections.a]\nlimit = 0\nvalue = "left out"',
        f'[core]\nlayout = "somebody-s"\n[core.sections.a]\nvalue = "{LONG}"',
    ],
)
def test_a_value_that_fits_or_whose_limit_only_a_layout_knows_is_no_problem(text: str) -> None:
    assert read(text).core.sections["a"].value


@pytest.mark.parametrize("value", ['"one"', '["one", "two"]'])
def test_a_first_value_is_written_out_as_it_was_read(value: str) -> None:
    core = read(f"[core.sections.a]\nvalue = {value}").core
    assert core.model_dump(mode="json")["sections"] == {"a": {"value": json.loads(value)}}
    assert json.loads(core.model_dump_json())["sections"] == {"a": {"value": json.loads(value)}}
