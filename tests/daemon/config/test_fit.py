"""`memproc config fit` writes sizes into memproc.toml and leaves all else as it is."""

from pathlib import Path

import pytest
import tomli

from daemon.cli import main
from daemon.config.as_toml import default_file
from daemon.config.editing import SettingName, with_settings
from rules.errors import ConfigurationError

SIZES: dict[SettingName, object] = {
    ("tail", "tokens"): 2400,
    ("tail", "step"): 0,
    ("chunk", "tokens"): 600,
}
TEXT = """\
# Mine.
[chunk]  # small ones
tokens = 4_000 # as it was
[models]
window = 8192
agent = "ollama/llama3"  # local
"""


def test_what_is_there_changes_in_its_place_and_what_is_not_is_added() -> None:
    changed = with_settings(TEXT, SIZES)
    assert "[chunk]  # small ones\ntokens = 600 # as it was\n" in changed
    assert changed.endswith("[tail]\ntokens = 2400\nstep = 0\n")
    assert [line for line in TEXT.splitlines() if "4_000" not in line] == [
        line for line in changed.splitlines() if line in TEXT.splitlines()
    ]


@pytest.mark.parametrize(
    "text",
    [
        "tail.tokens = 30000\n",
        "tail = { step = 5, tokens = 30000 }\n",
        "",
        "[tail]",
        default_file(),
    ],
)
def test_every_way_to_write_a_table_is_understood(text: str) -> None:
    try:
        changed = tomli.loads(with_settings(text, {("tail", "tokens"): 2400}))
    except ConfigurationError as refused:
        pytest.fail(str(refused))
    assert changed["tail"]["tokens"] == 2400


def test_comments_of_the_shipped_file_stay() -> None:
    before, after = default_file().splitlines(), with_settings(default_file(), SIZES).splitlines()
    assert len(before) == len(after)
    assert [line for line in before if line.startswith("#")] == [
        line for line in after if line.startswith("#")
    ]


@pytest.mark.full
def test_the_sizes_are_written_for_the_window_that_is_named(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "memproc.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["--config", str(path), "config", "fit", "ollama/llama3"]) == 0
    assert "fit into 8,192" in capsys.readouterr().out
    written = tomli.loads(path.read_text(encoding="utf-8"))
    assert written["tail"]["tokens"] == 4 * written["chunk"]["tokens"] < 4000
    assert "# as it was" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0


def test_a_model_whose_window_nobody_knows_is_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "memproc.toml"
    path.write_text("[chunk]\ntokens = 4000\n", encoding="utf-8")
    assert main(["--config", str(path), "config", "fit", "openai/nobody-knows-this-one"]) == 2
    assert "It is not known how many tokens" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "[chunk]\ntokens = 4000\n"


def test_a_primer_of_ones_own_that_says_less_is_told_by_the_check(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "texts").mkdir()
    (home / "texts" / "primer.md").write_text("You remember. Each is in `to_remember`.")
    path = home / "memproc.toml"
    path.write_text('[texts]\nfolder = "texts"\n', encoding="utf-8")
    assert main(["--config", str(path), "config", "check"]) == 0
    said = capsys.readouterr().out
    assert "primer.md does not say what the tag context_manager holds" in said
    assert "how long answers may be" in said
    assert "the tag to_remember" not in said
