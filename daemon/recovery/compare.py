"""Compare two exports of one chat: its messages, its memories, and what changed in each."""

from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat, persona_of
from daemon.chat.opening import canned
from daemon.chat.reading import know
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.files.backup import read_version
from daemon.files.clock import in_full
from daemon.files.paths import Folders
from daemon.files.read import chats_in
from daemon.recovery.restore import find_version, read_updated, updated_path
from rules.conversation.marker import Canned
from rules.errors import ChatSkipped, NotFound
from rules.output.difference import Difference, Side, compare_exports
from rules.output.difference_lines import DifferenceLine, describe_difference
from rules.recognize.known import Known, recognize_export
from rules.typingmind.chat import read_messages
from rules.typingmind.dates import in_zone
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class Content:
    """An export's bytes, and its name in sentences."""

    name: str
    data: bytes


def version_content(
    archive: Archive, folders: Folders, chat: KnownChat, number: int | None
) -> Content:
    """Return the kept version of that number, or the present updated export for None.

    Raise NotFound.
    """
    if number is not None:
        version = find_version(folders, chat, number)
        name = f"version {number} ({version.kind}, {in_full(version.written_at)[:16]})"
        return Content(name, read_version(version))
    path = updated_path(archive, folders, chat)
    content = read_updated(path)
    if content is None:
        raise NotFound(
            f'There is no updated export of "{cut_title(chat.title)}": {path} is not there.',
            f"Compare two versions: memproc versions {chat.chat_id}",
        )
    return Content("the updated export", content)


def compare_versions(
    archive: Archive, config: Config, chat_id: str, before: Content, after: Content
) -> tuple[Difference, list[DifferenceLine]]:
    """Return the difference, with dates in the archive's time zone, and a line for each change.

    Raise NotAnExport or ChatSkipped where one of the two does not hold the chat.
    """
    known = know(archive, chat_id)
    words = canned(load_texts(config.of(known_chat(archive, chat_id)).texts.path))
    old, new = _side(known, words, before), _side(known, words, after)
    changes = compare_exports(old, new, known.memories)
    raw = (replace(change, date=in_zone(change.date, archive.zone)) for change in changes.raw)
    changes = replace(changes, raw=tuple(raw))
    return changes, list(describe_difference(changes, known.memories, persona_of(archive, chat_id)))


def _side(known: Known, words: Canned, content: Content) -> Side:
    """Return the chat in one of the two exports, with memproc's own messages recognized.

    Raise ChatSkipped where it holds several chats, and not this one.
    """
    chats = chats_in(content.name, content.data)
    # If there is no match but a single chat, that one replaced another chat.
    matching = [chat for chat in chats if chat.chat_id == known.chat_id] or chats
    if len(matching) != 1:
        raise ChatSkipped(
            f"{content.name} holds {len(chats)} chats, and none of them is {known.chat_id}.",
            f"Name other versions; they are listed by: memproc versions {known.chat_id}",
        )
    (chat,) = matching
    return Side(chat, recognize_export(known, chat, read_messages(chat), words).places)
