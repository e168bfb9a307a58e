"""Read one record in full, page by page: a memory, its messages, or a message with its answer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.memories import forgotten_names
from daemon.archive.messages import around, under
from daemon.chat.holding import holding_of
from daemon.recall.library import ChatName, Library, Recalled, Tool, find_reach, name_of
from daemon.recall.records import TEXT_TOKENS, cut_pages, dated, in_data, in_quotes, named
from daemon.recall.tools import timeline_entry
from rules.errors import NotFound
from rules.typingmind.dates import in_zone
from rules.typingmind.message import Message
from rules.wording import counted

_OWN_WORDS = slice(1, None, 2)  # the persona's own among a memory's six texts

What = Literal["memory", "raw", "as-of", "hindsight"]


class RecallOpen(Tool):
    """Read a memory, the messages under it, or one message with its neighbours, in full."""

    record: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Id or number of a memory, or id of a message.",
        ),
    ]
    what: Annotated[
        What,
        Field(
            description="memory, raw (the messages that a memory stands for), as-of, or hindsight."
        ),
    ] = "memory"
    page: Annotated[int, Field(ge=1, le=10_000, description="Which page, from 1 on.")] = 1
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return a page of a memory, of the messages under it, or of one message with its answer.

        Raises NotFound unless there is exactly one such record that the person has not forgotten.
        """
        with library.opened() as archive:
            forgotten = forgotten_names(archive)
            records = []
            for known in library.chats(archive, self.chat):
                if (known.chat_id, self.record) in forgotten:
                    continue
                if parts := _parts(archive, library, known.chat_id, self.record, self.what):
                    records.append((known, parts))
            if len(records) > 1:
                raise NotFound(
                    f"Several chats have a record {named(self.record)}.", "Name its chat as `chat`."
                )
            if not records:
                raise NotFound(
                    f"There is no record {named(self.record)}.",
                    "The ids stand in what is found and on the line of time.",
                )
            known, parts = records[0]
            head = find_reach(archive, known)
            title = name_of(known, known_chats(archive))
            text, is_last = _page(cut_pages(parts, TEXT_TOKENS), self.page)
        what_follows = "the last" if is_last else f"and page {self.page + 1} goes on"
        word = f"This is page {self.page}, {what_follows}."
        data = {
            "id": in_data(self.record),
            "chat": in_data(title),
            "page": self.page,
            "is_last": is_last,
            "text": text,
        }
        return Recalled(f"{head.head}\n\n{text}\n\n{word}", {**head.data, **data})


def _page(texts: Iterator[str], number: int) -> tuple[str, bool]:
    """Return the page of that number, from 1 on, and whether it is the last. Raise NotFound."""
    count = 0
    for count, text in enumerate(texts, 1):
        if count == number:
            following = next(texts, None)
            return text, following is None
    raise NotFound(f"There is no page {number} of it.", f"It has {counted(count, 'page')}.")


def _parts(
    archive: Archive, library: Library, chat_id: str, name: str, what: What
) -> Iterable[str]:
    """Return the parts of a chat's memory or message of that name; none if missing or forgotten."""
    try:
        held, memory = holding_of(archive, library.config, name, chat_id)
    except NotFound:
        return _turn(archive, chat_id, name)
    if memory.forgotten:
        return ()
    if what == "raw":
        return (
            _message(archive, message, key) for key, message in under(archive, memory.memory_id)
        )
    edition = memory.edition
    if what != "memory":
        editions = held.editions[memory.memory_id]
        of_kind = [candidate for candidate in editions if candidate.kind == what]
        if not of_kind:
            raise NotFound(f"This memory has no {what} edition.", "Open it as `memory`.")
        edition = of_kind[-1]
    own_words = map(in_quotes, edition.texts[_OWN_WORDS])
    return (timeline_entry(memory).text, *own_words)


def _turn(archive: Archive, chat_id: str, key: str) -> Sequence[str]:
    """Return a message with its answer or question, and the ids of those before and after."""
    near = around(archive, chat_id, key, 2, 2)
    keys = [name for name, _ in near]
    if key not in keys:
        return ()
    speakers = [message.speaker for _, message in near]
    first = keys.index(key)
    after = first + 1
    if speakers[first] == "assistant":
        first -= first > 0 and speakers[first - 1] == "user"
    else:
        after += speakers[after : after + 1] == ["assistant"]
    messages = [_message(archive, message, name) for name, message in near[first:after]]
    neighbours = []
    if first > 0:
        neighbours.append(f"Before it: message {named(keys[first - 1])}.")
    if after < len(keys):
        neighbours.append(f"After it: message {named(keys[after])}.")
    return [*messages, " ".join(neighbours)] if neighbours else messages


def _message(archive: Archive, message: Message, key: str) -> str:
    """Return a raw message, quoted under its day, its speaker and its id."""
    day = dated(in_zone(message.created_at, archive.zone))
    speaker = "you" if message.speaker == "assistant" else "the person"
    return f"{day}, {speaker} (message {named(key)})\n{in_quotes(message.text)}"
