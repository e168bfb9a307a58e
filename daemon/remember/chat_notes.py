"""Notes on known chats: wishes left out of folds, kept passages, models that end soon.

Status, Home and doctor show them.

`memproc plan` says the same of the chats in an export; these are read from the archive alone.
Status asks for them each time, so modules that few chats need are imported late.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.chats import chats_that_keep, chats_with_folds, known_chat
from daemon.status.status import StatusProblem
from daemon.status.titles import shown_titles
from rules.errors import MemprocError
from rules.typingmind.dates import write_date
from rules.wording import as_sentence

if TYPE_CHECKING:
    from daemon.chat.holding import Holding
    from daemon.config.keys import FindKey
    from daemon.config.settings import Config
    from daemon.remember.endings import EndingChat
    from daemon.status.findings import Finding, Setup
    from rules.layers.kept_passages import KeptPassage

_RAISE_WISHES = "Raise wishes under [fold] in memproc.toml; the next run puts them back."


def wishes_left_out(archive: Archive, held: "Holding") -> str:
    """Return a clause on the wishes that still hold but that a chat's folds leave out; or ""."""
    from daemon.archive.keeping import kept_passages
    from rules.conversation.kept_wishes import describe_left_out_wishes
    from rules.layers.kept_passages import released_wishes

    released = released_wishes(kept_passages(archive, held.chat_id))
    return describe_left_out_wishes(held.shown, held.memories, held.bounds.wishes, released)


def problems_of_folds(archive: Archive, config: "Config") -> Iterator[StatusProblem]:
    """Yield what status and Home say of each chat whose folds leave out a wish that holds."""
    for chat_id, title in _titles_of(archive, chats_with_folds(archive)):
        from daemon.chat.holding import holding

        with suppress(MemprocError):  # an unreadable chat hides no other
            if clause := wishes_left_out(archive, holding(archive, config, chat_id)):
                yield StatusProblem(title, f"{clause}.", _RAISE_WISHES)


def wishes_of_folds(setup: "Setup") -> Iterator["Finding"]:
    """Yield a finding on each chat whose folds leave out wishes."""
    from daemon.status.findings import warning

    with setup.archive() as archive:
        problems = list(problems_of_folds(archive, setup.config))
    for problem in problems:
        yield warning(f"wishes of {problem.what}", problem.reason, problem.next_step)


def fullness_of_kept(archive: Archive, config: "Config") -> Iterator[str]:
    """Yield a line for each chat that keeps passages or would, on how full their budget is."""
    for chat_id, title, passages in _all_kept(archive):
        from rules.layers.kept_passages import how_full

        with suppress(MemprocError):
            budget = config.of(known_chat(archive, chat_id)).keep.budget
            if full := how_full(passages, budget):
                yield f"{title}: {full}"


def _all_kept(archive: Archive) -> Iterator[tuple[str, str, tuple["KeptPassage", ...]]]:
    """Yield id, title and passages of each chat; one that cannot be read hides no other."""
    for chat_id, title in _titles_of(archive, chats_that_keep(archive)):
        from daemon.archive.keeping import kept_passages

        with suppress(MemprocError):
            yield chat_id, title, kept_passages(archive, chat_id)


def memories_of_ending_models(setup: "Setup") -> Iterator["Finding"]:
    """Yield a finding on each chat whose model ends soon and did not write all memories itself."""
    from daemon.status.findings import warning

    with setup.archive() as archive:
        now = write_date(setup.machine.now)
        endings = list(_all_endings(archive, setup.config, setup.key, now))
    for title, ending in endings:
        if ending.by_others:
            yield warning(f"memories of {title}", ending.reason, ending.next_step)


def problems_of_chats(
    archive: Archive, config: "Config", key: "FindKey", now: str
) -> Iterator[tuple[StatusProblem, str]]:
    """Yield what status and Home say of chats, each with the address of the page that leads on.

    A model that ends soon, wishes that folds leave out, and what waits for the person.
    """
    for title, ending in _all_endings(archive, config, key, now):
        yield StatusProblem(title, ending.reason, ending.next_step), "/inbox"
    for problem in problems_of_folds(archive, config):
        yield problem, "/settings"
    for chat_id, title, passages in _all_kept(archive):
        from rules.layers.kept_passages import notes_on

        open_passages = (passage for passage in passages if passage.is_open)
        if questions := "; ".join(chain.from_iterable(map(notes_on, open_passages))):
            step = f"Look at it with: memproc keep {chat_id}"
            yield StatusProblem(title, as_sentence(questions), step), f"/chat/{chat_id}/kept"


def _all_endings(
    archive: Archive, config: "Config", key: "FindKey", now: str
) -> Iterator[tuple[str, "EndingChat"]]:
    """Yield title and end of each chat whose model ends soon; an unreadable one hides no other."""
    from daemon.remember.endings import ending_chat

    for chat_id, title in shown_titles(archive).items():
        with suppress(MemprocError):
            ending = ending_chat(archive, chat_id, config, key, now)
            if ending:
                yield title, ending


def _titles_of(archive: Archive, chat_ids: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield id and title of each of these chats."""
    return (pair for pair in shown_titles(archive).items() if pair[0] in chat_ids)
