"""List after the refinement what the person asks for good, and what is promised or to be done.

    I want to remember ...                the refinement, as it was written

    You asked me:                         in the language of the conversation
    - Always format dates as 5 March.     each word for word, from one raw message of the person's
    - Call me Ada.

    Still open:
    - 2026-03-04: I'll ask about the flat in April.     the persona's own words, with their day

The archive keeps all of it in every fold. What is taken back, done, or released by the person is no
longer shown, neither in exports nor in prompts. Where wishes take more than their budget, folds
leave some out: first those that a later wish on the same matter has replaced, then the oldest.
Promises and tasks, which are called open, have a budget of their own, so that they never push out a
wish: the oldest ones are dropped, in steps, so that memories seldom change.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rules.conversation.history import Entry
from rules.conversation.memory import (
    BEFORE_OPEN,
    BEFORE_WISH,
    Count,
    Edition,
    Memory,
    Six,
    Wish,
    listed_wishes,
    memories_of_chunks,
    six_of,
)
from rules.conversation.wish_frames import ASKED, STILL
from rules.extract.prose import PERSONA
from rules.extract.same_matter import find_ended, is_same_matter
from rules.extract.wishes import Kind, find_promises, find_stated
from rules.wording import counted

OPEN_TOKENS = 500
"""The most tokens of all that is open."""
_STEP = 250
"""The tokens of these that are dropped at a time."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d: ")


def find_wishes(
    chunk: Iterable[Entry], is_safe: Callable[[str], bool], day_of: Callable[[Entry], str]
) -> tuple[Wish, ...]:
    """Return what the messages of a chunk ask for, promise and end, in order, each once.

    Texts that `is_safe` rejects are left out: they cannot be shown to a model character for
    character.
    """
    wishes: list[Wish] = []
    for entry in chunk:
        find = find_promises if entry.message.role == PERSONA else find_stated
        for stated in chain.from_iterable(map(find, entry.message.spoken)):
            if stated.is_sure and is_safe(stated.text):
                day = day_of(entry) if stated.kind in ("promise", "task") else ""
                wishes.append(Wish(stated.text, entry.key, kind=stated.kind, day=day))
    return drop_repeats(wishes)


def drop_repeats(wishes: Iterable[Wish]) -> tuple[Wish, ...]:
    """Return the wishes in order; of those with the same text only the last."""
    newest: dict[str, Wish] = {}
    for wish in wishes:
        newest.pop(wish.text, None)
        newest[wish.text] = wish
    return tuple(newest.values())


def with_wishes(edition: Edition, wishes: Sequence[Wish], language: int, count: Count) -> Edition:
    """Return an edition that has no wishes with these after its refinement.

    `language` is an index of `ASKED`.
    """
    if not wishes:
        return edition
    counted = tuple(replace(wish, tokens=count(wish.line)) for wish in wishes)
    return _with_lists(edition, edition.texts[5], language, counted, count)


def _with_lists(
    edition: Edition, refined: str, language: int, wishes: tuple[Wish, ...], count: Count
) -> Edition:
    """Return an edition whose last text is this refinement with the lists of these wishes."""
    texts = six_of([*edition.texts[:5], refined + _write_lists(language, wishes)])
    tokens = edition.tokens - count(edition.texts[5]) + count(texts[5])
    return replace(edition, texts=texts, wishes=wishes, tokens=tokens)


def _write_lists(language: int, wishes: Sequence[Wish]) -> str:
    """Return the list of wishes and the list of what is open, each with a heading, unless empty."""
    lists = ""
    for heading, is_open in ((ASKED[language], False), (STILL[language], True)):
        listed = [wish.line for wish in listed_wishes(wishes) if wish.is_open is is_open]
        if listed:
            lists += BEFORE_WISH.join([f"\n\n{heading}", *listed])
    return lists


def find_wishes_left(edited: Edition) -> tuple[Wish, ...]:
    """Return those wishes of an edition that its last text still has after the person's edit."""
    last = edited.texts[5]
    return tuple(wish for wish in edited.wishes if wish.text in last or not wish.is_listed)


