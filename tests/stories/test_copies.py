"""A chat in which messages stand twice, as a failed sync leaves them: each is one message, and the chat goes on."""

import json
from collections import Counter
from copy import deepcopy
from pathlib import Path

import pytest

from tests.chats import Json, export_bytes, long_chat
from tests.stories.person import Person

ENGINE = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
WHOLE = long_chat(20_000)["messages"]
FIRST, THREE = 34, 3


def dropped(person: Person, chat: Json, name: str) -> Json:
    """Drop the chat, run, and return the chat of the updated export."""
    person.drop(export_bytes(chat), name)
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    return person.chat()


def talk_on(chat: Json, upto: int) -> None:
    chat["messages"] += [m for m in WHOLE[FIRST:upto] if m not in chat["messages"]]


def is_whole(person: Person, chat: Json, spoken: list[Json]) -> None:
    """Each message is there once: live, excluded beside its memory, or in the archive under one."""
    times = Counter(message["uuid"] for message in chat["messages"])
    assert set(times.values()) == {1}
    back = person.home / "back.json"
    assert person.memproc("expand", chat["id"], "--output", back).code == 0
    (expanded,) = json.loads(back.read_bytes())["data"]["chats"]
    raw = [m["uuid"] for m in expanded["messages"] if "memproc" not in m]
    assert raw == [message["uuid"] for message in spoken]
    back.unlink()


@pytest.mark.parametrize(
    "mode", ["replace", pytest.param("keep-originals", marks=pytest.mark.full)]
)
@pytest.mark.parametrize(
    "at",
    [pytest.param(THREE, marks=pytest.mark.full), 20, pytest.param(FIRST, marks=pytest.mark.full)],
)
@pytest.mark.full
def test_messages_that_stand_twice_are_one_message_through_two_rounds_and_a_sync(
    tmp_path: Path, at: int, mode: str
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings(f'{ENGINE}[output]\nmode = "{mode}"\n')
    spoken = deepcopy(WHOLE[:FIRST])
    doubled = [*spoken[:at], *deepcopy(spoken[:THREE]), *spoken[at:]]
    ada.drop(export_bytes(long_chat(20_000) | {"messages": doubled}))
    planned = ada.memproc("plan")
    assert f"{THREE} messages are copies of other ones in the same chat" in " ".join(
        planned.out.split()
    )
    (row,) = json.loads(ada.memproc("plan", "--json").out)["chats"]
    assert row["messages"] == FIRST, "each is counted once"

    chat = dropped(ada, long_chat(20_000) | {"messages": doubled}, "first.json")
    is_whole(ada, chat, spoken)
    talk_on(chat, 44)
    chat = dropped(ada, chat, "second.json")
    is_whole(ada, chat, WHOLE[:44])
    chat["messages"][:0] = deepcopy(spoken[:THREE])  # a sync brings them back
    talk_on(chat, 54)
    chat = dropped(ada, chat, "third.json")
    is_whole(ada, chat, WHOLE[:54])
    assert "missing" not in ada.memproc("status").out


@pytest.mark.full
def test_an_original_that_stays_for_two_copies_has_the_place_of_the_first_and_the_branch_of_the_last(
    tmp_path: Path,
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings(f'{ENGINE}[output]\nmode = "keep-originals"\n')
    spoken = deepcopy(WHOLE[:FIRST])
    branched = spoken[2] | {"threads": [{"messages": [deepcopy(WHOLE[FIRST])]}]}
    chat = dropped(
        ada, long_chat(20_000) | {"messages": [*spoken[:10], branched, *spoken[10:]]}, "1.json"
    )
    is_whole(ada, chat, spoken)
    raw = [m for m in chat["messages"] if m.get("memproc", {}).get("kind") in (None, "original")]
    assert [m["uuid"] for m in raw] == [m["uuid"] for m in spoken]
    assert raw[2]["threads"] == branched["threads"]
