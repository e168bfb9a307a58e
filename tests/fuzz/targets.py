"""What is fuzzed. A target takes any bytes; all that may come out of what it tries are our own errors."""

from collections.abc import Callable, Mapping
from pathlib import Path

from daemon.config.loading import parse_settings
from daemon.files.read import chats_in
from rules.conversation.history import build_history, group_by_memory, mark_strays
from rules.errors import ChatSkipped, ConfigurationError, NotAnExport
from rules.plan.selection import why_excluded
from rules.recognize.recognize import recognize
from rules.typingmind import spans
from rules.typingmind import spans as walk
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.message import find_branches
from rules.typingmind.originals import add_deleted_uuids
from rules.typingmind.spans import Reel
from rules.typingmind.splice import replace_field, replace_messages, splice
from rules.typingmind.warnings import find_warnings
from tests.fuzz.answers import answers
from tests.fuzz.requests import requests

_MEMPROC_TOML = Path("/fuzz/memproc.toml")


def reader(data: bytes) -> None:
    """Read bytes as a file of the inbox, and everything in it as far as the plan looks at it."""
    _as_json(data)
    try:
        found = chats_in("fuzz", data)
    except NotAnExport as refusal:
        _is_told(refusal.message, refusal.next_step)
        return
    for chat in found:
        assert chat.slice(chat.span) in data or data.startswith(b"PK")
        _chat(chat)


def configuration(data: bytes) -> None:
    """Read bytes as memproc.toml."""
    try:
        parse_settings(data, _MEMPROC_TOML)
    except ConfigurationError as refusal:
        _is_told(refusal.message, refusal.next_step)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "reader": reader,
    "configuration": configuration,
    "answers": answers,
    "requests": requests,
}


def _as_json(data: bytes) -> None:
    text = data.decode("latin-1")
    try:
        walk.read_members(Reel(text), 0)
        spans.value(text, 0)
    except spans.BadJson as fault:
        assert fault.reason
        assert 0 <= fault.at <= len(text)


def _chat(chat: Chat) -> None:
    try:
        messages = read_messages(chat)
        _is_told(chat.chat_id, chat.title)
        why_excluded(chat, ["a*"], [])
        places = recognize(messages, {})
        tuple(find_warnings(chat, messages))
        group_by_memory(places)
        assert len(build_history((), mark_strays((), places))) == sum(
            place.lived for place in places
        )
        find_branches(messages)
    except ChatSkipped as refusal:
        _is_told(refusal.message, refusal.next_step)
        return
    raws = [message.raw for message in messages]
    assert splice(chat, [replace_messages(chat, range(len(raws)), raws)]) == chat.slice(chat.span)
    edits = [*replace_field(chat, "updatedAt", "now"), *add_deleted_uuids(chat, ["fuzz"])]
    finished = splice(chat, [replace_messages(chat, list(range(1, len(raws))), raws[1:]), *edits])
    reel = Reel(finished.decode("latin-1"))
    walk.end(reel, walk.read_members(reel, 0)[1])


def _is_told(*texts: str) -> None:
    """A sentence that can be printed and stored."""
    for text in texts:
        assert text.encode()
