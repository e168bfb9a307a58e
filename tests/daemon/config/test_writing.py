"""`memproc config show` prints a memproc.toml that means the same as the one that counts."""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from daemon.cli import main
from daemon.config.as_toml import toml_value
from daemon.config.loading import load_folders, parse_settings

TEXT = """\
[chats]
exclude = ["Bob"]
[[chats.override]]
chat = "Talks with \\"Ada\\" \\u001b 🏮"
models = { agent = "a/b", options."x/*".extra_headers = { "a b" = "1" } }
tail.tokens = 20000
[[chats.override]]
chat = "k3v9xq2m7p"
[models.options]
temperature = 1e-7
stop = ["a", 'b', { c = [] }]
"""


def show(path: Path, *options: str) -> str:
    with redirect_stdout(io.StringIO()) as shown:
        assert main(["--config", str(path), "config", "show", *options]) == 0
    return shown.getvalue()


@pytest.fixture
def toml(home: Path) -> Path:
    (home / "memproc.toml").write_text(TEXT, encoding="utf-8")
    return home / "memproc.toml"


def test_what_is_shown_is_the_configuration_that_counts(toml: Path) -> None:
    shown = show(toml)

    meant, said = parse_settings(shown.encode(), toml), parse_settings(TEXT.encode(), toml)
    assert load_folders(meant) == load_folders(said)
    assert meant.model_dump(exclude={"folders"}) == said.model_dump(exclude={"folders"})
    assert tomli.loads(shown) == json.loads(show(toml, "--json"))["settings"]


def test_nested_tables_are_shown_under_their_own_headers(toml: Path) -> None:
    shown = show(toml).split("\n")

    for line in (
        "[chats]",
        "[[chats.override]]",
        "[chats.override.tail]",
        "[models.options]",
        "tokens = 20000",
    ):
        assert line in shown
    assert '[chats.override.models.options."x/*".extra_headers]' in shown
    assert shown.count("[[chats.override]]") == 2


def test_what_is_shown_does_nothing_to_a_terminal(toml: Path) -> None:
    assert "\x1b" not in show(toml)


def test_texts_of_an_override_that_cannot_be_used_are_found_by_the_check(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "memproc.toml"
    path.write_text('[[chats.override]]\nchat = "x"\ntexts.folder = "nowhere"', encoding="utf-8")
    assert main(["--config", str(path), "config", "check"]) == 2
    assert f"there is no folder {home / 'nowhere'}" in capsys.readouterr().err


VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(VALUES)
def test_every_value_of_json_is_read_back_from_toml_as_it_was(value: object) -> None:
    assert tomli.loads(f"setting = {toml_value(value)}")["setting"] == value
