"""Memories that an earlier version extracted are written again by the rules of this one, for free."""

import json
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, keep_edition
from tests.stories.cycle import Cycle
from tests.stories.person import Ended

pytestmark = pytest.mark.timeout(200)
OF_OLD = "We talked, and an earlier version wrote it so."


@pytest.fixture
def old(chat: Cycle) -> Cycle:
    """A chat whose memories an earlier version extracted, before quotes said whose they are."""
    with Archive.open(chat.person.home / "state") as archive:
        for name in chat.names():
            (edition,) = editions(archive, name)
            bare = tuple(replace(quote, lead="") for quote in edition.quotes)
            said = "\n\n".join(quote.text for quote in bare)
            texts = (edition.texts[0], said, *edition.texts[2:5], OF_OLD)
            keep_edition(archive, name, replace(edition, number=2, texts=texts, quotes=bare))
        archive.run("DELETE FROM sign WHERE name = 'rules of extracted memories'")
    return chat


def again(chat: Cycle, *more: str) -> Ended:
    return chat.person.memproc("retry", "--extracted", *more)


def ends_of(chat: Cycle) -> list[str]:
    return [memory["edition"]["texts"][-1] for memory in chat.memories()]


def test_a_run_says_once_that_extracted_memories_can_be_written_again(old: Cycle) -> None:
    news = "memproc retry --extracted"
    assert news in old.hand_in().out
    assert news not in old.talk().hand_in().out


def test_of_memories_by_the_rules_of_today_a_run_says_nothing(chat: Cycle) -> None:
    assert "retry --extracted" not in chat.talk().hand_in().out


def test_all_extracted_memories_are_written_again_and_the_next_run_shows_them(old: Cycle) -> None:
    old.goes_round()
    assert sum(texts[-1] == OF_OLD for texts in old.texts().values()) == len(old.shown())
    ended = again(old)
    assert (ended.code, ended.err) == (0, "")
    assert f'"The lighthouse": {len(old.names())} memories extracted again' in ended.out
    assert OF_OLD not in ends_of(old)
    assert all(OF_OLD not in texts for texts in old.goes_round().texts().values())
    assert old.person.memproc("verify").code == 0


def test_who_had_them_written_again_is_told_of_it_no_more(old: Cycle) -> None:
    again(old)
    assert "retry --extracted" not in old.talk().hand_in().out


def test_a_second_time_every_memory_would_be_the_same(old: Cycle) -> None:
    again(old)
    numbers = [memory["edition"]["number"] for memory in old.memories()]
    found = json.loads(again(old, "--json").out)["chats"]
    (outcome,) = found
    assert (outcome["written"], outcome["same"]) == (0, len(numbers))
    assert [memory["edition"]["number"] for memory in old.memories()] == numbers


def test_what_the_person_pinned_forgot_or_chose_stays(old: Cycle) -> None:
    pinned, forgotten, chosen, *free = old.names()
    old.goes_round().forget(forgotten).hand_in()
    assert old.person.memproc("pin", pinned).code == 0
    assert old.person.memproc("use", chosen, "2").code == 0
    assert again(old, old.chat_id).code == 0
    with Archive.read(old.person.home / "state") as archive:
        kept = {name: len(editions(archive, name)) for name in (pinned, forgotten, chosen, *free)}
    assert kept == {pinned: 2, forgotten: 2, chosen: 2, **dict.fromkeys(free, 3)}


@pytest.mark.parametrize("more", [["--say", "shorter"], ["The lighthouse", "1"]])
def test_a_memory_or_a_word_has_no_place_with_extracted(old: Cycle, more: list[str]) -> None:
    ended = again(old, *more)
    assert ended.code == 2
    assert "name at most a chat" in ended.err


def test_without_extracted_a_memory_must_be_named(chat: Cycle) -> None:
    ended = chat.person.memproc("retry")
    assert ended.code == 2
    assert "Name a memory" in ended.err


def test_a_chat_that_is_unknown_is_said_to_be_so(old: Cycle) -> None:
    assert again(old, "nobody").code == 2
    assert OF_OLD in ends_of(old)
