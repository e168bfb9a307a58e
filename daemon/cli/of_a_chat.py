"""Commands behind the name of a chat: `memproc facts CHAT --json` reads as `memproc memories CHAT --json` does."""

import click

_JSON = "--json"


class OfAChat(click.Group):
    """A group whose one argument is a chat; click by itself takes all that stands behind it for a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the group's own arguments; `--json` right behind the chat belongs to them."""
        return super().parse_args(ctx, [_JSON, args[0], *args[2:]] if args[1:2] == [_JSON] else args)
