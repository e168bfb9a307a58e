"""`memproc completion SHELL`: what makes a shell complete commands, chats and memories; and the names it completes.

Names come out of the archive, which is only read, and only where it is there. Whatever is wrong is not said here:
who presses the tab key wants a name or nothing.
"""

import re
from collections.abc import Callable, Sequence
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
def completion(ctx: click.Context, shell: str) -> None:
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

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so; none where anything is wrong."""
        with suppress(MemprocError, OSError, DatabaseError):
            return list(self._find(Settings(ctx.find_root().params.get("config"), quiet=True), incomplete))
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
            chat.title if _PLAIN.fullmatch(chat.title) and titles.count(chat.title) == 1 else chat.chat_id,
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


_NAMES = {"chat": _chats, "memory": _memories, "memories": _memories, "provider": _providers}
