"""A faulty memproc.toml is refused with everything that is wrong in it, line by line."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.config.loading import load, parse_settings
from daemon.config.settings import Config
from rules.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("home")

PLACE = Path("/etc/memproc/memproc.toml")


def read(text: str, place: Path = PLACE) -> Config:
    return parse_settings(text.encode(), place)


def problems(text: str) -> list[str]:
    """The problems of a faulty text, one string each, as a person sees them."""
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    head, *told = caught.value.message.split("\n")
    assert head.startswith(f"{PLACE} has {len(told)} problem")
    return [one.removeprefix("  ") for one in told]


def test_five_mistakes_are_told_at_once_each_with_its_line() -> None:
    text = """\
[chunk]
tokens = 3

[tail]
tokns = 30000
step = "some"

[output]
mode = "both"

[modles]
agent = "a/b"
"""
    assert problems(text) == [
        "line 2: chunk.tokens: must be at least 400, "
        "since about 40 tokens of each memory are the questions in it (is 3)",
        'line 5: tail.tokns: there is no such setting; did you mean "tokens"?',
        'line 6: tail.step: must be a whole number (is "some")',
        'line 9: output.mode: must be "replace", "new-chat" or "keep-originals" (is "both")',
        'line 11: modles: there is no such table; did you mean "models"?',
    ]


@pytest.mark.parametrize("name", ["Berlin", "Mars/Olympus", "/etc/localtime", "Europe"])
def test_an_unknown_time_zone_is_refused_with_what_it_must_be(name: str) -> None:
    assert problems(f'[memory]\nzone = "{name}"') == [
        'line 2: memory.zone: must be a time zone as in "Europe/Berlin", or empty for the one that '
        f'the archive keeps (is "{name}")'
    ]
    assert read('[memory]\nzone = "Asia/Kolkata"').memory.zone == "Asia/Kolkata"
    assert read('[memory]\nzone = ""').memory.zone == ""


def test_days_are_those_of_one_zone_for_all_chats() -> None:
    text = '[[chats.override]]\nchat = "A"\n[chats.override.memory]\nzone = "Asia/Tokyo"'
    (problem,) = problems(text)
    assert "chats.override[1].memory.zone: there is no such setting" in problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tail = 3", "line 1: tail: must be a table, [tail] (is 3)"),
        ("[[tail]]", "line 1: tail: must be a table, [tail] (is a list)"),
        ("tail.tokens = 30000.0", "line 1: tail.tokens: must be a whole number (is 30000.0)"),
        ("tail.tokens = inf", "line 1: tail.tokens: must be a whole number (is inf)"),
        ("tail.step = true", "line 1: tail.step: must be a whole number (is true)"),
        ("tail.step = -1", "line 1: tail.step: must be at least 0 (is -1)"),
        ("tail.tokens = 99999999", "line 1: tail.tokens: must be at most 10000000 (is 99999999)"),
        (
            "texts.folder = 2026-01-02",
            "line 1: texts.folder: must be a text in quotes (is a date or a time)",
        ),
        (
            'fold.budget = "much"',
            'line 1: fold.budget: must be "auto" or a whole number from 500 to 10000000 (is "much")',
        ),
        (
            "fold.budget = 499",
            'line 1: fold.budget: must be "auto" or a whole number from 500 to 10000000 (is 499)',
        ),
        (
            "fold.budget = true",
            'line 1: fold.budget: must be "auto" or a whole number from 500 to 10000000 (is true)',
        ),
        ("texts.folder = {}", "line 1: texts.folder: must be a text in quotes (is a table)"),
        ('folders.inbox = ""', 'line 1: folders.inbox: must not be empty (is "")'),
        (
            'models.agent = "gpt"',
            'line 1: models.agent: must be "chat" or a name like "provider/model" (is "gpt")',
        ),
        (
            'models.context_manager = "chat"',
            'line 1: models.context_manager: must be "small" or a name like "provider/model" (is "chat")',
        ),
        (
            'models.fallback = "small"',
            'line 1: models.fallback: must be empty or a name like "provider/model" (is "small")',
        ),
        ("models.window = 1023", "line 1: models.window: must be 0 or at least 1024 (is 1023)"),
        ("models.window = -1", "line 1: models.window: must be at least 0 (is -1)"),
        ("models.concurrency = 0", "line 1: models.concurrency: must be at least 1 (is 0)"),
        (
            'models.batch = "daily"',
            'line 1: models.batch: must be "never", "night" or "always" (is "daily")',
        ),
        ("models.concurrency = 17", "line 1: models.concurrency: must be at most 16 (is 17)"),
        (
            "models.window = 10000001",
            "line 1: models.window: must be at most 10000000 (is 10000001)",
        ),
        ("models.options = 3", "line 1: models.options: must be a table, [models.options] (is 3)"),
        (
            "[[models.options]]",
            "line 1: models.options: must be a table, [models.options] (is a list)",
        ),
        (
            "models.temperature = 1",
            "line 1: models.temperature: there is no such setting; "
            "there are agent, context_manager, fallback, window, concurrency, batch, options",
        ),
        (
            "chats.include = [3]",
            "line 1: chats.include: each entry must be a text in quotes (is 3)",
        ),
        ('chats.exclude = [" "]', 'line 1: chats.exclude: each entry must not be empty (is " ")'),
        (
            'chats.include = "Ada"',
            'line 1: chats.include: must be a list of texts, like ["one", "two"] (is "Ada")',
        ),
        ("chunk.zzz = 1", "line 1: chunk.zzz: there is no such setting; there are tokens, bounds"),
        ("inbox = 1", 'line 1: inbox: there is no such table; did you mean "folders.inbox"?'),
        ("TAIL.step = 1", 'line 1: TAIL: there is no such table; did you mean "tail"?'),
    ],
)
def test_a_problem_is_told_in_plain_words(text: str, problem: str) -> None:
    assert problems(text) == [problem]


def test_the_live_tail_is_at_least_four_chunks_long() -> None:
    assert read("tail.tokens = 16000").chunk.tokens == 4000
    assert problems("tail.tokens = 15999") == [
        "line 1: tail.tokens: must be at least 16000, 4 times chunk.tokens (is 15999)"
    ]


def test_a_clash_is_shown_at_the_setting_that_is_in_the_file() -> None:
    assert problems("[chats]\n[chunk]\ntokens = 9000") == [
        "line 3: tail.tokens: must be at least 36000, 4 times chunk.tokens (is 30000)"
    ]


def test_a_step_is_not_longer_than_the_tail() -> None:
    assert read("tail.step = 60000").tail.step == 60000
    assert problems("tail.step = 60001") == [
        "line 1: tail.step: must be at most 60000, twice tail.tokens (is 60001)"
    ]


def test_a_setting_that_is_wrong_by_itself_clashes_with_no_other() -> None:
    assert problems("chunk.tokens = 'many'\ntail.tokens = 900\ntail.step = 1") == [
        'line 1: chunk.tokens: must be a whole number (is "many")'
    ]


def test_clashes_are_told_together_once_each_setting_is_right_by_itself() -> None:
    text = '[folders]\ninbox = "/in"\nupdated = "/in/up"\n[tail]\nsteps = 1\ntokens = 1000\nstep = 90000'

    assert problems(text) == [
        "line 3: folders.updated: must not lie in the inbox",
        'line 5: tail.steps: there is no such setting; did you mean "step"?',
    ]
    assert problems(text.replace("steps = 1", "").replace("/in/up", "/up")) == [
        "line 6: tail.tokens: must be at least 16000, 4 times chunk.tokens (is 1000)",
        "line 7: tail.step: must be at most 2000, twice tail.tokens (is 90000)",
    ]


def test_a_folder_without_a_home_is_told_with_its_line() -> None:
    (problem,) = problems('[folders]\n\nstate = "~nobody-of-this-name/x"')

    assert problem.startswith("line 3: folders.state: ~nobody-of-this-name has no home folder")


def test_a_value_is_shown_short_and_harmless() -> None:
    (problem,) = problems('output.mode = "\\u001b[2J' + "x" * 5000 + '"')

    assert "\x1b" not in problem
    assert len(problem) < 140


def test_the_value_of_an_unknown_setting_is_not_shown_for_it_may_be_a_key() -> None:
    (problem,) = problems('models.api_key = "sk-secret"')

    assert "secret" not in problem


def test_a_thousand_problems_do_not_fill_the_screen() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read("".join(f"x{number} = 1\n" for number in range(1000)))

    assert caught.value.message.startswith(f"{PLACE} has 1000 problems:\n")
    assert caught.value.message.endswith("\n  and 900 more")


def test_a_mistake_in_the_spelling_of_toml_is_told_with_line_and_column() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read("[chunk]\ntokens = = 3\n")

    assert caught.value.message == f"{PLACE}, line 2, column 10: Invalid value."
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[chunk]\ntokens = 1 # \xff", "line 2: the file is not UTF-8 text"),
        ("[chunk]".encode("utf-16"), "line 1: the file is not UTF-8 text"),
        (b"a = " + b"[" * 100_000, "nested too deep"),
        (b"a = " + b"{a = " * 300 + b"1" + b"}" * 300, "a: there is no such table"),
        (b".".join([b"a"] * 5_000) + b" = 1", "nested too deep"),
        (b"tail.step = " + b"9" * 5_000, "a number that is too long"),
        (
            b"tail.step = 0x" + b"f" * 5_000,
            "tail.step: must be at most 10000000 (is a huge number)",
        ),
        (b"#" * 1_000_001, "larger than 1,000,000 bytes"),
        (b"\x00", "line 1, column 1"),
    ],
)
def test_content_that_is_no_configuration_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_settings(content, PLACE)

    assert reason in caught.value.message


def test_a_file_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "memproc.toml").write_text("[tail]\nstep = 5", encoding="utf-8")

    assert load(tmp_path / "memproc.toml").tail.step == 5


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.toml", tmp_path / "nothing" / "x.toml"):
        with pytest.raises(ConfigurationError) as caught:
            load(path)

        assert str(path) in caught.value.message
        assert caught.value.exit_code == 2


def test_an_endless_file_is_refused() -> None:
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("this system has no endless file")

    with pytest.raises(ConfigurationError, match="larger than"):
        load(endless)


NAMES = [
    *Config.model_fields,
    "include",
    "override",
    "chats.override",
    "chat",
    "agent",
    "models.options",
    "options",
    '"a/*"',
    "timeout",
    "tokens",
    "step",
    "inbox",
    "state",
    "folder",
    "x",
    '"a\\tb"',
]
VALUES = [
    "1",
    "-1",
    "0x" + "f" * 20,
    "'a/b'",
    '"~x"',
    '"/"',
    '""',
    '"\\u0000"',
    "'''\n'''",
    '"""a\n"b"""',
    "true",
]
VALUES += [
    "nan",
    "1e999",
    "07:32",
    "1979-05-27T07:32:00Z",
    "[",
    "[]",
    "['a', 1,\n]",
    "{",
    "{x = 1}",
    "[{chat = 'x', tail = {tokens = 1}}, 3, {}]",
    "{'a/b' = {n = 1, timeout = 1e999}, x = [1979-05-27]}",
    "}",
    "]",
]
FRAGMENTS = st.one_of(
    st.sampled_from([f"[{name}]\n" for name in NAMES]),
    st.sampled_from([f"[[{name}]]\n" for name in NAMES]),
    st.builds(
        "{}.{} = {}\n".format,
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(VALUES),
    ),
    st.builds("{} = {}\n".format, st.sampled_from(NAMES), st.sampled_from(VALUES)),
    st.builds(
        "{}={{{}={}}}\n".format,
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(VALUES),
    ),
    st.builds("# {}\n".format, st.text(max_size=5)),
    st.text(max_size=5),
)


