"""The chats that the archive knows, as TypingMind has them by now: their newest settings and messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.messages import whole
from daemon.archive.outputs import last_output
from daemon.config import Config
from daemon.files.read import read_export
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.document import read_document
from rules.typingmind.message import Message
from rules.typingmind.warnings import why_not

_LARGEST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A chat that memproc works on."""

    chat: Chat
    messages: tuple[Message, ...]


def seen_chats(archive: Archive, config: Config) -> Iterator[Seen]:
    """Every chat that memproc.toml does not leave out, the one seen last at the end.

    Its settings are those of its newest export. Its messages are the updated export's, since that is what the
    person has imported; where none was written yet, they are the raw ones.
    """
    rows = archive.run("SELECT chat_id, title, head, tail FROM chat ORDER BY last_seen, id")
    for chat_id, title, head, tail in rows:
        # A chat that came without `messages` has all of itself in its head, and no tail.
        messages = b",".join(_messages(archive, chat_id)) if tail else b""
        text = b"".join((b'{"chats":[', head, messages, tail, b"]}"))
        for chat in read_document(f'The chat "{title}" in the archive', text).chats:
            if not why_not(chat, config.chats.include, config.chats.exclude):
                yield Seen(chat, read_messages(chat))


def _messages(archive: Archive, chat_id: str) -> tuple[bytes, ...]:
    output = last_output(archive, chat_id)
    if output is None:
        return whole(archive, chat_id).messages
    path = Path(output.path)
    try:
        small = path.stat().st_size <= _LARGEST_BYTES
        chats = tuple(read_export(path).chats()) if small else ()
    except (OSError, FileTrouble, NotAnExport):
        return ()  # another check tells of it
    own = [chat for chat in chats if chat.chat_id == chat_id]
    if chats and not own:
        return whole(archive, chat_id).messages  # it became a new chat, and stays raw itself
    return tuple(chat.slice(span) for chat in own for span in chat.messages)
