"""On a terminal of 80 by 24: nothing wraps inside a word, problems come last, colours and pages where wanted."""

import fcntl
import json
import os
import pty
import re
import struct
import termios

import pytest

from tests.chats import export_bytes, long_chat
from tests.foreign import talks, trees
from tests.forked import exit_code, fork_memproc
from tests.server.models import KNOWN, Model
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.reports import calls

pytestmark = pytest.mark.timeout(200)
TITLE = "A very long evening by the lighthouse, with tea, and what was said of the sea and of ships"
PERSONA = {"systemMessage": "You keep the light. " * 24_000}
"""So long that each call is sent more than 100,000 tokens."""
CHAT = long_chat(5000, tokens_each=200, chatTitle=TITLE, chatParams=PERSONA)
COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COMMANDS = (
    "doctor",
    "doctor --all",
    "chats",
    "versions {}",
    "calls",
    "budget",
    "facts {}",
    "logs",
    "erase {}",
    "undo {}",
)
_ASKS = ("erase", "undo")
TOLD = ("doctor", "chats", "calls", "facts {}", "erase {}")
"""One of each kind: problems, a table of chats, one of models, prose, and a question."""


@pytest.fixture(scope="module")
def zoe(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person with a chat of a long title, calls of a model with a long name, facts, and a log."""
    zoe = Person(tmp_path_factory.mktemp("z"))
    zoe.drop(export_bytes(CHAT))
    models = {**KNOWN, "claude-haiku-5-5-20261001": Model(window=200_000)}
    with (
        ModelServer(Setup(script=scribe, models=models)) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        zoe.settings(
            '[budget]\nunpriced = true\n[models]\nagent = "anthropic/claude-haiku-5-5-20261001"\n'
            f'[models.options."anthropic/*"]\napi_base = "{server.url}"\nwindow = 200_000\n'
        )
        assert zoe.memproc("run").code == 0
    assert max(call.tokens_in for call in calls(zoe)) > 100_000
    zoe.settings()
    fact = "Vega burns blue-white, and its disc of dust was seen by a telescope in 1983, or so the keeper says."
    assert zoe.memproc("facts", "add", CHAT["chatID"], fact).code == 0
    return zoe


def seen(person: Person, command: str, **environment: str) -> str:
    """What a terminal of 80 by 24 is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    environ = {**inherited, "TERM": "xterm", "PAGER": "cat", **environment}
    argv = person.argv(*command.format(CHAT["chatID"]).split())
    running = fork_memproc(argv[1:], person.home, environ, (theirs, theirs, theirs))
    os.close(theirs)
    blocks = []
    if command.startswith(_ASKS):
        os.write(ours, b"n\n")
    while True:
        try:
            blocks.append(os.read(ours, 65536))
        except OSError:
            break
        if not blocks[-1]:
            break
    exit_code(running)
    os.close(ours)
    return b"".join(blocks).decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=() if command in TOLD else pytest.mark.long)
        for command in COMMANDS
    ],
)
@pytest.mark.full
def test_no_line_is_too_long_and_no_word_is_cut(zoe: Person, command: str) -> None:
    plain = zoe.memproc(*command.format(CHAT["chatID"]).split())
    words = set(f"{plain.out} {plain.err}".split())
    if command[:5] == "budge":  # what can be done next is for people, and for programs in JSON
        steps = json.loads(zoe.memproc(command, "--json").out)["next"]
        words |= {"--config", str(zoe.toml), *" ".join(steps).split()}
    shown = COLOUR.sub("", seen(zoe, command))
    stays_within(zoe, shown)
    if command[:5] in ("docto", "chats", "calls", "budge", "facts", "logs"):
        texts = {
            word for word in shown.split() if not word.replace(".", "").isdecimal()
        }  # the disk fills meanwhile
        assert texts <= words | {"with", "tea,"}, texts - words
    assert CHAT["chatID"] in shown or "{}" not in command or "facts" in command


def test_conversations_with_long_titles_are_listed_on_a_narrow_terminal(zoe: Person) -> None:
    (zoe.home / "foreign.json").write_bytes(trees.exported(talks.chatgpt("a", 3, title="x" * 900)))
    shown = COLOUR.sub("", seen(zoe, "bring foreign.json"))
    assert "1 conversation" in shown
    stays_within(zoe, shown)


def stays_within(zoe: Person, shown: str) -> None:
    """No line is longer than 80 columns, but for a command, which is never folded, and a path."""
    for line in shown.splitlines():
        is_one = "memproc " in line or str(zoe.home) in line
        assert len(line.rstrip()) <= 80 or is_one, line


@pytest.mark.full
def test_doctor_has_its_worst_problem_last_and_what_is_well_on_request(zoe: Person) -> None:
    broken = Person(zoe.home.parent / "broken")
    broken.toml.write_text("[tail]\ntokens = -1\n")
    shown = COLOUR.sub("", seen(broken, "doctor"))
    levels = re.findall(r"^(error|warning|ok)\b", shown, re.MULTILINE)
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == "error"
    assert "ok" not in levels
    assert "memproc doctor --all" in shown.splitlines()[-1]
    assert "ok  Python" in COLOUR.sub("", seen(broken, "doctor --all"))


@pytest.mark.full
def test_colours_are_for_terminals_of_those_who_want_them(zoe: Person) -> None:
    assert "\x1b[33mwarning" in seen(zoe, "doctor")
    assert "\x1b[3" not in seen(zoe, "doctor", NO_COLOR="1")
    assert "\x1b" not in zoe.memproc("doctor").out


def test_what_is_longer_than_the_terminal_is_shown_by_the_pager(zoe: Person) -> None:
    assert len(seen(zoe, "calls").splitlines()) > 24
    assert "P:" in seen(zoe, "calls", PAGER="sed s/^/P:/")
    assert "P:" not in seen(zoe, "chats", PAGER="sed s/^/P:/")
    assert "P:" not in zoe.memproc("calls").out


def test_the_status_has_no_pager_however_much_needs_attention(zoe: Person) -> None:
    many = Person(zoe.home.parent / "many")
    for number in range(12):
        many.drop(b'{"messages": []}', f"wrong {number}.json")
    assert many.memproc("run").code == 1
    shown = seen(many, "status", PAGER="sed s/^/P:/")
    assert len(shown.splitlines()) > 24
    assert "P:" not in shown, "with --watch it would wait for a key"
