"""A program to keep up, and a computer that answers as it was told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.ask import Account, Answer
from service.keeper import Place
from service.recipe import Program

HOME = Path("/home/ada")


def a_program(home: Path = HOME, script: str = "/opt/memproc/bin/memproc") -> Program:
    """memproc with the folders that it has by default."""
    own = home / "memproc"
    return Program(
        command=(script, "--config", str(home / ".config/memproc/memproc.toml"), "watch"),
        notice=(script, "service", "failed"),
        writes=(own / "inbox", own / "updated", own / "backups", home / ".local/state/memproc"),
        home=home,
        log=home / "logs" / "service.log",
    )


def a_place(system: str = "linux", home: Path = HOME) -> Place:
    """Ada's computer."""
    account = Account("ada", 1000, {"XDG_RUNTIME_DIR": "/run/user/1000"}, runtime_there=True)
    return Place(system, account, home / ".config/systemd/user")


@dataclass
class Computer:
    """Runs nothing: every command is noted, and answered by the first entry whose words are all in it."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, argv: Sequence[str]) -> Answer:
        line = " ".join(argv)
        self.asked.append(line)
        return next((answer for words, answer in self.answers.items() if words in line), Answer(0))
