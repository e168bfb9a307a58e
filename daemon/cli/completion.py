"""Complete commands, chats and memories in bash, zsh and fish: `memproc completion`.

Names come from the archive, which is only read, and only if it exists. Errors are not shown: a
person who presses the tab key wants a name or nothing.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from sqlite3 import Error as DatabaseError

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from daemon.cli.settings import Settings
from primer.models import KEY_VARIABLES
from rules.errors import MemprocError

VARIABLE = "_MEMPROC_COMPLETE"
_EDITIONS = ("as-of", "hindsight", "auto")
_AS_ONE_WORD = re.compile(r"(?!-)[^\s!-*:-@\[-^`{-~]+(?: [^\s!-*:-@\[-^`{-~]+)*")
"""A title that a shell takes as one word once its blanks are escaped."""
_ID_BEGUN = re.compile("[mf][0-9a-f]{1,15}")
Find = Callable[[Settings, Sequence[str], str], Sequence[CompletionItem]]
"""Completes a word, given the settings, the words before it in the argument, and its beginning."""


class _Bash(BashComplete):
    """Completion for bash, which inserts a word unchanged: so blanks are escaped, unless quoted.

    Click's script reads the answer with `read`, which removes one of two backslashes.
    """

    def format_completion(self, item: CompletionItem) -> str:
        """Return one line of the answer for bash."""
        word = os.environ["COMP_WORDS"].split("\n")[-1]
        if not word.startswith(("'", '"')):
            item = CompletionItem(item.value.replace(" ", r"\\ "), item.type, item.help)
        return super().format_completion(item)


def register_bash() -> None:
    """Have click use `_Bash` for bash."""
    add_completion_class(_Bash)


@click.command
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print what makes SHELL complete commands, chats and memories.

    docs/install.md says where it goes.
    """
    known = get_completion_class(shell)
    if known is not None:
        click.echo(known(ctx.find_root().command, {}, "memproc", VARIABLE).source())


class _Name(click.types.StringParamType):
    """A text parameter that is completed by `find`."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`; none where anything is wrong."""
        settings = Settings(ctx.find_root().params.get("config"), quiet=True)
        words = [*(ctx.params.get("names") or ()), ctx.params.get("edition")]
        with suppress(MemprocError, OSError, DatabaseError):
            return list(self._find(settings, [word for word in words if word], incomplete))
        return []


def complete_names(command: click.Command) -> None:
    """Have names of chats, memories and providers completed in a command, and all within it."""
    finds: Mapping[str | None, Find] = {
        "chat": _chats,
        "names": _memories,
        "provider": _providers,
    }
    for parameter in command.params:
        if parameter.name in finds:
            find = finds[parameter.name]
            if command.name == "use":
                find = _memories_and_editions
            parameter.type = _Name(find)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_names(inner)


def _chats(settings: Settings, words: Sequence[str], begun: str) -> Sequence[CompletionItem]:
    """Return the chats whose title or id begins with `begun`.

    A chat is given by its title, unless another has the same or a shell could not take it as one
    word; then by its id.
    """
    from daemon.archive.chats import known_chats

    with settings.archive() as archive:
        chats = known_chats(archive)[::-1]
    titles = [chat.title.casefold() for chat in chats]
    items = []
    for chat in chats:
        title, chat_id = chat.title, chat.chat_id
        is_begun = title.casefold().startswith(begun.casefold())
        is_name = is_begun and title.isprintable() and _AS_ONE_WORD.fullmatch(title)
        if is_name and titles.count(title.casefold()) == 1:
            items.append(CompletionItem(title))
        elif is_begun or chat_id.startswith(begun):
            items.append(CompletionItem(chat_id, help=title))
    return items


def _memories(settings: Settings, words: Sequence[str], begun: str) -> Sequence[CompletionItem]:
    """Return chats, or after a chat the numbers of its memories; ids only where one is begun."""
    from daemon.archive.chats import find_chat
    from daemon.archive.memories import memory_ids, short_names

    if words:
        with settings.archive() as archive:
            memories = short_names(archive, find_chat(archive, words[0]).chat_id)
        return [CompletionItem(name, help=day) for name, day in memories if name.startswith(begun)]
    names = []
    if _ID_BEGUN.fullmatch(begun):
        with settings.archive() as archive:
            names = memory_ids(archive, begun)
    ids = [CompletionItem(memory_id, help=place) for memory_id, place in names]
    return [*_chats(settings, words, begun), *ids]


def _memories_and_editions(
    settings: Settings, words: Sequence[str], begun: str
) -> Sequence[CompletionItem]:
    """Return what `use` takes next: a chat, a memory of it, or an edition."""
    is_named = len(words) > 1 or (words and _ID_BEGUN.fullmatch(words[0]))
    if is_named:
        return [CompletionItem(kind) for kind in _EDITIONS if kind.startswith(begun)]
    return _memories(settings, words, begun)


def _providers(settings: Settings, words: Sequence[str], begun: str) -> Sequence[CompletionItem]:
    return [CompletionItem(name) for name in sorted(KEY_VARIABLES) if name.startswith(begun)]
