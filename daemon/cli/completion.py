"""What is made from the commands themselves: `memproc completion SHELL`, with the names it completes, and the man page.

Names come out of the archive, which is only read, and only where it is there. Whatever is wrong is not said here:
who presses the tab key wants a name or nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
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
    """A text that is completed with what `find` finds."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; none where anything is wrong."""
        with suppress(MemprocError, OSError, DatabaseError):
            return list(
                self._find(Settings(ctx.find_root().params.get("config"), quiet=True), incomplete)
            )
        return []


def complete_names(command: click.Command) -> None:
    """Have the arguments of a command, and of all within it, completed that name chats, memories or providers."""
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and parameter.name in _NAMES:
            parameter.type = _Name(_NAMES[parameter.name])
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_names(inner)


def _chats(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    """The chats whose title or id begins so: by the title where it is theirs alone and a shell needs no quotes."""
    from daemon.archive.chats import known_chats

    with settings.archive() as archive:
        chats = known_chats(archive)[::-1]
    titles = [chat.title for chat in chats]
    return [
        CompletionItem(
            chat.title
            if _PLAIN.fullmatch(chat.title) and titles.count(chat.title) == 1
            else chat.chat_id,
            help=chat.title,
        )
        for chat in chats
        if chat.title.casefold().startswith(begun.casefold()) or chat.chat_id.startswith(begun)
    ]


def _memories(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    from daemon.archive.memories import memory_names

    with settings.archive() as archive:
        names = memory_names(archive, begun)
    return [CompletionItem(memory_id, help=words) for memory_id, words in names]


def _providers(settings: Settings, begun: str) -> Sequence[CompletionItem]:
    return [CompletionItem(name) for name in sorted(KEY_VARIABLES) if name.startswith(begun)]


_NAMES = {
    "chat": _chats,
    "memory": _memories,
    "memories": _memories,
    "names": _memories,
    "provider": _providers,
}


@click.command(hidden=True)
@click.pass_context
def manual_command(ctx: click.Context) -> None:
    """Print the man page: `make man` writes docs/memproc.1, which is installed."""
    click.echo(man_page(ctx.find_root().command), nl=False)


def man_page(root: click.Command) -> str:
    """The man page of a command and of all commands within it, as troff."""
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
        "0 done, or nothing to do; 1 something was skipped, or needs attention; 2 wrong usage or configuration;",
        "3 a mistake in memproc itself; 4 a cap of the budget was reached; 130 interrupted.",
        ".SH FILES",
        "memproc.toml says where everything lies;",
        ".B memproc config path",
        "says which one counts.",
    )


def _commands(
    group: click.Command, ctx: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
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
    return "\n".join(
        f"\\&{line}" if line.startswith((".", "'")) else line or ".PP" for line in escaped
    )
