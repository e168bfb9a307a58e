"""Look up more than searching finds: a record in full, the line of time, core memory, facts.

All of these only read. What is missing is reported in a way that ends the matter: models search in
a loop otherwise.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat, known_chats
from daemon.archive.layers import fact_events, ranked
from daemon.archive.memories import editions, find_memory, forgotten_names, memories
from daemon.archive.messages import around, under
from daemon.chat.opening import core_now
from daemon.config.loading import core_layout
from daemon.recall.library import Library, Reach, Recalled, name_of, reach
from daemon.recall.records import (
    PAGE_TOKENS,
    SEARCH_TOKENS,
    Record,
    dated,
    fitted,
    in_data,
    in_quotes,
    named,
    pages,
    plain,
    records_within,
)
from daemon.status.printable import in_one_line
from rules.conversation.memory import Edition, Memory
from rules.conversation.memory_title import short_name, subject_in
from rules.errors import NotFound
from rules.layers.facts import Fact, live
from rules.typingmind.message import Message
from rules.wording import counted

_HEAD_TOKENS = 200
"""The tokens for everything around the records in an answer, in either form."""
_QUOTE = 80  # characters of a quote on the line of time
_OWN_WORDS = slice(1, None, 2)  # the persona's own among a memory's six texts

What = Literal["memory", "raw", "as-of", "hindsight"]


def open_record(library: Library, name: str, what: What, page: int, chat: str) -> Recalled:
    """Return a page of a memory, of the messages under it, or of one message with its answer."""
    with library.opened() as archive:
        known, parts = _record(library, archive, name, what, chat)
        head = reach(archive, known)
        title = name_of(known, known_chats(archive))
        before, from_here = 0, list[str]()
        for before, text in enumerate(pages(parts, PAGE_TOKENS - _HEAD_TOKENS), 1):
            from_here += [text] if before >= page else []
            if before > page:
                break
    if not from_here:
        raise NotFound(f"There is no page {page} of it.", f"It has {counted(before, 'page')}.")
    text, *following = from_here
    rest = f"and page {page + 1} goes on" if following else "the last"
    word = f"This is page {page}, {rest}."
    data = {
        "id": in_data(name),
        "chat": in_data(title),
        "page": page,
        "is_last": not following,
        "text": text,
    }
    return Recalled(f"{head.head}\n\n{text}\n\n{word}", {**head.data, **data})


def timeline(library: Library, chat: str, fold: str, since: str, until: str) -> Recalled:
    """Return the memories of a chat in order, one line each; `fold` opens one that is a fold."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head, kept = reach(archive, known), memories(archive, known.chat_id)
    listed = [
        memory
        for memory in _level(kept, fold)
        if not memory.forgotten
        and (memory.ended_at or "~")[:10] >= since
        and (memory.began_at or "")[:10] <= (until or "~")
    ]
    if not listed:
        return _answer(head, "memories", (), "No memory falls into these days.")
    lines = records_within([_line(memory) for memory in listed], SEARCH_TOKENS - _HEAD_TOKENS)
    rest = listed[len(lines) :]
    more = f"There are {len(rest)} more: ask with since={dated(rest[0].began_at)}." if rest else ""
    return _answer(head, "memories", lines, more, "\n")


def core_memory(library: Library, chat: str) -> Recalled:
    """Return the sections of the core memory as they are now."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head = reach(archive, known)
        layout = core_layout(library.config.of(known_chat(archive, known.chat_id)).core)
        sections = core_now(archive, known.chat_id, layout).sections
    left, records = PAGE_TOKENS - _HEAD_TOKENS, list[Record]()
    for at, section in enumerate(sections):
        record = fitted(_section(section.name), section.rendered, left // (len(sections) - at))
        records.append(record)
        left -= record.tokens
    return _answer(head, "sections", records_within(records, PAGE_TOKENS - _HEAD_TOKENS))


def facts(library: Library, chat: str, words: str, date: str) -> Recalled:
    """Return facts with these words, the best first, or all, as held on `date`, or hold now."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head, events = reach(archive, known), fact_events(archive, known.chat_id)
    valid = live(event for event in events if not date or event.said_at[:10] <= date)
    chosen = _ranked(valid, words) if words else list(valid)
    when = f" that held on {date}" if date else ""
    if not chosen:
        about = " with any of these words" if words else ""
        word = f"No fact{about}{when} is known. That is all there is; asking again is idle."
        return _answer(head, "facts", (), word)
    left = SEARCH_TOKENS - _HEAD_TOKENS
    records = records_within(
        [fitted(_fact(fact.number, fact.said_at), fact.text, left) for fact in chosen], left
    )
    rest = len(chosen) - len(records)
    word = f"There are {rest} more{when}: ask for words of theirs." if rest else ""
    return _answer(head, "facts", records, word)


def _ranked(valid: Sequence[Fact], words: str) -> list[Fact]:
    return [valid[at] for at in ranked([fact.text for fact in valid], words)]


def _answer(
    head: Reach, kind: str, records: Sequence[Record], word: str = "", break_: str = "\n\n"
) -> Recalled:
    """Return the records after every answer's first sentence, and a last word, in both forms."""
    body = break_.join(record.text for record in records)
    data: dict[str, Any] = {**head.data, kind: [record.data for record in records]}
    text = "\n\n".join(part for part in (head.head, body, word) if part)
    return Recalled(text, data | ({"more": word} if word else {}))