@given(
    st.one_of(
        st.lists(FRAGMENTS, max_size=6).map(
            lambda parts: "".join(parts).encode("utf-8", "surrogatepass")
        ),
        st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(),
    )
)
@example(b'folders.inbox = "\\u0000"')
@example(b'folders.inbox = "~"')
@example(b'models.agent = "\\U0010FFFF"')
@example(b'"" = 1')
def test_garbage_is_a_configuration_or_a_clear_error(content: bytes) -> None:
    try:
        config = parse_settings(content, PLACE)
    except ConfigurationError as error:
        assert error.message.startswith(str(PLACE))
        assert re.fullmatch(r"[^\x00-\x09\x0b-\x1f\x7f-\x9f]*", error.message)
    else:
        assert parse_settings(content, PLACE) == config


def test_batches_at_night_need_a_night() -> None:
    nobody = '[schedule]\nnight = ""\n'
    (told,) = problems(f'[models]\nbatch = "night"\n{nobody}')
    assert told == 'line 2: models.batch: must not be "night" where schedule.night is empty'
    (told,) = problems(f'{nobody}[[chats.override]]\nchat = "x"\nmodels.batch = "night"\n')
    assert "models.batch" in told
    assert read('models.batch = "night"').models.batch == "night"


def test_numbers_and_switches_of_the_daemon_are_what_they_must_be() -> None:
    for wrong, must in (
        ('watch.settle_seconds = "5"', "must be a number"),
        ("watch.settle_seconds = nan", "must be a number"),
        ("watch.settle_seconds = 0", "must be at least 0.5"),
        ("watch.subfolders = 1", "must be true or false"),
        ('schedule.night = "25:00-03:00"', "two times of day"),
        ('schedule.night = "02:00-02:00"', "two times of day"),
        ('notify.when = "often"', "must be"),
    ):
        with pytest.raises(ConfigurationError, match=must):
            parse_settings(wrong.encode(), Path("/x/memproc.toml"))
