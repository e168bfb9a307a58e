"""Passages that the person keeps word for word: which are shown, which wait, what a pin does.

A passage is kept until the person releases it. Its message may leave the chat, be folded, edited
or deleted: the words stay as they were said. What is kept stays kept even if the budget shrinks;
what comes when the budget is full waits until there is room.

A pin keeps its message. An export without the pin counts as the person's removing it only where the
export has all that was known of the chat, has gone on since the pin was last shown, descends from a
state that had the pin, and brings nothing that was said elsewhere before that. Any other export
without it may be from a device that never saw the pin, or merged with one, so the person is asked.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from rules.extract.sentences import split_sentences
from rules.layers.opening import KeptLine
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message
from rules.wording import counted

MOST_TOKENS = 400
"""The person is asked to shorten a longer passage; of a longer pinned message only the first
sentences are kept."""
BEGINNING = "beginning"
"""The reason of a passage that is only the first sentences of a pinned message."""
FIRST_PART = "first part"
"""The reason of a passage that is only what its message says before an image or a file in it."""
_WHY_OFFERED = {
    "persona": "the persona proposes it",
    "wish": "it may be a wish of yours, or somebody else's words",
}
_CHARACTERS_READ = 4_000
"""The characters at a pinned message's beginning in which its first sentences are looked for."""
_SHORTENED = 0.9

MarkedBy = Literal["pin", "person", "persona", "opening", "wish"]
State = Literal["kept", "waiting", "offered", "released"]
"""`offered`: the person has yet to decide on an old pin, a proposal of the persona's, or what may
be a wish."""
Doubt = Literal["", "unpinned", "edited"]


@dataclass(frozen=True, slots=True)
class KeptPassage:
    """A part of what one message said, word for word."""

    key: str
    """The key of its raw message; empty where that is lost."""
    start: int
    """The index of its first character in the message's words, which have no placeholders."""
    text: str
    said_at: str
    speaker: Literal["user", "assistant"]
    tokens: int
    by: MarkedBy
    state: State
    number: int = 0
    """Its number within the chat; 0 until it is stored."""
    is_pinned: bool = False
    """Whether the message has a pin, as far as is known: then a released passage stays released."""
    asks: Doubt = ""
    """What the person is asked about it."""
    digest: str = ""
    """The message's digest when the passage was last compared with it."""
    reason: str = ""
    """Why the persona proposes it; or `BEGINNING`, or `FIRST_PART`."""
    at: str = ""
    """When it was marked."""
    shown: str = ""
    """The date of the newest message in the last export that showed the pin."""
    shown_at: str = ""
    """When that export was read."""

    @property
    def stop(self) -> int:
        """Return the index after its last character in the message's words."""
        return self.start + len(self.text)

    @property
    def is_agreed(self) -> bool:
        """Return whether the person wants it kept, if there is room."""
        return self.state in ("kept", "waiting")

    @property
    def is_open(self) -> bool:
        """Return whether it waits for room, or for the person to decide.

        What may be a wish is not urgent.
        """
        return (
            self.state == "waiting"
            or (self.state == "offered" and self.by != "wish")
            or bool(self.asks)
        )

    @property
    def line(self) -> KeptLine:
        """Return it as the opening has it; the caller makes its tags inert."""
        return KeptLine(self.said_at[:10], self.speaker, self.text)

    @property
    def called(self) -> str:
        """Return how sentences refer to it: without its words, which must not reach a log."""
        whose = "yours" if self.speaker == "user" else "the persona's"
        which = f"passage {self.number}" if self.number else "a new passage"
        return f"{which} ({self.said_at[:10] or 'undated'}, {whose})"

    def covers(self, other: "KeptPassage") -> bool:
        """Return whether this passage contains the other one."""
        if self.key != other.key or not self.key:
            return self.text == other.text and self.key == other.key
        return self.start <= other.start and other.stop <= self.stop

    def agreed(self) -> "KeptPassage":
        """Return it as the person agreed to keep it.

        It waits for room unless it is kept, and nothing is asked.
        """
        state: State = "kept" if self.state == "kept" else "waiting"
        is_pinned = self.is_pinned and self.asks != "unpinned"
        return replace(self, state=state, asks="", is_pinned=is_pinned)

    def released(self) -> "KeptPassage":
        """Return it as the person released it. A pin that stays does not keep it again."""
        return replace(self, state="released", asks="")


