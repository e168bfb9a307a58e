"""A key is nowhere but where it was kept: not in what is printed, written, archived or seen by others."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.stories.canary import CANARY, perches, sings
from tests.stories.databases import change
from tests.stories.person import Ended, Person

pytestmark = pytest.mark.timeout(900)
LIMIT_SECONDS = 280  # for a command, on a machine that has much else to do
ROOT = Path(__file__).parents[2]
CHAT = long_chat(6400, tokens_each=200)
MODELS = '[models]\nagent = "anthropic/claude-haiku-5-5"\ncontext_manager = "anthropic/claude-haiku-5-5"\n'
TALKATIVE = {
    "LITELLM_LOG": "DEBUG",
    "OPENAI_LOG": "debug",
    "JSON_LOGS": "true",
    "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD": "true",
    "LITELLM_DISABLE_REDACT_SECRETS": "true",
    "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "guard"), str(ROOT)]),
    "PYTHONUNBUFFERED": "1",
}
"""Everything by which somebody could ask LiteLLM and what it uses to say more; and where the keyring is found."""


@dataclass(frozen=True)
class Keeper:
    """Somebody whose key sings, and who listens to all that memproc says."""

    person: Person
    environment: Mapping[str, str]
    heard: list[str] = field(default_factory=list)

    def memproc(self, *arguments: str, said: str = "") -> Ended:
        """Run the real command to its end; it is `said` something on its standard input."""
        return self.ended(self.start(*arguments), said)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Begin the real command."""
        return subprocess.Popen(
            self.person.argv(*arguments),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.person.home, env=self.environment,
        )  # fmt: skip

    def look_at(self, running: "subprocess.Popen[str]") -> None:
        """See what every user of the machine can see of a command that runs."""
        if sys.platform == "linux":
            seen = Path(f"/proc/{running.pid}/cmdline").read_text()
            assert "memproc" in seen
            self.heard.append(seen)

    def ended(self, running: "subprocess.Popen[str]", said: str = "") -> Ended:
        """Wait for the end of a command, and remember what it said."""
        out, err = running.communicate(said, timeout=LIMIT_SECONDS)
        self.heard.extend([out, err])
        return Ended(running.returncode, out, err)

    def assert_nobody_knows(self) -> None:
        """The key is in nothing that was said, and in no file but its own."""
        assert not [said for said in self.heard if sings(said)]
        assert perches(self.person.home, Path(self.environment["TMPDIR"])) == []


@pytest.fixture
def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> Keeper:
    """Somebody who keeps the key in the environment, in the file, or in a keyring."""
    person = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    person.settings(MODELS)
    person.drop(export_bytes(CHAT))
    (tmp_path / "temp").mkdir()
    environment = {
        **os.environ,
        **TALKATIVE,
        "TMPDIR": str(tmp_path / "temp"),
        "MEMPROC_TEST_KEYRING": str(tmp_path / "keyring.json"),
    }
    if request.param == "environment":
        environment["ANTHROPIC_API_KEY"] = CANARY
    if request.param == "keyring":
        environment["PYTHON_KEYRING_BACKEND"] = "tests.daemon.keys.backends.InAFile"
    keeper = Keeper(person, environment)
    if request.param != "environment":
        ended = keeper.memproc("key", "set", "anthropic", said=f"{CANARY}\n")
        assert (ended.code, ended.err) == (0, "")
    where = keeper.memproc("key", "test", "anthropic", "--no-call")
    assert (where.code, where.err) == (0, "")
    assert {"environment": "the environment", "file": "keys.env", "keyring": "the system keyring"}[
        request.param
    ] in where.out
    return keeper


def in_turn(*often: str) -> pytest.MarkDecorator:
    """Run a story for each place of a key: those named here every time, the others where there are minutes."""
    places = [
        pytest.param(place, marks=[] if place in often else [pytest.mark.long])
        for place in ("environment", "file", "keyring")
    ]
    return pytest.mark.parametrize("keeper", places, indirect=True)


def at(keeper: Keeper, url: str) -> Keeper:
    """The same person, who has a server of their own asked, and lets the key go there wherever it is kept."""
    assert keeper.memproc("key", "allow", "anthropic", "127.0.0.1").code == 0
    return Keeper(keeper.person, {**keeper.environment, "ANTHROPIC_API_BASE": url}, keeper.heard)


@pytest.mark.long
@in_turn("file")
def test_a_key_at_work_is_told_to_nobody(keeper: Keeper, tmp_path: Path) -> None:
    script = {
        "key": CANARY,
        "at": {"2": "server error", "4": "malformed", "6": "refused", "8": "cut off"},
    }
    with serve(tmp_path / "server", script) as server:
        eve = at(keeper, server.url)
        tried = eve.memproc("key", "test", "anthropic")
        assert "the key works" in tried.out
        assert (tried.code, tried.err) == (0, "")
        ended = eve.memproc("run")
        assert (ended.code, ended.err) == (0, "")
    assert eve.person.updated()
    eve.memproc("calls", "--text", "--json")
    assert eve.memproc("config", "show").code == 0
    eve.assert_nobody_knows()


