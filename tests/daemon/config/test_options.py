"""What is passed to LiteLLM: the general options, those of one model on top, and nothing that memproc decides."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from daemon.config.loading import parse_settings
from daemon.config.model_tables import ModelSettings
from daemon.config.settings import Config
from rules.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("home")

PLACE = Path("/etc/memproc/memproc.toml")
MODEL = "anthropic/claude-haiku-5-5"


def read(text: str) -> Config:
    return parse_settings(text.encode(), PLACE)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    return [line.strip() for line in caught.value.message.split("\n")[1:]]


def test_every_model_gets_the_general_options() -> None:
    models = read(
        '[models.options]\ntemperature = 0.2\nstop = ["a"]\nextra_headers = { X-Team = "ada" }'
    ).models

    assert models.options_for(MODEL) == {
        "temperature": 0.2,
        "stop": ["a"],
        "extra_headers": {"X-Team": "ada"},
    }


def test_the_options_of_a_model_come_on_top_of_the_general_ones() -> None:
    models = read(
        f'[models.options]\ntemperature = 0.2\nseed = 1\n[models.options."{MODEL}"]\nseed = 2'
    ).models

    assert models.options_for(MODEL) == {"temperature": 0.2, "seed": 2}
    assert models.options_for("anthropic/claude-opus-5-5") == {"temperature": 0.2, "seed": 1}


def test_of_several_tables_that_fit_the_later_wins() -> None:
    text = '[models.options."*/claude*"]\nseed = 1\ntop_k = 1\n[models.options."anthropic/*"]\nseed = 2\n'

    assert read(text).models.options_for(MODEL) == {"seed": 2, "top_k": 1}


@pytest.mark.parametrize(
    "pattern", [MODEL, "anthropic/*", "*/claude-haiku*", "anthropic/claude-haiku-?-?", "*/*"]
)
def test_wildcards_name_many_models(pattern: str) -> None:
    assert ModelSettings(options={pattern: {"seed": 1}}).options_for(MODEL) == {"seed": 1}


@pytest.mark.parametrize(
    "pattern", ["anthropic/", "anthropic/claude", "openai/*", "/", "anthropic/claude-haiku-?"]
)
def test_the_options_of_another_model_do_not_count(pattern: str) -> None:
    assert ModelSettings(options={pattern: {"seed": 1}}).options_for(MODEL) == {}


def test_a_name_with_brackets_names_itself() -> None:
    assert ModelSettings(options={"x/model[beta]": {"seed": 1}}).options_for("x/model[beta]") == {
        "seed": 1
    }


def test_what_one_call_does_with_its_options_is_nothing_to_the_next() -> None:
    models = ModelSettings(options={"extra_headers": {"A": "1"}, "x/*": {"stop": ["a"]}})
    first = models.options_for("x/y")

    first["extra_headers"]["B"] = "2"  # type: ignore[index]
    first["stop"].append("b")  # type: ignore[attr-defined]

    assert models.options_for("x/y") == {"extra_headers": {"A": "1"}, "stop": ["a"]}


NAMES = st.sampled_from(["temperature", "seed", "stop", "api_base", "extra_headers"])
VALUES = st.recursive(
    st.none().map(lambda _: 0) | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
OPTIONS = st.dictionaries(NAMES, VALUES)
TABLES = st.dictionaries(st.sampled_from(["a/b", "a/*", "*/b", "*/*", "a/?", "c/b"]), OPTIONS)
FITTING = ["a/b", "a/*", "*/b", "*/*", "a/?"]


@given(OPTIONS, TABLES)
def test_each_option_is_that_of_the_last_table_that_fits_and_has_it(
    general: Mapping[str, object], tables: Mapping[str, Mapping[str, object]]
) -> None:
    found = ModelSettings(options={**tables, **general}).options_for("a/b")

    fitting = [general, *(own for pattern, own in tables.items() if pattern in FITTING)]
    assert found.keys() == {name for own in fitting for name in own}
    for name, value in found.items():
        assert value == [own[name] for own in fitting if name in own][-1]


OURS = [
    *(
        "model",
        "messages",
        "stream",
        "max_tokens",
        "max_completion_tokens",
        "n",
        "tools",
        "tool_choice",
        "functions",
    ),
    *(
        "response_format",
        "num_retries",
        "max_retries",
        "fallbacks",
        "context_window_fallback_dict",
        "mock_response",
    ),
    *("cache", "caching", "drop_params", "custom_llm_provider"),
]


@pytest.mark.parametrize("name", [*OURS, "Max_Tokens"])
def test_what_memproc_decides_itself_is_no_option(name: str) -> None:
    assert problems(f"[models.options]\n{name} = 1") == [
        f"line 2: models.options.{name}: memproc decides this itself"
    ]
    assert problems(f'\n[models.options."a/*"]\n\n{name} = 1') == [
        f'line 4: models.options."a/*".{name}: memproc decides this itself'
    ]


@pytest.mark.parametrize("name", ["api_key", "API_KEY"])
def test_a_key_is_refused_and_never_shown(name: str) -> None:
    (problem,) = problems(f'models.options.{name} = "sk-secret"')

    assert problem == (
        f"line 1: models.options.{name}: a key does not belong in this file: memproc key set PROVIDER"
    )
    assert "secret" not in " ".join(problems(f"models.options.'x/y'.{name} = 'sk-secret'"))
    assert "secret" not in " ".join(
        problems('models.options.extra_headers = { a = "sk-secret", b = nan }')
    )


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("timeout = 0", "timeout: must be a number of seconds, more than 0"),
        ("timeout = -1.5", "timeout: must be a number of seconds, more than 0"),
        ("timeout = true", "timeout: must be a number of seconds, more than 0"),
        ("timeout = inf", "timeout: must be a number of seconds, more than 0"),
        ("timeout = nan", "timeout: must be a number of seconds, more than 0"),
        ('timeout = "60"', "timeout: must be a number of seconds, more than 0"),
        ("seed = 2026-01-02", "seed: must not hold a date or a time"),
        ("seed = [1, { a = 07:32:00 }]", "seed: must not hold a date or a time"),
        ("temperature = nan", "temperature: must not hold inf or nan"),
        ("a = [[[[[[[[[1]]]]]]]]]", "a: must not be nested deeper than 8 levels"),
        ("a.b.c.d.e.f.g.h.i.j = 1", "a: must not be nested deeper than 8 levels"),
        ("api-base = 'x'", "api-base: must be the name of an option, like temperature"),
        ('"" = 1', '"": must be the name of an option, like temperature'),
        ('"a/b" = 1', '"a/b": must be a table: the options for the models of that name'),
        ('"a/b"."c/d" = {}', '"a/b"."c/d": must be the name of an option, like temperature'),
        ('"a/b".timeout = 0', '"a/b".timeout: must be a number of seconds, more than 0'),
    ],
)
def test_an_option_that_cannot_be_sent_is_refused(written: str, reason: str) -> None:
    assert problems(f"[models.options]\n{written}") == [f"line 2: models.options.{reason}"]


@pytest.mark.parametrize(
    "deepest", ["[" * 8 + "1" + "]" * 8, '{ "é\\u0000" = [true, -0.0, "x", {}] }']
)
def test_all_that_json_can_say_may_be_sent(deepest: str) -> None:
    assert list(read(f"models.options.a = {deepest}").models.options) == ["a"]


def test_options_nested_without_end_are_refused_not_followed() -> None:
    (problem,) = problems("models.options.a" + ".a" * 500 + " = 1")

    assert problem == "line 1: models.options.a: must not be nested deeper than 8 levels"


def test_all_refused_options_are_told_at_once_with_all_else() -> None:
    text = '[models]\nwindow = 7\n[models.options]\nn = 2\ntimeout = 0\nseed = 1\n[models.options."a/b"]\nstream = true'

    assert problems(text) == [
        "line 2: models.window: must be 0 or at least 1024 (is 7)",
        "line 4: models.options.n: memproc decides this itself",
        "line 5: models.options.timeout: must be a number of seconds, more than 0",
        'line 8: models.options."a/b".stream: memproc decides this itself',
    ]


def test_settings_made_in_code_are_refused_alike() -> None:
    with pytest.raises(ValidationError, match="memproc decides this itself"):
        ModelSettings(options={"n": 2})


def test_a_window_is_unknown_or_worth_having() -> None:
    for tokens in (0, 1024, 10_000_000):
        assert read(f"models.window = {tokens}").models.window == tokens
