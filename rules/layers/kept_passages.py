"""Passages that the person keeps word for word: which are shown, which wait, what a pin does.

A passage is kept until the person releases it. Its message may leave the chat, be folded, edited
or deleted: the words stay as they were said. What is kept stays, whatever the budget says later;
what comes when the budget is full waits until there is room.

A pin keeps its message. That it was taken off is believed of an export alone that has all that was
known of the chat, has gone on since the pin was shown last, and goes back to a state that had it.
Any other export without the pin may be of a device that never saw it, so the person is asked.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from rules.extract.sentences import sentences
from rules.layers.opening import KeptLine
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message
from rules.wording import counted

MOST_TOKENS = 400
"""A longer passage is asked to be shortened; of a pinned message the first sentences are kept."""
BEGINNING = "beginning"
"""Said of a passage that is only the first sentences of a pinned message."""
FIRST_PART = "first part"
"""Said of a passage that is what its message says before an image or a file that parts it."""
_WHY_OFFERED = {
    "persona": "the persona proposes it",
    "wish": "it may be a wish of yours, or somebody else's words",
}
_LOOKED_AT = 4_000
"""Characters at the beginning of a pinned message from which its first sentences are taken."""
_SHORTER = 0.9

MarkedBy = Literal["pin", "person", "persona", "opening", "wish"]
State = Literal["kept", "waiting", "offered", "released"]
"""offered: a pin from before memproc kept passages, what the persona proposes, or what may be a wish."""
Doubt = Literal["", "unpinned", "edited"]


@dataclass(frozen=True, slots=True)
class KeptPassage:
    """A part of what one message said, as it was said."""

    key: str
    """The message's; empty where its raw message is lost."""
    start: int
    """The first character, counted in the message's words, without placeholders."""
    text: str
    said_at: str
    speaker: Literal["user", "assistant"]
    tokens: int
    by: MarkedBy
    state: State
    number: int = 0
    """Its number within the chat; 0 until it is stored."""
    is_pinned: bool = False
    """The message has the pin that the passage was kept by, as far as is known."""
    asks: Doubt = ""
    """What the person is asked about it."""
    digest: str = ""
    """The digest of what the message said when the passage was last compared with it."""
    reason: str = ""
    """Why the persona proposes it; or `BEGINNING`, or `FIRST_PART`."""
    at: str = ""
    """When it was marked."""
    shown: str = ""
    """When the newest message was said of the last export that showed the pin."""
    shown_at: str = ""
    """When that export was read."""

    @property
    def stop(self) -> int:
        """Return the place after its last character in the message's words."""
        return self.start + len(self.text)

    @property
    def is_agreed(self) -> bool:
        """Return whether the person wants it kept, if there is room."""
        return self.state in ("kept", "waiting")

    @property
    def is_open(self) -> bool:
        """Return whether it waits for room, or for the person to decide: what may be a wish does not press."""
        return (
            self.state == "waiting"
            or (self.state == "offered" and self.by != "wish")
            or bool(self.asks)
        )

    @property
    def line(self) -> KeptLine:
        """Return it as a line of the opening; tags in it are not made inert here."""
        return KeptLine(self.said_at[:10], self.speaker, self.text)

    @property
    def called(self) -> str:
        """Return what sentences call it, without its words, which belong in no log."""
        whose = "yours" if self.speaker == "user" else "the persona's"
        which = f"passage {self.number}" if self.number else "a new passage"
        return f"{which} ({self.said_at[:10] or 'undated'}, {whose})"

    def covers(self, other: "KeptPassage") -> bool:
        """Return whether the other passage is a part of this one."""
        if self.key != other.key or not self.key:
            return self.text == other.text and self.key == other.key
        return self.start <= other.start and other.stop <= self.stop

    def agreed(self) -> "KeptPassage":
        """Return it with the person's yes: offered or released, it waits; nothing is asked now."""
        state: State = "kept" if self.state == "kept" else "waiting"
        is_pinned = self.is_pinned and self.asks != "unpinned"
        return replace(self, state=state, asks="", is_pinned=is_pinned)

    def released(self) -> "KeptPassage":
        """Return it as the person has let it go. A pin that stays does not keep it again."""
        return replace(self, state="released", asks="")


