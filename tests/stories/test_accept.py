"""What may be a mistake of the hand is skipped until `memproc accept CHAT`; nothing is lost without a word."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.chats import Json
from tests.stories.cycle import ENGINE, Cycle, quiet, stand
from tests.stories.daemon import QUICK, running
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]


def accept(chat: Cycle, *words: str) -> None:
    ended = chat.person.memproc("accept", chat.chat_id)
    assert (ended.code, ended.err) == (0, "")
    for word in words:
        assert word in ended.out, ended.out
    assert "so does the daemon" not in ended.out, "none runs"


def skipped(chat: Cycle, *words: str) -> None:
    """`plan` and `run` say the same, name the command, and nothing is changed."""
    files, raw = stand(chat), chat.expanded()
    path = chat.person.drop(chat.export(), f"{chat.chat_id}.json")
    planned, ended = chat.person.memproc("plan", path), chat.person.memproc("run", path)
    assert (planned.code, ended.code) == (1, 1), (planned, ended)
    for word in (*words, f"memproc accept {chat.chat_id}"):
        assert word in ended.err, ended.err
        assert word in planned.out, planned.out
    assert (stand(chat), chat.expanded()) == (files, raw)


def said(messages: list[Json]) -> list[str]:
    return [text_of(message["content"]) for message in messages]


@pytest.mark.full
@pytest.mark.parametrize("turns_before", [2, 20])
def test_talk_on_an_older_updated_export_is_skipped_with_the_file_to_import(
    chat: Cycle, turns_before: int
) -> None:
    old = chat.export()
    talked = said(chat.talk(turns_before).messages)[-2 * turns_before :]
    ended = chat.hand_in()
    assert ended.code == 0
    file = (
        chat.updated() if "1 written" in ended.out else chat.person.inbox / f"{chat.chat_id}.json"
    )
    chat.device.bring_in(old)
    chat.talk(1)
    skipped(chat, "goes on from an older state", f"Import {file} into TypingMind")
    assert said(chat.expanded())[-2 * turns_before :] == talked


@pytest.mark.full
def test_exports_that_lie_in_the_inbox_since_the_chat_has_gone_on_are_unchanged_and_no_fault(
    chat: Cycle,
) -> None:
    older = chat.person.drop(chat.export(), "older.json")
    assert chat.person.memproc("run", older).code == 0
    newer = chat.person.drop(chat.talk(2).export(), "newer.json")
    os.utime(older, (1_700_000_000, 1_700_000_000))
    assert chat.person.memproc("run", newer).code == 0
    files, raw = stand(chat), chat.expanded()
    for ended in (
        chat.person.memproc("plan", older, newer),
        chat.person.memproc("run", older, newer),
    ):
        assert (ended.code, ended.err) == (0, ""), ended
        assert "so was a newer export" in ended.out
    assert (stand(chat), chat.expanded()) == (files, raw)


@pytest.mark.full
def test_a_file_that_was_processed_is_left_alone_though_the_one_after_it_seems_to_be_older(
    chat: Cycle,
) -> None:
    for name, day in (("first.json", 5), ("second.json", 3), ("third.json", 4)):
        path = chat.person.drop(chat.talk(2).export(), name)
        os.utime(path, (day * 86_400, day * 86_400))
        ended = chat.person.memproc("run", path)
        assert (ended.code, ended.err) == (0, ""), name
    files, raw = stand(chat), chat.expanded()
    ended = chat.person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert (stand(chat), chat.expanded()) == (files, raw)


@pytest.mark.full
def test_an_export_too_short_for_a_memory_is_left_alone_once_the_chat_has_gone_on(
    tmp_path: Path,
) -> None:
    chat = Cycle.begin(tmp_path / "ada", turns=6, settings=ENGINE)
    for name, turns in (("first.json", 0), ("second.json", 24)):
        chat.person.drop(chat.talk(turns).export(), name)
        assert chat.person.memproc("run").code == 0
    ended = chat.person.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert "already read, and so was a newer export" in ended.out


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the story looks into /proc")
def test_after_two_rounds_by_hand_the_daemon_takes_no_older_export_for_a_newer_one(
    tmp_path: Path,
) -> None:
    chat = Cycle.begin(tmp_path / "ada", turns=20, settings=ENGINE + QUICK)
    for name, turns in (("first.json", 0), ("second.json", 8)):
        chat.person.drop(chat.talk(turns).export(), name)
        assert chat.person.memproc("run").code == 0
    files, raw = stand(chat), chat.expanded()
    with running(chat.person) as daemon:
        first = daemon.comes_to("first.json", "done", "skipped")
        daemon.comes_to("second.json", "done", "skipped")
        assert first.reason == "already read, and so was a newer export"
        status = chat.person.memproc("status")
        assert (status.code, "attention" in status.out) == (0, False)
    assert "Nothing of" in chat.person.memproc("accept", chat.chat_id).out
    assert (stand(chat), chat.expanded()) == (files, raw)


def test_what_is_accepted_goes_on_and_what_is_missing_stays_in_expand_alone(chat: Cycle) -> None:
    old = chat.export()
    talked = said(chat.talk(2).messages)[-4:]
    assert chat.hand_in().code == 0
    chat.device.bring_in(old)
    chat.talk(1)
    skipped(chat)
    accept(chat, "the newest messages are missing", "The next run goes on with it")
    again = chat.person.memproc("accept", chat.chat_id).out
    assert "Nothing of" in again
    assert "run memproc once" in again, (
        "a doubt that only `plan` has shown is not kept, so the sentence says what is"
    )
    path = chat.person.inbox / f"{chat.chat_id}.json"
    assert chat.person.memproc("plan", path).code == 0
    ended = chat.person.memproc("run", path)
    assert (ended.code, ended.err) == (0, "")
    assert "4 messages of the last time are missing" in ended.out
    for turns in (1, 14):
        ended = chat.talk(turns).hand_in()
        assert (ended.code, ended.err) == (0, ""), "it is not asked for again"
        assert "missing" not in ended.out
        chat.imports() if "1 written" in ended.out else None
        assert not set(talked) & set(said(chat.messages))
        assert [text for text in said(chat.expanded()) if text in talked] == talked
    quiet(chat)


@pytest.mark.full
def test_another_state_than_the_accepted_one_is_judged_anew(chat: Cycle) -> None:
    old = chat.export()
    chat.talk(2)
    assert chat.hand_in().code == 0
    chat.device.bring_in(old)
    chat.talk(1)
    skipped(chat)
    accept(chat)
    chat.talk(1)
    skipped(chat)


@pytest.mark.full
def test_a_doubted_export_can_be_accepted_after_another_one_was_processed(chat: Cycle) -> None:
    old = chat.export()
    chat.talk(2)
    assert chat.hand_in().code == 0
    whole = chat.export()
    chat.device.bring_in(old)
    chat.talk(1)
    doubted = chat.person.drop(chat.export(), "doubted.json")
    assert chat.person.memproc("run", doubted).code == 1
    assert chat.person.memproc("run", chat.person.drop(whole, "whole.json")).code == 0
    again = chat.person.memproc("run", doubted)
    assert (again.code, f"memproc accept {chat.chat_id}" in again.err) == (1, True)
    accept(chat, "the newest messages are missing", "The next run goes on with it")
    ended = chat.person.memproc("run", doubted)
    assert (ended.code, ended.err) == (0, "")


def test_accepting_what_plan_alone_has_shown_says_what_comes_first(chat: Cycle) -> None:
    old = chat.export()
    chat.talk(2)
    assert chat.hand_in().code == 0
    chat.device.bring_in(old)
    chat.talk(1)
    path = chat.person.drop(chat.export(), f"{chat.chat_id}.json")
    assert chat.person.memproc("plan", path).code == 1
    accept(chat, "waits to be accepted", "run memproc once, and accept it then")
    assert chat.person.memproc("run", path).code == 1
    accept(chat, "The next run goes on with it")
    assert chat.person.memproc("run", path).code == 0


def test_nothing_waits_where_nothing_was_skipped_and_an_unknown_chat_is_an_error(
    chat: Cycle,
) -> None:
    accept(chat, 'Nothing of "The lighthouse" waits to be accepted.')
    unknown = chat.person.memproc("accept", "nobody")
    assert unknown.code == 2
    assert 'knows no chat "nobody"' in unknown.err


@pytest.mark.full
def test_a_message_that_is_missing_in_the_middle_without_a_word_stays_in_expand_and_is_told(
    chat: Cycle,
) -> None:
    chat.device.delete(
        chat.chat_id, chat.live()[0]
    )  # now it is known that this TypingMind notes deletions
    whole = said(chat.expanded())
    gone = chat.live()[3]
    lost, deleted = chat.said(gone), whole[whole.index(chat.said(gone)) - 4]
    del chat.messages[gone]
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert "The lighthouse, edited in TypingMind: 1 deleted message.\n" in ended.out
    assert (
        "The lighthouse: 1 message of the last time is missing, and TypingMind does not name it"
        in ended.out
    )
    assert lost in said(chat.expanded())
    assert deleted not in said(chat.expanded())
    assert "missing" not in chat.hand_in().out, "it is told once"
    chat.talk(14).goes_round()
    assert lost not in said(chat.messages)
    assert lost in said(chat.expanded())


def test_what_is_missing_is_told_once_and_what_is_newly_missing_by_itself(chat: Cycle) -> None:
    chat.device.delete(chat.chat_id, chat.live()[0])
    del chat.messages[chat.live()[3]]
    assert "1 message of the last time is missing" in chat.hand_in().out
    chat.talk(1)
    assert "missing" not in chat.hand_in().out, "nothing of it has changed"
    del chat.messages[chat.live()[5]]
    assert "1 message of the last time is missing" in chat.hand_in().out, "the other one alone"
    chat.talk(1)
    assert "missing" not in chat.hand_in().out


@pytest.mark.full
def test_an_original_that_is_missing_is_told_once(tmp_path: Path) -> None:
    settings = f'{ENGINE}[output]\nmode = "keep-originals"\n'
    chat = Cycle.begin(tmp_path / "ada", settings=settings).goes_round()
    chat.device.delete(chat.chat_id, chat.live()[0])
    kept = [
        at
        for at, message in enumerate(chat.messages)
        if message.get("memproc", {}).get("kind") == "original"
    ]
    del chat.messages[kept[3]]
    assert "1 message of the last time is missing" in chat.hand_in().out
    for _ in range(2):
        chat.talk(1)
        assert "missing" not in chat.hand_in().out, "nothing of it has changed"


@pytest.mark.full
def test_raw_messages_of_a_forgotten_memory_are_not_missing_when_typingmind_cuts_its_list(
    tmp_path: Path,
) -> None:
    chat = Cycle.begin(tmp_path / "ada", turns=90)
    chat.device.attach(chat.chat_id, 12)  # it stays in the chat when its memory is made
    chat.goes_round()
    chat.talk(3).goes_round()
    named = chat.device.chat(chat.chat_id)["syncMetadata"]["deletedMessageUUIDs"]
    assert len(named) > 100
    for name in chat.shown()[:3]:
        chat.forget(name)
    for _ in range(3):
        chat.talk(3)
        ended = chat.hand_in()
        assert (ended.code, ended.err) == (0, "")
        assert "missing" not in ended.out
        chat.device.bring_in(chat.updated().read_bytes())


@pytest.mark.full
def test_an_older_state_without_a_message_of_a_memory_is_skipped_unless_the_memory_was_deleted(
    tmp_path: Path,
) -> None:
    chat = Cycle.lived(tmp_path, turns=39)  # one message more, and another memory is due
    old, before = chat.export(), chat.names()
    text = "The lamp went out at four, and I have written down why."
    chat.device.insert(chat.chat_id, chat.live()[3], "user", text)
    chat.goes_round()
    (name,) = set(chat.names()) - set(before)
    newest = chat.export()
    chat.device.bring_in(old)
    skipped(chat, "an older copy", f"Import {chat.updated()} into TypingMind, which has them")

    chat.device.bring_in(newest)
    chat.forget(name)
    assert chat.hand_in().code == 0
    chat.device.bring_in(old)
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert "missing" not in ended.out, "the person has deleted it with its memory"
    assert name not in chat.imports().shown()
    assert text in said(chat.expanded())
    chat.person.memproc("recall", name)
    assert name in chat.goes_round().shown()
    quiet(chat)


@pytest.mark.parametrize("build", ["2024", "2026"])
def test_a_regenerated_newest_answer_is_told_and_is_no_missing_message(
    tmp_path: Path, build: Build
) -> None:
    chat = Cycle.lived(tmp_path, build)
    chat.talk(1)
    assert chat.hand_in().code == 0
    chat.device.regenerate(chat.chat_id, -1)
    newest = said(chat.messages)[-1]
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert "missing" not in ended.out
    assert ("1 answer replaced" in ended.out) is (build == "2024")
    assert said(chat.expanded())[-1] == newest


def test_what_the_hand_did_is_told_at_the_end_of_a_run(chat: Cycle) -> None:
    one, two, three = chat.shown()[:3]
    chat.device.edit(chat.chat_id, chat.at(one, 4), "In my own words.")
    chat.device.delete(chat.chat_id, chat.at(two, 2))
    chat.forget(three)
    path = chat.person.drop(chat.export())
    ended = chat.person.memproc("run", path, "--json")
    report = json.loads(ended.out)
    assert [edits["text"] for edits in report["user_edits"]] == [
        f"1 memory stays as you wrote it, 1 put back, 1 forgotten: memproc recall {three}"
    ]
    assert "forgotten" not in chat.person.memproc("run", path).out, "it is told once"
    assert "Recalled" in chat.person.memproc("recall", three).out


def test_most_memories_deleted_at_once_sets_the_chat_aside_until_it_is_accepted(
    chat: Cycle,
) -> None:
    names = chat.shown()
    for name in names[:-1]:
        chat.forget(name)
    skipped(chat, f"Most of the chat's memories are gone ({len(names) - 1} of {len(names)})")
    accept(chat, "Most of the chat's memories are gone")
    ended = chat.person.memproc("run", chat.person.inbox / f"{chat.chat_id}.json")
    assert ended.code == 0
    assert f"{len(names) - 1} forgotten: memproc recall {' '.join(names[:-1])}" in ended.out
    assert "Recalled" in chat.person.memproc("recall", *names[:-1]).out


@pytest.mark.full
def test_a_restored_chat_is_left_alone_until_it_is_accepted(chat: Cycle) -> None:
    path = chat.person.drop(chat.talk().export(), f"{chat.chat_id}.json")
    assert chat.person.memproc("run", path).code == 0
    newest = chat.updated().read_bytes()
    assert chat.person.memproc("restore", chat.chat_id, "1", "--yes").code == 0
    restored = chat.updated().read_bytes()
    assert restored != newest
    again = chat.person.drop(path.read_bytes(), "dropped again.json")
    for one in (path, again):
        planned, ended = chat.person.memproc("plan", one), chat.person.memproc("run", one)
        for told in (planned, ended):
            assert (told.code, told.err) == (0, "")
            assert f"memproc accept {chat.chat_id}" in told.out
            assert "unchanged" in told.out
        assert chat.updated().read_bytes() == restored
    accept(chat, "was restored on")
    ended = chat.person.memproc("run", path)
    assert "1 written" in ended.out, ended
    assert chat.texts()
    accept(chat, "Nothing of")


@pytest.mark.full
def test_where_talk_on_a_restored_version_is_skipped_accept_has_one_meaning(chat: Cycle) -> None:
    path = chat.person.drop(chat.export(), "before.json")
    older = chat.updated().read_bytes()
    assert chat.person.memproc("run", path).code == 0
    chat.talk(20).goes_round()
    undone = chat.person.memproc("undo", chat.chat_id, "--yes")
    assert "This version lacks what was said after it." in undone.out
    assert f"is skipped until you say: memproc accept {chat.chat_id}" in undone.out
    assert chat.updated().read_bytes() == older
    chat.imports().talk(1)
    skipped(chat, "goes on from an older state")
    again = "to compress it again: memproc accept"
    for told in (chat.person.memproc("plan"), chat.person.memproc("run")):
        assert "If it is meant as it is" in told.out + told.err
        assert again not in told.out
    assert again not in chat.person.memproc("status").out
    accept(chat, "Accepted as meant")
    for told in (chat.person.memproc("run"), chat.person.memproc("status")):
        assert (told.code, told.err) == (0, "")
        assert "was restored on" not in told.out
    assert chat.updated().read_bytes() != older


@pytest.mark.full
def test_a_chat_that_is_put_back_is_said_to_be_so_and_is_compressed_again_once_accepted(
    chat: Cycle,
) -> None:
    raw = chat.person.drop(chat.talk().export(), "raw.json")
    assert chat.person.memproc("run", raw).code == 0
    compressed = chat.updated().read_bytes()
    chat.person.drop(compressed, "compressed.json")
    assert "0 written" in chat.person.memproc("run").out
    undone = chat.person.memproc("undo", chat.chat_id, "--yes")
    assert f"memproc accept {chat.chat_id}" in undone.out, "it names the way out"
    (shown,) = json.loads(chat.person.memproc("status", "--json").out)["outcomes"]
    assert "was restored on" in shown["detail"]
    assert "already" not in shown["detail"]
    assert "0 written" in chat.person.memproc("run").out
    accept(chat, "was restored on", "The next run goes on with it")
    (shown,) = json.loads(chat.person.memproc("status", "--json").out)["outcomes"]
    assert "the next run compresses it again" in shown["detail"]
    assert "1 written" in chat.person.memproc("run").out
    assert chat.updated().read_bytes() == compressed
    assert "0 written" in chat.person.memproc("run").out
    assert "restored" not in chat.person.memproc("status").out


def test_a_chat_that_is_accepted_while_its_export_is_out_of_the_inbox_says_to_drop_it(
    chat: Cycle,
) -> None:
    path = chat.person.drop(chat.talk().export(), "raw.json")
    assert chat.person.memproc("run", path).code == 0
    assert chat.person.memproc("undo", chat.chat_id, "--yes").code == 0
    path.unlink()
    accept(chat, "is not in the inbox any more")


@pytest.mark.full
def test_a_newer_export_ends_what_a_restore_holds(chat: Cycle) -> None:
    path = chat.person.drop(chat.talk().export(), f"{chat.chat_id}.json")
    assert chat.person.memproc("run", path).code == 0
    chat.imports()
    assert chat.person.memproc("restore", chat.chat_id, "1", "--yes").code == 0
    chat.talk(14).goes_round()
    quiet(chat)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc")
def test_the_daemon_goes_on_with_what_is_accepted_and_its_log_says_what_the_hand_did(
    chat: Cycle,
) -> None:
    names = chat.shown()
    for name in names[1:]:
        chat.forget(name)
    chat.talk(14)
    chat.person.settings(ENGINE + QUICK)
    with running(chat.person) as daemon:
        chat.person.drop(chat.export(), "new.json")
        row = daemon.comes_to("new.json", "skipped")
        assert f"memproc accept {chat.chat_id}" in row.next_step
        ended = chat.person.memproc("accept", chat.chat_id)
        assert "and so does the daemon, at once" in ended.out
        daemon.comes_to("new.json", "written")
        logs = chat.person.memproc("logs").out
    assert f"edited in TypingMind: {6 * len(names[1:])}" not in logs
    assert f"{len(names[1:])} forgotten: memproc recall" in logs
    assert "is missing" not in logs


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc")
def test_a_daemon_that_has_ended_is_not_said_to_go_on_with_what_is_accepted(chat: Cycle) -> None:
    for name in chat.shown()[1:]:
        chat.forget(name)
    chat.talk(14)
    chat.person.settings(ENGINE + QUICK)
    with running(chat.person) as daemon:
        chat.person.drop(chat.export(), "new.json")
        daemon.comes_to("new.json", "skipped")
    ended = chat.person.memproc("accept", chat.chat_id)
    assert "The next run goes on with it." in ended.out
    assert "and so does the daemon" not in ended.out


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc")
def test_the_daemon_goes_on_with_a_restored_chat_that_is_accepted(chat: Cycle) -> None:
    chat.person.settings(ENGINE + QUICK)
    with running(chat.person) as daemon:
        chat.person.drop(chat.talk(14).export(), "new.json")
        daemon.comes_to("new.json", "written")
        newest = chat.updated().read_bytes()
        daemon.until(
            lambda: chat.person.memproc("restore", chat.chat_id, "1", "--yes").code == 0,
            "it is restored",
        )
        assert chat.updated().read_bytes() != newest
        assert "at once" in chat.person.memproc("accept", chat.chat_id).out
        daemon.until(
            lambda: (
                chat.updated().read_bytes() != chat.export()
                and b"memproc" in chat.updated().read_bytes()
            ),
            "it is worked on",
        )


@pytest.mark.full
def test_plan_says_that_an_updated_export_is_written_anew_where_nothing_is_asked_for(
    chat: Cycle,
) -> None:
    name = chat.shown()[0]
    chat.device.edit(chat.chat_id, chat.at(name, 4), "In my own words.")
    path = chat.person.drop(chat.export())
    for changed in (False, True, False):
        if changed:
            assert chat.person.memproc("unpin", name).code == 0
        planned, ended = chat.person.memproc("plan", path), chat.person.memproc("run", path)
        assert (
            ("writes its updated export, without a call" in planned.out)
            is ("1 written" in ended.out)
            is changed
        )


def test_the_updated_export_is_the_accepted_state_and_brings_nothing_back(chat: Cycle) -> None:
    lost = json.loads(chat.export())
    (only,) = lost["data"]["chats"]
    live = chat.live()
    del only["messages"][live[2] : live[-3]]
    gone = {
        text
        for text in said(chat.messages[live[2] : live[-3]])
        if text not in said(only["messages"])
    }
    assert len(gone) > 8
    path = chat.person.drop(json.dumps(lost).encode(), f"{chat.chat_id}.json")
    assert chat.person.memproc("run", path).code == 1
    chat.device.bring_in(path.read_bytes())
    accept(chat)
    planned, ended = chat.person.memproc("plan", path), chat.person.memproc("run", path)
    assert ("writes its updated export" in planned.out, ended.code, "1 written" in ended.out) == (
        True,
        0,
        True,
    )
    chat.imports()
    assert not gone & set(said(chat.messages))
    assert gone <= set(said(chat.expanded())), "nothing is lost"
    again = chat.person.memproc("run", path)
    assert (again.code, "0 written" in again.out) == (0, True)
