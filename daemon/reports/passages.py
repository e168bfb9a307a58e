"""Say what of a chat is kept word for word, what waits, and what the person is asked about it."""

from collections.abc import Iterator, Sequence

from daemon.archive.chats import KnownChat
from daemon.reports.report import Card, Column, Report, ReportTable, Step, unmarked
from rules.conversation.memory import Wish
from rules.layers.kept_passages import KeptPassage, how_full, in_order, notes_on
from rules.wording import about_it, cut_title

_MOST_OPEN = 10
"""Of what memories list as promised or to be done, the newest are shown."""


def passages_report(
    chat: KnownChat,
    passages: Sequence[KeptPassage],
    budget: int,
    persona: str,
    still: Sequence[Wish] = (),
) -> Report:
    """Return the passages that are not released, in the order of time.

    `budget` is the most tokens that they may take together. `still` is what memories list as
    promised or to be done.
    """
    columns: tuple[Column[KeptPassage], ...] = (
        Column("Id", lambda passage: passage.number, "number"),
        Column("Said on", lambda passage: passage.said_at[:10]),
        Column("By", lambda passage: _speaker(passage, persona)),
        Column("Words", lambda passage: " ".join(passage.text.split()), "prose"),
        Column("Tokens", lambda passage: passage.tokens, "number", drop=1),
        Column("State", lambda passage: passage.state),
    )
    listed = in_order(passages)
    none = f'Nothing of "{cut_title(chat.title)}" is kept word for word.'
    table = ReportTable("passages", listed, columns, none, lambda passage: _card(passage, persona))
    steps: list[Step] = []
    if not listed:
        steps.append(Step("To keep something that was said", f'keep {chat.chat_id} "ITS WORDS"'))
    if still:
        steps.append(Step("When something open is done", f'release {chat.chat_id} "ITS WORDS"'))
    notes = tuple(_notes(chat, listed, budget, len(still) - _MOST_OPEN))
    in_json = ReportTable("open", still)
    return Report(
        (table, _open_table(still[-_MOST_OPEN:], persona), in_json),
        notes=notes,
        next=tuple(steps),
    )


def _notes(
    chat: KnownChat, listed: Sequence[KeptPassage], budget: int, older: int
) -> Iterator[str]:
    """Yield what there is to know of the passages; `older` is how many open ones are not shown."""
    if listed:
        yield f"kept word for word: {how_full(listed, budget)}"
    for passage in listed:
        yield from notes_on(passage)
    if any(passage.state == "kept" for passage in listed):
        yield "the opening lacks those that the live tail still shows"
    if older > 0:
        yield f"{older:,} more are open since earlier: memproc keep {chat.chat_id} --json"


def _open_table(still: Sequence[Wish], persona: str) -> ReportTable[Wish]:
    columns: tuple[Column[Wish], ...] = (
        Column("Open since", lambda wish: wish.day),
        Column("By", lambda wish: persona if wish.kind == "promise" else "you"),
        Column("Words", lambda wish: " ".join(wish.text.split()), "prose"),
    )
    return ReportTable("", still, columns)


def _speaker(passage: KeptPassage, persona: str) -> str:
    return "you" if passage.speaker == "user" else persona


def _card(passage: KeptPassage, persona: str) -> Card:
    """Return a passage with its state and all that is to be decided about it."""
    notes = [about_it(note, passage.called) for note in notes_on(passage)]
    if passage.state == "offered" and passage.by == "persona" and passage.reason:
        notes.append(f"{persona} says why: {passage.reason}")
    return Card(
        who=f"passage {passage.number}, {_speaker(passage, persona)}",
        text=unmarked(passage.text),
        said_at=passage.said_at,
        marks=(passage.state,),
        notes=(*notes, f"{passage.tokens:,} tokens"),
    )
