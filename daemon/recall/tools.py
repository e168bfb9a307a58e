"""List what is kept of a chat: the timeline, the core memory, the facts.

All of these only read. That nothing is there is said with finality, since models search in a loop
otherwise.
"""

from typing import Annotated

from pydantic import Field

from daemon.archive.chats import known_chat
from daemon.archive.layers import fact_events, rank_texts
from daemon.chat.holding import Holding, holding
from daemon.chat.opening import core_now
from daemon.config.loading import core_layout
from daemon.recall.library import ChatName, Day, Library, Recalled, Tool, find_reach, tool_answer
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
from rules.layers.facts import Fact, live_facts

_QUOTE = 80  # characters of a quote on the line of time
_AFTER_ALL_DAYS = "~"  # sorts after every date


class RecallTimeline(Tool):
    """List the memories in order, one line each, with their days."""

    chat: ChatName = ""
    fold: Annotated[
        str, Field(max_length=200, description="Id of a fold, to see what it stands for.")
    ] = ""
    since: Day = ""
    until: Day = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the memories of these days, as many as fit; without a fold, those in no fold."""
        with library.opened() as archive:
            known = library.chat(archive, self.chat)
            head = find_reach(archive, known)
            chat_memories = holding(archive, library.config, known.chat_id)
        level = _members(chat_memories, self.fold) if self.fold else outermost_rows(chat_memories)
        listed = []
        for memory in (row.memory for row in level if not row.memory.forgotten):
            began = (memory.began_at or "")[:10]
            ended = (memory.ended_at or _AFTER_ALL_DAYS)[:10]
            if began <= (self.until or _AFTER_ALL_DAYS) and self.since <= ended:
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


class RecallCoreMemory(Tool):
    """Read your core memory as it is kept now."""

    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return all sections as they are now.

        A long section is cut, so that each later one still gets its share of the room.
        """
        with library.opened() as archive:
            known = library.chat(archive, self.chat)
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


class RecallFacts(Tool):
    """List dated facts that have these words; with a date, those that held then."""

    words: Annotated[
        str,
        Field(max_length=300, description="Words to look for, up to 300 characters; empty: all."),
    ] = ""
    date: Day = ""
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the facts that have any of the words, best match first.

        They are those that held on the date, or that hold now where it is empty.
        """
        with library.opened() as archive:
            known = library.chat(archive, self.chat)
            head = find_reach(archive, known)
            events = fact_events(archive, known.chat_id)
        if self.date:
            events = tuple(event for event in events if event.said_at[:10] <= self.date)
        chosen = live_facts(events)
        if self.words:
            best = rank_texts([fact.text for fact in chosen], self.words)
            chosen = tuple(chosen[at] for at in best)
        when = f" that held on {self.date}" if self.date else ""
        if not chosen:
            about = " with any of these words" if self.words else ""
            word = f"No fact{about}{when} is known. That is all there is; asking again is idle."
            return tool_answer(head, "facts", (), word)
        records = records_within([_fact_entry(fact) for fact in chosen], LIST_TOKENS)
        omitted = len(chosen) - len(records)
        word = f"There are {omitted} more{when}: ask for words of theirs." if omitted else ""
        return tool_answer(head, "facts", records, word)


def _fact_entry(fact: Fact) -> Record:
    """Return a fact under its day and its number."""
    day = dated(fact.said_at)
    data = {"number": fact.number, "date": day}
    return fit_record(f"{day} (fact {fact.number})", fact.text, data, LIST_TOKENS)


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
