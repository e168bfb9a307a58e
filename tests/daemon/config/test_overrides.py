"""Settings for some chats alone: what an override says counts for the chats it fits, and everything else stays."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from daemon.files.read import chats_in
from rules.errors import ChatSkipped, ConfigurationError
from rules.typingmind.chat import Chat
from tests.chats import chat, export_bytes

pytestmark = pytest.mark.usefixtures("home")

PLACE = Path("/etc/memproc/memproc.toml")


def read(text: str) -> Config:
    return parse_settings(text.encode(), PLACE)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    return [line.strip() for line in caught.value.message.split("\n")[1:]]


def titled(title: str, **fields: object) -> Chat:
    return chats_in("x.json", export_bytes(chat(chatTitle=title, **fields)))[0]


ADA = titled("Talks with Ada, 2", id="c1", chatID="c1", folderID="f1")
BOB = titled("Bob", id="c2", chatID="c2")


def test_an_override_counts_for_the_chats_that_it_fits_alone() -> None:
    config = read(
        """
        [tail]
        tokens = 50000

        [[chats.override]]
        chat = "Talks with Ada*"
        models = { agent = "anthropic/claude-opus-5-5" }
        tail.tokens = 20000
        [chats.override.texts]
        folder = "texts-of-ada"
        """
    )
    own = config.of(ADA)

    assert own.tail.tokens == 20000
    assert own.models.agent == "anthropic/claude-opus-5-5"
    assert own.texts.path == PLACE.parent / "texts-of-ada"
    assert config.of(BOB) is config


def test_what_an_override_leaves_out_is_as_in_the_main_tables() -> None:
    config = read(
        '[tail]\ntokens = 50000\nstep = 7\n[models]\nfallback = "a/b"\n[[chats.override]]\nchat = "*"\ntail.step = 9'
    )
    own = config.of(ADA)

    assert own.tail.model_dump() == {"tokens": 50000, "step": 9}
    assert own.model_copy(update={"tail": config.tail}) == config


@pytest.mark.parametrize("pattern", ["c1", "f1", "talks*"])
def test_a_chat_is_named_as_it_is_for_include_and_exclude(pattern: str) -> None:
    config = read(f'[[chats.override]]\nchat = "{pattern}"\nchunk.tokens = 500')

    assert config.of(ADA).limits.chunk == 500
    assert config.of(BOB).limits.chunk == 4000


def test_a_chunk_that_is_too_small_is_refused_for_single_chats_too() -> None:
    (told,) = problems('[[chats.override]]\nchat = "*"\nchunk.tokens = 399')
    assert told.startswith(
        "line 3: chats.override[1].chunk.tokens: must be at least 400, since about 40 tokens"
    )


def test_of_several_overrides_the_later_wins_setting_by_setting() -> None:
    config = read(
        """
        [[chats.override]]
        chat = "*"
        tail = { tokens = 20000, step = 1 }
        models.window = 8192
        models.concurrency = 2
        models.batch = "always"
        [[chats.override]]
        chat = "c1"
        tail.step = 2
        [[chats.override]]
        chat = "c2"
        tail.step = 3
        """
    )

    assert config.of(ADA).tail.model_dump() == {"tokens": 20000, "step": 2}
    assert config.of(ADA).models.window == 8192
    assert (config.of(ADA).models.concurrency, config.of(ADA).models.batch) == (2, "always")
    assert config.of(BOB).tail.model_dump() == {"tokens": 20000, "step": 3}


def test_an_override_that_says_the_default_means_it() -> None:
    assert (
        read('tail.step = 7\n[[chats.override]]\nchat = "*"\ntail.step = 24000').of(ADA).tail.step
        == 24000
    )


def test_options_of_an_override_are_taken_over_one_by_one() -> None:
    config = read(
        """
        [models.options]
        temperature = 0.1
        seed = 1
        extra_headers = { A = "1" }
        "ollama/*" = { num_ctx = 1, seed = 2 }
        [[chats.override]]
        chat = "Talks*"
        [chats.override.models.options]
        seed = 3
        extra_headers = { B = "2" }
        "ollama/*" = { num_ctx = 4 }
        "ollama/x" = { top_k = 5 }
        """
    )
    own = config.of(ADA).models

    assert own.options_for("a/b") == {"temperature": 0.1, "seed": 3, "extra_headers": {"B": "2"}}
    assert own.options_for("ollama/x") == {
        **own.options_for("a/b"),
        "num_ctx": 4,
        "seed": 2,
        "top_k": 5,
    }
    assert config.models.options_for("ollama/x")["num_ctx"] == 1


def test_an_override_of_other_models_keeps_the_options() -> None:
    config = read('models.options.seed = 1\n[[chats.override]]\nchat = "*"\nmodels.agent = "a/b"')

    assert config.of(ADA).models.options_for("a/b") == {"seed": 1}


STEPS = st.lists(
    st.tuples(st.sampled_from(["c1", "c2", "*", "Talks*"]), st.none() | st.integers(0, 16_000)),
    max_size=5,
)


@given(STEPS)
def test_the_last_override_that_fits_and_says_a_setting_decides_it(
    steps: list[tuple[str, int | None]],
) -> None:
    text = "".join(
        f'[[chats.override]]\nchat = "{pattern}"\n'
        + ("" if step is None else f"tail.step = {step}\n")
        for pattern, step in steps
    )
    said = [step for pattern, step in steps if pattern != "c2" and step is not None]

    own = read(text).of(ADA)

    assert own.tail.step == ([24_000, *said])[-1]
    assert own.of(ADA) == own


NONE_SUCH = "there is no such setting; there are models, tail, chunk, memory, fold, core, facts, keep, texts, recall, chat"


def test_every_problem_of_every_override_is_told_with_its_number_and_line() -> None:
    text = """\
