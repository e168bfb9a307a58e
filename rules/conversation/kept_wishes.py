"""Put after the refinement what the person asks for good, and what is promised or still to be done.

    I want to remember ...                the refinement, as it was written

    You asked me:                         in the language of the conversation
    - Always format dates as 5 March.     each word for word, from one raw message of the person's
    - Call me Ada.

    Still open:
    - 2026-03-04: I'll ask about the flat in April.     the persona's own words, with their day

The archive keeps all of it in every fold. What is taken back, done, or let go by the person is shown no
more, in an export as in a prompt. Where wishes take more than their budget, folds leave some out: first
those that a later wish on the same matter has replaced, then the oldest. What is open has a budget of its
own, so that it never pushes out a wish: the oldest goes, in steps, so that memories seldom change.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
    wish_lines,
)
from rules.conversation.wish_frames import ASKED, STILL
from rules.extract.prose import PERSONA
from rules.extract.same_matter import find_ended, is_same_matter
from rules.extract.wishes import Kind, find_promises, find_stated
from rules.wording import counted

OPEN_TOKENS = 500
"""Tokens of all that is promised or to be done."""
_STEP = 250
"""Tokens of them that go at once."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d: ")


def wishes_in(
    chunk: Iterable[Entry], is_safe: Callable[[str], bool], day_of: Callable[[Entry], str]
) -> tuple[Wish, ...]:
    """Return what the messages of a chunk ask for, promise and end, in order, each once.

    `is_safe` refuses a text that cannot be shown to a model character for character.
    """
    return each_once(_stated_in(chunk, is_safe, day_of))


def _stated_in(
    chunk: Iterable[Entry], is_safe: Callable[[str], bool], day_of: Callable[[Entry], str]
) -> Iterator[Wish]:
    for entry in chunk:
        find = find_promises if entry.message.role == PERSONA else find_stated
        for said in entry.message.spoken:
            for stated in find(said):
                if stated.is_sure and is_safe(stated.text):
                    day = day_of(entry) if stated.kind in ("promise", "task") else ""
                    yield Wish(stated.text, entry.key, kind=stated.kind, day=day)


def each_once(wishes: Iterable[Wish]) -> tuple[Wish, ...]:
    """Return the wishes in order; of those that read the same, the last."""
    newest: dict[str, Wish] = {}
    for wish in wishes:
        newest.pop(wish.text, None)
        newest[wish.text] = wish
    return tuple(newest.values())


def with_wishes(edition: Edition, wishes: Sequence[Wish], language: int, count: Count) -> Edition:
    """Return an edition that has no wishes yet with these after its refinement, in a language of `ASKED`."""
    if not wishes:
        return edition
    counted = tuple(replace(wish, tokens=count(wish.line)) for wish in wishes)
    block = _block(language, counted)
    *others, refined = edition.texts
    texts = six_of([*others, refined + block])
    tokens = edition.tokens - count(refined) + count(texts[5])
    return replace(edition, texts=texts, wishes=counted, tokens=tokens)


def _block(language: int, wishes: Sequence[Wish]) -> str:
    lists = (ASKED[language], False), (STILL[language], True)
    return "".join(
        f"\n\n{frame}{wish_lines(listed)}"
        for frame, is_open in lists
        if (listed := [wish for wish in listed_wishes(wishes) if wish.is_open is is_open])
    )


def wishes_left(edited: Edition) -> tuple[Wish, ...]:
    """Return the wishes of an edition that its texts still hold after an edit by the person."""
    last = edited.texts[5]
    return tuple(wish for wish in edited.wishes if wish.text in last or not wish.is_listed)


def as_listed(edition: Edition, stated: Sequence[Wish], count: Count) -> Edition:
    """Return an edition with what its messages have `stated`: of it, what its text lists, and what ends that.

    It is the edition itself where the text lists something else.
    """
    text = f"{edition.texts[5]}\n"
    wishes = tuple(
        replace(wish, tokens=count(wish.line))
        for wish in stated
        if not wish.is_listed or f"{BEFORE_WISH}{wish.line}\n" in text
    )
    is_all = {wish.line for wish in edition.wishes} <= {wish.line for wish in wishes}
    return replace(edition, wishes=wishes) if is_all else edition


