"""Restore a kept version of a chat's updated export, or export its full raw conversation."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat
from daemon.archive.messages import raw_conversation
from daemon.archive.outputs import INTENT, RESTORED, Output, last_output, record_output
from daemon.archive.signs import remove_signs, set_sign, signs_of
from daemon.files.backup import Version, keep_version, read_version, versions_of
from daemon.files.packing import sha256_of
from daemon.files.paths import Folders, expanded_folder, file_name
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.removal import writing_to
from daemon.files.write import WrittenFile, replace_file
from daemon.models.context import Context
from rules.conversation.marker import our_uuids
from rules.errors import FileTrouble, NotAnExport, NotFound
from rules.typingmind.chat import Chat, parse_chat, read_messages
from rules.typingmind.document import chat_container
from rules.typingmind.new_chat import with_corrected_deletions
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class Restorable:
    """A version, its bytes, the path that it would go to, and the bytes there now (None if none).

    A single chat never replaces a whole export, whose other chats would be lost, nor another chat:
    a chat that became a new one has versions from before and after that.
    """

    version: Version
    content: bytes
    path: Path
    now: bytes | None


def find_version(folders: Folders, chat: KnownChat, number: int) -> Version:
    """Return the kept version of that number. Raise NotFound."""
    versions = {version.number: version for version in versions_of(folders.backups, chat.chat_id)}
    if number not in versions:
        numbers = ", ".join(map(str, versions)) or "none"
        raise NotFound(
            f'There is no version {number} of "{cut_title(chat.title)}"; there are: {numbers}.',
            f"List them with: memproc versions {chat.chat_id}",
        )
    return versions[number]


def newest_other(archive: Archive, folders: Folders, chat: KnownChat) -> Version:
    """Return the newest kept version whose content differs from that of the updated export now.

    One that differs only in its date would undo nothing. If a restore was cut short after it had
    written a version, return that version, so that the restore is completed. Raise NotFound.
    """
    path = updated_path(archive, folders, chat)
    now = sha256_of(path)
    newest_first = versions_of(folders.backups, chat.chat_id)[::-1]
    last = last_output(archive, chat.chat_id)
    candidates: Iterable[Version]
    if last is not None and last.sha256 != now:
        same = [version for version in newest_first if version.sha256 == now]
        candidates = same or newest_first
    else:
        present_content = _comparable(read_updated(path))
        candidates = (
            version
            for version in newest_first
            if version.sha256 != now and _comparable(read_version(version)) != present_content
        )
    for version in candidates:
        return version
    raise NotFound(
        f'There is nothing to undo: no other version of "{cut_title(chat.title)}" is kept.',
        f"List them with: memproc versions {chat.chat_id}",
    )


def _comparable(content: bytes | None) -> object:
    """Return an export's content to compare: its chats without dates, or its bytes if none."""
    return [chat.undated for chat in chats_of_export(content)] or content


def prepare_restore(
    archive: Archive, folders: Folders, chat: KnownChat, version: Version
) -> Restorable:
    """Return the version with all that is needed to restore it.

    Raise FileTrouble if it is damaged.
    """
    content = read_version(version)
    path = updated_path(archive, folders, chat)
    chats = chats_of_export(content)
    present = [chat_there.chat_id for chat_there in chats_of_export(read_updated(path))]
    if len(chats) == 1:
        only = chats[0]
        if present != [only.chat_id]:
            path = folders.updated / file_name(only.title, only.chat_id)
    path = path.with_suffix(Path(version.path.stem).suffix)  # .zip, where the export was one
    return Restorable(version, content, path, read_updated(path))


def restore(context: Context, chat: KnownChat, restorable: Restorable) -> WrittenFile:
    """Replace the updated export by the version. The present export is kept as a version."""
    now, path = context.clock(), restorable.path
    if restorable.now is not None:
        keep_version(context.folders.backups, chat.chat_id, chat.title, path.stem, path, now)
    make_private(path.parent)
    # The intent is stored first: after a power cut between writing the file and recording it, the
    # file would not be known as restored, and the next run would compress the chat again.
    intent = {"version": restorable.version.sha256, "path": str(path)}
    set_sign(context.archive, f"{INTENT}{chat.chat_id}", json.dumps(intent), now)
    return _put_back(context, chat.chat_id, path, restorable.content, restorable.version)


def _put_back(
    context: Context, chat_id: str, path: Path, content: bytes, version: Version
) -> WrittenFile:
    """Write the version to its path, record it, and remove the intent."""
    written = replace_file(path, [content])
    with context.archive.transaction():
        when = context.clock()
        output = Output(chat_id, str(path), written.sha256, RESTORED, version.sha256, when)
        record_output(context.archive, output)
        remove_signs(context.archive, f"{INTENT}{chat_id}")
    return written


def finish_restores(context: Context) -> tuple[str, ...]:
    """Complete restores that the person had agreed to and that were cut short.

    Return a sentence for each.
    """
    sentences = []
    for chat_id, value in signs_of(context.archive, INTENT).items():
        intent = json.loads(value)
        path = Path(intent["path"])
        versions = versions_of(context.folders.backups, chat_id)
        intended = [version for version in versions if version.sha256 == intent["version"]]
        if intended and path.parent == context.folders.updated:
            newest = intended[-1]
            _put_back(context, chat_id, path, read_version(newest), newest)
            sentences.append(f"The restore of {path.name} was cut short, and is finished now.")
        else:
            remove_signs(context.archive, f"{INTENT}{chat_id}")
    return tuple(sentences)


def expand(context: Context, chat: KnownChat, path: Path | None = None) -> WrittenFile:
    """Write the full raw conversation as an export that TypingMind imports.

    It goes to `path`, or to a folder of its own, since the updated exports are for importing. A
    file with the same content stays; otherwise the file gets the next number. Raise FileTrouble
    where a given `path` exists.
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
    content = chat_container(with_corrected_deletions(raw, uuids))
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


def updated_path(archive: Archive, folders: Folders, chat: KnownChat) -> Path:
    """Return the path of the chat's updated export, which may be missing."""
    last = last_output(archive, chat.chat_id)
    if last is not None and Path(last.path).parent == folders.updated:
        return Path(last.path)
    return folders.updated / file_name(chat.title, chat.chat_id)


def read_updated(path: Path) -> bytes | None:
    """Return the bytes of an updated export, or None where there is none. Raise FileTrouble."""
    with file_errors(path, "read"):
        return path.read_bytes() if path.exists() else None


def chats_of_export(content: bytes | None) -> list[Chat]:
    """Return the chats of an export; none if it is not one."""
    try:
        return list(chats_in("the export", content or b""))
    except NotAnExport:
        return []
