"""The documented memproc.toml that comes with the program: every setting at its default."""

from pathlib import Path

from daemon.config.search import NAME
from rules.errors import FileTrouble

_DAEMON = Path(__file__).parents[1]


def shipped_text() -> str:
    """The text of the shipped memproc.toml, whose values are those of `Config()`.

    An installed copy has it inside the package `daemon`, a checkout beside it. Raises FileTrouble if it
    is in neither place.
    """
    for place in (_DAEMON / NAME, _DAEMON.parent / NAME):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileTrouble(f"{NAME} is missing from the installation in {_DAEMON}.", "Install memproc again.")
