"""TypingMind is paired: a chat is planned, sent, compressed and taken back, and nothing is lost on the way."""

import json
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from pathlib import Path
from time import monotonic, sleep

import pytest

from daemon.bridge.devices import newest_code
from tests.extension import Extension
from tests.stories.bridged import Bridged, chat_of
from tests.stories.cycle import ENGINE, Cycle
from tests.stories.reports import chat_ids


@pytest.fixture
def new(tmp_path: Path) -> Cycle:
    """A chat that memproc has not seen."""
    return Cycle.begin(tmp_path / "ada")


def bridged(cycle: Cycle, monkeypatch: pytest.MonkeyPatch) -> Bridged:
    return Bridged.opened(cycle.person, monkeypatch)


@pytest.mark.full
def test_a_chat_is_sent_and_comes_back_with_memories(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    export = new.export()
    job = extension.send(export)
    began = extension.job(job)
    assert (began["state"], began["reason"]) == ("running", "")
    bridge.carry_out()
    done = extension.job(job)
    assert (done["state"], done["reason"], done["usd"]) == ("done", "", 0)
    assert done["done"] == done["total"] > 0
    result = extension.result(job)
    assert chat_of(result)["chatID"] == new.chat_id
    new.device.bring_in(result)
    assert len(new.shown()) == done["total"]
    assert new.person.memproc("verify").code == 0
    (sent,) = new.person.inbox.iterdir()
    assert sent.read_bytes() == export


@pytest.mark.full
def test_words_are_kept_as_the_command_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived = Cycle.lived(tmp_path)
    extension, at = bridged(lived, monkeypatch).paired(), lived.live()[-2]
    asked = {"chat": lived.chat_id, "message": lived.messages[at]["uuid"]}
    body = json.dumps({**asked, "words": lived.said(at)}).encode()
    answer = extension.call("POST", "/bridge/keep", body)
    assert answer.json()["says"].startswith("Kept, word for word: passage 1")
    refused = extension.call(
        "POST", "/bridge/keep", json.dumps({**asked, "words": "Nay."}).encode()
    )
    assert refused.status_code == 409
    assert "says these words" in refused.json()["reason"]
    assert extension.call("POST", "/bridge/keep", b"[]").status_code == 409
    listed = json.loads(lived.person.memproc("keep", lived.chat_id, "--json").out)["passages"]
    assert [passage["text"] for passage in listed] == [lived.said(at)]


def test_the_plan_is_that_of_the_command_and_the_chat_is_not_kept(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    planned = bridge.paired().plan(new.export())
    path = new.person.drop(new.export())
    (row,) = json.loads(new.person.memproc("plan", "--json", path).out)["chats"]
    assert planned == {
        "chat": new.chat_id, "tokens": row["tokens"], "sent": row["tokens"], "due": len(row["chunks"]),
        "made": 0, "ready": False, "reason": "",
        "usd_likely": row["money"]["likely_usd"], "cost": "It costs nothing.", "why": "",
        "says": f"{row['tokens'] / 1000:.1f}k tokens, {len(row['chunks'])} memories due, free",
    }  # fmt: skip
    assert planned["due"] > 0
    assert new.chat_id not in chat_ids(new.person)
    assert list((bridge.state / "bridge" / "planned").iterdir()) == []


def test_what_a_killed_plan_has_left_goes_with_the_next(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    extension.plan(new.export())
    left = bridge.state / "bridge" / "planned" / "left.json"
    left.write_bytes(new.export())
    bridge.restarted(extension)
    extension.plan(new.export())
    assert left.exists()  # it may be another process's, which goes on
    os.utime(left, (0, 0))
    bridge.restarted(extension)
    extension.plan(new.export())
    assert not left.exists()


@pytest.mark.full
def test_a_plan_is_made_once_until_something_that_it_was_made_of_has_changed(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension, export = bridge.paired(), new.export()
    first = extension.plan(export)
    assert extension.plan(export) == first
    assert bridge.done == ["plan"]
    extension.send(export)
    bridge.carry_out()
    compressed = extension.plan(export)
    assert (compressed["due"], compressed["made"]) == (0, first["due"])
    assert compressed["says"].endswith(f"{first['due']} memories ready to be put in, free")
    assert extension.plan(export) == compressed
    new.person.toml.write_text(new.person.toml.read_text() + "[output]\n")
    extension.plan(export)
    new.talk()
    extension.plan(new.export())
    assert bridge.done == ["plan"] * 4


def test_memories_that_stand_in_the_chat_are_not_offered_to_it(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = bridged(chat, monkeypatch).paired().plan(chat.export())
    assert planned["made"] == 0
    assert planned["sent"] < planned["tokens"], (
        "memories are sent in the place of what they stand for"
    )
    assert re.fullmatch(r"[\d.]+k of [\d.]+k tokens are sent, nothing due", planned["says"])


def test_a_fact_that_was_added_is_offered_to_a_chat_that_has_its_memories_and_put_in(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = chat.person.toml
    toml.write_text(toml.read_text().replace("[facts]\nenabled = false\n", ""))
    bridge = bridged(chat, monkeypatch)
    extension = bridge.paired()
    assert not extension.plan(chat.export())["ready"]
    fact = "The log lies in the biscuit tin."
    assert chat.person.memproc("facts", "add", chat.chat_id, fact).code == 0
    offered = extension.plan(chat.export())
    assert (offered["due"], offered["ready"]) == (0, True)
    assert offered["says"].endswith("changes ready to be put in, free")
    job = extension.send(chat.export())
    bridge.carry_out()
    assert extension.job(job)["state"] == "done"
    chat.device.bring_in(extension.result(job))
    assert fact.encode() in chat.export()
    assert not extension.plan(chat.export())["ready"]


def test_messages_that_a_sync_has_brought_back_are_offered_to_be_taken_out(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = bridged(chat, monkeypatch).paired()
    first = deepcopy(chat.expanded()[:3])
    chat.messages[:0] = first
    for _ in range(2):  # before the run that takes them out, and after it
        planned = extension.plan(chat.export())
        assert (planned["due"], planned["made"]) == (0, 0)
        assert planned["says"].endswith(", changes ready to be put in, free")
        assert chat.hand_in().code == 0
    planned = extension.plan(chat.imports().export())
    assert planned["says"].endswith(", nothing due")


def test_a_plan_with_nothing_due_says_why(chat: Cycle, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = bridged(chat, monkeypatch).paired().plan(chat.export())
    assert planned["due"] == 0
    assert planned["reason"]


def test_nothing_new_is_unchanged_and_has_no_result(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(chat, monkeypatch)
    extension = bridge.paired()
    job = extension.send(chat.export())
    bridge.carry_out()
    told = extension.job(job)
    assert (told["state"], told["reason"]) == (
        "unchanged", "It is compressed already, and nothing new has left the live tail.",
    )  # fmt: skip
    assert extension.call("GET", f"/bridge/jobs/{job}/result").status_code == 409


@pytest.mark.full
def test_the_same_chat_sent_twice_has_its_result_twice(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    jobs = []
    for _ in range(2):
        jobs.append(extension.send(new.export()))
        bridge.carry_out()
    assert [extension.job(job)["state"] for job in jobs] == ["done", "done"]
    assert extension.result(jobs[0]) == extension.result(jobs[1]) == new.updated().read_bytes()


def test_round_after_round_with_the_field_that_the_extension_leaves(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    shown = [0]
    for number in range(3):
        job = extension.send(new.export())
        bridge.carry_out()
        assert extension.job(job)["state"] == "done"
        new.device.bring_in(extension.result(job))
        new.device.chat(new.chat_id)["memproc"] = {
            "v": 1,
            "written": f"round {number}",
            "first": new.shown()[0],
        }
        shown.append(len(new.shown()))
        new.talk()
    assert shown == sorted(set(shown))
    assert (
        chat_of(extension.result(job))["memproc"]["written"] == "round 1"
    )  # the chat's other fields stay as they came
    assert new.person.memproc("verify").code == 0


def test_a_job_outlasts_the_page_and_is_read_by_its_own_device_alone(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension, other = bridge.paired(), bridge.paired()
    job = extension.send(new.export())
    bridge.carry_out()
    bridge.restarted(extension)
    assert extension.job(job)["state"] == "done"
    for path in (f"/bridge/jobs/{job}", f"/bridge/jobs/{job}/result"):
        assert other.call("GET", path).status_code == 404


def test_a_run_that_was_cut_off_is_begun_again_three_times(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.bridge.chat_jobs._STARTING_SECONDS", 0.0)
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    job = extension.send(new.export())
    for _ in range(2):
        bridge.cut_off()
        extension.job(job)
        assert len(bridge.begun) == 1
    bridge.cut_off()
    told = extension.job(job)
    assert (told["state"], told["reason"].partition(":")[0]) == (
        "failed",
        "The work on it broke off 3 times. See why with",
    )
    assert bridge.begun == []


def test_a_run_that_was_cut_off_once_goes_on(new: Cycle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.bridge.chat_jobs._STARTING_SECONDS", 0.0)
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    job = extension.send(new.export())
    bridge.cut_off()
    extension.job(job)
    bridge.carry_out()
    assert extension.job(job)["state"] == "done"


@pytest.mark.full
def test_a_chat_that_was_talked_on_takes_the_place_of_what_was_sent_before(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    old = extension.send(new.export())
    bridge.carry_out()
    later = extension.send(new.talk().export())
    assert extension.job(old)["state"] == "done"  # until the later one is written
    bridge.carry_out()
    told = extension.job(old)
    assert (told["state"], told["reason"]) == (
        "failed", "A newer updated export of this chat was written since. Send the chat again.",
    )  # fmt: skip
    assert extension.job(later)["state"] == "done"


def test_a_skipped_chat_says_what_to_do_and_goes_on_once_it_is_accepted(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(chat, monkeypatch)
    extension = bridge.paired()
    for name in chat.shown()[1:]:
        chat.forget(name)
    chat.talk()
    job = extension.send(chat.export())
    bridge.carry_out()
    told = extension.job(job)
    assert told["state"] == "skipped"
    assert f"memproc accept {chat.chat_id}" in told["reason"]
    assert chat.person.memproc("accept", chat.chat_id).code == 0
    again = extension.send(chat.export())
    bridge.carry_out()
    assert extension.job(again)["state"] == "done"


def test_a_reached_budget_is_told_and_what_is_finished_is_kept(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.person.settings('[models]\nagent = "anthropic/claude-sonnet-5-5"\n[budget]\nrun_usd = 0\n')
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    job = extension.send(new.export())
    bridge.carry_out()
    told = extension.job(job)
    assert told["state"] == "failed"
    assert "budget" in told["reason"]


def test_an_updated_export_that_was_changed_does_not_come_back(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    job = extension.send(new.export())
    bridge.carry_out()
    new.updated().write_bytes(new.updated().read_bytes() + b"\n")
    told = extension.job(job)
    assert (told["state"], told["reason"].split(".")[0]) == (
        "failed", "Its updated export was changed or removed since it was written",
    )  # fmt: skip


def test_memories_that_would_go_into_a_new_chat_are_not_begun(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.person.settings(f'{ENGINE}[output]\nmode = "new-chat"\n')
    extension = bridged(new, monkeypatch).paired()
    planned = extension.plan(new.export())
    answer = extension.call("POST", "/bridge/jobs", new.export())
    assert planned["due"] == 0
    assert answer.status_code == 409
    for reason in (planned["reason"], answer.json()["reason"]):
        assert 'set output.mode = "replace" in memproc.toml' in reason
    assert list(new.person.inbox.iterdir()) == []


@pytest.mark.full
def test_a_restored_chat_goes_on_with_what_is_sent(
    chat: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(chat, monkeypatch)
    extension = bridge.paired()
    job = extension.send(chat.talk().export())
    bridge.carry_out()
    assert chat.person.memproc("restore", chat.chat_id, "1", "--yes").code == 0
    assert extension.job(job)["state"] == "failed"  # what was restored is no result of it
    again = extension.send(chat.export())
    bridge.carry_out()
    told = extension.job(again)
    assert (told["state"], f"memproc accept {chat.chat_id}" in told["reason"]) == (
        "unchanged",
        True,
    )
    later = extension.send(chat.talk().export())
    bridge.carry_out()
    assert extension.job(later)["state"] == "done"


def test_a_browser_is_paired_listed_and_forgotten(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.pair.start_page_unless_there", lambda *_: None)
    bridge = bridged(new, monkeypatch)
    with ThreadPoolExecutor() as threads:
        browser = threads.submit(pair_as_soon_as_there_is_a_code, bridge)
        shown = new.person.memproc("pair")
        extension = browser.result()
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Code: ")
    assert shown.out.endswith("Paired: Firefox on Linux, on https://www.typingmind.com.\n")
    (listed,) = json.loads(new.person.memproc("pair", "list", "--json").out)["browsers"]
    assert listed.keys() == {"id", "name", "origin", "day", "used"}
    assert listed["id"] == extension.device
    table = new.person.memproc("pair", "list").out
    assert "Last used" in table
    assert re.search(r"Firefox on Linux .* never ", table)
    assert "is no id of a paired browser" in new.person.memproc("pair", "forget", "x").err
    assert new.person.memproc("pair", "forget").code == 2
    assert "remove the extension's address in TypingMind" in new.person.memproc("uninstall").out
    forgotten = new.person.memproc("pair", "forget", extension.device[:4])
    assert "Forgotten: Firefox on Linux" in forgotten.out
    assert "remove the extension's address in TypingMind, on every device" in forgotten.out
    assert extension.call("POST", "/bridge/plan", new.export()).status_code == 401
    assert new.person.memproc("pair", "list").out.startswith("Nothing is paired.")
    assert new.person.memproc("pair", "forget", "--all").out == "Nothing was paired.\n"


def pair_as_soon_as_there_is_a_code(bridge: Bridged) -> Extension:
    end = monotonic() + 20
    while (code := newest_code(bridge.state)) is None:
        assert monotonic() < end
        sleep(0.01)
    extension = Extension(bridge.port())
    assert extension.pair(code.digits).status_code == 200
    return extension


def test_a_code_that_nobody_uses_is_over_with_the_command(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.pair.start_page_unless_there", lambda *_: None)
    monkeypatch.setattr("daemon.bridge.devices.CODE_SECONDS", 0.1)
    ended = new.person.memproc("pair")
    assert ended.code == 1
    assert "Nothing was paired. The two minutes of this code are over." in ended.err


def test_no_code_is_shown_where_another_program_holds_the_port(new: Cycle) -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.handle_request, daemon=True).start()
        new.person.settings(f"[page]\nport = {other.server_port}\n")
        ended = new.person.memproc("pair")
    assert ended.code == 1
    assert "Another program, or the memproc of another person, answers at port" in ended.err
    assert newest_code(new.person.home / "state") is None


def test_the_extension_is_written_to_be_hosted(new: Cycle) -> None:
    other = new.person.home / "other.js"
    other.write_text("alert(1)")
    assert "is something else" in new.person.memproc("pair", "script", other).err
    for _ in range(2):
        ended = new.person.memproc("pair", "script", new.person.home)
        assert (ended.code, "HTTPS" in ended.out) == (0, True)
    written = (new.person.home / "memproc-typingmind.js").read_bytes()
    assert written == (files("daemon.bridge") / "typingmind.js").read_bytes()


def test_an_erased_chat_leaves_nothing_in_the_jobs(
    new: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridged(new, monkeypatch)
    extension = bridge.paired()
    job = extension.send(new.export())
    bridge.carry_out()
    erased = new.person.memproc("erase", new.chat_id, "--yes")
    assert erased.code == 0
    assert "press ⋯ and Forget the pairing" in " ".join(erased.out.split())
    assert extension.call("GET", f"/bridge/jobs/{job}").status_code == 404