def wishes_at_end(text: str, lines: Sequence[str], count: Count) -> tuple[Wish, ...]:
    """Return the wishes of the lines that end a memory's text, of which the archive knows no more."""
    wishes: list[Wish] = []
    is_open = any(frame + BEFORE_WISH in text for frame in BEFORE_OPEN)
    for line in reversed(lines):
        text = text.removesuffix(BEFORE_WISH + line)
        day = _DAY.match(line)
        said, date = (line[day.end() :], day.group()[:-2]) if is_open and day else (line, "")
        kind: Kind = "promise" if is_open else "wish"
        wishes.append(Wish(said, "", count(line), kind, date))
        if text.endswith(BEFORE_OPEN):
            is_open = False
            text = text.removesuffix(next(filter(text.endswith, BEFORE_OPEN)))
    return tuple(reversed(wishes))


def is_without_some(texts: Six, edition: Edition) -> bool:
    """Return whether these are the texts of the edition but for wishes that are left out."""
    parted = _parted(edition)
    if parted is None or texts[:5] != edition.texts[:5]:
        return False
    refined, language = parted
    if not texts[5].startswith(refined):
        return False
    listed = texts[5].removeprefix(refined)
    for frame in (ASKED[language], STILL[language]):
        listed = listed.replace(f"\n\n{frame}{BEFORE_WISH}", BEFORE_WISH, 1)
    return _lists_some(listed, listed_wishes(edition.wishes))


def _lists_some(listed: str, wishes: Sequence[Wish]) -> bool:
    """Return whether a list holds nothing but some of the wishes, in their order."""
    if not listed:
        return True
    return any(
        listed.startswith(BEFORE_WISH + wish.line)
        and _lists_some(listed[len(BEFORE_WISH + wish.line) :], wishes[at + 1 :])
        for at, wish in enumerate(wishes)
    )


def _parted(edition: Edition) -> tuple[str, int] | None:
    """Return the refinement without its wishes, and their language; None where no wish is listed."""
    for language in range(len(ASKED)):
        block = _block(language, edition.wishes)
        if block and edition.texts[5].endswith(block):
            return edition.texts[5].removesuffix(block), language
    return None


@dataclass(frozen=True, slots=True)
class _StatedWish:
    """A wish in what is shown."""

    place: int
    """The place of its memory there."""
    wish: Wish
    can_go: bool
    """It can be told from the words of its memory."""
    is_in_fold: bool
    is_replaced: bool
    """A later wish is on the same matter."""


def wishes_within(
    shown: Sequence[Memory],
    most: int,
    version: Callable[[Memory], Edition],
    count: Count,
    let_go: Collection[str] = (),
) -> tuple[Edition, ...]:
    """Return the edition of each memory without what is over.

    Folds leave out wishes beyond `most` tokens in all. `let_go` are the words that the person has let go.
    """
    editions = [version(memory) for memory in shown]
    stated = _stated(shown, editions)
    over = _over(stated, let_go)
    left = [entry for entry in stated if entry not in over]
    still = [entry for entry in left if entry.wish.is_open]
    beyond = _beyond([entry for entry in left if entry not in still], most)
    gone: dict[int, set[str]] = {}
    can_go = [entry for entry in over if entry.can_go]
    for entry in (*can_go, *beyond, *_oldest(still)):
        gone.setdefault(entry.place, set()).add(entry.wish.text)
    return tuple(
        _without(edition, gone[place], count) if place in gone else edition
        for place, edition in enumerate(editions)
    )


