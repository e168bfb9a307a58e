"""A conversation of another chat program as memproc brings it: one branch of messages.

Every id is a UUID derived from the program's own ids, so that a newer export of the same
conversation gives the same messages the same ids, and adds only what is new.

In a program's tree every message names the one before it:

    a - b - c            an answer was asked for again at b, and the person went on there
         \
          d - e - f      f was said last: this branch is brought, and c ends another one
"""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from rules.typingmind import spans
from rules.typingmind.content import make_printable
from rules.typingmind.dates import parse_date
from rules.typingmind.spans import Fields, text_under

Source = Literal["chatgpt", "claude", "deepseek"]
Role = Literal["user", "assistant"]
LeftOut = Counter[str]
"""How many things cannot be brought, by their kind in words ("picture")."""
PROGRAMS: Mapping[Source, str] = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "deepseek": "DeepSeek",
}

MAPPING = "mapping"
"""The field in which ChatGPT and DeepSeek have the nodes of a conversation by id."""

_NAMESPACE = uuid.UUID("5b0f3c62-6c1e-5f0b-9d57-3a5d2c5b8e11")
_YEARS = range(1971, 2100)
"""Dates in other years are mistakes; the first moment of 1970 is the most frequent one."""
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""The date of a message without one, as TypingMind needs a date; `in_zone` treats it as none."""
NAMELESS = "without a name"
_LONGEST_NAME = 80

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rendered:
    """What was said in one message, as far as it can be brought; `text` is "" where nothing can."""

    role: Role
    text: str
    when: datetime | None
    model: str = ""
    """The program's name for the model that answered, where the export has it."""
    before: str = ""
    """The text in the form that earlier versions brought (`tool_call`)."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message that is brought. `key` is the program's own id."""

    key: str
    role: Role
    text: str
    when: datetime
    model: str
    before: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One branch of a conversation, and what of it cannot be brought."""

    source: Source
    key: str
    title: str
    messages: tuple[Utterance, ...]
    branch_ends: tuple[datetime | None, ...]
    """When each of its branches ends: first the one where the person was last, then the newest."""
    left: Mapping[str, int]
    """How many things cannot be brought, by their kind in words ("picture")."""
    model: str
    """The program's name for the model that answered last, where the export has it."""
    instructions: str
    """The person's custom instructions, where the export has them."""

    def uuid_of(self, utterance: Utterance) -> str:
        """Return the UUID of one of its messages."""
        return name_uuid(self.source, self.key, utterance.key)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list shows of a conversation."""

    source: Source
    key: str
    title: str
    began: datetime | None
    ended: datetime | None
    messages: int
    """How many it has in all of its branches."""
    size: int
    """About how many characters are said in all of its branches."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The functions that read one program's conversations from their parsed JSON."""

    summarize: Callable[[Fields], Summary]
    read: Callable[[Fields, int], Conversation]
    """Takes the number of a branch, from 1, in the order of `branch_ends`."""


@dataclass(frozen=True, slots=True)
class MessageTree:
    """The nodes of a conversation by the program's own ids, in the order of the export."""

    messages: Mapping[str, Fields]
    """The nodes' messages, of those that have one."""
    parents: Mapping[str, str]
    """The id of the node before each; empty, or unknown, for the first one of a conversation."""
    dates: Mapping[str, datetime | None]
    current: str = ""
    """The message where the person was last, where the export has it."""

    @property
    def ends(self) -> tuple[str, ...]:
        """Return the last message of each branch: where the person was last, then the newest.

        Of messages with the same date, the last in the export is the newest. Where all messages
        form circles, the last in the export is the end.
        """
        if not self.parents:
            return ()
        followed = set(self.parents.values())
        places = {key: place for place, key in enumerate(self.parents)}
        leaves = [key for key in self.parents if key not in followed] or list(self.parents)[-1:]
        leaves.sort(key=lambda key: (self.dates[key] or _NEVER, places[key]), reverse=True)
        chosen = self.current if self.current in self.parents else leaves[0]
        return (chosen, *(key for key in leaves if key != chosen))

    def branch(self, number: int) -> Sequence[tuple[str, Fields]]:
        """Return the messages of a branch with their ids, from the beginning to its end.

        Branches are numbered from 1, in the order of `ends`; a larger number is that of the last
        one. In a circle each message is returned once.
        """
        path: dict[str, None] = {}
        ends = self.ends[:number]
        key = ends[-1] if ends else ""
        while key in self.parents and key not in path:
            path[key] = None
            key = self.parents[key]
        return [(key, self.messages[key]) for key in reversed(path) if key in self.messages]


