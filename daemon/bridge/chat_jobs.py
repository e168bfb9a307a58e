"""Take the chat that a device sends: it is put into the inbox, as a person would drop it."""

import re
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from daemon.archive.archive import Archive
from daemon.archive.arrivals import in_hand, newest_number
from daemon.archive.sent import ChatJob, keep_job
from daemon.bridge.devices import bridge_folder
from daemon.files.paths import Folders, sent_name
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.write import replace_file
from rules.errors import NotAnExport
from rules.typingmind.chat import Chat

_LONGEST_ID = 200  # characters
_LONGEST_TITLE = 10_000  # characters
_NO_ID = re.compile(r"[/\\\x00-\x1f\x7f\ufffd]|^\.+$")
"""What is part of a path, or no character: half a surrogate pair is read as U+FFFD."""


def only_chat(body: bytes) -> Chat:
    """Read an export that holds exactly one chat, whose id and title can be. Raises NotAnExport."""
    chats = chats_in("What was sent", body)
    if len(chats) != 1 or not chats[0].id_if_any:
        raise NotAnExport(
            "What was sent is not an export of one chat.", "Send one chat with its id."
        )
    chat_id, title = chats[0].id_if_any, chats[0].title
    if len(chat_id) > _LONGEST_ID or _NO_ID.search(chat_id):
        raise NotAnExport("This chat's id is none of TypingMind's.", "Export the chat by hand.")
    if len(title) > _LONGEST_TITLE or "\ufffd" in title:
        raise NotAnExport(
            f"This chat's title is longer than {_LONGEST_TITLE:,} characters, or holds half of one.",
            "Give it another title in TypingMind, then send it again.",
        )
    return chats[0]


def give_job(
    archive: Archive, folders: Folders, device: str, chat: Chat, body: bytes, now: str
) -> ChatJob:
    """Put a chat's export into the inbox, replacing what was sent of this chat before.

    Content that is being worked on already is not sent again. Raises FileTrouble.
    """
    digest = sha256(body).hexdigest()
    if arrival := in_hand(archive, digest):
        path, after = arrival.path, arrival.id - 1
    else:
        sent = folders.inbox / sent_name(chat.title, chat.chat_id)
        path, after = str(sent), newest_number(archive)
        make_private(folders.inbox)
        replace_file(sent, [body])
    job = ChatJob(token_hex(16), device, chat.chat_id, digest, path, now, after)
    keep_job(archive, job)
    return job


def lent_folder(state: Path) -> Path:
    """Return the folder of chats that are being planned; they are removed afterwards."""
    return bridge_folder(state) / "planned"