def with_listed_wishes(edition: Edition, stated: Sequence[Wish], count: Count) -> Edition:
    """Return an edition with those of the `stated` wishes that its text lists, and what ends such.

    `stated` are those in its messages. Return it unchanged where the text also lists something
    else.
    """
    text = f"{edition.texts[5]}\n"
    wishes = tuple(
        replace(wish, tokens=count(wish.line))
        for wish in stated
        if not wish.is_listed or f"{BEFORE_WISH}{wish.line}\n" in text
    )
    is_all = {wish.line for wish in edition.wishes} <= {wish.line for wish in wishes}
    return replace(edition, wishes=wishes) if is_all else edition


def read_wishes_at_end(text: str, lines: Sequence[str], count: Count) -> tuple[Wish, ...]:
    """Return the wishes in a memory's last lines, of which the archive knows nothing else."""
    wishes: list[Wish] = []
    is_open = any(frame + BEFORE_WISH in text for frame in BEFORE_OPEN)
    for line in reversed(lines):
        text = text.removesuffix(BEFORE_WISH + line)
        day = _DAY.match(line)
        words, date = (line[day.end() :], day.group()[:-2]) if is_open and day else (line, "")
        kind: Kind = "promise" if is_open else "wish"
        wishes.append(Wish(words, "", count(line), kind, date))
        if text.endswith(BEFORE_OPEN):
            is_open = False
            text = text.removesuffix(next(filter(text.endswith, BEFORE_OPEN)))
    return tuple(reversed(wishes))


def lacks_only_wishes(texts: Six, edition: Edition) -> bool:
    """Return whether these are the edition's texts, except that some wishes are left out."""
    parts = _split_wishes(edition)
    if parts is None or texts[:5] != edition.texts[:5]:
        return False
    refined, language = parts
    if not texts[5].startswith(refined):
        return False
    listed = texts[5].removeprefix(refined)
    for heading in (ASKED[language], STILL[language]):
        listed = listed.replace(f"\n\n{heading}{BEFORE_WISH}", BEFORE_WISH, 1)
    return _lists_some(listed, listed_wishes(edition.wishes))


def _lists_some(listed: str, wishes: Sequence[Wish]) -> bool:
    """Return whether a list consists of some of the wishes, in their order, and nothing else."""
    if not listed:
        return True
    return any(
        listed.startswith(BEFORE_WISH + wish.line)
        and _lists_some(listed[len(BEFORE_WISH + wish.line) :], wishes[at + 1 :])
        for at, wish in enumerate(wishes)
    )


def _split_wishes(edition: Edition) -> tuple[str, int] | None:
    """Return the refinement without the lists at its end, and their language; None without them."""
    for language in range(len(ASKED)):
        block = _write_lists(language, edition.wishes)
        if block and edition.texts[5].endswith(block):
            return edition.texts[5].removesuffix(block), language
    return None


@dataclass(frozen=True, slots=True)
class _StatedWish:
    """A wish, promise, task or end in the memories that are shown."""

    place: int
    """The index of its memory among those shown."""
    wish: Wish
    can_go: bool
    """Whether its memory's text ends with its lists, so that it can be removed."""
    is_in_fold: bool
    is_replaced: bool
    """Whether a later wish is on the same matter."""


def fit_wishes(
    shown: Sequence[Memory],
    most: int,
    version: Callable[[Memory], Edition],
    count: Count,
    released: Collection[str] = (),
) -> tuple[Edition, ...]:
    """Return the edition of each memory without what is no longer shown.

    Folds leave out wishes beyond `most` tokens in all. `released` are the words that the person has
    released.
    """
    editions = [version(memory) for memory in shown]
    stated = _collect(shown, editions)
    over = _find_over(stated, released)
    left = [entry for entry in stated if entry not in over]
    still_open = [entry for entry in left if entry.wish.is_open]
    beyond = _find_beyond([entry for entry in left if entry not in still_open], most)
    gone: dict[int, set[str]] = {}
    removable = [entry for entry in over if entry.can_go]
    for entry in (*removable, *beyond, *_find_oldest_open(still_open)):
        gone.setdefault(entry.place, set()).add(entry.wish.text)
    return tuple(
        _without(edition, gone[place], count) if place in gone else edition
        for place, edition in enumerate(editions)
    )


