"""Put standing wishes after the refinement, and hold those in folds to a budget of their own.

    I want to remember ...                the refinement, as it was written

    You asked me:                         in the language of the conversation
    - Always format dates as 5 March.     each word for word, from one raw message of the person's
    - Call me Ada.

The archive keeps every wish in every fold. In an export and in a prompt, where all of them together
take more than their budget, folds leave some out: first those that a later wish on the same matter
has replaced, then the oldest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from rules.conversation.history import Entry
from rules.conversation.memory import (
    BEFORE_WISH,
    Count,
    Edition,
    Memory,
    Six,
    Wish,
    six_of,
    wish_lines,
)
from rules.extract.wishes import ASKED, find_wishes, is_same_matter
from rules.wording import counted


def wishes_in(chunk: Iterable[Entry], is_safe: Callable[[str], bool]) -> tuple[Wish, ...]:
    """Return the standing wishes in the person's messages of a chunk, in order, each once.

    `is_safe` refuses a text that cannot be shown to a model character for character.
    """
    said = (entry for entry in chunk if entry.message.role == "user")
    return each_once(
        Wish(text, entry.key)
        for entry in said
        for spoken in entry.message.spoken
        for text in find_wishes(spoken)
        if is_safe(text)
    )


def each_once(wishes: Iterable[Wish]) -> tuple[Wish, ...]:
    """Return the wishes in order; of those that read the same, the last."""
    newest: dict[str, Wish] = {}
    for wish in wishes:
        newest.pop(wish.text, None)
        newest[wish.text] = wish
    return tuple(newest.values())


def with_wishes(edition: Edition, wishes: Sequence[Wish], frame: str, count: Count) -> Edition:
    """Return an edition that has no wishes yet with these after its refinement.

    They are introduced by `frame`.
    """
    if not wishes:
        return edition
    counted = tuple(replace(wish, tokens=count(wish.text)) for wish in wishes)
    block = _block(frame, counted)
    *others, refined = edition.texts
    texts = six_of([*others, refined + block])
    return replace(edition, texts=texts, wishes=counted, tokens=edition.tokens + count(block))


def _block(frame: str, wishes: Sequence[Wish]) -> str:
    return f"\n\n{frame}{wish_lines(wishes)}" if wishes else ""


def wishes_left(edition: Edition, texts: Six) -> tuple[Wish, ...]:
    """Return the wishes of an edition that its texts still hold after an edit by the person."""
    return tuple(wish for wish in edition.wishes if wish.text in texts[5])


def is_without_some(texts: Six, edition: Edition) -> bool:
    """Return whether these are the texts of the edition but for wishes that are left out."""
    parted = _parted(edition)
    if parted is None or texts[:5] != edition.texts[:5]:
        return False
    refined, frame = parted
    if texts[5] == refined:
        return True
    head = f"{refined}\n\n{frame}"
    return texts[5].startswith(head) and _lists_some(texts[5][len(head) :], edition.wishes)


def _lists_some(listed: str, wishes: Sequence[Wish]) -> bool:
    """Return whether a list holds nothing but some of the wishes, in their order."""
    if not listed:
        return True
    return any(
        listed.startswith(BEFORE_WISH + wish.text)
        and _lists_some(listed[len(BEFORE_WISH + wish.text) :], wishes[at + 1 :])
        for at, wish in enumerate(wishes)
    )


def _parted(edition: Edition) -> tuple[str, str] | None:
    """Return the refinement without its wishes, and the words before these; None without any."""
    if not edition.wishes:
        return None
    for frame in ASKED:
        block = _block(frame, edition.wishes)
        if edition.texts[5].endswith(block):
            return edition.texts[5].removesuffix(block), frame
    return None


@dataclass(frozen=True, slots=True)
class _StatedWish:
    """A wish in what is shown."""

    place: int
    """The place of its memory there."""
    wish: Wish
    can_go: bool
    """Its memory is a fold, which may leave it out."""
    is_replaced: bool
    """A later wish is on the same matter."""


def wishes_within(
    shown: Sequence[Memory], most: int, version: Callable[[Memory], Edition], count: Count
) -> tuple[Edition, ...]:
    """Return the edition of each memory; folds leave out wishes beyond `most` tokens in all."""
    editions = [version(memory) for memory in shown]
    if not _is_beyond(editions, most):
        return tuple(editions)
    gone: dict[int, set[str]] = {}
    for stated in _beyond(_stated(shown, editions), most):
        gone.setdefault(stated.place, set()).add(stated.wish.text)
    return tuple(
        _without(edition, gone[place], count) if place in gone else edition
        for place, edition in enumerate(editions)
    )


def _is_beyond(editions: Sequence[Edition], most: int) -> bool:
    return sum(wish.size for edition in editions for wish in edition.wishes) > most


def _stated(shown: Sequence[Memory], editions: Sequence[Edition]) -> list[_StatedWish]:
    """Return the wishes of all that is shown, the oldest first."""
    stated: list[_StatedWish] = []
    for place in reversed(range(len(shown))):
        edition = editions[place]
        can_go = shown[place].is_fold and _parted(edition) is not None
        for wish in reversed(edition.wishes):
            is_replaced = any(is_same_matter(wish.text, later.wish.text) for later in stated)
            stated.append(_StatedWish(place, wish, can_go, is_replaced))
    return stated[::-1]


def _without(edition: Edition, gone: set[str], count: Count) -> Edition:
    """Return an edition without these of its wishes, where they can be told from its words."""
    parted = _parted(edition)
    if parted is None:
        return edition
    refined, frame = parted
    left = tuple(wish for wish in edition.wishes if wish.text not in gone)
    texts = six_of([*edition.texts[:5], refined + _block(frame, left)])
    tokens = edition.tokens - count(edition.texts[5]) + count(texts[5])
    return replace(edition, texts=texts, wishes=left, tokens=tokens, lacks_wishes=True)


def _beyond(stated: Sequence[_StatedWish], most: int) -> list[_StatedWish]:
    """Return the wishes that folds leave out: replaced ones first, the oldest first of each."""
    over = sum(entry.wish.size for entry in stated) - most
    gone: list[_StatedWish] = []
    able = [entry for entry in stated if entry.can_go]
    for entry in sorted(able, key=lambda entry: not entry.is_replaced):
        if over <= 0:
            break
        gone.append(entry)
        over -= entry.wish.size
    return gone


def holding_left_out(shown: Sequence[Memory], most: int) -> tuple[Wish, ...]:
    """Return the wishes that still hold and that an export leaves out, the oldest first."""
    editions = [memory.edition for memory in shown]
    if not _is_beyond(editions, most):
        return ()
    left_out = _beyond(_stated(shown, editions), most)
    return tuple(entry.wish for entry in left_out if not entry.is_replaced)


def too_many_wishes(shown: Sequence[Memory], memories: Sequence[Memory], most: int) -> str:
    """Return a clause that names the memories of wishes that still hold and are left out.

    It is empty where there are none. It has no wish in it, since a log may keep it. `memories` are
    all of the chat.
    """
    left_out = holding_left_out(shown, most)
    if not left_out:
        return ""
    sources = {wish.source for wish in left_out}
    numbers = [
        str(memory.number)
        for memory in memories
        if not memory.is_fold and sources.intersection(memory.keys)
    ]
    named = f" (memories {', '.join(numbers)})" if numbers else ""
    wishes = counted(
        len(left_out), "standing wish that still holds is", "standing wishes that still hold are"
    )
    return f"{wishes} left out of folds, beyond fold.wishes{named}: memproc show MEMORY has them"
