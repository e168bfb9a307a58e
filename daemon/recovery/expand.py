"""Write the full raw conversation of a chat as an export again."""

from itertools import count
from pathlib import Path

from daemon.archive.chats import KnownChat
from daemon.archive.messages import raw_conversation
from daemon.files.paths import expanded_folder, file_name
from daemon.files.private import make_private
from daemon.files.removal import writing_to
from daemon.files.write import WrittenFile, replace_file
from daemon.models.context import Context
from daemon.recovery.restore import chats_of_export, read_updated, updated_path
from rules.conversation.marker import our_uuids
from rules.errors import FileTrouble
from rules.typingmind.chat import parse_chat, read_messages
from rules.typingmind.document import chat_container
from rules.typingmind.new_chat import expanded


def expand(context: Context, chat: KnownChat, path: Path | None = None) -> WrittenFile:
    """Write the full raw conversation as an export that TypingMind imports.

    It goes to `path`, or to a place of its own, which is never among the updated exports: those are
    to be imported. A file with the same content stays; another one gets the next number. Raise
    FileTrouble where a `path` that was named exists.
    """
    if path is not None and path.exists():
        raise FileTrouble(
            f"{path} exists already.", "Name another file with --output, or move that one away."
        )
    conversation = raw_conversation(context.archive, chat.chat_id)
    raw = parse_chat(conversation.head + b",".join(conversation.messages) + conversation.tail)
    updated = read_updated(updated_path(context.archive, context.folders, chat))
    shown = [other for other in chats_of_export(updated) if other.chat_id == chat.chat_id]
    uuids = [uuid for other in shown for uuid in our_uuids(read_messages(other))]
    content = chat_container(expanded(raw, uuids))
    if path is None:
        stem = Path(file_name(chat.title, chat.chat_id)).stem
        folder, numbers = expanded_folder(context.folders.updated), count(2)
        path = folder / f"{stem} full.json"
        while read_updated(path) not in (None, content):
            path = folder / f"{stem} full {next(numbers)}.json"
    path = path.absolute()
    make_private(path.parent)
    with writing_to(path.parent, context.folders.state):
        return replace_file(path, [content])