[[chats.override]]
chat = "a"
tail.tokens = 1

[[chats.override]]
[chats.override.tail]
tokns = 1
[chats.override.models.options]
n = 1

[[chats.override]]
chat = 3
chunk = { tokens = 9000 }
inbox = "x"
tokens = 5
schedule = {}
[tail]
step = "x"
"""
    assert problems(text) == [
        "line 3: chats.override[1].tail.tokens: must be at least 800 (is 1)",
        "line 5: chats.override[2].chat: must be there: The chat's title, with wildcards, or its id or its folder's.",
        'line 7: chats.override[2].tail.tokns: there is no such setting; did you mean "tokens"?',
        "line 9: chats.override[2].models.options.n: memproc decides this itself",
        "line 12: chats.override[3].chat: must be a text in quotes (is 3)",
        f"line 14: chats.override[3].inbox: {NONE_SUCH}",
        'line 15: chats.override[3].tokens: there is no such setting; did you mean "tail.tokens"?',
        f"line 16: chats.override[3].schedule: {NONE_SUCH}",
        'line 18: tail.step: must be a whole number (is "x")',
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[chats.override]",
            "chats.override: must be a list of tables, [[chats.override]] (is a table)",
        ),
        (
            "chats.override = 3",
            "chats.override: must be a list of tables, [[chats.override]] (is 3)",
        ),
        (
            "chats.override = ['a']",
            'chats.override[1]: must be a table, [[chats.override]] (is "a")',
        ),
        (
            "chats.override = [{ chat = 'a', tail = 3 }]",
            "chats.override[1].tail: must be a table, [chats.override.tail] (is 3)",
        ),
        ("chats.override = [{ chat = ' ' }]", 'chats.override[1].chat: must not be empty (is " ")'),
        ("[[chats.overide]]", 'chats.overide: there is no such setting; did you mean "override"?'),
        ("[[override]]", 'override: there is no such table; did you mean "chats.override"?'),
    ],
)
def test_an_override_of_the_wrong_shape_is_told_in_plain_words(text: str, problem: str) -> None:
    assert problems(text) == [f"line 1: {problem}"]


def test_overrides_may_be_written_in_one_line() -> None:
    text = "[chats]\noverride = [ { chat = 'a' },\n 7,\n { chat = 'b', tail = { tokens = 900, step = 1 } },\n]"

    assert problems(text) == [
        "line 2: chats.override[2]: must be a table, [[chats.override]] (is 7)"
    ]
    assert problems(text.replace(" 7,", "")) == [
        "line 2: chats.override[2].tail.tokens: must be at least 16000, 4 times chunk.tokens (is 900)",
    ]


def test_an_override_must_agree_with_what_it_leaves_to_the_main_tables() -> None:
    text = "[tail]\nstep = 40000\n[[chats.override]]\nchat = 'x'\ntail.tokens = 16000\n"

    assert problems(text) == [
        "line 5: chats.override[1].tail.step: must be at most 32000, twice tail.tokens (is 40000)"
    ]
    assert read(text + "tail.step = 0\n").chats.override[0].tail.tokens == 16000


def test_a_clash_of_the_main_tables_is_told_once() -> None:
    text = (
        "tail.tokens = 1000\ntail.step = 0\n[[chats.override]]\nchat = 'x'\nmodels.window = 2000\n"
    )

    assert problems(text) == [
        "line 1: tail.tokens: must be at least 16000, 4 times chunk.tokens (is 1000)"
    ]


def test_an_override_does_not_clash_with_what_is_wrong_anyway() -> None:
    text = "tail.tokens = 'many'\n[[chats.override]]\nchat = 'x'\nchunk.tokens = 9000\n"

    assert problems(text) == ['line 1: tail.tokens: must be a whole number (is "many")']


def test_overrides_that_clash_only_together_skipped_the_chat_that_both_fit() -> None:
    config = read(
        """
        [[chats.override]]
        chat = "*"
        chunk.tokens = 7000
        [[chats.override]]
        chat = "c1"
        tail.tokens = 16000
        """
    )

    assert config.of(BOB).limits.chunk == 7000
    with pytest.raises(
        ChatSkipped, match=r'"Talks with Ada, 2".*tail\.tokens must be at least 28000'
    ) as caught:
        config.of(ADA)
    assert "[[chats.override]]" in caught.value.next_step


def test_a_configuration_says_of_an_override_what_is_written_in_it() -> None:
    config = read('[[chats.override]]\nchat = "x"\ntail.step = 8000\nmodels.options."a/*".seed = 1')

    assert config.model_dump(mode="json")["chats"]["override"] == [
        {"chat": "x", "tail": {"step": 8000}, "models": {"options": {"a/*": {"seed": 1}}}}
    ]
