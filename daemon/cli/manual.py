"""Show the help of commands, and write the man page from it: `memproc help`, `memproc manual`."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from daemon.cli.settings import Settings
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file

_LOOK_SECONDS = 10.0
_COLUMNS = 72
"""The width of the help in the man page, which `man` indents."""
_OPENING = """\
.TH MEMPROC 1 "" memproc "memproc"
.SH NAME
memproc \\- keeps one long TypingMind conversation alive
.SH COMMANDS
"""
_CLOSING = """\
.SH EXIT STATUS
0 done, or nothing to do; 1 something was skipped, or needs attention; 2 wrong usage or
configuration; 3 a mistake in memproc itself; 4 a cap of the budget was reached; 130 interrupted.
.SH FILES
memproc.toml says where everything lies;
.B memproc config path
says which one counts.
"""


@click.command
@click.argument("command", nargs=-1)
@click.pass_context
def help_command(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Show the help of memproc, or of COMMAND: `memproc help service install`."""
    place = ctx.find_root()
    for name in command:
        if not isinstance(place.command, click.Group):
            raise click.UsageError(f"{place.command_path} has no commands of its own.")
        _, subcommand, _ = place.command.resolve_command(place, [name])
        if subcommand is not None:
            place = click.Context(subcommand, info_name=name, parent=place)
    click.echo(place.get_help())


@click.command
@click.option("--install", is_flag=True, help="Put it where `man memproc` finds it.")
@click.pass_context
def manual_command(ctx: click.Context, install: bool) -> None:
    """Print the man page, or put it into your own folder of man pages."""
    page = man_page(ctx.find_root().command)
    if not install:
        click.echo(page, nl=False)
        return
    settings, path = ctx.ensure_object(Settings), man_page_path()
    with file_errors(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, [page.encode()])
    settings.say("The man page is written. Read it with: man memproc")
    settings.say_whole(f"    {path}")
    if not _is_found(path):
        settings.say("`man` does not look there yet. Put this line into your shell's profile:")
        settings.say_whole(f'    export MANPATH="{path.parents[1]}:"')


def man_page_path() -> Path:
    """Return the man page's path in the person's own folder, which goes with `~/.local/bin`."""
    return Path.home() / ".local" / "share" / "man" / "man1" / "memproc.1"


def _is_found(path: Path) -> bool:
    """Return whether `man` finds this page under its name."""
    try:
        result = subprocess.run(
            ["man", "-w", "memproc"],  # noqa: S607
            capture_output=True, text=True, timeout=_LOOK_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return str(path) in result.stdout.splitlines()


def man_page(root: click.Command) -> str:
    """Return click's help of a command, and of all within it, as a man page in troff."""
    place = click.Context(
        root, info_name="memproc", terminal_width=_COLUMNS, **root.context_settings
    )
    return "".join((_OPENING, *_helps(place), _CLOSING))


def _helps(place: click.Context) -> Iterator[str]:
    """Yield a command's help, lines unchanged, then that of each visible command within it."""
    words = place.get_help().replace("\\", "\\e").replace("-", "\\-")
    yield f".SS {place.command_path}\n.nf\n{words}\n.fi\n"
    group = place.command
    if isinstance(group, click.Group):
        for name in group.list_commands(place):
            command = group.get_command(place, name)
            if command is not None and not command.hidden:
                yield from _helps(click.Context(command, info_name=name, parent=place))
