"""A passage that the person marks stays word for word: by the command line and by pins, until it is released."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import pytest

from tests.stories import reports
from tests.stories.bridged import Bridged
from tests.stories.cycle import ENGINE, FIRST, Cycle, quiet
from tests.stories.keeping import (
    keep,
    kept_there,
    live,
    opening,
    passages,
    release,
    states,
)
from tests.stories.person import Person
from tests.stories.rounds import life


@pytest.fixture
def ada(tmp_path: Path) -> Cycle:
    """A chat with memories, imported again."""
    return Cycle.lived(tmp_path)


def compressed(chat: Cycle) -> str:
    """A sentence of the person's that is under a memory, as the raw message has it."""
    key = chat.bounds()[0][2]
    said: str = next(
        message["content"][0]["text"] for message in chat.expanded() if message["uuid"] == key
    )
    return said


@pytest.mark.full
def test_words_that_left_the_chat_stand_in_every_export_until_they_are_released(
    ada: Cycle,
) -> None:
    words = compressed(ada)
    assert "Kept, word for word: passage 1" in keep(ada, words)
    assert "Nothing to do: passage 1" in keep(ada, words)
    ada.goes_round()
    (passage,) = passages(ada)
    day = passage["said_at"][:10]
    assert kept_there(ada) == f"- {day}, the person said:\n{words}"
    quiet(ada)
    for _ in range(2):
        ada.talk().goes_round()
        assert kept_there(ada) == f"- {day}, the person said:\n{words}"
    assert "Released: passage 1" in release(ada, 1)
    assert "Nothing to do" in release(ada, 1)
    assert "Kept, word for word: passage 1" in keep(ada, "--yes", "1")
    release(ada, 1)
    ada.goes_round()
    assert words not in opening(ada)
    assert states(ada) == {}
    quiet(ada)


@pytest.mark.full
def test_what_is_in_the_live_tail_is_not_said_twice(ada: Cycle) -> None:
    at = ada.live()[-2]
    words, uuid = ada.said(at), ada.messages[at]["uuid"]
    keep(ada, "--message", uuid)
    ended = ada.hand_in()
    assert "0 written, 1 unchanged" in ended.out, ended
    while words in live(ada):
        assert "Kept, word for word" not in opening(ada)
        ada.talk().goes_round()
    assert words in kept_there(ada)


def test_a_pinned_message_is_kept_and_an_unpinned_one_is_released(ada: Cycle) -> None:
    at = ada.live()[-2]
    words, uuid = ada.said(at), ada.messages[at]["uuid"]
    ada.device.now = datetime.now(UTC)  # later than what was read
    ada.device.pin(ada.chat_id, at)
    assert "Kept word for word: 1 passage" in planned(ada)
    assert "1 pinned message is kept word for word now" in ada.talk(1).hand_in().out
    assert states(ada) == {1: "kept"}
    place = next(n for n, message in enumerate(ada.messages) if message["uuid"] == uuid)
    ada.device.unpin(ada.chat_id, place)
    ada.hand_in()
    assert [passage["asks"] for passage in passages(ada)] == ["unpinned"], "nothing newer was said"
    ada.talk(1).hand_in()
    assert states(ada) == {}
    assert words in live(ada)
    ada.device.pin(ada.chat_id, place)
    ada.talk(1).hand_in()
    assert states(ada) == {2: "kept"}, "it was pinned once more"


@pytest.mark.full
def test_a_pin_that_left_with_its_message_releases_nothing(ada: Cycle) -> None:
    at = ada.live()[0]
    words = ada.said(at)
    ada.device.pin(ada.chat_id, at)
    for _ in range(2):
        ada.talk().goes_round()
    assert words not in live(ada)
    assert words in kept_there(ada)
    assert states(ada) == {1: "kept"}


