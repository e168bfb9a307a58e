"""What a person does to raw messages counts: in the live tail, among memories, and under them."""

import json
from pathlib import Path

import pytest

from tests.server.setup import KEY
from tests.stories.cycle import (
    ENGINE,
    FIRST,
    Cycle,
    asked,
    asking,
    editions,
    is_told,
    memory,
    models,
    quiet,
    texts_by_uuid,
)
from tests.stories.test_page import Browser
from tests.typingmind import strip_markers
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]
OWN = 'In my own words: "the lamp" stays lit.\n\n\tAnd\u00a0so — <i>I</i> go on. 🕯️'
SIZE = 800


@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.full
def test_what_was_done_in_the_live_tail_is_what_memories_are_made_of(
    tmp_path: Path, build: Build
) -> None:
    chat = Cycle.lived(tmp_path, build)
    one, two, three, four, *_ = chat.live()[4:]
    old = chat.said(one)
    chat.device.edit(chat.chat_id, one, "Edited: " + old)
    chat.device.edit(chat.chat_id, two, "Edited too. " + chat.said(two))
    deleted = chat.messages[four]["uuid"]
    chat.device.delete(chat.chat_id, four)
    chat.device.insert(chat.chat_id, three, "user", "Inserted: what became of the lens?")
    chat.device.regenerate(chat.chat_id, -1)
    now = [chat.messages[at] for at in chat.live()]
    under = {key for _, _, key in chat.bounds()}
    for _ in range(3):
        chat.talk(FIRST // 2).goes_round()
    assert deleted not in {key for _, _, key in chat.bounds()}
    live = {message["uuid"]: message for message in now}
    assert set(live) <= {key for _, _, key in chat.bounds()} - under
    kept = {message["uuid"]: message for message in chat.expanded()}
    assert {uuid: kept[uuid] for uuid in live} == live, "as the person left it"
    assert deleted not in kept
    keep = chat.person.memproc("keep", chat.chat_id, "--message", deleted)
    assert keep.code == 0, "the archive still has it"


@pytest.mark.full
@pytest.mark.parametrize(
    "place", ["before the opening", "behind it", "between memories", "within one"]
)
def test_a_message_inserted_among_memories_stays_there_and_is_in_none(
    chat: Cycle, place: str
) -> None:
    memories, texts = chat.ours(), chat.texts()
    at = {
        "before the opening": 0, "behind it": memories[0], "between memories": memories[12], "within one": memories[9],
    }[place]  # fmt: skip
    chat.device.insert(chat.chat_id, at, "user", "What stands among the memories?")
    uuid = chat.messages[at]["uuid"]
    for _ in range(3):
        chat.talk()
        plan = json.loads(
            chat.person.memproc("plan", chat.person.drop(chat.export()), "--json").out
        )["chats"][0]
        assert any("inserted" in reason for reason in plan["left_out"]), plan["left_out"]
        (chat.person.inbox / "export.json").unlink()
        chat.goes_round()
        here = [message["uuid"] for message in chat.messages]
        assert here.count(uuid) == 1
        assert here.index(uuid) < chat.ours()[-1], "it stays among them"
        assert {name: chat.texts()[name] for name in texts} == texts
    assert uuid not in {key for _, _, key in chat.bounds()}
    assert uuid in {message["uuid"] for message in chat.expanded()}
    quiet(chat)


@pytest.mark.full
def test_a_message_inserted_behind_the_last_memory_is_the_first_live_one(chat: Cycle) -> None:
    at = chat.ours()[-1] + 1
    chat.device.insert(chat.chat_id, at, "user", "What stands behind the memories?")
    inserted = chat.messages[at]
    assert chat.hand_in().code == 0
    chat.imports()
    assert chat.messages[chat.ours("closing")[0] + 1] == inserted
    bounds = len(chat.bounds())
    chat.talk().goes_round()
    assert chat.bounds()[bounds][2] == inserted["uuid"], "and the first of the next memory"
    quiet(chat)


@pytest.mark.full
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("how", ["edited", "deleted"])
@pytest.mark.parametrize("mode", ["replace", "keep-originals"])
def test_a_raw_message_changed_under_a_memory_makes_it_due(
    tmp_path: Path, how: str, mode: str
) -> None:
    more = f'[memory]\nhindsight = 0\n[output]\nmode = "{mode}"\n'
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", settings=settings + more, size=SIZE)
        assert chat.hand_in().code == 0
        if mode == "keep-originals":
            chat.imports()
        one = chat.memories()[-1]
        was = texts_by_uuid(chat)[one["keys"][2]]
        bounds, before = chat.bounds(), len(asked(server))
        assert any(is_told(was, request) for request in asked(server))
        at = next(
            at for at, message in enumerate(chat.messages) if message["uuid"] == one["keys"][2]
        )
        if how == "edited":
            chat.device.edit(chat.chat_id, at, OWN)
        else:
            chat.device.delete(chat.chat_id, at)
        ended = chat.hand_in()
        assert "1 memory has messages that were edited or deleted" in ended.out, "why it is written"
        chat.imports()
        later = asked(server, before)
        quiet(chat)
        found = memory(chat, one["memory_id"])
        chat.talk().goes_round()
        after = asked(server, before + len(later))
    assert sorted(request.step for request in later) == [
        "analysis",
        "perspective",
        "quote",
        "refinement",
    ], "only this one"
    assert all(is_told(OWN, request) for request in later) == (how == "edited")
    assert not any(is_told(was, request) for request in later)
    assert editions(chat, one["memory_id"]) == [(1, "as-of"), (2, "as-of")]
    assert (found["due"], found["keys"], found["edition"]["number"]) == ("", one["keys"], 2)
    assert chat.bounds()[: len(bounds)] == bounds, "the bounds stand"
    kept = {message["uuid"]: text_of(message["content"]) for message in chat.expanded()}
    assert kept.get(one["keys"][2]) == (OWN if how == "edited" else None)
    assert after
    assert not any(is_told(was, request) for request in after), "nor is it told as what came before"
    assert any(is_told(OWN, request) for request in after) == (how == "edited")
    quiet(chat)


@pytest.mark.full
def test_a_changed_raw_message_waits_for_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", settings=settings, size=SIZE)
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("ANTHROPIC_API_KEY", KEY)
            assert chat.hand_in().code == 0
        one = chat.memories()[1]
        chat.person.settings(ENGINE)
        at = next(
            at for at, message in enumerate(chat.messages) if message["uuid"] == one["keys"][1]
        )
        chat.device.edit(chat.chat_id, at, OWN)
        assert chat.hand_in().code == 0
        assert memory(chat, one["memory_id"])["due"] == "1 of its messages edited"
        assert editions(chat, one["memory_id"]) == [(1, "as-of")], (
            "the engine does not replace a model's words"
        )
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        chat.person.settings(asking(server))
        line = Browser(chat.person).open(f"/chat/{chat.chat_id}/plan-line")
        assert line.startswith("No new memory, 1 written again: 4 calls to "), line
        assert "Run now" in line
        chat.goes_round()
    assert memory(chat, one["memory_id"])["due"] == ""
    assert (2, "as-of") in editions(chat, one["memory_id"])
    quiet(chat)


@pytest.mark.full
def test_an_edited_original_is_still_its_memorys_where_another_tool_has_stripped_our_field(
    tmp_path: Path,
) -> None:
    """Taken for a message of the live chat, it would bring its memory back after each deletion."""
    more = '[output]\nmode = "keep-originals"\n'
    chat = Cycle.begin(tmp_path / "ada", turns=20, settings=ENGINE + more).goes_round()
    one = chat.memories()[0]
    at = next(at for at, said in enumerate(chat.messages) if said["uuid"] == one["keys"][0])
    chat.device.edit(chat.chat_id, at, OWN)
    chat.device.bring_in(strip_markers(chat.export()))
    chat.goes_round()
    assert chat.messages[at]["memproc"]["memory"] == one["memory_id"]
    for slot in range(6, 0, -1):
        chat.device.delete(chat.chat_id, chat.at(one["memory_id"], slot))
    chat.goes_round()
    assert memory(chat, one["memory_id"])["forgotten"]


@pytest.mark.full
@pytest.mark.usefixtures("key")
def test_a_message_edited_and_later_deleted_is_counted_once_and_for_all(tmp_path: Path) -> None:
    """Otherwise its memory, written without it, would be asked for once more with other lengths."""
    more = '[output]\nmode = "keep-originals"\n'
    with models(tmp_path / "server", rates={"refused": 1.0}) as (_, settings):
        chat = Cycle.begin(tmp_path / "ada", turns=20, settings=settings + more, size=SIZE)
        (one,) = chat.goes_round().memories()
        uuids = [message["uuid"] for message in chat.messages]
        original, held = uuids.index(one["keys"][2]), chat.at(one["memory_id"], 1)
        chat.device.pin(chat.chat_id, held)
        chat.device.edit(chat.chat_id, original, OWN * 10)
        assert chat.hand_in().code == 0
        assert memory(chat, one["memory_id"])["due"] == "1 of its messages edited"
        chat.device.unpin(chat.chat_id, held)
        chat.device.delete(chat.chat_id, original)
        chat.goes_round()
        assert memory(chat, one["memory_id"])["due"] == ""
        quiet(chat)


@pytest.mark.full
@pytest.mark.usefixtures("key")
def test_a_memory_that_a_retry_wrote_from_changed_messages_is_not_written_once_more(
    tmp_path: Path,
) -> None:
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", turns=20, settings=settings, size=SIZE)
        chat.hand_in()
        one = chat.memories()[0]["memory_id"]
        chat.person.settings(ENGINE)
        chat.device.edit(chat.chat_id, 1, OWN)
        chat.hand_in()
        assert memory(chat, one)["due"] == "1 of its messages edited"
        chat.person.settings(asking(server))
        assert chat.person.memproc("retry", one, "--say", "Tell of it again.").code == 0
        calls = chat.calls()
        chat.hand_in()
        assert chat.calls() == calls
    assert memory(chat, one)["due"] == ""
    assert editions(chat, one) == [(1, "as-of"), (2, "as-of")]


@pytest.mark.long
def test_what_is_pinned_or_excluded_stays_so(chat: Cycle) -> None:
    raw_pinned, raw_excluded, training = chat.live()[3], chat.live()[5], chat.live()[-1]
    name, other = chat.shown()[0], chat.shown()[2]
    chat.device.pin(chat.chat_id, raw_pinned)
    chat.device.exclude(chat.chat_id, raw_excluded)
    chat.device.exclude(chat.chat_id, training)
    chat.device.pin(chat.chat_id, chat.at(name, 2))
    for slot in range(1, 7):
        chat.device.exclude(chat.chat_id, chat.at(other, slot))
    pinned, excluded, late = (
        dict(chat.messages[at]) for at in (raw_pinned, raw_excluded, training)
    )
    ours = {at: dict(chat.messages[at]) for at in chat.ours()}
    for _ in range(3):
        chat.talk(FIRST // 2).goes_round()
        assert {at: chat.messages[at] for at in ours} == ours
    assert excluded in chat.messages, (
        "what is excluded is no experience: it stays in the chat, and in no memory"
    )
    assert late in chat.messages
    under = {key for _, _, key in chat.bounds()}
    assert (pinned["uuid"] in under, excluded["uuid"] in under, late["uuid"] in under) == (
        True,
        False,
        False,
    )
    assert pinned in chat.expanded()
    quiet(chat)
