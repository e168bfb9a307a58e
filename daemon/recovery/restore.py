"""Two exports of one chat compared: each recognised by what the archive knows of the chat, whatever markers it has."""

from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chat_states import has_gone_on, was_seen_before
from daemon.archive.chats import KnownChat, known_chat
from daemon.archive.memories import editions, memories
from daemon.archive.messages import past, raw_conversation
from daemon.archive.openings import openings
from daemon.archive.outputs import RESTORED, Output, last_output, record_output
from daemon.chat.survey import canned
from daemon.config import Config
from daemon.context import House, core_layout, load_texts
from daemon.files.backup import Version, keep_version, read_version, versions
from daemon.files.paths import Folders
from daemon.files.read import Export, chats_in
from daemon.files.write import WrittenFile, file_errors, make_private, replace_file
from rules.conversation.memory import Memory, aliases
from rules.errors import ChatSetAside, FileTrouble, NotAnExport, NotFound
from rules.layers.opening import read_tagged
from rules.output.arrange import Canned
from rules.output.difference import Difference, Side, difference
from rules.output.naming import file_name
from rules.recognize.recognize import recognise
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.compose import drafts_of
from rules.typingmind.copies import expanded, our_uuids
from rules.typingmind.document import chat_container, read_document


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


@dataclass(frozen=True, slots=True)
class Restorable:
    """A version, its bytes, where it would go, and the bytes that stand there now (None: nothing does).

    A single chat never goes into the place of a whole export, whose other chats it would drive out, nor of
    another chat: what became a new chat has versions from before and after.
    """

    version: Version
    content: bytes
    path: Path
    now: bytes | None


def find_version(folders: Folders, chat: KnownChat, number: int) -> Version:
    """The kept version of that number. Raises NotFound."""
    kept = versions(folders.backups, chat.chat_id)
    found = next((version for version in kept if version.number == number), None)
    if found is None:
        there = ", ".join(str(version.number) for version in kept) or "none"
        raise NotFound(
            f'There is no version {number} of "{chat.title}"; there are: {there}.',
            f"List them with: memproc versions {chat.chat_id}",
        )
    return found


def restorable(archive: Archive, folders: Folders, chat: KnownChat, version: Version) -> Restorable:
    """The version with all that is needed to put it back. Raises FileTrouble where it is damaged."""
    content = read_version(version)
    path = updated_path(archive, folders, chat)
    then, now = _chats(content), _chats(read_updated(path))
    if len(then) == 1 and [one.chat_id for one in now] != [then[0].chat_id]:
        path = folders.updated / file_name(then[0].title, then[0].chat_id)
    path = path.with_suffix(Path(version.path.stem).suffix)  # .zip, where the export was one
    return Restorable(version, content, path, read_updated(path))


def updated_path(archive: Archive, folders: Folders, chat: KnownChat) -> Path:
    """Where the chat's updated export stands, or would stand."""
    last = last_output(archive, chat.chat_id)
    if last is not None and Path(last.path).parent == folders.updated:
        return Path(last.path)
    return folders.updated / file_name(chat.title, chat.chat_id)


def read_updated(path: Path) -> bytes | None:
    """The bytes of an updated export, or None where there is none. Raises FileTrouble."""
    with file_errors(path, "read"):
        return path.read_bytes() if path.exists() else None


def restore(house: House, chat: KnownChat, wanted: Restorable) -> WrittenFile:
    """Put the version in the updated export's place. The present one becomes a version; nothing is pruned."""
    now = house.clock()
    if wanted.now is not None:
        keep_version(house.folders.backups, chat.chat_id, chat.title, wanted.path.stem, wanted.path, now)
    make_private(wanted.path.parent)
    written = replace_file(wanted.path, [wanted.content])
    record_output(
        house.archive,
        Output(chat.chat_id, str(wanted.path), written.sha256, RESTORED, wanted.version.sha256, now),
    )
    return written


def held_back(archive: Archive, chat: Chat, export: Export) -> str | None:
    """Why a chat is left alone that has gone on in a newer export, or was restored; None where neither is so.

    An export is newer than a restore if neither it nor this state of the chat was seen before.
    """
    if has_gone_on(archive, chat.chat_id, chat.sha256, export.fingerprint.modified_ns):
        return "it was processed already, and has gone on in a newer export since"
    last = last_output(archive, chat.chat_id)
    if last is None or last.messages_sha256 != RESTORED:
        return None
    if not was_seen_before(archive, chat.chat_id, chat.sha256, export.sha256, last.written_at):
        return None
    return (
        f"it was restored on {last.written_at[:10]}, and this export is from before that; to go on from this one: "
        f"memproc accept {chat.chat_id}"
    )


def expand(house: House, chat: KnownChat, path: Path | None = None) -> WrittenFile:
    """Write the full raw conversation as an export that TypingMind imports, to `path` or to a place of its own.

    That is never the folder of updated exports, which are there to be imported. The same content stays where it
    stands, another one gets the next number. Raises FileTrouble where a `path` that was named exists.
    """
    if path is not None and path.exists():
        raise FileTrouble(f"{path} exists already.", "Name another file with --output, or move that one away.")
    found = raw_conversation(house.archive, chat.chat_id)
    content = chat_container(found.head + b",".join(found.messages) + found.tail)
    (raw,) = read_document("The archive", content).chats
    standing = _chats(read_updated(updated_path(house.archive, house.folders, chat)))
    ours = [uuid for one in standing if one.chat_id == chat.chat_id for uuid in our_uuids(one)]
    content = chat_container(expanded(raw, ours))
    path = path or _free_place(house.folders.updated.parent / "expanded", chat, content)
    make_private(path.parent)
    return replace_file(path, [content])


def _free_place(folder: Path, chat: KnownChat, content: bytes) -> Path:
    """The first name in the folder that is free, or has this very content."""
    stem = Path(file_name(chat.title, chat.chat_id)).stem
    names = (f"{stem} full.json" if number == 1 else f"{stem} full {number}.json" for number in count(1))
    return next(path for name in names if read_updated(path := folder / name) in (None, content))


def _chats(content: bytes | None) -> list[Chat]:
    """The chats of an export; none where it is none, whatever has happened to it."""
    try:
        return list(chats_in("the export", content or b""))
    except NotAnExport:
        return []
