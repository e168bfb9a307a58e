"""Two exports of one chat compared: each recognised by what the archive knows of the chat, whatever markers it has."""

from dataclasses import dataclass
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, memories
from daemon.archive.messages import known_chat, past
from daemon.archive.openings import openings
from daemon.config import Config
from daemon.files.read import chats_in
from daemon.layout import core_layout
from daemon.survey import canned
from daemon.texts import load_texts
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
    one, other = (_side(archive, chat_id, known, words, content) for content in (before, after))
    names = {section.name for section in core_layout(own.core).sections}
    read = partial(read_tagged, names=names, introduction=texts.layers)
    return difference(one, other, known, read), known


def _side(archive: Archive, chat_id: str, known: tuple[Memory, ...], words: Canned, content: Content) -> Side:
    chat = _chat(chat_id, content)
    every = {one.memory_id: editions(archive, one.memory_id) for one in known}
    layered = [one.text for one in openings(archive, chat_id)]
    ours = drafts_of(chat.chat_id, known, every, words.opening, words.closing, layered=layered)
    digests = {old.key: old.message.digest for old in past(archive, chat_id)}
    under = {one.memory_id: {key: digests[key] for key in one.keys} for one in known}
    return Side(chat, recognise(read_messages(chat), ours, under, aliases(known)))


def _chat(chat_id: str, content: Content) -> Chat:
    """The chat of that id; or the only one, which was put in the place of another chat."""
    chats = chats_in(content.name, content.data)
    found = [chat for chat in chats if chat.chat_id == chat_id] or chats
    if len(found) != 1:
        raise ChatSetAside(
            f"{content.name} holds {len(chats)} chats, and none of them is {chat_id}.",
            f"Name other versions; they are listed by: memproc versions {chat_id}",
        )
    return found[0]