def _find_over(stated: Sequence[_StatedWish], released: Collection[str]) -> list[_StatedWish]:
    """Return what is released, taken back or done; in folds, also what took it back."""
    over = [entry for entry in stated if entry.wish.text in released]
    for at, entry in enumerate(stated):
        if entry.wish.kind not in ("end", "done"):
            continue
        candidates = [
            earlier
            for earlier in stated[:at]
            if earlier not in over and earlier.wish.kind not in ("end", "done")
            if earlier.wish.is_open or entry.wish.kind == "end"
        ]
        texts = [earlier.wish.text for earlier in candidates]
        ended = find_ended(entry.wish.text, texts, is_done=entry.wish.kind == "done")
        over += [candidates[place] for place in ended]
        if entry.is_in_fold and (ended or entry.wish.kind == "done"):
            over.append(entry)
    return over


def _find_oldest_open(still_open: Sequence[_StatedWish]) -> list[_StatedWish]:
    """Return the oldest of what is open, beyond its budget; in steps, so memories seldom change."""
    beyond = sum(entry.wish.size for entry in still_open) - OPEN_TOKENS
    to_go = -(-max(0, beyond) // _STEP) * _STEP
    gone: list[_StatedWish] = []
    for entry in still_open:
        to_go -= entry.wish.size
        if to_go < 0:
            break
        gone.append(entry)
    return [entry for entry in gone if entry.can_go]


def find_open_wishes(shown: Sequence[Memory], released: Collection[str]) -> tuple[Wish, ...]:
    """Return the promises and tasks in the shown memories that still hold.

    Those are neither done, taken back nor released.
    """
    stated = _collect(shown, [memory.edition for memory in shown])
    over = _find_over(stated, released)
    return tuple(entry.wish for entry in stated if entry.wish.is_open and entry not in over)


def _collect(shown: Sequence[Memory], editions: Sequence[Edition]) -> list[_StatedWish]:
    """Return the wishes of all memories that are shown, oldest first."""
    stated: list[_StatedWish] = []
    for place in reversed(range(len(shown))):
        can_go = _split_wishes(editions[place]) is not None
        for wish in reversed(editions[place].wishes):
            later = [entry.wish.text for entry in stated if entry.wish.kind == "wish"]
            is_replaced = wish.kind == "wish" and any(
                is_same_matter(wish.text, text) for text in later
            )
            stated.append(_StatedWish(place, wish, can_go, shown[place].is_fold, is_replaced))
    return stated[::-1]


def _without(edition: Edition, gone: set[str], count: Count) -> Edition:
    """Return an edition without the wishes whose texts are `gone`.

    It is unchanged where its text does not end with its lists.
    """
    parts = _split_wishes(edition)
    if parts is None:
        return edition
    left = tuple(wish for wish in edition.wishes if wish.text not in gone)
    shorter = _with_lists(edition, *parts, left, count)
    return edition if shorter.texts == edition.texts else replace(shorter, lacks_wishes=True)


def _find_beyond(stated: Sequence[_StatedWish], most: int) -> list[_StatedWish]:
    """Return the wishes that folds leave out beyond `most` tokens: replaced, then the oldest."""
    excess = sum(entry.wish.size for entry in stated) - most
    gone: list[_StatedWish] = []
    removable = [entry for entry in stated if entry.can_go and entry.is_in_fold]
    for entry in sorted(removable, key=lambda entry: not entry.is_replaced):
        if excess <= 0:
            break
        gone.append(entry)
        excess -= entry.wish.size
    return gone


def describe_left_out_wishes(
    shown: Sequence[Memory], memories: Sequence[Memory], most: int, released: Collection[str] = ()
) -> str:
    """Return a clause that counts the wishes that still hold and are left out; "" for none.

    It names their memories. It quotes no wish, since a log may keep it. `memories` are all of the
    chat, `released` the words that the person has released.
    """
    stated = _collect(shown, [memory.edition for memory in shown])
    over = _find_over(stated, released)
    left = [entry for entry in stated if entry not in over and not entry.wish.is_open]
    left_out = [entry.wish for entry in _find_beyond(left, most) if not entry.is_replaced]
    if not left_out:
        return ""
    sources = {wish.source for wish in left_out}
    numbers = [
        str(memory.number)
        for memory in memories_of_chunks(memories)
        if sources.intersection(memory.keys)
    ]
    named = f" (memories {', '.join(numbers)})" if numbers else ""
    wishes = counted(
        len(left_out), "standing wish that still holds is", "standing wishes that still hold are"
    )
    return f"{wishes} left out of folds, beyond fold.wishes{named}: memproc show MEMORY has them"
