"""Two exports of one chat compared: each recognised by what the archive knows of the chat, whatever markers it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, memories
from daemon.archive.messages import known_chat, past
from daemon.archive.openings import openings
from daemon.chat.survey import canned
from daemon.config import Config
from daemon.config.layout import core_layout
from daemon.config.texts import load_texts
from daemon.files.read import chats_in
from rules.conversation.memory import Memory, aliases
from rules.errors import ChatSetAside
from rules.layers.opening import read_tagged
from rules.output.arrange import Canned
from rules.output.difference import Difference, Side, difference
from rules.recognize.recognize import recognise
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.compose import drafts_of


@dataclass(frozen=True, slots=True)
class Content:
    """An export's bytes, and what to call it."""

    name: str
    data: bytes


def compare(
    archive: Archive, config: Config, chat_id: str, before: Content, after: Content
) -> tuple[Difference, tuple[Memory, ...]]:
    """What is different, and all memories and folds of the chat.

    Raises NotAnExport or ChatSetAside where one of the two does not hold the chat.
    """
    known = memories(archive, chat_id)
    own = config.of(known_chat(archive, chat_id))
    texts = load_texts(own.texts.path)
    words = canned(texts)
    names = {section.name for section in core_layout(own.core).sections}
    read = partial(read_tagged, names=names, introduction=texts.layers)
    sides = [_side(archive, chat_id, known, words, content) for content in (before, after)]
    return difference(sides[0], sides[1], known, read), known


def _side(archive: Archive, chat_id: str, known: Sequence[Memory], words: Canned, content: Content) -> Side:
    chat = _chat(chat_id, content)
    all_editions = {memory.memory_id: editions(archive, memory.memory_id) for memory in known}
    layered = [opening.text for opening in openings(archive, chat_id)]
    ours = drafts_of(chat.chat_id, known, all_editions, words.opening, words.closing, layered=layered)
    digests = {message.key: message.message.digest for message in past(archive, chat_id)}
    under = {memory.memory_id: {key: digests[key] for key in memory.keys} for memory in known}
    return Side(chat, recognise(read_messages(chat), ours, under, aliases(known)))


def _chat(chat_id: str, content: Content) -> Chat:
    """The chat of that id; or the only one, which was put in the place of another chat."""
    chats = chats_in(content.name, content.data)
    matching = [chat for chat in chats if chat.chat_id == chat_id] or chats
    if len(matching) != 1:
        raise ChatSetAside(
            f"{content.name} holds {len(chats)} chats, and none of them is {chat_id}.",
            f"Name other versions; they are listed by: memproc versions {chat_id}",
        )
    return matching[0]
