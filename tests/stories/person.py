"""Play a person at a terminal, with folders and a memproc.toml of their own, and the real `memproc` command."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.cli import main
from tests.waiting import LIMIT_SECONDS

COMMAND = Path(sys.executable).parent / "memproc"
WITHOUT_PAGE = (
    "[page]\nenabled = false\n"  # daemons of stories that run at once would all want its port
)
WITHOUT_LAYERS = "[core]\nenabled = false\n[facts]\nenabled = false\n"


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Person:
    """A person who uses memproc in a folder of their own, with chunks small enough for short chats."""

    home: Path
    tail: int = 1600
    step: int = 400
    chunk: int = 400
    layers: bool = False
    """Whether core memory and facts are on; most stories are about something else, and count calls."""

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        self.inbox.mkdir(exist_ok=True)
        self.settings()

    @property
    def inbox(self) -> Path:
        return self.home / "inbox"

    @property
    def toml(self) -> Path:
        return self.home / "memproc.toml"

    def settings(self, more: str = "") -> None:
        """Write memproc.toml: the folders here, small sizes, and `more`."""
        self.toml.write_text(
            '[folders]\ninbox = "inbox"\nupdated = "updated"\nbackups = "backups"\nstate = "state"\n'
            f'[tail]\ntokens = {self.tail}\nstep = {self.step}\n[chunk]\ntokens = {self.chunk}\nbounds = "size"\n'
            f"{'' if self.layers else WITHOUT_LAYERS}{'' if '[page]' in more else WITHOUT_PAGE}{more}"
        )

    def drop(self, content: bytes, name: str = "export.json") -> Path:
        """Put an export into the inbox."""
        path = self.inbox / name
        path.write_bytes(content)
        return path

    def memproc(self, *arguments: str | Path) -> Ended:
        """Run the command line in this process, where LiteLLM is imported once for all stories."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err), chdir(self.home):
            code = main(self.argv(*arguments)[1:])
        doubled = f"--config {self.toml} memproc"
        assert doubled not in out.getvalue() + err.getvalue(), "a step names the program twice"
        return Ended(code, out.getvalue(), err.getvalue())

    def spawn(self, *arguments: str | Path) -> Ended:
        """Run the real command in a process of its own, and wait for its end."""
        ended = subprocess.run(
            self.argv(*arguments),
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
            cwd=self.home,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def start(self, *arguments: str | Path) -> "subprocess.Popen[str]":
        """Begin the real command, to be watched or killed while it runs."""
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            self.argv(*arguments),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.home, env=environment,
        )  # fmt: skip

    def argv(self, *arguments: str | Path) -> list[str]:
        return [str(COMMAND), "--config", str(self.toml), *map(str, arguments)]

    def updated(self) -> list[Path]:
        """Return the paths of the updated exports, sorted by name."""
        return sorted((self.home / "updated").glob("*.json"))

    def chat(self) -> dict[str, Any]:
        """Return the only chat of the only updated export, as TypingMind would read it."""
        (path,) = self.updated()
        (chat,) = json.loads(path.read_bytes())["data"]["chats"]
        assert isinstance(chat, dict)
        return chat

    def bytes_of_everything(self) -> dict[str, bytes]:
        """Return the bytes of every file except the archive's, by path, to check that nothing was changed."""
        files = (
            path for path in self.home.rglob("*") if path.is_file() and "state" not in path.parts
        )
        return {str(path.relative_to(self.home)): path.read_bytes() for path in files}
