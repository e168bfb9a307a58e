"""What a trip needs of the world: settings, folders, archive, texts, a model to ask, a clock, and someone to tell."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.config import Config
from daemon.models.ask import Clock, Complete
from daemon.paths import Folders
from primer.texts import Texts
from rules.plan.chat_plan import ChatPlan


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins; `plan` is all that will be done."""

    plan: ChatPlan


@dataclass(frozen=True, slots=True)
class Remembered:
    """One more chunk has become a memory."""

    plan: ChatPlan
    number: int
    done: int
    """How many of the plan's chunks are done."""
    extracted: bool


@dataclass(frozen=True, slots=True)
class Written:
    """A chat is finished, proved and in its place."""

    plan: ChatPlan
    path: str
    memories: int
    extracted: int
    tokens_before: int
    tokens_after: int
    backup: str
    """Where the version that was replaced went; empty where there was none."""


Event = Planned | Remembered
Tell = Callable[[Event], None]


def tell_nobody(event: Event) -> None:
    """For work that has no progress to show."""


@dataclass(frozen=True, slots=True)
class House:
    """Everything outside the rules that a trip uses; in tests, each of them can be another."""

    config: Config
    folders: Folders
    archive: Archive
    texts: Texts
    complete: Complete
    clock: Clock
    tell: Tell