@dataclass(frozen=True, slots=True)
class ShownPins:
    """The pins in an export, and what tells whether a pin that is not there was taken off."""

    would_keep: Sequence[KeptPassage]
    """What its pins keep, where no passage does so already."""
    offers: Sequence[KeptPassage]
    """What may be a wish of the person's."""
    messages: Mapping[str, Message]
    """The raw messages that it shows, by key."""
    newest: str
    """When its newest raw message was said."""
    is_whole: bool
    """It lacks nothing that was known of the chat."""
    first_seen: Collection[tuple[str, str]]
    """When memproc saw each of its messages for the first time, and when that was said."""


def first_sentences(text: str, count: Callable[[str], int], most: int = MOST_TOKENS) -> str:
    """Return the text, or the sentences at its beginning that have at most so many tokens.

    Where the first sentence is longer, it is the beginning of that one.
    """
    head = text[:_LOOKED_AT]
    if len(head) == len(text) and count(text) <= most:
        return text
    pieces = sentences(head)
    if len(head) < len(text):
        pieces = pieces[:-1] or pieces  # the last one is cut off
    for piece in reversed(pieces):
        if count(head[: piece.stop]) <= most:
            return head[: piece.stop]
    while count(head) > most:
        head = head[: int(len(head) * _SHORTER)]
    return head.rpartition(" ")[0] or head


def after_export(
    passages: Sequence[KeptPassage], shown: ShownPins, now: str
) -> tuple[KeptPassage, ...]:
    """Return the passages of a chat after an export of it was read, with those of new pins."""
    by_pin = {passage.key for passage in passages if passage.is_pinned}
    with_pin = {pin.key for pin in shown.would_keep}
    compared = [_compare(passage, shown) for passage in passages]
    after = [_follow_pin(passage, shown, with_pin, now) for passage in compared]
    for pin in shown.would_keep:
        there = (other for other in passages if other.state != "released")
        if pin.key not in by_pin and not any(other.covers(pin) for other in there):
            after.append(replace(pin, at=now, shown=shown.newest, shown_at=now))
    known = {(passage.key, passage.text) for passage in after}
    offers = [offer for offer in shown.offers if (offer.key, offer.text) not in known]
    return (*after, *(replace(offer, at=now) for offer in offers))


def _compare(passage: KeptPassage, shown: ShownPins) -> KeptPassage:
    """Ask where the message reads otherwise than when it was last compared."""
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
    """Note where the pin was last shown; release the passage where it was surely taken off."""
    if not passage.is_pinned or passage.key not in shown.messages:
        return passage
    is_newer = _is_later(shown.newest, passage.shown)
    if passage.key in with_pin:
        asks: Doubt = "" if passage.asks == "unpinned" else passage.asks
        passage = replace(passage, asks=asks)
        return replace(passage, shown=shown.newest, shown_at=now) if is_newer else passage
    if is_newer and shown.is_whole and _goes_back_to_pin(passage, shown):
        return replace(passage.released(), is_pinned=False)
    return replace(passage, asks="unpinned") if passage.is_agreed else passage


def _goes_back_to_pin(passage: KeptPassage, shown: ShownPins) -> bool:
    """Return whether the export holds a message that came with the pin.

    Those of the chat's first export say nothing: another device may have had them before the pin.
    """
    first = min((seen for seen, _ in shown.first_seen), default="")
    if passage.at <= first:
        return False
    for seen, said in shown.first_seen:
        came_with_pin = passage.at <= seen <= passage.shown_at
        if came_with_pin and not _is_later(said, passage.shown):
            return True
    return False


def _is_later(date: str, other: str) -> bool:
    later, earlier = parse_date(date), parse_date(other)
    return later is not None and (earlier is None or later > earlier)


