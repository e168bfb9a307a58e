"""The rounds of a chat: which memories were chosen for hindsight when a round began, so that a kill changes nothing."""

from collections.abc import Collection

from daemon.archive.archive import Archive
from rules.plan.hindsight import Round
from rules.recognize.adopt import Adopted

_CHOSEN, HAD = 1, 2
"""Marks of a memory: it was chosen for hindsight; its turn is over."""


def round_of(archive: Archive, chat_id: str, adopted: Adopted) -> Round:
    """The round that was begun last; an empty one where there was none. `adopted` memories may have had theirs."""
    row = archive.one("SELECT id, round_to FROM chat WHERE chat_id = ?", (chat_id,))
    if row is None:
        return Round(had=adopted.had_hindsight)
    marks = dict(archive.run("SELECT id, hindsight FROM memory WHERE chat = ?", (row[0],)))
    chosen, had = (frozenset(name for name, mark in marks.items() if mark == wanted) for wanted in (_CHOSEN, HAD))
    return Round(row[1], chosen, had | adopted.had_hindsight)


def begin_round(archive: Archive, chat_id: str, begun: Round) -> None:
    """Keep which memories were chosen, in one transaction."""
    with archive.transaction():
        archive.run("UPDATE chat SET round_to = ? WHERE chat_id = ?", (begun.upto, chat_id))
        _mark(archive, begun.chosen, _CHOSEN)


def end_turn(archive: Archive, memory_id: str) -> None:
    """The memory has had its turn: it gets no further hindsight edition by itself."""
    with archive.transaction():
        _mark(archive, [memory_id], HAD)


def _mark(archive: Archive, names: Collection[str], mark: int) -> None:
    archive.run_many("UPDATE memory SET hindsight = ? WHERE id = ?", [(mark, name) for name in names])
