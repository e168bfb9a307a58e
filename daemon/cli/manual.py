"""Show the help of commands, and write the man page from it: `memproc help`, `memproc manual`."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from daemon.cli.settings import Settings
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file

_LOOK_SECONDS = 10.0
_CLOSING = (
    ".SH EXIT STATUS",
    "0 done, or nothing to do; 1 something was skipped, or needs attention; "
    "2 wrong usage or configuration;",
    "3 a mistake in memproc itself; 4 a cap of the budget was reached; 130 interrupted.",
    ".SH FILES",
    "memproc.toml says where everything lies;",
    ".B memproc config path",
    "says which one counts.",
)


@click.command
@click.argument("command", nargs=-1)
@click.pass_context
def help_command(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Show the help of memproc, or of COMMAND: `memproc help service install`."""
    place = ctx.find_root()
    for name in command:
        if not isinstance(place.command, click.Group):
            raise click.UsageError(f"{place.command_path} has no commands of its own.")
        _, found, _ = place.command.resolve_command(place, [name])
        if found is not None:
            place = click.Context(found, info_name=name, parent=place)
    click.echo(place.get_help())


@click.command
@click.option("--install", is_flag=True, help="Put it where `man memproc` finds it.")
@click.pass_context
def manual_command(ctx: click.Context, install: bool) -> None:
    """Print the man page, or put it into your own folder of man pages."""
    page = man_page(ctx.find_root().command)
    if install:
        _install(ctx.ensure_object(Settings), page)
    else:
        click.echo(page, nl=False)


def _install(settings: Settings, page: str) -> None:
    """Write the page, and say how it is read and removed."""
    path = man_page_path()
    with file_errors(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, [page.encode()])
    settings.say("The man page is written. Read it with: man memproc")
    settings.say_whole(f"    {path}")
    if not _is_found(path):
        settings.say("`man` does not look there yet. Put this line into your shell's profile:")
        settings.say_whole(f'    export MANPATH="{path.parents[1]}:"')


def man_page_path() -> Path:
    """Return the page's path in the person's own folder, which goes with `~/.local/bin`."""
    return Path.home() / ".local" / "share" / "man" / "man1" / "memproc.1"


def _is_found(path: Path) -> bool:
    """Return whether `man` finds this page under its name."""
    try:
        found = subprocess.run(
            ["man", "-w", "memproc"],  # noqa: S607
            capture_output=True, text=True, timeout=_LOOK_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return str(path) in found.stdout.splitlines()


def man_page(root: click.Command) -> str:
    """Write the man page of a command and of all commands within it, as troff."""
    return "\n".join(_man_lines(root)) + "\n"


def _man_lines(root: click.Command) -> Iterator[str]:
    """Yield the page's lines: what memproc is, its options, all commands, exit codes and files."""
    yield '.TH MEMPROC 1 "" memproc "memproc"'
    yield ".SH NAME"
    yield "memproc \\- keeps one long TypingMind conversation alive"
    yield ".SH SYNOPSIS"
    yield ".B memproc"
    yield "[OPTIONS] COMMAND [ARGS]..."
    yield ".SH DESCRIPTION"
    yield _plain(root.help or "")
    ctx = click.Context(root, info_name="memproc", **root.context_settings)
    yield ".SH OPTIONS"
    yield from _options(root, ctx)
    yield ".SH COMMANDS"
    for command, place in _commands(root, ctx):
        yield from _command_lines(command, place)
    yield from _CLOSING


def _command_lines(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Yield a command's usage, its help, and its options."""
    words = ctx.command_path.split()[1:] + command.collect_usage_pieces(ctx)
    yield f".SS {_plain(' '.join(words))}"
    yield _plain(command.help or "")
    yield from _options(command, ctx)


def _commands(
    group: click.Command, ctx: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command that is not hidden, with its context; groups before their commands."""
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            place = click.Context(command, info_name=name, parent=ctx)
            yield command, place
            yield from _commands(command, place)


def _options(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Yield each option that is not hidden, with its help."""
    for parameter in command.params:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            names, text = record
            yield ".TP"
            yield f".B {_plain(names)}"
            yield _plain(text)


def _plain(text: str) -> str:
    """Escape what troff would interpret, and keep paragraphs apart."""
    lines = []
    for line in text.strip().splitlines():
        escaped = line.strip().replace("\\", "\\e").replace("-", "\\-")
        if escaped.startswith((".", "'")):
            escaped = f"\\&{escaped}"
        lines.append(escaped or ".PP")
    return "\n".join(lines)