def _level(kept: Sequence[Memory], fold: str) -> list[Memory]:
    """Return the memories that are under no fold, or those under this one. Raise NotFound."""
    if fold:
        return _members(kept, fold)
    inside = {name for memory in kept for name in memory.members}
    outside = [memory for memory in kept if memory.memory_id not in inside]
    return sorted(outside, key=lambda memory: memory.began_at or "")


def _members(kept: Sequence[Memory], fold: str) -> list[Memory]:
    for memory in kept:
        names = (memory.memory_id, short_name(memory)) if memory.is_fold else ()
        if fold in names and not memory.forgotten:
            return [member for member in kept if member.memory_id in memory.members]
    raise NotFound(
        f"There is no fold {named(fold)}.", "The folds stand on the line of time, with their ids."
    )


def _line(memory: Memory) -> Record:
    began, ended = dated(memory.began_at), dated(memory.ended_at)
    days = began if began == ended else f"{began} to {ended}"
    what = (
        f"fold {short_name(memory)} of {len(memory.members)}"
        if memory.is_fold
        else f"memory {memory.number}"
    )
    subject = plain(subject_in(memory.in_prompts.texts[0]))
    about = f", {subject}" if subject else ""
    quotes = memory.edition.quotes
    quote = plain(_beginning(in_one_line(quotes[0].framed))).replace('"', "'") if quotes else ""
    data = {
        "id": memory.memory_id,
        "from": began,
        "until": ended,
        "is_fold": memory.is_fold,
        "subject": subject,
        "quote": quote,
    }
    return Record(f'{days}, {what} ({memory.memory_id}){about}: "{quote}"', data)


def _beginning(text: str) -> str:
    """Return a text's first words, as many as fit a quote on the line of time."""
    if len(text) <= _QUOTE:
        return text
    whole_words, blank, _ = text[: _QUOTE + 1].rpartition(" ")
    return f"{whole_words} …" if blank else text[:_QUOTE]


def _section(name: str) -> Callable[[str], Record]:
    return lambda text: Record(
        f"{named(name)}:\n{in_quotes(text)}", {"name": name, "text": plain(text)}
    )


def _fact(number: int, said_at: str) -> Callable[[str], Record]:
    day = dated(said_at)
    return lambda text: Record(
        f"{day} (fact {number})\n{in_quotes(text)}",
        {"number": number, "date": day, "text": plain(text)},
    )


def _record(
    library: Library, archive: Archive, name: str, what: What, chat: str
) -> tuple[KnownChat, Iterable[str]]:
    """Return the record's chat, and its parts. Raise NotFound unless there is exactly one."""
    forgotten = forgotten_names(archive)
    records = [
        (known, parts)
        for known in library.chats(archive, chat)
        if (known.chat_id, name) not in forgotten
        and (parts := _parts(archive, known.chat_id, name, what))
    ]
    if len(records) > 1:
        raise NotFound(f"Several chats have a record {named(name)}.", "Name its chat as `chat`.")
    if not records:
        raise NotFound(
            f"There is no record {named(name)}.",
            "The ids stand in what is found and on the line of time.",
        )
    return records[0]


def _parts(archive: Archive, chat_id: str, name: str, what: What) -> Iterable[str]:
    """Return the memory or message of that name in a chat; nothing if missing or forgotten."""
    try:
        _, memory = find_memory(archive, name, chat_id=chat_id)
    except NotFound:
        return _turn(archive, chat_id, name)
    if memory.forgotten:
        return ()
    if what == "raw":
        return (_message(message, key) for key, message in under(archive, memory.memory_id))
    edition = _edition(archive, memory, what)
    return (_line(memory).text, *map(in_quotes, edition.texts[_OWN_WORDS]))


def _edition(archive: Archive, memory: Memory, what: What) -> Edition:
    of_kind = [edition for edition in editions(archive, memory.memory_id) if edition.kind == what]
    if what != "memory" and not of_kind:
        raise NotFound(f"This memory has no {what} edition.", "Open it as `memory`.")
    return of_kind[-1] if of_kind else memory.edition


def _turn(archive: Archive, chat_id: str, key: str) -> Sequence[str]:
    """Return a message with the answer or question to it, and the ids of their neighbours."""
    near = around(archive, chat_id, key, 2, 2)
    keys = [name for name, _ in near]
    if key not in keys:
        return ()
    at = keys.index(key)
    first, last = at, at + 1
    if near[at][1].speaker == "assistant":
        first -= at > 0 and near[at - 1][1].speaker == "user"
    else:
        last += last < len(near) and near[last][1].speaker == "assistant"
    before = f"Before it: message {named(keys[first - 1])}." if first else ""
    after = f"After it: message {named(keys[last])}." if last < len(keys) else ""
    neighbours = " ".join(filter(None, (before, after)))
    messages = [_message(message, name) for name, message in near[first:last]]
    return [*messages, neighbours] if neighbours else messages


def _message(message: Message, key: str) -> str:
    speaker = "you" if message.speaker == "assistant" else "the person"
    return (
        f"{dated(message.created_at)}, {speaker} (message {named(key)})\n{in_quotes(message.text)}"
    )
