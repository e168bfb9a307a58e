"""What a person does to memories in TypingMind counts: they are edited, forgotten, recalled, made whole."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.chats import Json
from tests.stories.cycle import (
    ENGINE,
    FIRST,
    Cycle,
    asked,
    editions,
    is_told,
    memory,
    models,
    quiet,
    stand,
    texts_by_uuid,
)
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.variants]
OWN = 'In my own words: "the lamp" stays lit.\n\n\tAnd\u00a0so — <i>I</i> go on. 🕯️'
SIZE = 800


@pytest.mark.full
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("slot", [1, 4])
def test_an_edited_memory_is_pinned_and_later_memories_are_told_it_as_it_is_now(
    tmp_path: Path, slot: int
) -> None:
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", settings=settings, size=SIZE).goes_round()
        name = chat.shown()[0]
        was = memory(chat, name)["in_prompts"]["texts"][slot - 1]
        chat.device.edit(chat.chat_id, chat.at(name, slot), OWN)
        edited, before = dict(chat.messages[chat.at(name, slot)]), len(asked(server))
        for _ in range(2):
            chat.talk().goes_round()
            assert chat.messages[chat.at(name, slot)] == edited, "it stays as the person wrote it"
            assert raw(edited) in chat.updated().read_bytes()
        later = asked(server, before)
    found = memory(chat, name)
    assert (found["pinned"], found["edition"]["kind"], found["in_prompts"]["texts"][slot - 1]) == (
        True,
        "person",
        OWN,
    )
    assert any(is_told(OWN, request) for request in later)
    if slot % 2 == 0:
        assert not any(is_told(was, request) for request in later if is_told(OWN, request))
    quiet(chat)


def raw(message: Json) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def test_an_edit_alone_is_taken_over_without_a_call_or_a_changed_byte(chat: Cycle) -> None:
    name = chat.shown()[1]
    chat.device.edit(chat.chat_id, chat.at(name, 6), OWN)
    files, calls = stand(chat), chat.calls()
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert (stand(chat), chat.calls()) == (files, calls)
    assert (memory(chat, name)["pinned"], editions(chat, name)) == (
        True,
        [(1, "as-of"), (2, "person")],
    )
    before = stand(chat)
    assert "1 unchanged" in chat.hand_in().out
    assert stand(chat) == before
    assert len(editions(chat, name)) == 2, "it is an edit once"


@pytest.mark.parametrize("slot", range(1, 7))
def test_whatever_of_a_memory_was_edited_stays_byte_for_byte(chat: Cycle, slot: int) -> None:
    name = chat.shown()[-1]
    chat.device.edit(chat.chat_id, chat.at(name, slot), OWN)
    edited = dict(chat.messages[chat.at(name, slot)])
    chat.talk().goes_round()
    assert raw(edited) in chat.updated().read_bytes()
    assert memory(chat, name)["edition"]["texts"][slot - 1] == OWN
    quiet(chat)


@pytest.mark.parametrize("slot", [pytest.param(1, marks=pytest.mark.full), 6])
def test_what_a_merge_puts_next_to_an_edited_message_of_ours_makes_no_conversation_of_it(
    chat: Cycle, slot: int
) -> None:
    name, closing = chat.shown()[-1], OWN + " Here I end."
    edited, last = chat.at(name, slot), chat.ours("closing")[0]
    chat.device.edit(chat.chat_id, edited, OWN)
    chat.device.edit(chat.chat_id, last, closing)
    chat.device.insert(chat.chat_id, last, "user", "From the tablet.")
    between = max(edited, chat.at(name, 2))  # the edited message and the other five
    chat.device.insert(chat.chat_id, between, "user", "From the telephone.")
    chat.talk().goes_round()
    assert memory(chat, name)["edition"]["texts"][slot - 1] == OWN
    assert chat.texts()[name][slot - 1] == OWN
    lived = [text_of(message["content"]) for message in chat.expanded()]
    said = OWN, closing, "From the telephone.", "From the tablet."
    assert [lived.count(text) for text in said] == [0, 0, 1, 1]
    quiet(chat)


@pytest.mark.full
def test_an_edited_memory_that_a_sync_leaves_twice_is_no_conversation(chat: Cycle) -> None:
    name = chat.shown()[-1]
    first = chat.at(name, 1)
    chat.device.edit(chat.chat_id, chat.at(name, 4), OWN)
    chat.messages[first:first] = deepcopy(chat.messages[first : first + 6])
    chat.talk().goes_round()
    assert memory(chat, name)["edition"]["texts"][3] == chat.texts()[name][3] == OWN
    assert [text_of(message["content"]) for message in chat.messages].count(OWN) == 1
    assert OWN not in [text_of(message["content"]) for message in chat.expanded()]
    quiet(chat)


@pytest.mark.parametrize("slot", [pytest.param(1, marks=pytest.mark.full), 4])
def test_a_memory_is_not_forgotten_while_the_message_is_left_that_the_person_edited(
    chat: Cycle, slot: int
) -> None:
    name = chat.shown()[-1]
    chat.device.edit(chat.chat_id, chat.at(name, slot), OWN)
    texts = chat.texts()
    for other in {*range(1, 7)} - {slot}:
        chat.device.delete(chat.chat_id, chat.at(name, other))
    chat.goes_round()
    assert chat.texts() == texts, "the other five come back"
    assert not memory(chat, name)["forgotten"]
    assert OWN not in [text_of(message["content"]) for message in chat.expanded()]
    quiet(chat)


def test_words_that_the_person_edits_back_are_theirs_and_an_older_copy_is_no_edit(
    chat: Cycle,
) -> None:
    name = chat.shown()[0]
    was, older = chat.texts()[name][3], replace(chat, device=deepcopy(chat.device))
    chat.device.edit(chat.chat_id, chat.at(name, 4), OWN)
    assert chat.hand_in().code == 0
    older.talk().goes_round()
    assert older.texts()[name][3] == OWN
    chat = older
    chat.device.now = datetime(2100, 1, 1, tzinfo=UTC)  # after memproc has kept the edit
    chat.device.edit(chat.chat_id, chat.at(name, 4), was)
    assert "1 memory stays as you wrote it" in chat.hand_in().out
    chat.talk().goes_round()
    assert chat.texts()[name][3] == was
    assert editions(chat, name) == [(1, "as-of"), (2, "person"), (3, "person")]
    quiet(chat)


def test_an_opening_that_the_person_edits_back_reads_so_and_an_older_copy_is_no_edit(
    chat: Cycle,
) -> None:
    chat = replace(chat, person=replace(chat.person, layers=True))
    chat.person.settings(ENGINE)
    was = chat.said(0)
    theirs = was.replace("\n</system>", f" {OWN}\n\n## facts\n- Ben sails.\n</system>")
    chat.device.edit(chat.chat_id, 0, theirs)
    older = replace(chat, device=deepcopy(chat.device))
    for text in (theirs, was, theirs, was):
        chat.device.edit(chat.chat_id, 0, text)
        assert "0 written, 1 unchanged" in chat.hand_in().out, "the chat in TypingMind says it"
        facts = chat.person.memproc("facts", chat.chat_id).out
        assert ("Ben sails." in facts) == (text == theirs)
        chat.device.now = datetime(2100, 1, 1, tzinfo=UTC)  # after memproc has kept the edit
    older.talk().goes_round()
    assert older.said(0) == was
    quiet(older)


@pytest.mark.full
def test_an_edit_of_an_edit_is_another_edition(chat: Cycle) -> None:
    name = chat.shown()[0]
    for words in (OWN, OWN + " Once more."):
        chat.device.edit(chat.chat_id, chat.at(name, 4), words)
        chat.talk().goes_round()
        assert memory(chat, name)["edition"]["texts"][3] == words
    assert [kind for _, kind in editions(chat, name)] == ["as-of", "person", "person"]
    quiet(chat)


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("which", [0, 2, -1])
@pytest.mark.full
def test_a_deleted_memory_stays_forgotten_and_so_does_what_it_stood_for(
    tmp_path: Path, which: int
) -> None:
    with models(tmp_path / "server") as (server, settings):
        chat = Cycle.begin(tmp_path / "ada", settings=settings, size=SIZE)
        said = texts_by_uuid(chat)
        chat.goes_round()
        gone, first = chat.memories()[which], asked(server)
        name, before = gone["memory_id"], len(first)
        chat.forget(name)
        for _ in range(2):
            chat.talk().goes_round()
            assert name not in chat.shown()
            assert memory(chat, name)["forgotten"]
        later = asked(server, before)
    assert later
    told = [said[key] for key in gone["keys"]]
    assert [text for text in told if not any(is_told(text, request) for request in first)] == []
    others = [
        text
        for one in chat.memories()
        if one != memory(chat, name)
        for text in one["in_prompts"]["texts"]
    ]
    told += [text for text in gone["in_prompts"]["texts"] if text not in others]
    assert len(told) > len(gone["keys"])
    assert [text for text in told if any(is_told(text, request) for request in later)] == []
    assert [said[key] for key in gone["keys"]] == [
        text_of(message["content"])
        for message in chat.expanded()
        if message["uuid"] in gone["keys"]
    ], "the archive keeps it"
    quiet(chat)


def test_a_memory_that_was_deleted_alone_changes_no_byte_by_itself(chat: Cycle) -> None:
    chat.forget(chat.shown()[1])
    files, calls = stand(chat), chat.calls()
    ended = chat.hand_in()
    assert (ended.code, ended.err) == (0, "")
    assert (stand(chat), chat.calls()) == (files, calls)
    ended = chat.hand_in()
    assert "1 unchanged" in ended.out
    assert stand(chat) == files


@pytest.mark.full
def test_a_memory_stays_forgotten_though_a_fold_of_it_is_pinned(chat: Cycle) -> None:
    """The fold was made since the import, so that TypingMind still shows each memory by itself."""
    chat.person.settings(f"{ENGINE}[fold]\nbudget = 500\n")
    assert chat.hand_in().code == 0
    (fold, *_) = (one["memory_id"] for one in chat.everything() if one["members"])
    assert chat.person.memproc("pin", fold).code == 0
    gone = memory(chat, fold)["members"][1]
    quote = chat.texts()[gone][1]
    chat.forget(gone).goes_round()
    assert fold not in chat.shown()
    assert not any(quote in text for six in chat.texts().values() for text in six)
    assert chat.person.memproc("recall", gone).code == 0
    assert fold in chat.goes_round().shown()


def test_a_pinned_fold_is_back_with_the_budget_that_it_was_made_for(tmp_path: Path) -> None:
    """A smaller budget folds its memories with others, and new memories are made all the same."""
    budgets = [f"{ENGINE}[fold]\nbudget = {budget}\n" for budget in (900, 500)]
    chat = Cycle.begin(tmp_path / "ada", settings=budgets[0], turns=FIRST + 20).goes_round()
    fold = chat.shown()[0]
    assert len(memory(chat, fold)["members"]) > 1
    assert chat.person.memproc("pin", fold).code == 0
    chat.person.settings(budgets[1])
    assert fold not in chat.talk().goes_round().shown()
    quiet(chat)
    chat.person.settings(budgets[0])
    assert fold in chat.goes_round().shown()
    quiet(chat)


@pytest.mark.full
def test_a_forgotten_memory_is_brought_back_on_request(chat: Cycle) -> None:
    texts = chat.texts()
    name = chat.shown()[2]
    chat.forget(name).talk().goes_round()
    assert name not in chat.shown()
    recalled = chat.person.memproc("recall", name)
    assert recalled.code == 0, recalled.err
    chat.goes_round()
    assert chat.shown()[: len(texts)] == list(texts), "in its old place"
    assert chat.texts()[name] == texts[name]
    quiet(chat)


@pytest.mark.full
def test_all_memories_but_one_can_be_forgotten_one_after_the_other(chat: Cycle) -> None:
    for name in chat.shown()[:-1]:
        chat.forget(name)
        assert chat.hand_in().code == 0
    assert len(chat.shown()) == 1
    chat.talk().goes_round()
    assert len(chat.shown()) >= 2
    quiet(chat)


@pytest.mark.usefixtures("groups_of_three")
@pytest.mark.long
def test_a_deleted_fold_takes_all_that_it_stands_for_with_it(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=f"{ENGINE}[fold]\nbudget = 600\n")
    fold = next(
        one for one in chat.everything() if one["members"] and one["memory_id"] in chat.shown()
    )
    chat.forget(fold["memory_id"])
    for _ in range(3):
        chat.talk().goes_round()
        gone = {one["memory_id"] for one in chat.everything() if one["forgotten"]}
        assert {fold["memory_id"], *fold["members"]} <= gone
        assert not gone & set(chat.shown())
    quiet(chat)


def with_own_words(chat: Cycle) -> None:
    """The person rewords an opening that shows what is kept, and releases that."""
    passage = chat.messages[chat.live()[0]]["uuid"]
    chat.person.memproc("keep", chat.chat_id, "--message", passage)
    chat.talk().goes_round()
    (at,) = chat.ours("opening")
    chat.device.edit(chat.chat_id, at, chat.said(at).replace("<system>\n", f"<system>\n{OWN}\n\n"))
    assert chat.hand_in().code == 0
    chat.person.memproc("release", chat.chat_id, "1")
    chat.goes_round()
    assert OWN in chat.said(chat.ours("opening")[0])


def with_the_tools_named(chat: Cycle) -> None:
    """The opening names the tools of recall."""
    chat.person.settings(f"{ENGINE}[recall]\nmention = true\n")
    chat.goes_round()


def with_other_texts(chat: Cycle) -> None:
    """The texts of opening and closing are others than when the chat was written."""
    texts = chat.person.home / "texts"
    texts.mkdir()
    for name in ("opening", "closing"):
        (texts / f"{name}.md").write_text(f"Other words for the {name}.")
    chat.person.settings(f'{ENGINE}[texts]\nfolder = "texts"\n')


@pytest.mark.parametrize(
    "begun", [with_own_words, with_the_tools_named, with_other_texts], ids=lambda way: way.__name__
)
def test_of_a_chat_whose_memories_were_all_deleted_nothing_of_memproc_counts_as_said(
    chat: Cycle, begun: Callable[[Cycle], None]
) -> None:
    begun(chat)
    for name in chat.shown():
        chat.forget(name)
    assert len(chat.ours("opening")) == len(chat.ours("closing")) == 1
    assert "Most of the chat's memories are gone" in chat.hand_in().err
    assert chat.person.memproc("accept", chat.chat_id).code == 0
    chat.goes_round()
    assert all("memproc" not in message for message in chat.messages)
    chat.talk().goes_round()
    said = [text_of(message["content"]) for message in chat.expanded()]
    assert not [text for text in said if text.startswith("<system>")]
    quiet(chat)


@pytest.mark.full
@pytest.mark.parametrize("slot", range(1, 7))
def test_one_of_six_that_is_gone_comes_back(chat: Cycle, slot: int) -> None:
    texts, name = chat.texts(), chat.shown()[1]
    chat.device.delete(chat.chat_id, chat.at(name, slot))
    chat.goes_round()
    assert chat.texts() == texts
    dates = [message["createdAt"] for message in chat.messages]
    assert dates[: 6 * len(texts) + 1] == sorted(dates[: 6 * len(texts) + 1]), (
        "a sync sorts by date"
    )
    gone = chat.device.chat(chat.chat_id)["syncMetadata"]["deletedMessageUUIDs"]
    assert not set(gone) & {message["uuid"] for message in chat.messages}, (
        "a sync must not delete it again"
    )
    quiet(chat)
    chat.talk().goes_round()
    assert list(chat.texts().values())[: len(texts)] == list(texts.values())
    quiet(chat)


def test_the_persons_words_in_the_closing_are_back_with_the_first_memory_after_all_were_deleted(
    chat: Cycle,
) -> None:
    (at,) = chat.ours("closing")
    chat.device.edit(chat.chat_id, at, OWN)
    for name in chat.shown():
        chat.forget(name)
    assert chat.hand_in().code == 1, "it may be a mistake"
    assert chat.person.memproc("accept", chat.chat_id).code == 0
    chat.goes_round()
    assert chat.ours("closing") == []
    for _ in range(2):
        chat.talk(FIRST).goes_round()
        assert [chat.said(at) for at in chat.ours("closing")] == [OWN]
        quiet(chat)


@pytest.mark.parametrize("kind", ["opening", "closing"])
def test_an_opening_or_a_closing_that_is_gone_comes_back(chat: Cycle, kind: str) -> None:
    (at,) = chat.ours(kind)
    said = chat.said(at)
    chat.device.delete(chat.chat_id, at)
    chat.goes_round()
    assert [chat.said(at) for at in chat.ours(kind)] == [said]
    quiet(chat)