@dataclass(frozen=True, slots=True)
class ShownPins:
    """The pins in an export, and what shows whether a missing pin was removed."""

    would_keep: Sequence[KeptPassage]
    """The passages that its pins keep."""
    offers: Sequence[KeptPassage]
    """Passages that may be wishes of the person's."""
    messages: Mapping[str, Message]
    """Its raw messages by key."""
    newest: str
    """The date of its newest raw message."""
    is_whole: bool
    """Whether it has everything that was known of the chat."""
    first_seen: Collection[tuple[str, str]]
    """For each of its messages, when memproc first saw it, and its date."""


def first_sentences(text: str, count: Callable[[str], int], most: int = MOST_TOKENS) -> str:
    """Return the text, cut after a sentence to at most `most` tokens, which `count` counts.

    Where even the first sentence is longer, return the beginning of that one.
    """
    head = text[:_CHARACTERS_READ]
    if len(head) == len(text) and count(text) <= most:
        return text
    pieces = split_sentences(head)
    if len(head) < len(text):
        pieces = pieces[:-1] or pieces  # the last one may be cut off
    for piece in reversed(pieces):
        if count(head[: piece.stop]) <= most:
            return head[: piece.stop]
    while count(head) > most:
        head = head[: int(len(head) * _SHORTENED)]
    return head.rpartition(" ")[0] or head


def after_export(
    passages: Sequence[KeptPassage], shown: ShownPins, now: str
) -> tuple[KeptPassage, ...]:
    """Return a chat's passages after an export was read, with those of new pins and offers."""
    kept_by_pin = {passage.key for passage in passages if passage.is_pinned}
    with_pin = {pin.key for pin in shown.would_keep}
    compared = [_compare(passage, shown) for passage in passages]
    after = [_follow_pin(passage, shown, with_pin, now) for passage in compared]
    for pin in shown.would_keep:
        if pin.key in kept_by_pin:
            continue
        covering = [
            at for at, other in enumerate(after) if other.state != "released" and other.covers(pin)
        ]
        for at in covering:
            after[at] = replace(after[at], is_pinned=True, shown=shown.newest, shown_at=now)
        if not covering:
            after.append(replace(pin, at=now, shown=shown.newest, shown_at=now))
    known = {(passage.key, passage.text) for passage in after}
    offers = [offer for offer in shown.offers if (offer.key, offer.text) not in known]
    return (*after, *(replace(offer, at=now) for offer in offers))


def _compare(passage: KeptPassage, shown: ShownPins) -> KeptPassage:
    """Note the message's present text; ask the person if it no longer has the passage's words."""
    message = shown.messages.get(passage.key)
    if message is None or message.digest == passage.digest:
        return passage
    asks: Doubt = "" if passage.asks == "edited" else passage.asks
    if passage.is_agreed and passage.text not in message.words:
        asks = "edited"
    return replace(passage, digest=message.digest, asks=asks)


def _follow_pin(
    passage: KeptPassage, shown: ShownPins, with_pin: Collection[str], now: str
) -> KeptPassage:
    """Note when the pin was last shown.

    Release a passage that was kept by it where the pin was surely removed, and ask where it may
    have been.
    """
    if not passage.is_pinned or passage.key not in shown.messages:
        return passage
    is_newer = _is_later(shown.newest, passage.shown)
    if passage.key in with_pin:
        asks: Doubt = "" if passage.asks == "unpinned" else passage.asks
        passage = replace(passage, asks=asks)
        return replace(passage, shown=shown.newest, shown_at=now) if is_newer else passage
    if is_newer and shown.is_whole and _descends_from_pin(passage, shown):
        passage = passage.released() if passage.by == "pin" else passage
        return replace(passage, is_pinned=False)
    asks_person = passage.is_agreed and passage.by == "pin"
    return replace(passage, asks="unpinned") if asks_person else passage


def _descends_from_pin(passage: KeptPassage, shown: ShownPins) -> bool:
    """Return whether the export has a message that was first seen while the pin was shown.

    Messages of the chat's first export prove nothing, as another device may have had them before
    the pin. Nor does any, where a message is new that was said before the pin was last shown:
    TypingMind has merged the chat with another device's.
    """
    first = min((seen for seen, _ in shown.first_seen), default="")
    if passage.at <= first:
        return False
    came_since = (said for seen, said in shown.first_seen if seen > passage.shown_at)
    if any(_is_later(passage.shown_at, said) for said in came_since):
        return False
    return any(
        passage.at <= seen <= passage.shown_at and not _is_later(said, passage.shown)
        for seen, said in shown.first_seen
    )


