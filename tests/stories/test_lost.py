"""A history that is suddenly gone, an older copy, another branch, a lost archive: nothing of it is mirrored."""

import shutil
from pathlib import Path

import pytest

from tests.stories.cycle import FIRST, Cycle, asked, is_told, memory, models, quiet, stand
from tests.typingmind.shapes import Build

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]
OWN = 'In my own words: "the lamp" stays lit.\n\n\tAnd\u00a0so — <i>I</i> go on. 🕯️'
SIZE = 800


def skipped(chat: Cycle, *words: str) -> None:
    """The chat is skipped with a reason, exit code 1, and nothing at all is changed or asked."""
    files, calls, kept = stand(chat), chat.calls(), chat.bounds()
    raw_before = chat.expanded()
    ended = chat.hand_in()
    assert ended.code == 1
    assert "skipped" in ended.err
    for word in words:
        assert word in ended.err, ended.err
    assert (stand(chat), chat.calls(), chat.bounds()) == (files, calls, kept)
    assert chat.expanded() == raw_before, "the archive holds what it held"


def goes_on(chat: Cycle) -> None:
    chat.talk().goes_round()
    quiet(chat)


def test_a_chat_that_lost_most_of_its_history_is_skipped_until_it_is_whole_again(
    chat: Cycle,
) -> None:
    whole = chat.export()
    for _ in range(22):
        chat.messages.pop(chat.live()[2])
    skipped(chat, "Much of what was under no memory the last time is gone", "22 messages")
    chat.device.bring_in(whole)
    goes_on(chat)


@pytest.mark.full
def test_a_chat_that_lost_its_memories_and_its_history_is_skipped(chat: Cycle) -> None:
    whole = chat.export()
    chat.device.chat(chat.chat_id)["messages"] = chat.messages[-2:]
    skipped(chat, "gone")
    chat.device.bring_in(whole)
    goes_on(chat)


@pytest.mark.full
def test_an_older_copy_is_skipped(chat: Cycle) -> None:
    old = chat.export()
    chat.talk(7).goes_round()
    newest = chat.export()
    chat.device.bring_in(old)
    skipped(chat, "an older copy")
    chat.device.bring_in(newest)
    goes_on(chat)


@pytest.mark.full
def test_a_chat_that_went_back_and_on_from_there_is_skipped(chat: Cycle) -> None:
    old = chat.export()
    chat.talk(7).goes_round()
    newest = chat.export()
    chat.device.bring_in(old)
    chat.talk(3)
    skipped(chat, "goes on from an older state")
    fork = chat.of(chat.device.fork(chat.chat_id)).talk()
    fork.goes_round()
    quiet(fork)
    chat.device.bring_in(newest)
    goes_on(chat)


@pytest.mark.full
@pytest.mark.parametrize("ours", [True, False])
def test_regenerate_on_an_older_message_is_skipped_until_the_arrow_brings_it_back(
    chat: Cycle, ours: bool
) -> None:
    at = chat.at(chat.shown()[1], 4) if ours else chat.live()[6]
    question = at - 1 if chat.messages[at]["role"] == "assistant" else at
    chat.device.regenerate(chat.chat_id, at)
    reason = f"after message {question + 1} of the chat" + (
        ", which is one of memproc's own," if ours else ""
    )
    skipped(chat, reason, "Use the arrows at that message")
    chat.device.arrow_back(chat.chat_id, question)
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    goes_on(chat)


@pytest.mark.full
@pytest.mark.parametrize("ours", [True, False])
def test_after_regenerate_a_fork_goes_on_as_a_chat_of_its_own(chat: Cycle, ours: bool) -> None:
    at = chat.at(chat.shown()[1], 4) if ours else chat.live()[6]
    chat.device.regenerate(chat.chat_id, at)
    skipped(chat)
    fork = chat.of(chat.device.fork(chat.chat_id))
    ended = fork.hand_in()
    assert ended.code == 0, ended.err
    fork.talk(FIRST).goes_round()
    quiet(fork)


@pytest.mark.full
@pytest.mark.parametrize("build", ["2024", "2026"])
def test_a_regenerated_newest_answer_is_ordinary(tmp_path: Path, build: Build) -> None:
    chat = Cycle.lived(tmp_path, build)
    chat.device.regenerate(chat.chat_id, -1)
    newest = dict(chat.messages[-1])
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    chat.talk().goes_round()
    assert newest in chat.expanded()
    quiet(chat)


@pytest.mark.full
def test_an_answer_regenerated_two_turns_back_is_ordinary_and_the_arrows_are_too(
    chat: Cycle,
) -> None:
    chat.talk(1).hand_in()
    old = [dict(message) for message in chat.messages[-5:]]
    at = len(chat.messages) - 6
    chat.device.regenerate(chat.chat_id, at)
    chat.talk(1)
    for is_first_time in (True, True, False):
        ended = chat.hand_in()
        assert (ended.code, ended.err) == (0, "")
        assert ("in another branch now, and in the archive" in ended.out) is is_first_time
        assert "missing" not in ended.out
        told = chat.person.memproc("run", chat.person.inbox / f"{chat.chat_id}.json").out
        assert "branch" not in told, "it is told once"
        chat.device.arrow_back(chat.chat_id, at)
    assert [message["uuid"] for message in chat.messages[-5:]] == [
        message["uuid"] for message in old
    ]
    goes_on(chat)
    quiet(chat)


@pytest.mark.full
def test_a_question_edited_and_sent_again_at_the_end_is_ordinary(chat: Cycle) -> None:
    chat.device.regenerate(chat.chat_id, -2, "And if I ask it otherwise?")
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    goes_on(chat)


@pytest.mark.full
@pytest.mark.usefixtures("key")
def test_without_the_archive_memories_stay_as_they_are_and_the_work_goes_on_after_them(
    tmp_path: Path,
) -> None:
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", settings=settings, size=SIZE).goes_round()
        texts, messages = chat.texts(), chat.messages[: chat.ours()[-1] + 1]
        shutil.rmtree(chat.person.home / "state")
        ended = chat.hand_in()
        assert (ended.code, ended.err) == (0, "")
        assert chat.shown() == list(texts)
        before = len(asked(server))
        for _ in range(3):
            chat.talk().goes_round()
            assert chat.messages[: len(messages)] == messages, "frozen, byte for byte"
        later = asked(server, before)
    assert len(chat.shown()) > len(texts) + 2
    quotes = [one for one in later if one.step == "quote"]
    assert quotes
    assert all(is_told(texts[chat.shown()[0]][3], one) for one in quotes), (
        "memories that nobody knows are told, too"
    )
    quiet(chat)


@pytest.mark.full
def test_without_the_archive_an_edit_and_a_deletion_still_count(chat: Cycle) -> None:
    shutil.rmtree(chat.person.home / "state")
    assert chat.hand_in().code == 0
    name, other = chat.shown()[0], chat.shown()[1]
    chat.device.edit(chat.chat_id, chat.at(name, 4), OWN)
    chat.forget(other)
    for _ in range(2):
        chat.talk().goes_round()
        assert other not in chat.shown()
        assert chat.texts()[name][3] == OWN
    assert (memory(chat, name)["pinned"], memory(chat, other)["forgotten"]) == (True, True)
    quiet(chat)
