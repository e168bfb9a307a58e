"""Finds the dropped files in which work that had to be put off can be done now ."""

from dataclasses import dataclass

from daemon.archive.arrivals import Arrival, extracted_from, is_outdated, skipped_arrivals, waiting_arrivals
from daemon.chat.survey import survey
from daemon.context import House
from daemon.files.read import read_export
from daemon.inbox.enqueue import content_of
from rules.errors import ChatSetAside, FileTrouble, NotAnExport
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import why_not


@dataclass(frozen=True, slots=True)
class Postponed:
    """Numbers of the arrivals that are worth another try, for `daemon.inbox.enqueue.enqueue`."""

    arrivals: tuple[int, ...]


def postponed(house: House, night: bool) -> Postponed:
    """The arrivals that wait; at night also those set aside, or written with extracted memories, where a model
    can be asked for something now.

    Nothing is asked, and nothing is changed. Raises ArchiveError, or ConfigurationError for wrong texts.
    """
    found = list(waiting_arrivals(house.archive))
    if night:
        candidates = (*skipped_arrivals(house.archive), *extracted_from(house.archive))
        found += [arrival.id for arrival in candidates if _is_worth_it(house, arrival)]
    return Postponed(tuple(found))


def _is_worth_it(house: House, arrival: Arrival) -> bool:
    """Whether a chat of the file has work, and no chat of it has gone on in a newer file: that one comes first."""
    path = content_of(house.folders.state, arrival)
    if path is None:
        return False
    try:
        export = read_export(path)
        if any(is_outdated(house.archive, arrival, chat_id) for chat_id in export.chat_ids):
            return False
        return any(_has_work(house, chat) for chat in export.chats())
    except (FileTrouble, NotAnExport):
        return False


def _has_work(house: House, chat: Chat) -> bool:
    """Whether the plan holds a chunk to be asked for; a chat that is set aside as it is has none."""
    config = house.config.of(chat)
    if why_not(chat, config.chats.include, config.chats.exclude):
        return False
    try:
        found = survey(house.archive, chat, config, house.key, house.clock())
    except ChatSetAside:
        return False
    return bool(found.plan.work) and found.too_large is None
