"""Bring conversations of another program: into which chat they go, and the file that is processed.

    a conversation      a chat of its own
    several, a life     one chat, in the order of their days, a line between them
    brought before      the same chat, if nothing else can be in it (rules/bring/placing)

What is planned is written only when the person has agreed. From then on the chat goes the way of
every export.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, is_known, known_chat, known_chats
from daemon.archive.messages import raw_conversation
from daemon.archive.outputs import last_output
from daemon.files.backup import keep_brought
from daemon.files.paths import Folders, brought_folder, file_name, planned_folder
from daemon.files.private import make_private
from daemon.files.removal import remove_file
from daemon.files.write import replace_file
from rules.bring.conversation import Conversation
from rules.bring.placing import (
    HeldChat,
    Placement,
    WrittenMessage,
    before_conversation,
    brought_alone,
    divider_uuid,
    join,
    name_message,
    place_conversation,
    write_chat,
    write_messages,
)
from rules.errors import ChatSkipped, DamagedChat
from rules.typingmind.dates import parse_date
from rules.typingmind.document import container_blocks
from rules.typingmind.new_chat import Origin, origin_of, with_origin
from rules.typingmind.spans import BadJson
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class Chosen:
    """A conversation that the person has chosen, read, and its own bytes."""

    conversation: Conversation
    raw: bytes

    @property
    def pair(self) -> tuple[str, str]:
        """Return the program and the conversation's id, as chats name it."""
        return self.conversation.source, self.conversation.key


@dataclass(frozen=True, slots=True)
class Bringing:
    """What will be written, and where it goes. `content` is the chat's JSON."""

    placement: Placement
    title: str
    chosen: Sequence[Chosen]
    content: bytes
    new: int
    """The new messages in it, without lines between conversations."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The messages of the whole chat as they should be, what it is made of, and its names."""

    messages: Sequence[WrittenMessage]
    origin: Origin
    title: str
    names: tuple[str, ...]


def brought_before(archive: Archive) -> dict[tuple[str, str], list[str]]:
    """Return the titles of the chats that hold each conversation, by program and id."""
    titles: dict[tuple[str, str], list[str]] = {}
    for known, origin in _origins(archive):
        for pair in origin.conversations:
            if known.title not in titles.setdefault(pair, []):
                titles[pair].append(known.title)
    return titles


def plan_bringing(
    archive: Archive,
    chosen: Sequence[Chosen],
    *,
    life: str = "",
    model: str = "",
    system_message: str = "",
    untouched: bool = False,
) -> Bringing:
    """Return what is to be written, and where it goes. Raises ChatSkipped where nothing can."""
    for each in chosen:
        if not each.conversation.messages:
            raise ChatSkipped(
                f'"{cut_title(each.conversation.title)}" holds no message that could be brought.',
                "Choose another conversation.",
            )
    wanted = _want(archive, life, chosen)
    names = [message.name for message in wanted.messages]
    held = partial(_held, archive)
    placement = place_conversation(names, wanted.names, held, untouched=untouched)
    title = wanted.title if placement.number == 1 else f"{wanted.title} ({placement.number})"
    if placement.is_known:
        content = _going_on(archive, placement, wanted)
    else:
        content = write_chat(
            placement.chat_id,
            title,
            wanted.messages,
            wanted.origin,
            model=model,
            system_message=system_message,
        )
    lines = {divider_uuid(each.conversation) for each in chosen}
    new = names[len(names) - placement.new :]
    count = sum(name.uuid not in lines for name in new)
    return Bringing(placement, title, chosen, content, count)


@contextmanager
def file_to_plan(folders: Folders, bringing: Bringing) -> Iterator[Path]:
    """Write the chat as an export for as long as it is planned, and yield where it is."""
    path = _write_export(planned_folder(folders.state), bringing)
    try:
        yield path
    finally:
        remove_file(path)


