"""A finished chat that has lost anything is not written: the command line names the faults, and the old file stays."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.chat import finish
from rules.output.assemble import Assembled, assemble
from tests.chats import Json, export_bytes, long_chat
from tests.stories.person import Person


def changed(change: Callable[[list[Json]], None]) -> Callable[[Assembled], Assembled]:
    """A mistake in memproc itself: the finished chat with its messages changed."""

    def spoil(assembled: Assembled) -> Assembled:
        chat = json.loads(assembled.chat)
        change(chat["messages"])
        return replace(assembled, chat=json.dumps(chat).encode())

    return spoil


def lose_a_live_message(messages: list[Json]) -> None:
    del messages[-3]


def change_a_live_message(messages: list[Json]) -> None:
    messages[-1]["content"] = "Something else."


def change_a_field_of_a_live_message(messages: list[Json]) -> None:
    messages[-1]["createdAt"] = "2020-01-01T00:00:00.000Z"


def lose_a_memory(messages: list[Json]) -> None:
    del messages[1:7]


def lose_a_part_of_a_memory(messages: list[Json]) -> None:
    del messages[2]


def invent_a_quote(messages: list[Json]) -> None:
    quote = messages[2]
    said = quote["content"] if isinstance(quote["content"], str) else quote["content"][0]["text"]
    words = said.replace("the", "teh", 1) if "the" in said else f"{said[:-3]}xyz"
    quote["content"] = (
        words if isinstance(quote["content"], str) else [{"type": "text", "text": words}]
    )


def say_a_live_message_twice(messages: list[Json]) -> None:
    messages.append(messages[-1])


def turn_two_live_messages_round(messages: list[Json]) -> None:
    messages[-2:] = reversed(messages[-2:])


@pytest.mark.sampled
@pytest.mark.parametrize(
    "mistake",
    [
        lose_a_live_message,
        change_a_live_message,
        change_a_field_of_a_live_message,
        lose_a_memory,
        lose_a_part_of_a_memory,
        invent_a_quote,
        say_a_live_message_twice,
        turn_two_live_messages_round,
    ],
)
def test_a_finished_chat_with_a_fault_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: Callable[[list[Json]], None]
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    ada.drop(export_bytes(long_chat(4000, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A")))
    assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    before = path.read_bytes()
    ada.drop(export_bytes(long_chat(6000, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A")))
    with monkeypatch.context() as patch:
        whole, spoil = assemble, changed(mistake)
        patch.setattr(finish, "assemble", lambda *arguments: spoil(whole(*arguments)))
        ended = ada.memproc("run")
    assert (
        ended.code,
        'The finished chat "A" has faults, so it was not written: ' in ended.err,
    ) == (1, True), ended
    assert "This is a mistake in memproc: please report these sentences." in ended.err
    assert path.read_bytes() == before
    assert ada.memproc("run").code == 0, "nothing is lost, and the next run goes on"
    assert path.read_bytes() != before
