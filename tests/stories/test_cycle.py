"""The same conversation, round after round: known again, compressed further, and otherwise left alone."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chats import Json
from tests.server.setup import KEY
from tests.stories.cycle import (
    ENGINE,
    FIRST,
    MORE,
    Cycle,
    asked,
    is_told,
    models,
    quiet,
    stand,
    texts_by_uuid,
)
from tests.stories.wire import Sent
from tests.typingmind import jsonb, strip_markers
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]
NOTHING_NEW = "unchanged: it is compressed already"
ROUNDS = 10
A_ROUND = 6
"""Turns between two of the ten rounds."""


def as_it_is(cycle: Cycle) -> Cycle:
    return cycle


def through_the_cloud(cycle: Cycle) -> Cycle:
    cycle.device.bring_in(jsonb(cycle.export()))
    return cycle


def without_markers(cycle: Cycle) -> Cycle:
    cycle.device.bring_in(strip_markers(cycle.export()))
    return cycle


def forked(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.fork(cycle.chat_id))


def forked_with_new_uuids(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.fork(cycle.chat_id, new_uuids=True))


def restored(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.restore(cycle.chat_id))


WAYS: list[Callable[[Cycle], Cycle]] = [
    as_it_is, through_the_cloud, without_markers, forked, forked_with_new_uuids, restored,
]  # fmt: skip


@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize("way", WAYS)
def test_a_compressed_chat_is_known_again(
    tmp_path: Path, way: Callable[[Cycle], Cycle], build: Build
) -> None:
    chat = Cycle.begin(tmp_path / "ada", build)
    raw = spoken(chat)
    chat.goes_round()
    memories = len(chat.shown())
    chat = way(chat)
    files, calls = stand(chat), chat.calls()

    ended = chat.hand_in()

    assert (ended.code, ended.err) == (0, "")
    assert NOTHING_NEW in ended.out
    assert (stand(chat), chat.calls()) == (files, calls), "nothing new: no call, no changed byte"

    said, uuids = spoken(chat.talk()), named(chat)
    chat.goes_round()
    new = chat.memories()[memories:]
    assert new, "the conversation has gone on"
    ours = 1 + 6 * memories
    assert spoken(chat)[:ours] == said[:ours], "opening and memories are what they were"
    old = {key for memory in new for key in memory["keys"]}
    assert old < uuids - named(chat), "what has left the live tail was compressed"
    assert len(uuids - named(chat) - old) == 1, "and nothing else is gone but the old closing"
    assert list(map(spoken_by, chat.expanded())) == raw + said[-2 * MORE :]
    quiet(chat)


@pytest.mark.full
def test_a_memory_that_came_back_is_known_without_our_field_though_no_list_names_its_deletion(
    chat: Cycle,
) -> None:
    """Its first uuids were named as deleted then, so it has others; TypingMind cuts the list."""
    _, second, *_ = chat.shown()
    assert chat.forget(second).hand_in().code == 0
    assert chat.person.memproc("recall", second).code == 0
    raw = list(map(spoken_by, chat.expanded()))
    assert chat.goes_round().shown()[1] == second
    chat.device.chat(chat.chat_id)["syncMetadata"]["deletedMessageUUIDs"].clear()

    chat = without_markers(chat)
    assert NOTHING_NEW in chat.hand_in().out
    chat.talk()
    raw += spoken(chat)[-2 * MORE :]
    assert list(map(spoken_by, chat.goes_round().expanded())) == raw


@pytest.mark.long
def test_what_stands_in_tags_of_ours_is_still_the_person_s(chat: Cycle) -> None:
    first = chat.shown()[0]
    pasted = [chat.said(0), *chat.texts()[first], chat.said(chat.ours("closing")[0])]
    inside = "<context_manager>" + "Are these words mine? " * 20 + "</context_manager>"
    for words in (*pasted, inside):
        chat.device.insert(chat.chat_id, len(chat.messages), "user", words)
        chat.device.insert(chat.chat_id, len(chat.messages), "assistant", "I see it. " + words)
    raw = [message["uuid"] for message in chat.messages[-2 * len(pasted) - 2 :]]
    for _ in range(3):
        chat.talk(FIRST // 2).goes_round()
        assert (chat.ours("opening"), len(chat.ours("closing"))) == ([0], 1)
    assert chat.shown().count(first) == 1
    assert set(raw) <= {key for _, _, key in chat.bounds()}, (
        "they have become part of memories, as what they are"
    )


def test_frozen_bounds_never_move_and_only_what_is_newly_old_is_compressed(chat: Cycle) -> None:
    bounds, calls, memories = chat.bounds(), chat.calls(), len(chat.names())
    for _ in range(3):
        chat.talk().goes_round()
        assert chat.bounds()[: len(bounds)] == bounds
        new = len(chat.names()) - memories
        assert new > 0
        assert chat.calls() - calls <= 8 * new, "no old chunk is asked about again"
        bounds, calls, memories = chat.bounds(), chat.calls(), len(chat.names())


@pytest.mark.long
@pytest.mark.parametrize(("hindsight", "budget"), [(0, 1_800), (2, 1_800), (2, 16_000)])
def test_ten_rounds_ask_what_one_would_have_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hindsight: int, budget: int
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    more = f"[memory]\nhindsight = {hindsight}\n[fold]\nbudget = {budget}\n"
    with models(tmp_path / "one") as (one, settings):
        once = Cycle.begin(tmp_path / "once", settings=settings + more, size=800)
        for _ in range(ROUNDS - 1):
            once.talk(A_ROUND)
        once.goes_round()
        single = asked(one)
    with models(tmp_path / "ten") as (ten, settings):
        often = Cycle.begin(tmp_path / "often", settings=settings + more, size=800).goes_round()
        for _ in range(ROUNDS - 1):
            often.talk(A_ROUND).goes_round()
        many = asked(ten)

    assert often.bounds() == once.bounds()
    assert as_of(often) == as_of(once)
    assert Counter(bodies(single)) <= Counter(bodies(many))
    folds = [memory for memory in once.everything() if memory["members"]]
    assert bool(folds) == (budget < 16_000)
    if hindsight:
        assert len(many) > len(single), "hindsight was asked for between the rounds"
    else:
        assert Counter(bodies(single)) == Counter(bodies(many))
        assert often.messages == once.messages, "the outputs are the same too"


@pytest.mark.full
def test_the_tail_of_a_new_chunk_comes_out_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(
            tmp_path / "ada", settings=settings + "[memory]\nhindsight = 0\n", size=800
        )
        said = texts_by_uuid(chat)
        chat.goes_round()
        last, before = chat.memories()[-1], len(asked(server))
        uuids = named(chat.talk())
        chat.goes_round()
        request = next(one for one in asked(server, before) if one.step == "quote")
    for key in last["keys"]:
        assert key not in uuids
        assert is_told(said[key], request), (
            "raw messages stand before the chunk, which the export has no more"
        )


@pytest.mark.full
def test_every_round_but_the_first_keeps_the_version_before(chat: Cycle) -> None:
    for number in range(2, 5):
        chat.talk().goes_round()
        versions = json.loads(chat.person.memproc("versions", chat.chat_id, "--json").out)[
            "versions"
        ]
        assert [version["kind"] for version in versions] == ["original"] + ["updated"] * (
            number - 1
        )
        quiet(chat)


@pytest.mark.full
@pytest.mark.parametrize("mode", ["replace", "new-chat", "keep-originals"])
def test_nothing_new_in_any_output_mode(tmp_path: Path, mode: str) -> None:
    chat = Cycle.begin(tmp_path / "ada", settings=f'{ENGINE}[output]\nmode = "{mode}"\n')
    assert chat.hand_in().code == 0
    (path,) = chat.person.updated()
    (chat_id,) = (found["chatID"] for found in json.loads(path.read_bytes())["data"]["chats"])
    assert (chat_id != chat.chat_id) == (mode == "new-chat")
    compressed = chat.of(chat_id)
    quiet(compressed.imports())
    for _ in range(2):
        compressed.talk().goes_round()
        quiet(compressed)
    files, calls = stand(chat), chat.calls()
    if mode == "new-chat":
        ended = chat.hand_in()
        assert (ended.code, ended.err) == (0, "")
        assert "1 unchanged" in ended.out, "the old chat has nothing new either"
        assert (stand(chat), chat.calls()) == (files, calls)


@pytest.mark.long
def test_a_new_chat_goes_on_beside_the_old_one_in_one_export(tmp_path: Path) -> None:
    chat = Cycle.begin(tmp_path / "ada", settings=f'{ENGINE}[output]\nmode = "new-chat"\n')
    assert chat.hand_in().code == 0
    (path,) = chat.person.updated()
    chat.device.bring_in(path.read_bytes())
    (beside,) = (chat.of(chat_id) for chat_id in chat.device.chats if chat_id != chat.chat_id)
    beside.talk()
    for written in (1, 0):
        ended = chat.person.memproc("run", chat.person.drop(chat.device.export()))
        assert (ended.code, ended.err) == (0, "")
        assert f"{written} written, {2 - written} unchanged" in ended.out
    chat.talk()
    ended = chat.person.memproc("run", chat.person.drop(chat.device.export()))
    assert (ended.code, ended.err) == (0, "")
    assert len(chat.person.updated()) == 2, (
        "the old chat went on too: it becomes another new one, and none is lost"
    )
    quiet(beside.imports())


def spoken(chat: Cycle) -> list[str]:
    """Everything that TypingMind shows, in order."""
    return list(map(spoken_by, chat.messages))


def named(chat: Cycle) -> set[str]:
    """The uuids of all messages that TypingMind shows."""
    return {message["uuid"] for message in chat.messages}


def spoken_by(message: Json) -> str:
    return f"{message['role']}: {text_of(message['content'])}"


_MARK = ', "cache_control": {"type": "ephemeral"}'


def bodies(requests: list[Sent]) -> list[str]:
    """What was sent, but for where a provider's cache may break off: that depends on what is asked beside it."""
    return [json.dumps(request.body).replace(_MARK, "") for request in requests]


def as_of(chat: Cycle) -> list[tuple[object, ...]]:
    """From which requests the as-of editions of the chunks' memories were made."""
    return [
        (memory["memory_id"], *edition["requests"])
        for memory in chat.memories()
        for edition in memory["editions"]
        if edition["kind"] == "as-of"
    ]
