"""Put a finished chat beside the old one, as a chat of its own."""

from dataclasses import replace
from itertools import count
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.outputs import last_output, was_written
from daemon.deliver import Ready
from daemon.house import House
from rules.output.assemble import Mode
from rules.output.naming import file_name
from rules.recognize.recognize import Place
from rules.recognize.user_edits import groups
from rules.typingmind.copies import as_new_chat, memories_title, new_chat_id


def mode_for(archive: Archive, wanted: Mode, chat_id: str, places: tuple[Place, ...]) -> Mode:
    """How this chat's memories are put back: one that holds some, or was written by us, goes on in its own place."""
    goes_on = groups(places) or _was_written(archive, chat_id)
    return "replace" if wanted == "new-chat" and goes_on else wanted


def in_new_chat(house: House, ready: Ready) -> Ready:
    """The same chat under an id of its own; never under one in which the person may talk on already.

    What was written before without a difference keeps its id, so that nothing is written twice.
    """
    old = ready.plan.chat_id
    title = memories_title(ready.plan.title)
    last = last_output(house.archive, old)
    stands = Path(last.path).name if last and ready.assembled.has_messages_of(last.messages_sha256) else None
    names = (new_chat_id(old, number) for number in count(1))
    chat_id = next(one for one in names if file_name(title, one) == stands or _is_free(house.archive, one))
    chat = as_new_chat(ready.assembled.chat, chat_id, title, house.clock())
    return replace(ready, assembled=replace(ready.assembled, chat=chat), chat_id=chat_id, title=title)


def _is_free(archive: Archive, chat_id: str) -> bool:
    """No chat of this id was read, and none written, which the person may have imported since."""
    return not is_known(archive, chat_id) and not _was_written(archive, chat_id)


def _was_written(archive: Archive, chat_id: str) -> bool:
    """Whether an updated export was ever written under this id, whatever the chat's title was then."""
    return was_written(archive, file_name("A", chat_id).removeprefix("A "))