def admit_waiting(passages: Sequence[KeptPassage], budget: int) -> tuple[KeptPassage, ...]:
    """Keep those that wait as far as the budget of tokens has room, in the order of marking."""
    taken = tokens_kept(passages)
    after: list[KeptPassage] = []
    for passage in passages:
        if passage.state == "waiting" and taken + passage.tokens <= budget:
            taken += passage.tokens
            passage = replace(passage, state="kept")
        after.append(passage)
    return tuple(after)


def tokens_kept(passages: Iterable[KeptPassage]) -> int:
    """Return the tokens of all passages that are kept, those in the live tail included."""
    return sum(passage.tokens for passage in passages if passage.state == "kept")


def shown_passages(
    passages: Iterable[KeptPassage], live: Mapping[str, str]
) -> tuple[KeptPassage, ...]:
    """Return the kept passages that the opening shows, in the order of time.

    `live` are the words of the messages in the live tail, by key: what they say is not said twice.
    """
    kept = (passage for passage in in_order(passages) if passage.state == "kept")
    return tuple(passage for passage in kept if passage.text not in live.get(passage.key, ""))


def let_go(passages: Iterable[KeptPassage]) -> frozenset[str]:
    """Return the words of the wishes and promises that the person has let go."""
    released = (passage for passage in passages if passage.state == "released")
    return frozenset(passage.text for passage in released if passage.by == "wish")


def in_order(passages: Iterable[KeptPassage]) -> list[KeptPassage]:
    """Return the passages that are not released, in the order of time."""
    present = (passage for passage in passages if passage.state != "released")
    return sorted(present, key=lambda passage: (passage.said_at, passage.number))


def describe_kept(passages: Sequence[KeptPassage], budget: int) -> tuple[str, ...]:
    """Return clauses on how full the budget is, what waits, and what the person is asked."""
    full = how_full(passages, budget)
    notes = chain.from_iterable(map(notes_on, passages))
    offered = any(passage.state == "offered" for passage in passages)
    how = ["after a run, memproc keep CHAT lists what is offered, and --yes NUMBER keeps it"]
    return (f"kept word for word: {full}", *notes, *(how if offered else ())) if full else ()


def describe_marked(passages: Sequence[KeptPassage]) -> str:
    """Count the pinned messages that an export has marked, by their states; empty if none."""
    counts = Counter(passage.state for passage in passages)
    clauses = [
        (counts["kept"], "kept word for word now"),
        (counts["waiting"], "waiting for room among what is kept"),
        (counts["offered"], "kept if you say so (memproc keep)"),
    ]
    pins = "pinned message is", "pinned messages are"
    return ", ".join(f"{counted(count, *pins)} {what}" for count, what in clauses if count)


def how_full(passages: Sequence[KeptPassage], budget: int) -> str:
    """Return how much of the budget of tokens is taken; empty where there is no passage."""
    if all(passage.state == "released" for passage in passages):
        return ""
    kept = sum(passage.state == "kept" for passage in passages)
    return f"{counted(kept, 'passage')}, {tokens_kept(passages):,} of {budget:,} tokens"


def notes_on(passage: KeptPassage) -> Iterator[str]:
    """Yield clauses on what a passage lacks, waits for, or the person is asked about it."""
    name = passage.called
    if passage.reason == BEGINNING and passage.state != "released":
        more = f"which has more than {MOST_TOKENS} tokens"
        yield f"{name} is the first sentences of its message, {more}"
    if passage.reason == FIRST_PART and passage.state != "released":
        yield f"{name} is what its message says before an image or a file; the rest is not kept"
    if passage.state == "waiting":
        yield f"{name} waits until there is room among what is kept"
    elif passage.state == "offered":
        yield f"{name} is kept if you say so: {_WHY_OFFERED.get(passage.by, 'its message is pinned')}"
    if passage.asks == "unpinned":
        yield f"{name} has lost its pin, and whether you took it off cannot be told"
    elif passage.asks == "edited":
        yield f"{name} reads otherwise in the chat now; the old words stay kept"
