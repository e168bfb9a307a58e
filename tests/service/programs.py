"""A program to keep up, and a computer that answers as it was told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.command import Answer
from service.unit import Account, Program

HOME = Path("/home/ada")


def a_program(
    home: Path = HOME, script: str = "/opt/memproc/bin/memproc", code: Path = Path("/opt/memproc")
) -> Program:
    """memproc with the folders that it has by default."""
    own = home / "memproc"
    return Program(
        command=(script, "--config", str(home / ".config/memproc/memproc.toml"), "watch"),
        notice=(script, "service", "failed"),
        writes=(own / "inbox", own / "updated", own / "backups", home / ".local/state/memproc"),
        home=home,
        code=(code,),
        log=home / "logs" / "service.log",
    )


def an_account(system: str = "linux", home: Path = HOME) -> Account:
    """Ada's account on her computer."""
    environ = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    return Account(
        system, "ada", 1000, environ, has_runtime=True, units=home / ".config/systemd/user"
    )


@dataclass
class Computer:
    """Runs nothing: every command is noted, and answered by the first entry whose words are all in it."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, argv: Sequence[str]) -> Answer:
        line = " ".join(argv)
        self.asked.append(line)
        return next((answer for words, answer in self.answers.items() if words in line), Answer(0))