def write_brought(folders: Folders, bringing: Bringing, when: str) -> Path:
    """Write the chat as an export to be processed, and return where it is.

    The chosen conversations are kept as their program wrote them, so that they can be read again.
    """
    make_private(folders.backups)
    for each in bringing.chosen:
        chat_id = bringing.placement.chat_id
        keep_brought(folders.backups, chat_id, bringing.title, each.raw, when)
    return _write_export(brought_folder(folders.state), bringing)


def _write_export(folder: Path, bringing: Bringing) -> Path:
    make_private(folder)
    path = folder / file_name(bringing.title, bringing.placement.chat_id)
    replace_file(path, container_blocks(bringing.content))
    return path


def _want(archive: Archive, life: str, chosen: Sequence[Chosen]) -> _Wanted:
    """Return the one conversation; or a life with these added after those that it is made of.

    Raises ChatSkipped where one of them would have to go in front of what is there.
    """
    if not life:
        alone, pair = chosen[0].conversation, chosen[0].pair
        return _Wanted(write_messages(alone), Origin((pair,)), alone.title, pair)
    messages, origin = _life_so_far(archive, life)
    for each in sorted(chosen, key=lambda each: each.conversation.messages[0].when):
        conversation, pairs = each.conversation, origin.conversations
        if each.pair in pairs:
            if each.pair != pairs[-1]:
                raise ChatSkipped(
                    f'"{cut_title(conversation.title)}" is in "{life}" already, with another '
                    "conversation behind it.",
                    "A life takes new messages for its last conversation alone. To bring this one "
                    "by itself, leave out --as.",
                )
            before = before_conversation(messages, conversation)
            messages = [*before, *write_messages(conversation)]
            continue
        _refuse_earlier(life, messages, conversation)
        messages = join(messages, conversation, archive.zone)
        origin = Origin((*pairs, each.pair), life)
    return _Wanted(messages, origin, life, ("life", life.casefold()))


def _life_so_far(archive: Archive, life: str) -> tuple[Sequence[WrittenMessage], Origin]:
    """Return what was brought into a life, of its chats that with the most conversations."""
    lives = [
        (known, origin)
        for known, origin in _origins(archive)
        if origin.life.casefold() == life.casefold()
    ]
    if not lives:
        return [], Origin((), life)
    known, origin = max(lives, key=lambda each: len(each[1].conversations))
    return brought_alone(_messages_of(archive, known.chat_id)), origin


def _origins(archive: Archive) -> Iterator[tuple[KnownChat, Origin]]:
    """Yield each chat that was brought; one that is damaged tells nothing, and stops no other."""
    for known in known_chats(archive):
        try:
            origin = origin_of(known_chat(archive, known.chat_id))
        except (DamagedChat, BadJson):
            continue
        if origin:
            yield known, origin


def _refuse_earlier(
    life: str, messages: Sequence[WrittenMessage], conversation: Conversation
) -> None:
    """Raise ChatSkipped for a conversation that began before a life's last message."""
    last = parse_date(messages[-1].date) if messages else None
    if last and conversation.messages[0].when < last:
        raise ChatSkipped(
            f'"{cut_title(conversation.title)}" began before "{life}" ended: a further '
            "conversation joins behind the last only.",
            "Bring it by itself, without --as; or make a life of another name from all of them.",
        )


def _held(archive: Archive, chat_id: str) -> HeldChat | None:
    if not is_known(archive, chat_id):
        return None
    names = [message.name for message in _messages_of(archive, chat_id)]
    return HeldChat(names, last_output(archive, chat_id) is not None)


def _messages_of(archive: Archive, chat_id: str) -> list[WrittenMessage]:
    return [name_message(raw) for raw in raw_conversation(archive, chat_id).messages]


def _going_on(archive: Archive, placement: Placement, wanted: _Wanted) -> bytes:
    """Return a known chat as it is kept, with its settings, and the new messages at its end."""
    kept = raw_conversation(archive, placement.chat_id)
    new = [message.raw for message in wanted.messages[len(kept.messages) :]]
    content = kept.head + b",".join((*kept.messages, *new)) + kept.tail
    return with_origin(content, wanted.origin)
