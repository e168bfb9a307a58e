"""Chats whose own settings would spoil their memories."""

import json
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.outputs import Output, record_output
from daemon.status.checks import chats
from daemon.status.doctor import Place
from tests.chats import CHAT_ID, Json, export_bytes, long_chat, user
from tests.daemon.doctor.places import SEEN_AT, archived, one, place

SUMMARY = user("An older part", 99, type="tm_context_summary")


def limited(limit: int) -> Json:
    return long_chat(500, chatParams={"contextLimit": limit})


def written(at: Place, chat: Json) -> None:
    """The chat's updated export is this."""
    path = at.folders.updated / "chat.json"
    path.write_bytes(export_bytes(chat))
    with Archive.open(at.folders.state) as kept:
        record_output(kept, Output(CHAT_ID, str(path), "", "", "", SEEN_AT))


def test_a_chat_without_such_settings_is_well(tmp_path: Path) -> None:
    at = place(tmp_path)
    assert "None has been seen" in one(list(chats(at))).told
    archived(at, long_chat(500))
    assert one(list(chats(at))).level == "ok"


def test_a_context_limit_is_told_until_an_export_comes_without_it(tmp_path: Path) -> None:
    at = place(tmp_path)
    archived(at, limited(10))
    written(at, limited(10))
    found = one(list(chats(at)))
    assert found.level == "warning"
    assert "10 messages" in found.told
    assert "Set the limit to 0" in found.mend
    archived(at, limited(0))
    assert one(list(chats(at))).level == "ok", "the newest export counts, and not the older updated one"


def test_typingmind_s_own_summary_is_found_in_what_was_written(tmp_path: Path) -> None:
    at, chat = place(tmp_path), long_chat(500)
    archived(at, chat)
    written(at, {**chat, "messages": [*chat["messages"], SUMMARY]})
    found = one(list(chats(at)))
    assert "Context Summary" in found.told
    assert 'Turn off "Auto summarize long conversations"' in found.mend


def test_a_chat_above_three_mebibytes_counts_by_what_typingmind_has_now(tmp_path: Path) -> None:
    at, chat = place(tmp_path), long_chat(500)
    large = {**chat, "messages": [user("word " * 700_000, 99), *chat["messages"]]}
    archived(at, large)
    assert "3 MiB" in one(list(chats(at))).told
    written(at, chat)
    assert one(list(chats(at))).level == "ok"


def test_a_chat_that_was_left_out_is_not_told_of(tmp_path: Path) -> None:
    at = place(tmp_path, {"chats": {"exclude": [CHAT_ID]}})
    archived(at, limited(10))
    assert one(list(chats(at))).level == "ok"


def test_an_updated_export_that_cannot_be_read_leaves_the_chat_s_own_settings_to_look_at(tmp_path: Path) -> None:
    at = place(tmp_path)
    archived(at, limited(10))
    written(at, long_chat(500))
    (at.folders.updated / "chat.json").write_text(json.dumps({"odd": 1}))
    assert "10 messages" in one(list(chats(at))).told
