"""Small histories for tests: `said("user", "...")` is one message, `entries(...)` a history of them."""

import json
from collections.abc import Sequence
from dataclasses import replace

from daemon.files.read import chats_in
from rules.conversation.history import Entry, Past, Place, build_history, mark_strays, update_past
from rules.conversation.memory import Edition, Kind, Memory, Quote, six_of
from rules.recognize.adopted import Adopted
from rules.recognize.chat_reading import ChatReading
from rules.recognize.user_edits import PersonEdits
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, read_message

UNTOUCHED = PersonEdits({}, frozenset(), (), (), {}, ())
"""The person has done nothing to memories."""


def said(role: str, text: str, number: int = 0, **fields: object) -> Message:
    """A message as TypingMind stores it; `number` makes its uuid and its minute."""
    message = {
        "role": role,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "content": text if role == "user" else [{"type": "text", "text": text}],
        "createdAt": f"2026-03-02T{number // 60:02d}:{number % 60:02d}:00.000Z",
        **fields,
    }
    return read_message(json.dumps(message).encode())


def entries(messages: Sequence[Message]) -> tuple[Entry, ...]:
    """A history in which nothing stands under a memory yet."""
    return tuple(
        Entry(message.uuid or f"key-{at}", message, None, at) for at, message in enumerate(messages)
    )


def talk(*texts: str) -> tuple[Entry, ...]:
    """Person and persona in turn, the person first."""
    return entries([said(("user", "assistant")[at % 2], text, at) for at, text in enumerate(texts)])


def chat_of(messages: Sequence[Message], **fields: object) -> Chat:
    """A chat with these messages, byte for byte, as the only one of an export."""
    head = {
        "id": "k3v9xq2m7p",
        "chatID": "k3v9xq2m7p",
        "chatTitle": "Aria",
        **fields,
        "messages": [],
    }
    shell = json.dumps({"data": {"chats": [head]}}).encode()
    body = b", ".join(message.raw for message in messages)
    return chats_in("test.json", shell.replace(b'"messages": []', b'"messages": [' + body + b"]"))[
        0
    ]


def memory_of(number: int, chunk: Sequence[Entry], quote: str = "") -> Memory:
    """A memory of these messages; its quote is the first one's text unless another is given."""
    first, last = chunk[0].message, chunk[-1].message
    text = quote or first.words
    asked = [
        f"<context_manager>\nQuestion {slot} of memory {number}\n</context_manager>"
        for slot in (1, 2, 3)
    ]
    edition = Edition(
        number=1,
        kind="as-of",
        texts=(asked[0], text, asked[1], f"Perspective {number}", asked[2], f"Refinement {number}"),
        quotes=(Quote(text, chunk[0].key, "agent"),),
        made="model",
        agent="test/agent",
        context_manager="test/manager",
        requests=(),
        tokens=10 + len(text.encode()) // 4,
        written_at="2026-03-03T00:00:00.000Z",
    )
    return Memory(
        memory_id=f"m{number}",
        number=number,
        level=1,
        keys=tuple(entry.key for entry in chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=first.created_at,
        ended_at=last.created_at,
        source_tokens=100,
        edition=edition,
        in_prompts=edition,
    )


def framing_its_quote(memory: Memory, lead: str = "You said: ") -> Memory:
    """The same memory, whose one quote is of the person's words."""
    asked, text, *rest = memory.edition.texts
    texts = six_of([asked, lead + text, *rest])
    (quote,) = memory.edition.quotes
    edition = replace(memory.edition, texts=texts, quotes=(replace(quote, lead=lead),))
    return replace(memory, edition=edition, in_prompts=edition)


def past_of(memory: Memory, chunk: Sequence[Entry]) -> list[Past]:
    """The messages under a memory as the archive holds them, untouched since."""
    return [
        Past(entry.key, entry.message, memory.number, entry.message, (entry.message.digest,))
        for entry in chunk
    ]


def reading_of(
    places: Sequence[Place],
    past: Sequence[Past] = (),
    memories: Sequence[Memory] = (),
    hand: PersonEdits = UNTOUCHED,
) -> ChatReading:
    """An export of a chat that has these memories, all as raw messages."""
    now = update_past(past, places, {old.memory for old in past}, hand.deleted)
    standing = mark_strays(now, places)
    return ChatReading(standing, build_history(now, standing), tuple(memories), Adopted(), hand, {})


def fold_of(number: int, members: Sequence[Memory]) -> Memory:
    """A fold of these memories, with the quotes of all of them."""
    level = 1 + max(member.level for member in members)
    own = f"f{level}.{number}"
    quotes = tuple(quote for member in members for quote in member.edition.quotes)
    asked = [
        f"<context_manager>\nQuestion {slot} of fold {own}\n</context_manager>"
        for slot in (1, 2, 3)
    ]
    quoted = "\n\n".join(quote.framed for quote in quotes)
    edition = replace(
        members[0].edition,
        texts=(
            asked[0],
            quoted,
            asked[1],
            f"Perspective of {own}",
            asked[2],
            f"Refinement of {own}",
        ),
        quotes=quotes,
        tokens=10 + sum(quote.size for quote in quotes),
    )
    return Memory(
        memory_id=own,
        number=number,
        level=level,
        keys=tuple(key for member in members for key in member.keys),
        first=members[0].first,
        last=members[-1].last,
        began_at=members[0].began_at,
        ended_at=members[-1].ended_at,
        source_tokens=sum(member.source_tokens for member in members),
        edition=edition,
        in_prompts=edition,
        members=tuple(member.memory_id for member in members),
    )


def with_edition(memory: Memory, number: int, kind: Kind = "hindsight") -> Memory:
    """The same memory with another edition, which is the one that is shown; later prompts still see the first."""
    one, two, three, four, five, six = memory.edition.texts
    texts = (one, two, three, f"{four}, edition {number}", five, f"{six}, edition {number}")
    return replace(memory, edition=replace(memory.edition, number=number, kind=kind, texts=texts))


def sized(memory: Memory, tokens: int, quote: int = 0) -> Memory:
    """The same memory, so large beside its quotes, of which each may have `quote` tokens."""
    quotes = tuple(replace(own, tokens=quote) for own in memory.edition.quotes)
    edition = replace(
        memory.edition, quotes=quotes, tokens=tokens + sum(own.size for own in quotes)
    )
    return replace(memory, edition=edition, in_prompts=edition)