@in_turn("file")
@pytest.mark.long
def test_a_key_in_a_killed_and_an_interrupted_run_is_told_to_nobody(
    keeper: Keeper, tmp_path: Path
) -> None:
    with serve(tmp_path / "server", {"key": CANARY, "seconds": 0.1}) as server:
        eve = at(keeper, server.url)
        for ending in (signal.SIGKILL, signal.SIGINT):
            answered = len(server.meter.answered)
            with eve.start("run") as running:
                try:
                    while len(server.meter.answered) < answered + 3:
                        assert running.poll() is None, running.communicate()
                    eve.look_at(running)
                    running.send_signal(ending)
                    ended = eve.ended(running)
                finally:
                    running.kill()
            assert ended.code == (130 if ending == signal.SIGINT else -signal.SIGKILL)
            eve.assert_nobody_knows()


@in_turn()
def test_a_provider_that_says_the_key_back_is_not_repeated(keeper: Keeper) -> None:
    with Parrot() as parrot:
        eve = at(keeper, parrot.url)
        ended = eve.memproc("run")
        assert ended.code == 1
        assert "does not accept the key" in ended.err
        assert parrot.asked >= len(_SAYINGS)
        parrot.asked = len(_SAYINGS) - 1
        tried = eve.memproc("key", "test", "anthropic")
        assert (tried.code, tried.err.count("\n")) == (1, 1)
        assert "does not accept the key" in tried.err
    assert eve.person.updated() == []
    eve.assert_nobody_knows()


@pytest.mark.full
@pytest.mark.parametrize(
    "model", ["anthropic/claude-haiku-5-5", pytest.param("openai/gpt-4o", marks=pytest.mark.long)]
)
def test_nobody_who_listens_to_every_log_hears_a_key_or_a_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800, layers=True)
    eve.settings(f'[models]\nagent = "{model}"\ncontext_manager = "{model}"\n')
    eve.drop(export_bytes(CHAT))
    (tmp_path / "temp").mkdir()
    listening = "import logging, sys\nlogging.basicConfig(level=1)\nfrom daemon.cli import main\nsys.exit(main(sys.argv[1:]))"
    with serve(tmp_path / "server", {"key": CANARY, "at": {"2": "server error"}}) as server:
        environment = {
            **os.environ, **TALKATIVE, "TMPDIR": str(tmp_path / "temp"),
            "ANTHROPIC_API_KEY": CANARY, "ANTHROPIC_API_BASE": server.url,
            "OPENAI_API_KEY": CANARY, "OPENAI_API_BASE": f"{server.url}/v1",
        }  # fmt: skip
        command = [sys.executable, "-c", listening, *eve.argv("run")[1:]]
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=eve.home,
            env=environment,
            timeout=LIMIT_SECONDS,
        )
    assert ended.returncode == 0
    assert eve.updated()
    assert perches(eve.home, tmp_path / "temp") == []
    said = ended.stdout + ended.stderr
    assert not sings(said)
    words = [
        message["content"]
        for message in CHAT["messages"]
        if isinstance(message.get("content"), str)
    ]
    assert words
    assert not [text for text in words if text[:40] in said]
    assert "to_remember" not in said


_SAYINGS = (500, 200, 529, 401)


class Parrot(ThreadingHTTPServer):
    """A provider that repeats the key in whatever it answers: busy, broken, busy again, and at last refusing."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Beak)
        self.asked = 0
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    def __enter__(self) -> "Parrot":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Beak(BaseHTTPRequestHandler):
    server: Parrot

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        key = self.headers.get("x-api-key", "")
        status = _SAYINGS[min(self.server.asked, len(_SAYINGS) - 1)]
        self.server.asked += 1
        refusal = {
            "type": "error",
            "error": {"type": "authentication_error", "message": f"Not this key: {key}"},
        }
        answer = f"<html>{key}" if status == 200 else json.dumps(refusal)
        self.send_response(status, f"Not {key}")
        for name, value in (
            ("Retry-After", key),
            ("Request-Id", key),
            ("Content-Length", str(len(answer))),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def test_the_canary_is_heard_wherever_it_sits(tmp_path: Path) -> None:
    """The search itself is tested: a search that finds nothing anywhere would be content with everything."""
    import gzip
    import zlib

    (tmp_path / "plain.txt").write_text(f"so: {CANARY[9:21]}.")
    (tmp_path / "old.json.gz").write_bytes(gzip.compress(CANARY.encode() * 20))
    change(tmp_path / "archive.sqlite3", "CREATE TABLE reply (text)")
    packed = zlib.compress(CANARY.encode() * 20)
    change(tmp_path / "archive.sqlite3", "INSERT INTO reply VALUES (?)", packed)
    (tmp_path / "keys.env").write_text(CANARY)
    (tmp_path / "quiet.txt").write_text(CANARY[:11])
    assert {Path(place.split(" (")[0]).name for place in perches(tmp_path)} == {
        "plain.txt", "old.json.gz", "archive.sqlite3"
    }  # fmt: skip
