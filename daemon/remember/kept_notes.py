"""What known chats keep word for word: how full that is, what waits, and what the person is asked.

`memproc plan` says the same of the chats in an export; these are read from the archive alone.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat, known_chats
from daemon.archive.keeping import kept_passages
from daemon.config.settings import Config
from daemon.status.printable import told_apart
from daemon.status.status import StatusProblem
from rules.errors import MemprocError
from rules.layers.kept_passages import KeptPassage, how_full, notes_on


def problems_of_kept(archive: Archive) -> Iterator[tuple[StatusProblem, str]]:
    """Yield what status and Home say of each chat where something waits for the person; its id."""
    for chat_id, title, passages in _all_kept(archive):
        open_ones = (passage for passage in passages if passage.is_open)
        if questions := "; ".join(chain.from_iterable(map(notes_on, open_ones))):
            reason = f"{questions[:1].upper()}{questions[1:]}."
            step = f"Look at it with: memproc keep {chat_id}"
            yield StatusProblem(title, reason, step), chat_id


def fullness_of_kept(archive: Archive, config: Config) -> Iterator[str]:
    """Yield a line on how full each chat is that keeps something, or would."""
    for chat_id, title, passages in _all_kept(archive):
        with suppress(MemprocError):
            budget = config.of(known_chat(archive, chat_id)).keep.budget
            if full := how_full(passages, budget):
                yield f"{title}: {full}"


def _all_kept(archive: Archive) -> Iterator[tuple[str, str, tuple[KeptPassage, ...]]]:
    """Yield id, title and passages of each chat; one that cannot be read hides no other."""
    chats = known_chats(archive)
    titles = told_apart((known.chat_id, known.title) for known in chats)
    for known in chats:
        with suppress(MemprocError):
            yield known.chat_id, titles[known.chat_id], kept_passages(archive, known.chat_id)
