"""The person's choices in `memproc bring`: conversations, and with which model, instructions."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from difflib import get_close_matches
from pathlib import Path

import click

from daemon.chat.bring import Chosen
from daemon.files.foreign import ForeignExport, ListedConversation
from primer.models import own_model
from primer.retirement import find_heir, find_successor
from rules.errors import NotFound
from rules.wording import counted, cut_title

CUSTOM = "custom"
"""The name of the person's custom instructions, next to the names of projects."""


@dataclass(frozen=True, slots=True)
class BringChoice:
    """The person's choices for the conversations to bring, without halves of surrogate pairs."""

    titles: tuple[str, ...]
    life: str
    """The title of the chat that several conversations become; else empty."""
    branch: int
    model: str
    instructions: str
    untouched: bool

    def command(self, file: Path) -> str:
        """Return the memproc command with the same choices."""
        options = (
            *(("--chat", title) for title in self.titles),
            ("--as", self.life),
            ("--branch", str(self.branch) if self.branch > 1 else ""),
            ("--model", self.model),
            ("--instructions", self.instructions),
        )
        words = ["bring", str(file)]
        for option, value in options:
            if value:
                words += [option, value]
        if self.untouched:
            words.append("--untouched")
        return shlex.join(words)


def read_chosen(export: ForeignExport, choice: BringChoice) -> list[Chosen]:
    """Read the chosen conversations; raise NotFound, or UsageError where choices clash."""
    listed = list(dict.fromkeys(_find(export, title) for title in choice.titles))
    if len(listed) > 1 and not choice.life:
        raise click.UsageError("Several become one chat: say what it is called, with --as NAME.")
    if len(listed) > 1 and choice.branch > 1:
        raise click.UsageError("--branch is for one conversation.")
    return [Chosen(*export.read(conversation, choice.branch)) for conversation in listed]


def _find(export: ForeignExport, written: str) -> ListedConversation:
    """Return a conversation by its title or id, else by its number in the list. Raises NotFound."""
    fitting = {
        number: listed
        for number, listed in enumerate(export.conversations, 1)
        if written.casefold() in (listed.summary.title.casefold(), listed.summary.key.casefold())
    }
    if len(fitting) > 1:
        ended = (iso_day(listed.summary.ended, export.zone) for listed in fitting.values())
        numbers = ", ".join(f"{number} ({day})" for number, day in zip(fitting, ended, strict=True))
        raise NotFound(
            f'{counted(len(fitting), "conversation")} are called "{written}": {numbers}.',
            "Name one by its number.",
        )
    if fitting:
        return next(iter(fitting.values()))
    is_number = written.isascii() and written.isdecimal()
    if is_number and 0 < int(written) <= len(export.conversations):
        return export.conversations[int(written) - 1]
    titles = [listed.summary.title for listed in export.conversations]
    near = get_close_matches(written, titles, n=3)
    meant = " or ".join(f'"{cut_title(title)}"' for title in near)
    raise NotFound(
        f'{export.name} holds no conversation "{written}".',
        f"Did you mean {meant}?" if near else "List them without --chat.",
    )


def model_to_go_on(choice: BringChoice, chosen: Sequence[Chosen]) -> str:
    """Return TypingMind's name of the model to go on with; empty where it is not known.

    It is the person's choice, else the old one's successor.
    """
    last = chosen[-1].conversation
    name = choice.model
    if not name and last.model:
        name = find_heir(last.source, last.model)
    newer = find_successor(name)
    litellm_name = own_model([newer.name if newer else name])
    if litellm_name and not litellm_name.startswith("openrouter/"):
        return litellm_name.partition("/")[2]
    return name


def instructions_of(export: ForeignExport, choice: BringChoice, chosen: Sequence[Chosen]) -> str:
    """Return the instructions chosen as the system message, else "". Raises NotFound."""
    offered = dict(export.projects)
    custom = newest_instructions(chosen)
    if custom:
        offered = {CUSTOM: custom, **offered}
    by_name = {name.casefold(): text for name, text in offered.items()}
    if choice.instructions and choice.instructions.casefold() not in by_name:
        raise NotFound(
            f'There are no instructions "{choice.instructions}" in {export.name}.',
            f"There are: {', '.join(offered)}." if offered else "Leave out --instructions.",
        )
    return by_name.get(choice.instructions.casefold(), "")


def iso_day(when: datetime | None, zone: tzinfo) -> str:
    """Return a day as in 2026-11-25; empty where it is not known."""
    return when.astimezone(zone).date().isoformat() if when else ""


def newest_instructions(chosen: Sequence[Chosen]) -> str:
    """Return the custom instructions of the last conversation that has some, else ""."""
    newest_first = (part.conversation.instructions for part in reversed(chosen))
    return next(filter(None, newest_first), "")
