"""Derive from the commands what shells complete, and the man page: `memproc completion`, `manual`.

Names come out of the archive, which is only read, and only if it exists. Errors are not shown: a
person who presses the tab key wants a name or nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from sqlite3 import Error as DatabaseError

import click
from click.shell_completion import CompletionItem, get_completion_class

from daemon.cli.settings import Settings
from primer.models import KEY_VARIABLES
from rules.errors import MemprocError

VARIABLE = "_MEMPROC_COMPLETE"
_PLAIN = re.compile(r"[\w.-]+")
Find = Callable[[Settings, str], Sequence[CompletionItem]]


@click.command
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print what makes SHELL complete commands, chats and memories.

    The README says where it goes.
    """
    known = get_completion_class(shell)
    if known is not None:
        click.echo(known(ctx.find_root().command, {}, "memproc", VARIABLE).source())


class _Name(click.types.StringParamType):
    """Text completed with what `find` finds."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """List the names that begin so; none where anything is wrong."""
        settings = Settings(ctx.find_root().params.get("config"), quiet=True)
        with suppress(MemprocError, OSError, DatabaseError):
            return list(self._find(settings, incomplete))
        return []


def complete_names(command: click.Command) -> None:
    """Complete the arguments of a command, and of all within it, that name known things."""
    finds: Mapping[str | None, Find] = {
        "chat": _chats,
        "memory": _memories,
        "memories": _memories,
        "names": _memories,
        "provider": _providers,
    }
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and parameter.name in finds:
            parameter.type = _Name(finds[parameter.name])
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_names(inner)


def _chats(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    """List the chats whose title or id begins so.

    A chat goes by its title where no other has it and a shell needs no quotes, else by its id.
    """
    from daemon.archive.chats import known_chats

    with settings.archive() as archive:
        chats = known_chats(archive)[::-1]
    titles = [chat.title for chat in chats]
    items = []
    for chat in chats:
        title, chat_id = chat.title, chat.chat_id
        if title.casefold().startswith(begun.casefold()) or chat_id.startswith(begun):
            is_name = _PLAIN.fullmatch(title) and titles.count(title) == 1
            items.append(CompletionItem(title if is_name else chat_id, help=title))
    return items


def _memories(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    from daemon.archive.memories import memory_names

    with settings.archive() as archive:
        names = memory_names(archive, begun)
    return [CompletionItem(memory_id, help=words) for memory_id, words in names]


def _providers(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    return [CompletionItem(name) for name in sorted(KEY_VARIABLES) if name.startswith(begun)]


@click.command(hidden=True)
@click.pass_context
def manual_command(ctx: click.Context) -> None:
    """Print the man page: `make man` writes docs/memproc.1, which is installed."""
    click.echo(man_page(ctx.find_root().command), nl=False)


def man_page(root: click.Command) -> str:
    """Write the man page of a command and of all commands within it, as troff."""
    return "\n".join(_man_lines(root)) + "\n"


def _man_lines(root: click.Command) -> Iterator[str]:
    yield '.TH MEMPROC 1 "" memproc "memproc"'
    yield from (".SH NAME", "memproc \\- keeps one long TypingMind conversation alive")
    yield from (
        ".SH SYNOPSIS",
        ".B memproc",
        "[OPTIONS] COMMAND [ARGS]...",
        ".SH DESCRIPTION",
        _plain(root.help or ""),
    )
    ctx = click.Context(root, info_name="memproc")
    yield from (".SH OPTIONS", *_options(root, ctx), ".SH COMMANDS")
    for command, place in _commands(root, ctx):
        usage = " ".join(place.command_path.split()[1:] + command.collect_usage_pieces(place))
        yield from (f".SS {_plain(usage)}", _plain(command.help or ""), *_options(command, place))
    yield from (
        ".SH EXIT STATUS",
        "0 done, or nothing to do; 1 something was skipped, or needs attention; "
        "2 wrong usage or configuration;",
        "3 a mistake in memproc itself; 4 a cap of the budget was reached; 130 interrupted.",
        ".SH FILES",
        "memproc.toml says where everything lies;",
        ".B memproc config path",
        "says which one counts.",
    )


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
    for parameter in command.params:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {_plain(record[0])}", _plain(record[1]))


def _plain(text: str) -> str:
    """Escape what troff would interpret, and keep paragraphs apart."""
    lines = (line.strip() for line in text.strip().splitlines())
    escaped = (line.replace("\\", "\\e").replace("-", "\\-") for line in lines)
    signs = (".", "'")
    return "\n".join(f"\\&{line}" if line.startswith(signs) else line or ".PP" for line in escaped)
