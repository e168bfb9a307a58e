"""Groups of commands that help where they are mistyped: a near name is suggested, and the chat may stand at two places.

Nothing else is imported here, since `memproc --help` passes this file too.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click


class NearGroup(click.Group):
    """A group that suggests the nearest of its commands; with `default`, the one that is meant where none is named."""

    def __init__(self, *arguments: Any, default: str = "", **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the default command where none is."""
        return super().parse_args(ctx, self.with_default(ctx, args))

    def with_default(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """The arguments with a command among them."""
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return [self.default, *args] if self.default and names_none and not ctx.resilient_parsing else list(args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named. Raises UsageError with the nearest names."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = " or ".join(get_close_matches(name, self.list_commands(ctx)))
            ctx.fail(f"There is no command {name!r}.{f' Did you mean {near}?' if near else ''}")
        return super().resolve_command(ctx, args)


class ChatGroup(NearGroup):
    """Commands about one chat: `memproc core CHAT [COMMAND]`, or `memproc core COMMAND CHAT`.

    Where no command is named it is `default`, also with that one's options: click itself would take an option
    behind the chat for the name of a command.
    """

    def with_default(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """The chat, a command and its arguments, in that order. A chat may have the name of a command itself."""
        names = self.list_commands(ctx)
        others = [place for place, word in enumerate(args) if place and not word.startswith("-")]
        if args and args[0] in names and not (others and args[others[0]] in names):
            command, *rest = args
            if set(rest) & set(ctx.help_option_names):
                return ["CHAT", command, *ctx.help_option_names[:1]]
            if others:
                return [rest.pop(others[0] - 1), command, *rest]
            return [] if ctx.resilient_parsing else list(args)  # whose chat is still to be completed
        chat, command = (*args, "", "")[:2]
        names_none = command not in ctx.help_option_names and command[:1] in ("", "-")
        if chat[:1] not in ("", "-") and names_none and not ctx.resilient_parsing:
            return [chat, self.default, *args[1:]]
        return list(args)
