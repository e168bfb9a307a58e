"""The forms in which the six messages of a memory may stand in an export: what is still a memory by its texts.

    whole    1 2 3 4 5 6
    edited   1 2 3 x 5 6    the person has edited one
    left     1 2 4 5 6      one or two are gone

The questions are the same in every memory, so at least two answers (2, 4, 6) are among the texts that fit.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

from rules.conversation.marker import MEMORY, Marker, text_digest
from rules.typingmind.message import Message

SLOTS = (1, 2, 3, 4, 5, 6)
ANSWERS = frozenset({2, 4, 6})


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of messages that stand in a row, and those of them whose text fits."""

    standing: tuple[int, ...]
    fitting: tuple[int, ...]

    @property
    def edited(self) -> int:
        """The slot that is believed for its place; 0 where every text fits."""
        return next((slot for slot in self.standing if slot not in self.fitting), 0)

    @property
    def anchor(self) -> int:
        """Its first answer that fits: where one stands, the row is looked for (questions are everywhere)."""
        return next(slot for slot in self.fitting if slot in ANSWERS)


_LEFT = [slots for size in (5, 4) for slots in combinations(SLOTS, size) if len(ANSWERS & set(slots)) >= 2]
FITTING = [SLOTS, *_LEFT]
FORMS = [
    Form(SLOTS, SLOTS),
    *(Form(SLOTS, slots) for slots in _LEFT if len(slots) == 5),
    *(Form(slots, slots) for slots in _LEFT),
]
"""The surest first: a memory that stands whole somewhere is not looked for in pieces."""


_NO_SLOTS: frozenset[int] = frozenset()

_Six = tuple[Marker, ...]
_Key = tuple[tuple[int, ...], tuple[str, ...]]


@dataclass(slots=True)
class _Editions:
    """The editions that we wrote, by what each form of a row leaves of them. A memory is given out once."""

    shown: set[str]
    texts: dict[str, set[int]] = field(default_factory=dict)
    """Every text that we wrote, with the slots it has in memories (none: it is canned)."""
    by_text: dict[_Key, deque[_Six]] = field(default_factory=dict)
    by_name: dict[tuple[str, _Key], _Six] = field(default_factory=dict)

    def add(self, six: _Six) -> None:
        """One more edition, with every row that may be left of it."""
        texts = [written(marker) for marker in six]
        for slots in FITTING:
            key = slots, tuple(texts[slot - 1] for slot in slots)
            self.by_text.setdefault(key, deque()).append(six)
            self.by_name.setdefault((six[0].memory, key), six)

    def find(self, key: _Key, names: Set[str]) -> _Six | None:
        """The edition with these texts: of the memory that is named, or of the first one that is not shown yet."""
        if names:
            return self.by_name.get((next(iter(names)), key)) if len(names) == 1 else None
        waiting = self.by_text.get(key, deque())
        while waiting and waiting[0][0].memory in self.shown:
            waiting.popleft()
        return waiting[0] if waiting else None


def written(marker: Marker) -> str:
    """Role and digest of the message that a marker was written for."""
    role = "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user"
    return f"{role} {marker.text}"


def spoken(message: Message) -> str:
    """Role and digest of a message as it stands in the export, to be compared with `written`."""
    return f"{message.role} {text_digest(message.text)}"


def rows_by_text(
    said: Sequence[str], claims: Sequence[Marker | None], shown: Set[str], known: Mapping[str, Marker]
) -> dict[int, Marker]:
    """What the messages of each row that is a memory are, by index.

    `said` is what is spoken in each message. `claims` are what messages claim to be by field or uuid: a row must
    not gainsay them. `shown` are the memories that such claims show already: they stand in no other row. The
    work grows with the number of messages and of editions, whatever the texts are.
    """
    editions = _editions(known, shown)
    places = _places(said, editions)
    found: dict[int, Marker] = {}
    for form in FORMS:
        anchor = form.anchor
        before = form.standing.index(anchor)
        for at in places[anchor]:
            row = range(at - before, at - before + len(form.standing))
            if at in found or not _may_be(form, row, said, editions) or any(place in found for place in row):
                continue
            names = _names(form, row, claims)
            six = None if names is None else editions.find(_key(form, row, said), names)
            if six is not None:
                editions.shown.add(six[0].memory)
                found |= {place: six[slot - 1] for place, slot in zip(row, form.standing, strict=True)}
    return found


def _editions(known: Mapping[str, Marker], shown: Set[str]) -> _Editions:
    editions = _Editions(set(shown))
    rows: dict[tuple[str, int], dict[int, Marker]] = {}
    for marker in known.values():
        slots = editions.texts.setdefault(written(marker), set())
        if marker.kind == MEMORY:
            slots.add(marker.slot)
            rows.setdefault((marker.memory, marker.edition), {})[marker.slot] = marker
    for row in rows.values():
        if row.keys() == set(SLOTS):
            editions.add(tuple(row[slot] for slot in SLOTS))
    return editions


def _places(said: Sequence[str], editions: _Editions) -> dict[int, list[int]]:
    """Where the answers that we wrote stand, by slot."""
    places: dict[int, list[int]] = {slot: [] for slot in ANSWERS}
    for at, text in enumerate(said):
        for slot in ANSWERS & editions.texts.get(text, _NO_SLOTS):
            places[slot].append(at)
    return places


def _may_be(form: Form, row: range, said: Sequence[str], editions: _Editions) -> bool:
    """Every text is one of ours in its slot, but for the edited one, which is none of ours and in its role."""
    if row.start < 0 or row.stop > len(said):
        return False
    for place, slot in zip(row, form.standing, strict=True):
        slots = editions.texts.get(said[place])
        if slot == form.edited:
            role = "assistant" if slot in ANSWERS else "user"
            if slots is not None or not said[place].startswith(f"{role} "):
                return False
        elif slots is None or slot not in slots:
            return False
    return form.edited not in (1, 6) or _ends_there(form, row, said, editions)


def _ends_there(form: Form, row: range, said: Sequence[str], editions: _Editions) -> bool:
    """An edited first or last message stands where the memory begins or ends, and was not put in beside it.

    The first follows the opening or the memory before: otherwise it may be gone, and a message of the person
    stands there. The last answers our question, so that it is only not to be followed by the true one.
    """
    if form.edited == 1:
        before = editions.texts.get(said[row.start - 1]) if row.start else None
        return before is not None and (not before or 6 in before)
    return row.stop == len(said) or 6 not in editions.texts.get(said[row.stop], _NO_SLOTS)


def _names(form: Form, row: range, claims: Sequence[Marker | None]) -> set[str] | None:
    """The memories that messages of the row claim to be of; None where one claims to be something else.

    None also where others claim something, but not an edited first or last one: an edit leaves field and uuid, so what
    stands beside the row is another message, which was left out of memories.
    """
    names = set()
    for place, slot in zip(row, form.standing, strict=True):
        claim = claims[place]
        if claim is not None:
            if claim.kind != MEMORY or claim.slot != slot:
                return None
            names.add(claim.memory)
    beside = {1: row.start, len(SLOTS): row.stop - 1}.get(form.edited)
    return None if names and beside is not None and claims[beside] is None else names


def _key(form: Form, row: range, said: Sequence[str]) -> _Key:
    fitting = form.fitting
    return fitting, tuple(said[place] for place, slot in zip(row, form.standing, strict=True) if slot in fitting)
