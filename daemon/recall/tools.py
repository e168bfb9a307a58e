"""List what is kept of a chat: the timeline, the core memory, the facts.

All of these only read. That nothing is there is said with finality, since models search in a loop
otherwise.
"""

from daemon.archive.chats import known_chat
from daemon.archive.layers import fact_events, rank_texts
from daemon.chat.holding import Holding, holding
from daemon.chat.opening import core_now
from daemon.config.loading import core_layout
from daemon.recall.library import Library, Recalled, find_reach, tool_answer
from daemon.recall.records import (
    LIST_TOKENS,
    TEXT_TOKENS,
    Record,
    dated,
    fit_record,
    make_plain,
    named,
    records_within,
)
from daemon.reports.memories import MemoryRow, memory_row, outermost_rows
from daemon.status.printable import in_one_line
from rules.conversation.memory import Memory
from rules.conversation.memory_title import name_in_sentences, short_name, subject_of
from rules.errors import NotFound
from rules.layers.facts import live_facts

_QUOTE = 80  # characters of a quote on the line of time
_AFTER_ALL_DAYS = "~"  # sorts after every date


def timeline(library: Library, chat: str, fold: str, since: str, until: str) -> Recalled:
    """Return the memories of a chat in order, one line each, as many as fit.

    `fold` is the id or short name of a fold to open; if empty, the memories in no fold are listed.
    `since` and `until` are days as YYYY-MM-DD, empty for no bound.
    """
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head = find_reach(archive, known)
        chat_memories = holding(archive, library.config, known.chat_id)
    level = _members(chat_memories, fold) if fold else outermost_rows(chat_memories)
    listed = []
    for memory in (row.memory for row in level if not row.memory.forgotten):
        began = (memory.began_at or "")[:10]
        ended = (memory.ended_at or _AFTER_ALL_DAYS)[:10]
        if began <= (until or _AFTER_ALL_DAYS) and since <= ended:
            listed.append(memory)
    if not listed:
        return tool_answer(head, "memories", (), "No memory falls into these days.")
    lines = records_within([timeline_entry(memory) for memory in listed], LIST_TOKENS)
    omitted = listed[len(lines) :]
    more = (
        f"There are {len(omitted)} more: ask with since={dated(omitted[0].began_at)}."
        if omitted
        else ""
    )
    return tool_answer(head, "memories", lines, more, "\n")


def core_memory(library: Library, chat: str) -> Recalled:
    """Return the sections of the core memory as they are now.

    A long section is cut, so that each later one still gets its share of the room.
    """
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head = find_reach(archive, known)
        config = library.config.of(known_chat(archive, known.chat_id))
        sections = core_now(archive, known.chat_id, core_layout(config.core)).sections
    tokens_left = TEXT_TOKENS
    records: list[Record] = []
    for at, section in enumerate(sections):
        share = tokens_left // (len(sections) - at)
        title = f"{named(section.name)}:"
        record = fit_record(title, section.rendered, {"name": section.name}, share)
        records.append(record)
        tokens_left -= record.tokens
    return tool_answer(head, "sections", records_within(records, TEXT_TOKENS))


def facts(library: Library, chat: str, words: str, date: str) -> Recalled:
    """Return the facts that have any of these words, best match first; all for no words.

    They are the facts that held on `date`, a day as YYYY-MM-DD, or that hold now if it is empty.
    """
    with library.opened() as archive:
        known = library.chat(archive, chat)
        head = find_reach(archive, known)
        events = fact_events(archive, known.chat_id)
    until_then = [event for event in events if not date or event.said_at[:10] <= date]
    true_facts = live_facts(until_then)
    chosen = (
        [true_facts[at] for at in rank_texts([fact.text for fact in true_facts], words)]
        if words
        else true_facts
    )
    when = f" that held on {date}" if date else ""
    if not chosen:
        about = " with any of these words" if words else ""
        word = f"No fact{about}{when} is known. That is all there is; asking again is idle."
        return tool_answer(head, "facts", (), word)
    entries = []
    for fact in chosen:
        day = dated(fact.said_at)
        data = {"number": fact.number, "date": day}
        entries.append(fit_record(f"{day} (fact {fact.number})", fact.text, data, LIST_TOKENS))
    records = records_within(entries, LIST_TOKENS)
    omitted = len(chosen) - len(records)
    word = f"There are {omitted} more{when}: ask for words of theirs." if omitted else ""
    return tool_answer(head, "facts", records, word)


def _members(held: Holding, fold: str) -> tuple[MemoryRow, ...]:
    """Return the rows inside a fold. Raise NotFound."""
    for memory in held.memories:
        is_meant = fold in (memory.memory_id, short_name(memory))
        if is_meant and memory.is_fold and not memory.forgotten:
            return memory_row(held, memory).members
    raise NotFound(
        f"There is no fold {named(fold)}.", "The folds stand on the line of time, with their ids."
    )


def timeline_entry(memory: Memory) -> Record:
    """Return a memory's entry in the timeline: its days, name, subject and first quote."""
    began, ended = dated(memory.began_at), dated(memory.ended_at)
    days = began if began == ended else f"{began} to {ended}"
    subject = make_plain(subject_of(memory))
    quote = in_one_line(memory.quote)
    if len(quote) > _QUOTE:
        whole_words, blank, _ = quote[: _QUOTE + 1].rpartition(" ")
        quote = f"{whole_words} …" if blank else quote[:_QUOTE]
    quote = make_plain(quote).replace('"', "'")  # it is shown in double quotes
    data = {
        "id": memory.memory_id,
        "from": began,
        "until": ended,
        "is_fold": memory.is_fold,
        "subject": subject,
        "quote": quote,
    }
    size = f" of {len(memory.members)}" if memory.is_fold else ""
    about = f", {subject}" if subject else ""
    text = f'{days}, {name_in_sentences(memory)}{size} ({memory.memory_id}){about}: "{quote}"'
    return Record(text, data)
