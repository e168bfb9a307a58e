"""The man page, made from the commands themselves: `make man` writes docs/memproc.1, which is installed."""

from collections.abc import Iterator

import click


@click.command(hidden=True)
@click.pass_context
def manual(ctx: click.Context) -> None:
    """Print the man page."""
    click.echo(man_page(ctx.find_root().command), nl=False)


def man_page(root: click.Command) -> str:
    """The man page of a command and of all commands within it, as troff."""
    return "\n".join(_lines(root)) + "\n"


def _lines(root: click.Command) -> Iterator[str]:
    yield '.TH MEMPROC 1 "" memproc "memproc"'
    yield from (".SH NAME", "memproc \\- keeps one long TypingMind conversation alive")
    yield from (".SH SYNOPSIS", ".B memproc", "[OPTIONS] COMMAND [ARGS]...", ".SH DESCRIPTION", _plain(root.help or ""))
    ctx = click.Context(root, info_name="memproc")
    yield from (".SH OPTIONS", *_options(root, ctx), ".SH COMMANDS")
    for command, place in _commands(root, ctx):
        usage = " ".join(place.command_path.split()[1:] + command.collect_usage_pieces(place))
        yield from (f".SS {_plain(usage)}", _plain(command.help or ""), *_options(command, place))
    yield from (
        ".SH EXIT STATUS",
        "0 done, or nothing to do; 1 something was skipped, or needs attention; 2 wrong usage or configuration;",
        "3 a mistake in memproc itself; 4 a cap of the budget was reached; 130 interrupted.",
        ".SH FILES",
        "memproc.toml says where everything lies;",
        ".B memproc config path",
        "says which one counts.",
    )


def _commands(group: click.Command, ctx: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Every command that is not hidden, those of groups behind their group, each with its place."""
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            place = click.Context(command, info_name=name, parent=ctx)
            yield command, place
            yield from _commands(command, place)


def _options(command: click.Command, ctx: click.Context) -> Iterator[str]:
    for parameter in command.params:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {_plain(record[0])}", _plain(record[1]))


def _plain(text: str) -> str:
    """A text in which nothing is a sign of troff's; its paragraphs stay apart."""
    lines = (line.strip() for line in text.strip().splitlines())
    escaped = (line.replace("\\", "\\e").replace("-", "\\-") for line in lines)
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line or ".PP" for line in escaped)
