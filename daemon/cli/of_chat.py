"""Groups of commands about one chat: `memproc core CHAT [COMMAND]`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from daemon.cli.settings import Settings


@dataclass(frozen=True, slots=True)
class About:
    """The chat that a command of such a group is about, as the person has named it."""

    settings: Settings
    wanted: str


pass_about = click.make_pass_decorator(About)


class OfChat(click.Group):
    """A group that takes the chat before its command. Where none is named it is `shows`, also with that one's options.

    click itself would take an option behind the chat for the name of a command.
    """

    def __init__(self, *arguments: Any, shows: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._shows = shows

    def parse_args(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Name the command where only the chat, or options behind it, are given."""
        chat, command = (*args, "", "")[:2]
        names_none = command not in ctx.help_option_names and command[:1] in ("", "-")
        if chat[:1] not in ("", "-") and names_none:
            args = [chat, self._shows, *args[1:]]
        return super().parse_args(ctx, list(args))