def name_uuid(*names: str) -> str:
    """Return the UUID that memproc derives from these names."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(names)))


def framed(what: str, text: str = "") -> str:
    """Return a line that says what something was.

    With a text, the text and a closing line follow.
    """
    what = " ".join(make_printable(what).split())[:_LONGEST_NAME]
    return f"[{what}]\n{text.strip()}\n[end of {what}]" if text.strip() else f"[{what}]"


def paragraphs(pieces: Iterable[str]) -> str:
    """Join the pieces that are not blank, with an empty line between them."""
    return make_printable("\n\n".join(piece for piece in pieces if piece.strip()))


def not_brought(what: str, left_out: LeftOut) -> str:
    """Count in `left_out` something without text, and return the line that says what it was."""
    left_out[what] += 1
    return framed(what)


def file_in_frame(name: str, left_out: LeftOut, text: str = "") -> str:
    """Return the text of a file in a frame; without one count it, and return a line with its name."""
    left_out["file"] += not text
    return framed(f"file: {name or NAMELESS}", text)


def unknown_part(kind: str, left_out: LeftOut, text: str = "") -> str:
    """Count in `left_out` a part of a kind that memproc does not know, and return it in a frame."""
    left_out["part of an unknown kind"] += 1
    return framed(kind or "unknown part", text)


def as_dict(value: object) -> Fields:
    """Return the value where it is a JSON object, else an empty object."""
    return value if isinstance(value, dict) else {}


def messages_in_tree(fields: Fields) -> dict[str, Fields]:
    """Return the messages under MAPPING by their nodes' ids; nodes without one are left out."""
    nodes = as_dict(fields.get(MAPPING)).items()
    messages = {key: as_dict(as_dict(node).get("message")) for key, node in nodes}
    return {key: message for key, message in messages.items() if message}


def tree_of(fields: Fields, date: str, current: str = "") -> MessageTree:
    """Return the tree of the nodes under MAPPING; those without a message have no date.

    `date` is the field of a message's date, `current` the message where the person was last.
    """
    nodes = as_dict(fields.get(MAPPING))
    messages = messages_in_tree(fields)
    parents = {key: text_under(node, "parent") for key, node in nodes.items()}
    dates = {key: read_moment(messages.get(key, {}).get(date)) for key in nodes}
    return MessageTree(messages, parents, dates, current)


def read_moment(value: object) -> datetime | None:
    """Return a date given in seconds of Unix time or in ISO form; None for anything else."""
    if isinstance(value, spans.Number):
        try:
            when: datetime | None = datetime.fromtimestamp(float(value), UTC)
        except (ValueError, OverflowError, OSError):
            return None
    else:
        when = parse_date(spans.text(value))
    return when if when is not None and when.year in _YEARS else None


def make_summary(
    source: Source,
    fields: Fields,
    named: tuple[str, str],
    dates: tuple[str, str],
    messages: Collection[Fields],
    size_of: Callable[[Fields], int],
) -> Summary:
    """Return what a list shows of a conversation with these messages.

    `named` are its key and its title. `dates` are the fields of when it, or a message of it, was
    begun, and of when it was last changed, which counts where no message has a date.
    """
    (key, title), (begun, changed) = named, dates
    moments = [when for message in messages if (when := read_moment(message.get(begun)))]
    return Summary(
        source=source,
        key=make_printable(key),
        title=make_printable(title).strip() or "Untitled",
        began=read_moment(fields.get(begun)) or min(moments, default=None),
        ended=max(moments, default=None) or read_moment(fields.get(changed)),
        messages=len(messages),
        size=sum(map(size_of, messages)),
    )


def _with_dates(
    path: Iterable[tuple[str, Rendered]], began: datetime | None
) -> Iterator[Utterance]:
    """Yield each message that says something, with a date not earlier than that of the one before.

    A message without a date gets that of the message before it, the first one that of the
    conversation's beginning: TypingMind sorts by date when it merges devices.
    """
    spoken = [(key, rendered) for key, rendered in path if rendered.text]
    first = next((rendered.when for _, rendered in spoken if rendered.when), None)
    last = None
    for key, rendered in spoken:
        own = rendered.when or last or began or first or _UNDATED
        last = max(own, last) if last else own
        model = make_printable(rendered.model)
        yield Utterance(key, rendered.role, rendered.text, last, model, rendered.before)


def make_conversation(
    summary: Summary,
    tree: MessageTree,
    path: Iterable[tuple[str, Rendered]],
    left_out: LeftOut,
    *,
    model: str = "",
    instructions: str = "",
) -> Conversation:
    """Return a conversation of the messages that a reader has found along one branch of a tree."""
    messages = tuple(_with_dates(path, summary.began))
    answered = next((message.model for message in reversed(messages) if message.model), model)
    return Conversation(
        summary.source,
        summary.key,
        summary.title,
        messages,
        tuple(tree.dates[key] for key in tree.ends),
        dict(+left_out),
        make_printable(answered),
        instructions,
    )
