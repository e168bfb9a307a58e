"""Say what of a chat is kept word for word, what waits, and what the person is asked about it."""

from collections.abc import Sequence

from daemon.archive.chats import KnownChat
from daemon.reports.report import Card, Column, Report, ReportTable, Step, unmarked
from rules.layers.kept_passages import KeptPassage, how_full, in_order, notes_on
from rules.wording import about_it, cut_title


def passages_report(
    chat: KnownChat, passages: Sequence[KeptPassage], budget: int, persona: str
) -> Report:
    """Return the passages that are not released, in the order of time.

    `budget` is the most tokens that they may take together.
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
    keep = Step("To keep something that was said", f'keep {chat.chat_id} "ITS WORDS"')
    if not listed:
        return Report((table,), next=(keep,))
    notes = (note for passage in listed for note in notes_on(passage))
    full = f"kept word for word: {how_full(listed, budget)}"
    return Report((table,), notes=(full, *notes))


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