def _is_later(date: str, other: str) -> bool:
    later, earlier = parse_date(date), parse_date(other)
    return later is not None and (earlier is None or later > earlier)


def admit_waiting(passages: Sequence[KeptPassage], budget: int) -> tuple[KeptPassage, ...]:
    """Keep those passages that wait and fit into the budget of tokens, in the order of marking."""
    used = tokens_kept(passages)
    after: list[KeptPassage] = []
    for passage in passages:
        if passage.state == "waiting" and used + passage.tokens <= budget:
            used += passage.tokens
            passage = replace(passage, state="kept")
        after.append(passage)
    return tuple(after)


def tokens_kept(passages: Iterable[KeptPassage]) -> int:
    """Return the tokens of all passages that are kept, including those in the live tail."""
    return sum(passage.tokens for passage in passages if passage.state == "kept")


def shown_passages(
    passages: Iterable[KeptPassage], live: Mapping[str, str]
) -> tuple[KeptPassage, ...]:
    """Return the kept passages that the opening shows, by date.

    `live` are the words of the messages in the live tail, by key: what these say is not repeated.
    """
    kept = (passage for passage in in_order(passages) if passage.state == "kept")
    return tuple(passage for passage in kept if passage.text not in live.get(passage.key, ""))


def released_wishes(passages: Iterable[KeptPassage]) -> frozenset[str]:
    """Return the words of the wishes and promises that the person has released."""
    released = (passage for passage in passages if passage.state == "released")
    return frozenset(passage.text for passage in released if passage.by == "wish")


def in_order(passages: Iterable[KeptPassage]) -> list[KeptPassage]:
    """Return the passages that are not released, by date."""
    present = (passage for passage in passages if passage.state != "released")
    return sorted(present, key=lambda passage: (passage.said_at, passage.number))


def describe_kept(passages: Sequence[KeptPassage], budget: int) -> tuple[str, ...]:
    """Return clauses on how full the budget is, what waits, and what the person is asked.

    There are none without passages.
    """
    full = how_full(passages, budget)
    notes = chain.from_iterable(map(notes_on, passages))
    offered = any(passage.state == "offered" for passage in passages)
    how = ["after a run, memproc keep CHAT lists what is offered, and --yes NUMBER keeps it"]
    return (f"kept word for word: {full}", *notes, *(how if offered else ())) if full else ()


def describe_marked(passages: Sequence[KeptPassage]) -> str:
    """Return a clause that counts the passages of an export's pins by state; "" for none."""
    counts = Counter(passage.state for passage in passages)
    clauses = [
        (counts["kept"], "kept word for word now"),
        (counts["waiting"], "waiting for room among what is kept"),
        (counts["offered"], "kept if you say so (memproc keep)"),
    ]
    pins = "pinned message is", "pinned messages are"
    return ", ".join(f"{counted(count, *pins)} {what}" for count, what in clauses if count)


def how_full(passages: Sequence[KeptPassage], budget: int) -> str:
    """Return a clause on how much of the budget of tokens is used; "" where there is no passage."""
    if all(passage.state == "released" for passage in passages):
        return ""
    kept = sum(passage.state == "kept" for passage in passages)
    return f"{counted(kept, 'passage')}, {tokens_kept(passages):,} of {budget:,} tokens"


def notes_on(passage: KeptPassage) -> Iterator[str]:
    """Yield clauses on what a passage leaves out, what it waits for, and what is asked about it."""
    name = passage.called
    if passage.reason == BEGINNING and passage.state != "released":
        more = f"which has more than {MOST_TOKENS} tokens"
        yield f"{name} is the first sentences of its message, {more}"
    if passage.reason == FIRST_PART and passage.state != "released":
        yield f"{name} is what its message says before an image or a file; the rest is not kept"
    if passage.state == "waiting":
        yield f"{name} waits until there is room among what is kept"
    elif passage.state == "offered":
        why = _WHY_OFFERED.get(passage.by, "its message is pinned")
        yield f"{name} is kept if you say so: {why}"
    if passage.asks == "unpinned":
        yield f"{name} has lost its pin, and whether you took it off cannot be told"
    elif passage.asks == "edited":
        yield f"{name} reads otherwise in the chat now; the old words stay kept"