@pytest.mark.full
def test_a_device_that_never_saw_the_pin_releases_nothing_and_the_person_is_asked(
    ada: Cycle,
) -> None:
    old = ada.export()
    at = ada.live()[-2]
    ada.device.pin(ada.chat_id, at)
    ada.hand_in()
    ada.device.bring_in(old)  # the other device, which goes on from there
    ada.talk(1).hand_in()
    assert [(passage["state"], passage["asks"]) for passage in passages(ada)] == [
        ("kept", "unpinned")
    ]
    assert "has lost its pin" in ada.person.memproc("keep", ada.chat_id).out
    keep(ada, "--yes", "1")
    ada.talk(1).hand_in()
    assert [(passage["state"], passage["asks"]) for passage in passages(ada)] == [("kept", "")]


@pytest.mark.full
def test_a_line_that_the_person_takes_out_of_the_opening_releases_its_passage(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    keep(ada, "--message", ada.bounds()[1][2])
    ada.goes_round()
    text, (at,) = opening(ada), ada.ours("opening")
    first, second = kept_there(ada).split("\n\n- ")
    assert words in first
    ada.device.edit(ada.chat_id, at, text.replace(f"{first}\n\n", ""))
    assert "0 written, 1 unchanged" in ada.hand_in().out, "the chat in TypingMind says it already"
    assert states(ada) == {2: "kept"}
    ada.talk().goes_round()
    assert kept_there(ada) == f"- {second}"
    quiet(ada)


@pytest.mark.full
def test_a_line_that_the_person_puts_back_into_the_opening_is_kept_again(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    ada.goes_round()
    text, (at,) = opening(ada), ada.ours("opening")
    ada.device.edit(ada.chat_id, at, text.replace(words, ""))
    ada.hand_in()
    assert states(ada) == {}
    ada.device.now = datetime(2100, 1, 1, tzinfo=UTC)  # after memproc has kept the edit
    ada.device.edit(ada.chat_id, at, text)
    ada.hand_in()
    assert states(ada) == {1: "kept"}
    ada.talk().goes_round()
    assert words in kept_there(ada)


@pytest.mark.full
def test_a_line_that_the_person_rewords_is_put_back_as_it_was_said(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    ada.goes_round()
    text, (at,) = opening(ada), ada.ours("opening")
    ada.device.edit(ada.chat_id, at, text.replace(words, "Something else."))
    ended = ada.hand_in()
    assert "1 passage was never said so, and not kept" in ended.out + ended.err
    ada.imports()
    assert words in kept_there(ada)
    assert "Something else." not in opening(ada)


@pytest.mark.full
def test_a_pin_in_a_chat_that_the_bridge_sends_is_kept_too(
    ada: Cycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = Bridged.opened(ada.person, monkeypatch)
    extension, at = bridge.paired(), ada.live()[0]
    words = ada.said(at)
    ada.device.pin(ada.chat_id, at)
    for _ in range(2):
        job = extension.send(ada.talk().export())
        bridge.carry_out()
        assert extension.job(job)["state"] == "done"
        ada.device.bring_in(extension.result(job))
    assert words not in live(ada)
    assert words in kept_there(ada)


@pytest.mark.full
def test_an_edited_message_asks_and_the_old_words_stay(ada: Cycle) -> None:
    at = ada.live()[-2]
    words = ada.said(at)
    ada.device.pin(ada.chat_id, at)
    ada.hand_in()
    ada.device.edit(ada.chat_id, at, "I would rather not say.")
    ada.talk(1).goes_round()
    assert words in kept_there(ada), "it is not in the tail any more"
    (passage,) = passages(ada)
    assert (passage["state"], passage["asks"], passage["text"]) == ("kept", "edited", words)
    keep(ada, "--yes", "1")
    assert [passage["asks"] for passage in passages(ada)] == [""]


@pytest.mark.full
def test_a_deleted_message_releases_nothing(ada: Cycle) -> None:
    at = ada.live()[-2]
    words = ada.said(at)
    ada.device.pin(ada.chat_id, at)
    ada.hand_in()
    ada.device.delete(ada.chat_id, at)
    ada.goes_round()
    assert words in kept_there(ada)
    quiet(ada)
    expanded = ada.person.memproc("expand", ada.chat_id).out
    assert "1 passage of a message that you deleted is kept, and not in it" in expanded


def test_another_computer_has_them_too(ada: Cycle, tmp_path: Path) -> None:
    keep(ada, compressed(ada))
    parcel = tmp_path / "parcel.zip"
    assert ada.person.memproc("export-archive", parcel).code == 0
    elsewhere = replace(ada, person=Person(tmp_path / "elsewhere", tail=1600, step=400, chunk=400))
    imported = elsewhere.person.memproc("import-archive", parcel, "--yes")
    assert imported.code == 0, imported
    assert passages(elsewhere) == passages(ada)


@pytest.mark.full
def test_what_does_not_fit_waits_and_is_named_until_there_is_room(ada: Cycle) -> None:
    keys = [key for _, _, key in ada.bounds()[:3]]
    said = [keep(ada, "--message", key) for key in keys[:2]]
    budget = sum(passage["tokens"] for passage in passages(ada))
    ada.person.settings(f"{ENGINE}[keep]\nbudget = {budget}\n")
    said.append(keep(ada, "--message", keys[2]))
    assert "Kept, word for word" in said[0]
    assert f"and of {budget} (keep.budget) {budget} are taken" in said[2]
    assert states(ada)[3] == "waiting"
    waits = "Passage 3 ("
    assert waits in planned(ada)
    status = " ".join(ada.person.memproc("status").out.split())
    assert waits in status
    assert f"2 passages, {budget} of {budget} tokens" in status
    ada.goes_round()
    release(ada, 1)
    assert states(ada)[3] == "kept"
    ada.person.settings(ENGINE + "[keep]\nbudget = 1\n")
    ada.goes_round()
    assert "waiting" not in states(ada).values(), "what is kept stays"


@pytest.mark.full
def test_a_long_message_keeps_its_first_sentences_and_a_command_asks_for_fewer_words(
    ada: Cycle,
) -> None:
    long = " ".join(f"Sentence number {number} is about the sea." for number in range(600))
    ada.device.insert(ada.chat_id, len(ada.messages), "user", long)
    uuid = ada.messages[-1]["uuid"]
    ada.talk(1).hand_in()
    ended = ada.person.memproc("keep", ada.chat_id, "--message", uuid)
    assert ended.code == 2
    assert "a passage has at most 400" in ended.err
    at = next(n for n, message in enumerate(ada.messages) if message["uuid"] == uuid)
    ada.device.pin(ada.chat_id, at)
    ada.hand_in()
    (passage,) = passages(ada)
    assert passage["tokens"] <= 400
    assert long.startswith(passage["text"]) and passage["text"].endswith(" is about the sea.")
    assert "the first sentences" in ada.person.memproc("keep", ada.chat_id).out


def test_words_that_were_never_said_are_refused(ada: Cycle) -> None:
    ended = ada.person.memproc("keep", ada.chat_id, "The moon is a lighthouse for moths, Ada.")
    assert ended.code == 2
    assert "character for character" in ended.err


@pytest.mark.full
def test_a_fork_and_a_restored_chat_keep_what_was_kept(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    keep(ada, "--message", ada.messages[ada.live()[0]]["uuid"])
    ada.goes_round()
    for renew in (False, True):
        fork = ada.of(ada.device.fork(ada.chat_id, new_uuids=renew))
        fork.talk().goes_round()
        assert words in kept_there(fork)
        assert set(states(fork).values()) == {"kept"}
        assert len(states(fork)) == 2
        quiet(fork)


@pytest.mark.full
def test_a_fork_keeps_what_was_kept_whatever_of_the_chat_it_lacks(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    keep(ada, "--message", ada.bounds()[-1][2])
    keep(ada, "--message", ada.messages[ada.live()[0]]["uuid"])
    ada.goes_round()
    cut = ada.of(ada.device.fork(ada.chat_id, 6, new_uuids=True))
    bare = ada.of(ada.device.fork(ada.chat_id, new_uuids=True))
    for memory in bare.shown():
        bare.forget(memory)
    for fork in (cut, bare):
        shown = kept_there(fork)
        assert shown.count(" said:\n") == 2
        fork.talk(FIRST).goes_round()
        assert kept_there(fork).startswith(shown)
        assert set(states(fork).values()) == {"kept"}
        quiet(fork)
    assert len(states(bare)) == 3, "that of the live tail, too"


@pytest.mark.full
@pytest.mark.parametrize(("renew", "forks"), [(False, 1), (True, 2)])
def test_a_line_taken_out_of_the_opening_of_a_fork_is_released_there(
    ada: Cycle, renew: bool, forks: int
) -> None:
    words = compressed(ada)
    keep(ada, words)
    keep(ada, "--message", ada.bounds()[1][2])
    ada.goes_round()
    fork = ada.of(ada.device.fork(ada.chat_id, new_uuids=renew))
    for number in range(1, forks):  # which has as many memories, and another opening
        fork.hand_in()
        keep(fork, "--message", fork.bounds()[1 + number][2])
        fork.goes_round()
        fork = ada.of(ada.device.fork(fork.chat_id, new_uuids=renew))
    (at,), first = fork.ours("opening"), kept_there(fork).partition("\n\n- ")[0]
    assert words in first
    fork.device.edit(fork.chat_id, at, opening(fork).replace(f"{first}\n\n", ""))
    fork.talk().goes_round()
    assert words not in opening(fork)
    assert list(states(fork)) == list(range(2, 2 + forks))
    assert states(ada) == {1: "kept", 2: "kept"}


@pytest.mark.full
def test_a_lost_archive_has_them_again_from_the_newest_updated_export(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    ada.talk().goes_round()
    rmtree(ada.person.home / "state")
    assert ada.person.memproc("rebuild").code == 0
    (passage,) = passages(ada)
    assert (passage["text"], passage["state"]) == (words, "kept")
    ada.talk().goes_round()
    assert words in kept_there(ada)
    verified = ada.person.memproc("verify")
    assert verified.code == 0, verified


@pytest.mark.full
def test_a_new_chat_for_memories_has_what_was_kept_in_the_old_one(tmp_path: Path) -> None:
    old = Cycle.begin(tmp_path / "ada", settings=f'{ENGINE}[output]\nmode = "new-chat"\n')
    first, last = 1, len(old.messages) - 1
    words, in_tail = old.said(first), old.said(last)
    for at in (first, last):
        old.device.pin(old.chat_id, at)
    old.hand_in()
    (path,) = old.person.updated()
    old.device.bring_in(path.read_bytes())
    (new,) = (old.of(chat_id) for chat_id in old.device.chats if chat_id != old.chat_id)
    assert words in kept_there(new)
    assert in_tail in live(new)
    quiet(new)
    while in_tail in live(new):
        assert in_tail not in kept_there(new)
        new.talk().goes_round()
    assert words in kept_there(new)
    assert in_tail in kept_there(new)
    release(new, 1)
    new.goes_round()
    assert words not in kept_there(new)
    assert states(old) == {1: "kept", 2: "kept"}, "the old chat keeps them"
    quiet(new)


def test_an_erased_chat_leaves_nothing_of_them(ada: Cycle) -> None:
    words = compressed(ada)
    keep(ada, words)
    assert ada.person.memproc("erase", ada.chat_id, "--yes").code == 0
    assert "knows no chat" in ada.person.memproc("keep", ada.chat_id).err
    assert reports.report(ada.person, "search", f'"{words}"')["hits"] == []
    state = b"".join(path.read_bytes() for path in (ada.person.home / "state").glob("archive*"))
    assert words.encode() not in state


def planned(chat: Cycle) -> str:
    """What `memproc plan` says of the chat as it is now in TypingMind."""
    return chat.person.memproc("plan", chat.person.drop(chat.export(), "planned.json")).out


@pytest.mark.full
def test_no_prompt_for_a_memory_has_what_is_kept(tmp_path: Path) -> None:
    with life(tmp_path / "aria") as aria:
        aria.round(6_500)
        words = " ".join(aria.said[0].split()[:8])
        kept = aria.person.memproc("keep", aria.chat_id, words)
        assert kept.code == 0, kept.err
        requests = aria.round(2_400)
        assert "Kept, word for word" in str(aria.device.messages(aria.chat_id)[0])
        assert requests
        assert not any("Kept, word for word" in str(request.body) for request in requests)
