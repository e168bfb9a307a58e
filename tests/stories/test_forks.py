"""A chat that was forked or restored is a chat of its own: it knows what its origin knew, and touches nothing of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.chats import Json
from tests.stories.cycle import ENGINE, FIRST, MORE, Cycle, models, quiet, stand
from tests.stories.reports import memory_ids, report
from tests.typingmind import strip_markers
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]
OWN = "In my own words: the lamp stays lit."

Way = Callable[[Cycle], Cycle]


def forked(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.fork(cycle.chat_id))


def forked_with_new_uuids(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.fork(cycle.chat_id, new_uuids=True))


def restored(cycle: Cycle) -> Cycle:
    return cycle.of(cycle.device.restore(cycle.chat_id))


WAYS: list[Way] = [forked, forked_with_new_uuids, restored]


def said(message: Json) -> str:
    return f"{message['role']}: {text_of(message['content'])}"


@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize("way", WAYS)
def test_a_fork_gets_memories_of_its_own_and_keeps_what_it_shows(
    tmp_path: Path, way: Way, build: Build
) -> None:
    chat = Cycle.begin(tmp_path / "ada", build)
    raw = list(map(said, chat.messages))
    chat.goes_round()
    fork = way(chat)
    messages = list(fork.messages)
    ours = {message["uuid"] for message in fork.messages[: 6 * len(chat.names())]}

    assert fork.hand_in().code == 0

    assert not set(fork.names()) & set(chat.names()), "ids of their own"
    same = ("keys", "source_tokens", "number", "edition", "in_prompts", "began_at", "ended_at")
    for mine, theirs in zip(fork.memories(), chat.memories(), strict=True):
        assert [mine[name] for name in same] == [theirs[name] for name in same]
        assert mine["origins"] == [theirs["memory_id"]]
    assert list(map(said, fork.expanded())) == raw

    fork.talk().goes_round()
    shown = 1 + 6 * len(chat.names())
    assert fork.messages[:shown] == messages[:shown]
    assert len(fork.names()) > len(chat.names())
    assert {message["uuid"] for message in fork.messages} >= ours
    quiet(fork)


def without_field_and_uuids(export: bytes) -> bytes:
    """Another tool has gone over the chat, and has given its messages new names besides."""
    read = json.loads(strip_markers(export))
    for number, message in enumerate(read["data"]["chats"][0]["messages"]):
        message["uuid"] = f"{number:08d}-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
    return json.dumps(read).encode()


@pytest.mark.parametrize("way", WAYS)
def test_a_fork_that_another_tool_has_stripped_of_our_field_is_skipped(
    chat: Cycle, way: Way
) -> None:
    """Nothing but their text tells the memories from the conversation. A fork of the updated file goes on."""
    updated = chat.updated().read_bytes()
    chat.device.bring_in(strip_markers(chat.export()))
    fork = way(chat)
    calls, files, known = chat.calls(), stand(chat), memory_ids(chat.person)

    ended = fork.hand_in()

    assert (
        "cannot be told from the conversation: another tool has taken away" in ended.out + ended.err
    )
    assert "the updated file of the chat that it was forked from" in ended.out + ended.err
    assert (chat.calls(), stand(chat), memory_ids(chat.person)) == (calls, files, known)
    chat.device.bring_in(updated)
    assert forked(chat).hand_in().code == 0


def forked_twice(cycle: Cycle) -> Cycle:
    fork = forked(cycle)
    assert fork.hand_in().code == 0
    return forked(fork)


@pytest.mark.full
@pytest.mark.parametrize("way", [forked, forked_twice])
def test_the_opening_of_a_fork_is_known_where_another_tool_has_stripped_our_field(
    chat: Cycle, way: Way
) -> None:
    """Its uuid is still that of the chat that it was forked from."""
    chat = replace(chat, person=replace(chat.person, layers=True))
    chat.person.settings(ENGINE)
    said_to_it = "core", chat.chat_id, "set", "persona", "I keep the lamp."
    assert chat.person.memproc(*said_to_it).code == 0
    fork = way(chat.goes_round())
    assert fork.hand_in().code == 0
    raw, (at,) = fork.expanded(), fork.ours("opening")
    fork.device.bring_in(strip_markers(fork.export()))

    assert "0 written, 1 unchanged" in fork.hand_in().out

    fork.device.edit(fork.chat_id, at, fork.said(at).replace("I keep the lamp.", OWN))
    fork.talk().goes_round()
    persona = report(fork.person, "core", fork.chat_id)["sections"][0]
    assert (persona["value"], persona["held_lines"]) == (OWN, [OWN]), "it is the person's"
    assert [OWN in text_of(message["content"]) for message in fork.messages].count(True) == 1
    said_by_now = fork.expanded()
    assert (said_by_now[: len(raw)], len(said_by_now)) == (raw, len(raw) + 2 * MORE)


@pytest.mark.full
def test_a_chat_without_our_field_and_with_other_uuids_is_skipped_until_it_is_accepted(
    chat: Cycle,
) -> None:
    raw = list(map(said, chat.expanded()))
    chat.device.bring_in(without_field_and_uuids(chat.export()))
    messages = list(map(said, chat.messages))
    calls, files = chat.calls(), stand(chat)

    ended = chat.hand_in()

    assert (
        "cannot be told from the conversation: another tool has taken away" in ended.out + ended.err
    )
    assert f"memproc accept {chat.chat_id}" in ended.out + ended.err
    assert (chat.calls(), stand(chat)) == (calls, files)
    assert list(map(said, chat.expanded())) == raw, "nothing is lost"

    assert chat.person.memproc("accept", chat.chat_id).code == 0
    chat.goes_round()
    assert list(map(said, chat.expanded()))[-len(messages) :] == messages, (
        "they are part of the conversation now"
    )
    chat.talk().goes_round()
    quiet(chat)


@pytest.mark.full
def test_both_go_on_by_themselves(chat: Cycle) -> None:
    fork = forked(chat)
    assert fork.hand_in().code == 0
    common = len(chat.names())
    chat.talk()
    fork.talk()
    for one in (chat, fork, chat, fork):
        one.talk().goes_round()
    assert chat.bounds()[:8] == fork.bounds()[:8], (
        "the same messages under the memories that they have in common"
    )
    assert len(chat.names()) > common
    old, new = ({key for _, _, key in one.bounds()} for one in (chat, fork))
    assert old - new and new - old
    for one in (chat, fork):
        quiet(one)


@pytest.mark.full
def test_both_in_one_full_export(chat: Cycle) -> None:
    fork = forked(chat)
    for one in (chat, fork):
        one.talk()
    everything = chat.device.export()
    path = chat.person.drop(everything)
    ended = chat.person.memproc("run", path)
    assert (ended.code, ended.err) == (0, "")
    assert "2 written" in ended.out
    before, calls = stand(chat), chat.calls()
    assert "2 unchanged" in chat.person.memproc("run", path).out
    assert (stand(chat), chat.calls()) == (before, calls)
    for one in (chat, fork):
        one.imports()
        assert one.memories()[-1]["keys"][0] in {key for _, _, key in one.bounds()}
        quiet(one)
    assert not set(chat.names()) & set(fork.names())


@pytest.mark.long
@pytest.mark.parametrize("first", ["the fork", "the original"])
def test_both_in_one_full_export_that_memproc_has_never_seen(tmp_path: Path, first: str) -> None:
    chat = Cycle.begin(tmp_path / "ada")
    fork = forked(chat)
    both = (fork.chat_id, chat.chat_id) if first == "the fork" else (chat.chat_id, fork.chat_id)
    path = chat.person.drop(chat.device.export(*both))
    ended = chat.person.memproc("run", path)
    assert (ended.code, ended.err) == (0, "")
    assert not set(chat.names()) & set(fork.names()), "nothing is taken over that is not shown"
    assert [one["keys"] for one in chat.memories()] == [one["keys"] for one in fork.memories()]
    for one in (chat, fork):
        one.imports().talk().goes_round()
        quiet(one)


@pytest.mark.full
def test_the_same_message_in_two_chats_is_two_messages(chat: Cycle) -> None:
    fork = forked(chat)
    assert fork.hand_in().code == 0
    at = fork.live()[0]
    uuid, old = fork.messages[at]["uuid"], chat.said(at)
    fork.device.edit(fork.chat_id, at, OWN)
    fork.talk().goes_round()
    chat.talk().goes_round()
    kept = [
        {message["uuid"]: text_of(message["content"]) for message in one.expanded()}[uuid]
        for one in (fork, chat)
    ]
    assert kept == [OWN, old]


@pytest.mark.full
def test_a_memory_that_is_edited_or_forgotten_in_a_fork_stays_as_it_was_in_the_original(
    chat: Cycle,
) -> None:
    texts, memories = chat.texts(), chat.memories()
    fork = forked(chat)
    edited, forgotten = fork.shown()[0], fork.shown()[1]
    fork.device.edit(fork.chat_id, fork.at(edited, 4), OWN)
    fork.forget(forgotten)
    fork.talk().goes_round()
    mine = fork.memories()
    assert (mine[0]["pinned"], mine[0]["edition"]["texts"][3], mine[1]["forgotten"]) == (
        True,
        OWN,
        True,
    )
    chat.talk().goes_round()
    assert {name: chat.texts()[name] for name in texts} == texts
    assert chat.memories()[: len(memories)] == memories
    for one in (chat, fork):
        quiet(one)


@pytest.mark.long
def test_what_was_edited_or_forgotten_before_the_fork_is_so_in_the_fork(chat: Cycle) -> None:
    edited, forgotten = chat.shown()[0], chat.shown()[1]
    chat.device.edit(chat.chat_id, chat.at(edited, 4), OWN)
    chat.forget(forgotten).talk().goes_round()
    fork = forked(chat).talk().goes_round()
    mine = fork.memories()
    assert (mine[0]["pinned"], mine[0]["edition"]["texts"][3], mine[1]["forgotten"]) == (
        True,
        OWN,
        True,
    )
    assert forgotten not in fork.shown()
    quiet(fork)


@pytest.mark.full
def test_the_persons_words_in_the_closing_of_a_fork_stay_and_there_is_no_other(
    chat: Cycle,
) -> None:
    fork = forked_with_new_uuids(chat)
    (at,) = fork.ours("closing")
    fork.device.edit(fork.chat_id, at, OWN)
    for _ in range(2):
        fork.talk(MORE).goes_round()
        assert [fork.said(at) for at in fork.ours("closing")] == [OWN]
        assert list(map(said, fork.messages)).count(f"user: {OWN}") == 1


@pytest.mark.long
def test_a_fork_from_the_middle_of_the_memories_has_those_before_it(chat: Cycle) -> None:
    name = chat.shown()[2]
    fork = chat.of(chat.device.fork(chat.chat_id, chat.at(name, 6)))
    ended = fork.hand_in()
    assert ended.code == 0, ended.err
    assert len(fork.names()) == 3
    fork.talk(FIRST).goes_round()
    assert len(fork.names()) > 3
    assert (
        fork.bounds()[: len(chat.memories()[0]["keys"])]
        == chat.bounds()[: len(chat.memories()[0]["keys"])]
    )
    quiet(fork)
    chat.talk().goes_round()
    quiet(chat)


@pytest.mark.full
def test_a_fork_from_within_a_memory_goes_on_too(chat: Cycle) -> None:
    name = chat.shown()[2]
    fork = chat.of(chat.device.fork(chat.chat_id, chat.at(name, 4)))
    ended = fork.hand_in()
    assert ended.code == 0, ended.err
    fork.talk(FIRST).goes_round()
    quiet(fork)


@pytest.mark.long
def test_a_fork_of_a_fork_knows_what_both_knew(chat: Cycle) -> None:
    one = forked_with_new_uuids(chat).talk().goes_round()
    two = forked_with_new_uuids(one).talk().goes_round()
    raw = [list(map(said, cycle.expanded())) for cycle in (chat, one, two)]
    for older, newer in pairwise(raw):
        assert newer[: len(older)] == older
        assert len(newer) == len(older) + 2 * MORE
    for cycle in (chat, one, two):
        quiet(cycle)


MODES = [*((way, "new-chat") for way in WAYS), *((way, "keep-originals") for way in WAYS[:3])]
"""An original that is kept beside its memory is known by its marker or its uuid: without both, it is raw again."""


@pytest.mark.long
@pytest.mark.parametrize(("way", "mode"), MODES)
def test_a_fork_in_the_other_output_modes(tmp_path: Path, way: Way, mode: str) -> None:
    chat = Cycle.begin(tmp_path / "ada", settings=f'{ENGINE}[output]\nmode = "{mode}"\n')
    raw = list(map(said, chat.messages))
    assert chat.hand_in().code == 0
    (path,) = chat.person.updated()
    (exported,) = json.loads(path.read_bytes())["data"]["chats"]
    compressed = chat.of(exported["chatID"]).imports()
    fork = way(compressed)
    files, calls = stand(fork), fork.calls()
    ended = fork.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert (stand(fork), fork.calls()) == (files, calls)
    assert list(map(said, fork.expanded())) == raw
    fork.talk().goes_round()
    quiet(fork)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_fork_with_folds(tmp_path: Path, way: Way) -> None:
    settings = f"{ENGINE}[fold]\nbudget = 600\n"
    chat = Cycle.begin(tmp_path / "ada", settings=settings).goes_round()
    assert any(one["members"] for one in chat.everything())
    raw = list(map(said, chat.expanded()))
    fork = way(chat)
    files, calls = stand(fork), fork.calls()
    ended = fork.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert (stand(fork), fork.calls()) == (files, calls), "the folds are taken over too"
    assert list(map(said, fork.expanded())) == raw
    assert not {one["memory_id"] for one in fork.everything()} & {
        one["memory_id"] for one in chat.everything()
    }
    for _ in range(2):
        fork.talk().goes_round()
    quiet(fork)


@pytest.mark.full
def test_a_fork_keeps_the_fold_that_it_shows_though_it_was_deleted_in_the_other_chat_since(
    tmp_path: Path,
) -> None:
    chat = Cycle.lived(tmp_path, settings=f"{ENGINE}[fold]\nbudget = 700\n")
    fold = next(one["memory_id"] for one in chat.everything() if one["members"])
    fork = forked(chat)
    assert "forgotten" in chat.forget(fold).hand_in().out
    assert fork.shown()[0] == fold
    assert "0 written, 1 unchanged" in fork.hand_in().out
    assert not any(one["forgotten"] for one in fork.everything())


def test_a_memory_that_is_edited_in_the_original_after_the_fork_stays_as_it_was_in_the_fork(
    chat: Cycle,
) -> None:
    first, second, *_ = chat.shown()
    chat.device.edit(chat.chat_id, chat.at(first, 4), OWN)
    assert chat.hand_in().code == 0
    fork = forked(chat)
    for name in (first, second):
        chat.device.edit(chat.chat_id, chat.at(name, 4), "Words of the original alone.")
    assert chat.hand_in().code == 0
    assert "0 written, 1 unchanged" in fork.hand_in().out
    one, two, *_ = fork.memories()
    assert (one["edition"]["texts"][3], one["pinned"]) == (OWN, True)
    assert (two["edition"]["kind"], two["pinned"]) == ("as-of", False)
    before = fork.texts()
    fork.talk().goes_round()
    assert [fork.texts()[name] for name in (first, second)] == [before[first], before[second]]


@pytest.mark.full
@pytest.mark.usefixtures("key")
def test_an_original_that_comes_back_in_a_fork_is_asked_about_with_its_true_date(
    tmp_path: Path,
) -> None:
    """Otherwise its memory, which the engine has extracted, would be asked for with one and with the other."""
    more = '[output]\nmode = "keep-originals"\n'
    with models(tmp_path / "server", rates={"refused": 1.0}) as (_, settings):
        chat = Cycle.begin(tmp_path / "ada", turns=20, settings=settings + more, size=800)
        (one,) = chat.goes_round().memories()
        older, (back, other) = chat.export(), one["keys"][1:3]
        uuids = [message["uuid"] for message in chat.messages]
        date = chat.messages[uuids.index(back)]["createdAt"]
        chat.device.delete(chat.chat_id, uuids.index(back))
        chat.goes_round().device.bring_in(older)
        fork = restored(chat)
        fork.device.edit(fork.chat_id, uuids.index(other), OWN)
        fork.goes_round()
        assert fork.expanded()[1]["createdAt"] == date
        quiet(fork)
