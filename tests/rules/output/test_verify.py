"""The proof finds every fault that would lose, change or invent something; each is planted here once."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from rules.export.chat import read_messages
from rules.history.entries import history
from rules.history.recognise import recognise
from rules.memory.memory import Memory
from rules.output.assemble import Canned, assemble
from rules.output.verify import Finished, verify
from tests.entries import chat_of, entries, memory_of, said

CANNED = Canned("<system>\nMemories follow.\n</system>", "<system>\nThe live conversation follows.\n</system>")
TALK = [
    said(("user", "assistant")[at % 2], f"message number {at}", at, **({"finish": "stop"} if at % 2 else {}))
    for at in range(8)
]
CLEARED = said("user", "never mind", 91, contextClearedAt="x")
SPELLED_ANEW = json.dumps(json.loads(TALK[7].raw), indent=1).encode()
MEMORIES = (memory_of(1, entries(TALK)[0:2]), memory_of(2, entries(TALK)[2:4]))


TWICE = MEMORIES[1].keys + MEMORIES[0].keys


def finished(memories: Sequence[Memory] = MEMORIES) -> Finished:
    chat = chat_of([*TALK[:2], CLEARED, *TALK[2:]], cost=69.2240, updatedAt="2026-03-02T00:00:00.000Z")
    places = recognise(read_messages(chat), {})
    under = {key: memory.number for memory in memories for key in memory.keys}
    found = tuple(replace(entry, memory=under.get(entry.key)) for entry in history((), places))
    done = assemble(chat, places, found, memories, CANNED, "2026-04-01T00:00:00.000Z")
    return Finished(chat.slice(chat.span), done.chat, places, found, memories, done.removed)


def test_a_chat_that_is_as_it_must_be_has_no_faults() -> None:
    assert verify(finished()) == ()


def _messages(change: Callable[[list[Any]], object]) -> Callable[[Finished], Finished]:
    """A fault planted in the list of messages of the finished chat."""

    def plant(good: Finished) -> Finished:
        chat = json.loads(good.after)
        change(chat["messages"])
        return replace(good, after=_written(chat, good))

    return plant


def _chat(change: Callable[[dict[str, Any]], object]) -> Callable[[Finished], Finished]:
    def plant(good: Finished) -> Finished:
        chat = json.loads(good.after)
        change(chat)
        return replace(good, after=_written(chat, good))

    return plant


def _written(chat: dict[str, Any], good: Finished) -> bytes:
    """As the input spells it: raw messages keep their bytes, so that only the planted fault is one."""
    raws = {place.message.uuid: place.message.raw for place in good.places}
    text = json.dumps(chat).encode()
    for message in chat["messages"]:
        raw = raws.get(message.get("uuid"))
        if raw is not None and json.loads(raw) == message:
            text = text.replace(json.dumps(message).encode(), raw)
    return text


FAULTS: dict[str, tuple[Callable[[Finished], Finished], str]] = {
    "a live message is gone": (_messages(lambda m: m.pop()), "history"),
    "a live message is changed": (_messages(lambda m: m[-1].update(content="other")), "neither ours nor"),
    "two live messages change places": (_messages(lambda m: m.insert(-1, m.pop())), "neither ours nor"),
    "a live message stands twice": (_messages(lambda m: m.append(m[-1])), "neither ours nor"),
    "a stranger's message": (_messages(lambda m: m.append({"role": "user", "content": "hi"})), "neither ours nor"),
    "what was left out is gone": (_messages(lambda m: m.remove(json.loads(CLEARED.raw))), "left out"),
    "the opening is gone": (_messages(lambda m: m.pop(0)), "no opening"),
    "the closing is gone": (_messages(lambda m: m.pop(-5)), "no closing"),
    "a second closing": (_messages(lambda m: m.append({**m[-5], "uuid": "new"})), "more than one"),
    "one of six is gone": (_messages(lambda m: m.pop(3)), "not six messages"),
    "two of six change places": (_messages(lambda m: m.insert(2, m.pop(4))), "not six messages"),
    "an empty answer": (_messages(lambda m: m[4].update(content="  ")), "no text"),
    "an answer in two parts": (
        _messages(lambda m: m[4].update(content=[{"type": "text", "text": "a"}] * 2)),
        "no text, or more than one",
    ),
    "an answer without the chat's own fields": (_messages(lambda m: m[2].pop("finish")), "lacks fields"),
    "a question in the persona's role": (_messages(lambda m: m[1].update(role="assistant")), "wrong role"),
    "a date out of order": (_messages(lambda m: m[3].update(createdAt="2020-01-01T00:00:00.000Z")), "out of order"),
    "a uuid twice": (_messages(lambda m: m[3].update(uuid=m[1]["uuid"])), "uuid stands twice"),
    "another number": (_chat(lambda c: c.update(cost=69.2)), "another value"),
    "a field is gone": (_chat(lambda c: c.pop("chatTitle")), "are gone: chatTitle"),
    "a field is added": (_chat(lambda c: c.update(extra=1)), "were added"),
    "a removed message is not named for the sync": (_chat(lambda c: c.pop("syncMetadata")), "not named for"),
    "no JSON": (lambda good: replace(good, after=good.after[:-1]), "nothing that TypingMind could read"),
    "a quote that was never said": (
        lambda good: replace(good, memories=[_quoting(good.memories[0], "never said"), good.memories[1]]),
        "quote of memory 1 does not stand",
    ),
    "a message under two memories": (
        lambda good: replace(
            good, memories=[good.memories[0], replace(good.memories[1], keys=TWICE)]
        ),
        "stands 2 times under memories",
    ),
    "bytes spelled anew": (
        lambda good: replace(good, after=good.after.replace(TALK[7].raw, SPELLED_ANEW)),
        "not byte for byte",
    ),
}  # fmt: skip


def _quoting(memory: Memory, text: str) -> Memory:
    return replace(memory, edition=replace(memory.edition, quote=replace(memory.edition.quote, text=text)))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    plant, told = FAULTS[fault]
    faults = verify(plant(finished()))
    assert any(told in sentence for sentence in faults), faults


def test_no_fault_repeats_what_was_said() -> None:
    for plant, _ in FAULTS.values():
        assert "message number" not in " ".join(verify(plant(finished())))