def _over(stated: Sequence[_StatedWish], let_go: Collection[str]) -> list[_StatedWish]:
    """Return what is let go, taken back or done; in folds, also what took it back."""
    over = [entry for entry in stated if entry.wish.text in let_go]
    for at, entry in enumerate(stated):
        if entry.wish.kind not in ("end", "done"):
            continue
        ended = [
            earlier
            for earlier in stated[:at]
            if earlier not in over and earlier.wish.kind not in ("end", "done")
            if earlier.wish.is_open or entry.wish.kind == "end"
        ]
        texts = [earlier.wish.text for earlier in ended]
        found = find_ended(entry.wish.text, texts, is_done=entry.wish.kind == "done")
        over += [ended[place] for place in found]
        if entry.is_in_fold and (found or entry.wish.kind == "done"):
            over.append(entry)
    return over


def _oldest(still: Sequence[_StatedWish]) -> list[_StatedWish]:
    """Return the oldest of what is open, beyond its budget; in steps, so that memories seldom change."""
    beyond = sum(entry.wish.size for entry in still) - OPEN_TOKENS
    to_go = -(-max(0, beyond) // _STEP) * _STEP
    gone: list[_StatedWish] = []
    for entry in still:
        to_go -= entry.wish.size
        if to_go < 0:
            break
        gone.append(entry)
    return [entry for entry in gone if entry.can_go]


def still_open(shown: Sequence[Memory], let_go: Collection[str]) -> tuple[Wish, ...]:
    """Return what is promised or to be done in what is shown, and neither done, taken back nor let go."""
    stated = _stated(shown, [memory.edition for memory in shown])
    over = _over(stated, let_go)
    return tuple(entry.wish for entry in stated if entry.wish.is_open and entry not in over)


def _stated(shown: Sequence[Memory], editions: Sequence[Edition]) -> list[_StatedWish]:
    """Return the wishes of all that is shown, the oldest first."""
    stated: list[_StatedWish] = []
    for place in reversed(range(len(shown))):
        can_go = bool(editions[place].wishes) and _parted(editions[place]) is not None
        for wish in reversed(editions[place].wishes):
            later = [entry.wish.text for entry in stated if entry.wish.kind == "wish"]
            is_replaced = wish.kind == "wish" and any(
                is_same_matter(wish.text, text) for text in later
            )
            stated.append(_StatedWish(place, wish, can_go, shown[place].is_fold, is_replaced))
    return stated[::-1]


def _without(edition: Edition, gone: set[str], count: Count) -> Edition:
    """Return an edition without these of its wishes, where they can be told from its words."""
    parted = _parted(edition)
    if parted is None:
        return edition
    refined, language = parted
    left = tuple(wish for wish in edition.wishes if wish.text not in gone)
    texts = six_of([*edition.texts[:5], refined + _block(language, left)])
    if texts == edition.texts:
        return edition
    tokens = edition.tokens - count(edition.texts[5]) + count(texts[5])
    return replace(edition, texts=texts, wishes=left, tokens=tokens, lacks_wishes=True)


def _beyond(stated: Sequence[_StatedWish], most: int) -> list[_StatedWish]:
    """Return the wishes that folds leave out beyond a budget: replaced ones, then the oldest."""
    over = sum(entry.wish.size for entry in stated) - most
    gone: list[_StatedWish] = []
    able = [entry for entry in stated if entry.can_go and entry.is_in_fold]
    for entry in sorted(able, key=lambda entry: not entry.is_replaced):
        if over <= 0:
            break
        gone.append(entry)
        over -= entry.wish.size
    return gone


def too_many_wishes(
    shown: Sequence[Memory], memories: Sequence[Memory], most: int, let_go: Collection[str] = ()
) -> str:
    """Return a clause that names the memories of wishes that still hold and are left out.

    It is empty where there are none. It has no wish in it, since a log may keep it. `memories` are
    all of the chat, `let_go` the words that the person has let go.
    """
    stated = _stated(shown, [memory.edition for memory in shown])
    over = _over(stated, let_go)
    left = [entry for entry in stated if entry not in over and not entry.wish.is_open]
    left_out = [entry.wish for entry in _beyond(left, most) if not entry.is_replaced]
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
