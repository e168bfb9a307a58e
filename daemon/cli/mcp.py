"""Let a model look things up while it talks, by the Model Context Protocol: `memproc mcp`."""

import click

from daemon.cli import NearGroup
from daemon.cli.settings import Settings, pass_settings
from rules.errors import ConfigurationError

_LARGEST = 4 << 20  # bytes of a request


@click.group(cls=NearGroup, invoke_without_command=True)
@click.option(
    "--chat", default="", help="Only this chat, by its id or its title; without it, all of them."
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(1024, 65_535),
    metavar="PORT",
    help="Serve HTTP on this port of this computer.",
)
@click.pass_context
def mcp_command(ctx: click.Context, chat: str, port: int | None) -> None:
    """Let a model look things up in the archive, read-only.

    It speaks over standard input and output, or HTTP; over HTTP it answers who carries the token of
    `memproc mcp token`. Name it as a server to Claude Desktop, Claude Code, Cursor or TypingMind's
    connector: docs/recall.md tells how.
    """
    if ctx.invoked_subcommand is not None:
        return
    try:
        from daemon.recall.server import (
            http_application,
            recall_server,
            serve_standard_streams,
        )
    except ModuleNotFoundError as fault:
        raise ConfigurationError(
            "Recall needs a package that is not installed.",
            "In the folder that memproc was installed from: pipx install --force "
            "--pip-args='-c locks/tested.txt' '.[recall]'",
        ) from fault
    from daemon.recall.library import Library

    settings = ctx.ensure_object(Settings)
    library = Library(settings.config, settings.folders.state, chat)
    with library.opened() as archive:
        if chat:
            library.chat(archive, "")  # raises at once if there is no such chat
    server = recall_server(library)
    if port is None:
        serve_standard_streams(server)
        return
    import uvicorn

    from daemon.page.guard import own_hosts, with_bounds
    from daemon.recall.bearer import with_token

    served = http_application(server, own_hosts(port))
    app = with_token(with_bounds(served, _LARGEST), library.state)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", ws="none")


@mcp_command.command("token")
@click.argument("text", required=False)
@pass_settings
def mcp_token_command(settings: Settings, text: str | None) -> None:
    """Make the token by which a program may look things up over HTTP.

    TEXT is taken instead, if TypingMind's connector has a token already. It takes the place of the
    one before.
    """
    from daemon.recall.bearer import new_token, take_token

    if text is None:
        token = new_token(settings.folders.state)
        settings.done(token=token)
        settings.draw(token)
        return
    take_token(settings.folders.state, text)
    settings.done("Kept, as a hash: who carries this token may look things up.")
