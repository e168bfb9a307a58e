"""The proof finds every fault that would lose, change or invent something; each is planted here once."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from rules.conversation.history import COPY
from rules.conversation.memory import Memory, Quote
from rules.layers.opening import JOINER
from rules.output.assemble import Mode
from rules.output.prove import verify
from rules.output.read_back import Finished
from rules.typingmind.message import read_message
from tests.entries import chat_of, entries, fold_of, memory_of, said
from tests.rules.output.finishing import finish

TALK = [
    said(
        ("user", "assistant")[at % 2],
        f"message number {at}",
        at,
        **({"finish": "stop"} if at % 2 else {}),
    )
    for at in range(8)
]
CLEARED = said("user", "never mind", 91, contextClearedAt="x")
SPELLED_ANEW = json.dumps(json.loads(TALK[7].raw), indent=1).encode()
MEMORIES = (memory_of(1, entries(TALK)[0:2]), memory_of(2, entries(TALK)[2:4]))
FOLD = fold_of(1, MEMORIES)
CHAT = chat_of([*TALK[:2], CLEARED, *TALK[2:]], cost=69.2240, updatedAt="2026-03-02T00:00:00.000Z")


def finished(mode: Mode = "replace", memories: Sequence[Memory] = MEMORIES) -> Finished:
    return finish(CHAT, memories, mode=mode, archived=TALK).proof


@pytest.mark.parametrize("mode", ["replace", "keep-originals", "new-chat"])
def test_a_chat_that_is_as_it_must_be_has_no_faults(mode: Mode) -> None:
    assert verify(finished(mode)) == ()


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


def _with_memories(*memories: Memory) -> Callable[[Finished], Finished]:
    """The account of the memories differs from what stands in the chat."""
    return lambda good: replace(
        good, section=replace(good.section, memories=memories, shown=memories)
    )


def _quoting(quote: Quote) -> Callable[[Finished], Finished]:
    first, second = MEMORIES
    return _with_memories(replace(first, edition=replace(first.edition, quotes=(quote,))), second)


def _quoting_the_person() -> Memory:
    """The first memory, which says that its quote is the person's."""
    first = MEMORIES[0]
    (quote,) = first.edition.quotes
    framed = replace(quote, lead="You said: ")
    texts = (first.edition.texts[0], framed.framed, *first.edition.texts[2:])
    return replace(first, edition=replace(first.edition, texts=texts, quotes=(framed,)))


def _hiding_who_said_it(_: Finished) -> Finished:
    return _messages(lambda messages: messages[2]["memproc"].pop("said_by"))(
        finished(memories=(_quoting_the_person(), MEMORIES[1]))
    )


FAULTS: dict[str, tuple[Callable[[Finished], Finished], str]] = {
    "a live message is gone": (_messages(lambda m: m.pop()), "history"),
    "a live message is changed": (_messages(lambda m: m[-1].update(content="other")), "neither ours nor"),
    "two live messages change places": (_messages(lambda m: m.insert(-1, m.pop())), "conversation are out of order"),
    "a live message stands twice": (_messages(lambda m: m.append(m[-1])), "neither ours nor"),
    "a stranger's message": (_messages(lambda m: m.append({"role": "user", "content": "hi"})), "neither ours nor"),
    "what was left out is gone": (_messages(lambda m: m.remove(json.loads(CLEARED.raw))), "left out"),
    "the opening is gone": (_messages(lambda m: m.pop(0)), "no opening"),
    "the closing is gone": (_messages(lambda m: m.pop(-5)), "no closing"),
    "a second closing": (_messages(lambda m: m.append({**m[-5], "uuid": "new"})), "more than one"),
    "one of six is gone": (_messages(lambda m: m.pop(3)), "each as six messages in order"),
    "two of six change places": (_messages(lambda m: m.insert(2, m.pop(4))), "each as six messages in order"),
    "a whole memory is gone": (_messages(lambda m: [m.pop(1) for _ in range(6)]), "not those to be shown"),
    "two memories change places": (
        _messages(lambda m: m.extend([m.pop(1) for _ in range(6)])), "not those to be shown"
    ),
    "a memory that should not be shown": (
        lambda good: replace(good, section=replace(good.section, shown=MEMORIES[:1])), "not those to be shown"
    ),
    "a fold that should be shown instead": (
        lambda good: replace(good, section=replace(good.section, memories=(*MEMORIES, FOLD), shown=(FOLD,))),
        "not those to be shown",
    ),
    "an opening and a closing alone": (
        _messages(lambda m: m.__setitem__(slice(1, 14), [one for one in m[1:14] if one.get("contextClearedAt")])),
        "without memories",
    ),
    "a second opening": (_messages(lambda m: m.insert(0, {**m[0], "uuid": "new"})), "more than one"),
    "something between the opening and the first memory": (
        _messages(lambda m: m.insert(1, m.pop(7))), "no opening right before"
    ),
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
    "two fields are gone": (_chat(lambda c: (c.pop("chatTitle"), c.pop("chatID"))), "are gone: chatID, chatTitle"),
    "a field is added": (_chat(lambda c: c.update(extra=1)), "added to the chat: extra"),
    "two fields are added": (_chat(lambda c: c.update(more=2, extra=1)), "added to the chat: extra, more"),
    "a removed message is not named for the sync": (_chat(lambda c: c.pop("syncMetadata")), "not named for"),
    "no JSON": (lambda good: replace(good, after=good.after[:-1]), "nothing that TypingMind could read"),
    "a quote that was never said": (
        _quoting(Quote("never said", MEMORIES[0].keys[0], "agent")), "quote of memory 1 is not in"
    ),
    "a quote without words": (_quoting(Quote(" ", MEMORIES[0].keys[0], "agent")), "quote of memory 1 is not in"),
    "a quote of a message in another chunk": (
        _quoting(Quote("message number 2", MEMORIES[1].keys[0], "agent")), "names no message of its chunk"
    ),
    "a quote of a message that nobody knows": (
        _quoting(Quote("message number 2", "no key", "agent")), "names no message of its chunk"
    ),
    "a memory that does not say its quote": (
        _quoting(Quote("message number 1", MEMORIES[0].keys[1], "agent")), "does not hold its quote"
    ),
    "the person's words without the frame": (
        _quoting(Quote("message number 0", MEMORIES[0].keys[0], "agent", lead="You said: ")), "does not hold its quote"
    ),
    "the person's words behind a marker that hides it": (_hiding_who_said_it, "its marker hides it"),
    "a message under two memories": (
        _with_memories(MEMORIES[0], replace(MEMORIES[1], keys=MEMORIES[1].keys + MEMORIES[0].keys)),
        "stands 2 times under memories",
    ),
    "a message under a memory and live": (
        _with_memories(MEMORIES[0], replace(MEMORIES[1], keys=(*MEMORIES[1].keys, TALK[4].uuid or ""))),
        "stands 1 times under memories, and is live",
    ),
    "what is still there is named as removed": (
        lambda good: replace(good, removed=(TALK[7].uuid or "",)), "still there is named as removed"
    ),
    "bytes spelled anew": (
        lambda good: replace(good, after=good.after.replace(TALK[7].raw, SPELLED_ANEW)),
        "not byte for byte",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    plant, told = FAULTS[fault]
    faults = verify(plant(finished()))
    assert any(told in sentence for sentence in faults), faults


def test_no_fault_repeats_what_was_said() -> None:
    for plant, _ in FAULTS.values():
        assert "message number" not in " ".join(verify(plant(finished())))


ORIGINALS: dict[str, tuple[Callable[[Finished], Finished], str]] = {
    "an original says something else": (
        _messages(lambda m: m[7].update(content="other")),
        "neither ours nor",
    ),
    "an original is sent still": (
        _messages(lambda m: m[7].pop("contextClearedAt")),
        "under memories, and is live",
    ),
    "two originals change places": (
        _messages(lambda m: m.insert(8, m.pop(7))),
        "conversation are out of order",
    ),
    "an original stands twice": (_messages(lambda m: m.insert(8, m[7])), "neither ours nor"),
}


@pytest.mark.parametrize("fault", ORIGINALS)
def test_a_fault_planted_among_originals_is_found(fault: str) -> None:
    plant, told = ORIGINALS[fault]
    faults = verify(plant(finished("keep-originals")))
    assert any(told in sentence for sentence in faults), faults


def test_a_message_that_somebody_marked_as_an_original_and_that_is_sent_is_live() -> None:
    """Of a lost archive, or forged: no memory has it, and the person took it back into the context."""
    marker = {"v": 1, "kind": "original", "memory": "m9"}
    live = said("user", "message number 8", 8, memproc=marker)
    assert verify(finish(chat_of([*TALK, live]), MEMORIES, archived=TALK).proof) == ()


def test_what_the_person_has_written_into_a_memory_needs_no_quote() -> None:
    first, second = MEMORIES
    texts = (*first.edition.texts[:1], "what I want it to say", *first.edition.texts[2:])
    own = replace(first, edition=replace(first.edition, kind="person", texts=texts))
    assert verify(finished(memories=(own, second))) == ()


def test_the_quote_of_a_message_that_was_edited_since_is_proved_by_its_old_words() -> None:
    good = finished()
    now = said("user", "other words", 0)
    edited = [
        replace(entry, newest=now) if entry.key == TALK[0].uuid else entry for entry in good.entries
    ]
    assert verify(replace(good, entries=edited)) == ()
    changed = [
        replace(entry, message=now) if entry.key == TALK[0].uuid else entry
        for entry in good.entries
    ]
    assert "a quote of memory 1 is not in its message" in verify(replace(good, entries=changed))


def test_faults_are_told_in_whole_sentences_that_count_from_one() -> None:
    told = {fault for plant, _ in FAULTS.values() for fault in verify(plant(finished()))}
    told |= {
        fault
        for plant, _ in ORIGINALS.values()
        for fault in verify(plant(finished("keep-originals")))
    }
    assert told == {
        "a message is neither ours nor one of the input's in its order",
        "a message that is still there is named as removed",
        "a quote of memory 1 is not in its message",
        "a quote of memory 1 names no message of its chunk",
        "a uuid stands twice",
        "there is an opening or a closing without memories",
        "fields of the chat are gone: chatID, chatTitle",
        "fields of the chat are gone: chatTitle",
        "fields were added to the chat: extra",
        "fields were added to the chat: extra, more",
        "message 1 is not byte for byte what it was",
        "message 1 of the history stands 1 times under memories, and is live",
        "message 1 of the history stands 2 times under memories, and is not live",
        "message 2 of the history stands 2 times under memories, and is not live",
        "message 3 is gone, though it is left out of memories: it is excluded from the context by the person",
        "message 5 of the history stands 1 times under memories, and is live",
        "message 8 of the history stands 0 times under memories, and is not live",
        "message 9 is not byte for byte what it was",
        "memory 1 quotes the person, and its marker hides it",
        "messages of the conversation are out of order",
        "there is no closing right after the last memory",
        "there is no opening right before the first memory",
        "our new message 2 has the wrong role",
        "our new message 2 lacks fields",
        "our new message 3 lacks fields",
        "our new message 5 has no text, or more than one part",
        "removed messages are not named for TypingMind's sync",
        "the dates of our messages are out of order",
        "the field cost of the chat has another value",
        "the finished chat is nothing that TypingMind could read: JSONDecodeError",
        "the chat's memories are not those to be shown, each as six messages in order",
        "the second message of memory 1 does not hold its quote",
        "there is more than one opening or closing",
    }


@pytest.mark.parametrize("kind", ["opening", "closing"])
def test_an_opening_or_a_closing_alone_is_a_fault(kind: str) -> None:
    def is_other(message: Any) -> bool:
        return bool(message.get("memproc", {}).get("kind", kind) != kind)

    alone = _messages(
        lambda m: m.__setitem__(slice(None), [one for one in m if not is_other(one)])
    )(finished())
    assert "there is an opening or a closing without memories" in verify(alone)
    raw = _messages(
        lambda m: m.__setitem__(slice(None), [one for one in m if "memproc" not in one])
    )(finished())
    assert "there is an opening or a closing without memories" not in verify(raw)


def test_a_new_opening_says_what_it_should() -> None:
    good = finished()
    says = json.loads(good.after)["messages"][0]["content"]
    assert verify(replace(good, opening=says)) == ()
    assert verify(replace(good, opening="Other words.")) == (
        "the new opening does not say what it should",
    )


def test_what_the_person_did_to_our_messages_is_no_fault_of_the_output() -> None:
    first = json.loads(finish(CHAT, MEMORIES[:1], archived=TALK).assembled.chat)
    first["messages"][3] |= {"role": "user", "createdAt": "2020-01-01T00:00:00.000Z"}
    edited = chat_of([read_message(json.dumps(message).encode()) for message in first["messages"]])
    (memory,) = MEMORIES[:1]
    assert verify(finish(edited, [memory], touched=["m1"], archived=TALK).proof) == ()


def test_a_memory_of_which_the_person_pinned_a_message_may_stay_in_an_edition_of_before() -> None:
    first = json.loads(finish(CHAT, MEMORIES[:1], archived=TALK).assembled.chat)
    first["messages"][3]["isPinned"] = True
    pinned = chat_of([read_message(json.dumps(message).encode()) for message in first["messages"]])
    memory = _quoting_the_person()
    newer = replace(memory, edition=replace(memory.edition, number=2))
    assert verify(finish(pinned, [newer], touched=["m1"], archived=TALK).proof) == ()


def test_a_uuid_that_stood_twice_in_the_input_may_stand_twice() -> None:
    twin = said("user", "the same uuid", 7)
    assert verify(finish(chat_of([*TALK, twin]), MEMORIES, archived=TALK).proof) == ()


def test_a_message_spelled_anew_is_found_where_the_one_before_it_holds_its_bytes() -> None:
    quoting = said("user", "message number 6", 6, threads=[json.loads(TALK[7].raw)])
    assert TALK[7].raw in quoting.raw
    good = finish(chat_of([*TALK[:6], quoting, TALK[7]]), MEMORIES, archived=TALK).proof
    assert verify(good) == ()
    at = good.after.rindex(TALK[7].raw)
    anew = good.after[:at] + SPELLED_ANEW + good.after[at + len(TALK[7].raw) :]
    assert verify(replace(good, after=anew)) == ("message 8 is not byte for byte what it was",)


def test_a_message_is_kept_where_a_later_one_holds_its_bytes_too() -> None:
    quoting = said(
        "assistant", "message number 7", 7, finish="stop", threads=[json.loads(TALK[4].raw)]
    )
    assert verify(finish(chat_of([*TALK[:7], quoting]), MEMORIES, archived=TALK).proof) == ()


def test_a_quote_may_stand_in_what_its_message_says_by_now() -> None:
    good = finished()
    then = said("user", "other words", 0)
    edited = [
        replace(entry, message=then, newest=entry.message) if entry.key == TALK[0].uuid else entry
        for entry in good.entries
    ]
    assert verify(replace(good, entries=edited)) == ()


def test_a_quote_is_held_whatever_joiners_keep_its_tags_inert() -> None:
    first, second = MEMORIES
    texts = (first.edition.texts[0], f"mess{JOINER}age number 0", *first.edition.texts[2:])
    joined = replace(first, edition=replace(first.edition, texts=texts))
    assert verify(finished(memories=(joined, second))) == ()


def test_quotes_behind_one_without_a_source_are_proved() -> None:
    first, second = MEMORIES
    quotes = (Quote("of old", "", "agent"), Quote("never said", first.keys[0], "agent"))
    faults = verify(
        _with_memories(replace(first, edition=replace(first.edition, quotes=quotes)), second)(
            finished()
        )
    )
    assert "a quote of memory 1 is not in its message" in faults


def _take_for_a_copy(at: int, key: str) -> Callable[[Finished], Finished]:
    """The account says that a message is a copy of the one with this key."""

    def plant(good: Finished) -> Finished:
        places = list(good.places)
        places[at] = replace(places[at], key=key, left_out=COPY)
        return replace(good, places=tuple(places))

    return plant


@pytest.mark.parametrize("mode", ["replace", "keep-originals", "new-chat"])
def test_a_copy_goes_with_the_message_that_it_is_a_copy_of(mode: Mode) -> None:
    chat = chat_of([*TALK, TALK[0], TALK[1]])
    done = finish(chat, MEMORIES, mode=mode, archived=TALK)
    assert verify(done.proof) == ()
    uuids = [message["uuid"] for message in done.messages]
    assert len(set(uuids)) == len(uuids), "each of them stands once"


def test_what_is_taken_for_a_copy_must_be_one() -> None:
    good = finished()
    (fault,) = verify(_take_for_a_copy(6, good.places[0].key)(good))
    assert fault == "message 7 is taken for a copy, and no other message is the same"


def test_a_quote_of_the_person_is_proved_by_its_words_and_said_to_be_theirs() -> None:
    good = finished(memories=(_quoting_the_person(), MEMORIES[1]))
    assert verify(good) == ()
    messages = json.loads(good.after)["messages"]
    said_by = [message["memproc"].get("said_by") for message in messages[1:7]]
    assert said_by == [None, "person", None, None, None, None]
