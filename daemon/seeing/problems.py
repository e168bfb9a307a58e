"""Decides what wants the person's attention, each with its reason and the next step."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.signs import Sign
from daemon.seeing.moments import seconds_between, span

_SLOW_SECONDS = 120.0
# No newer file has taken the place of the arrival; the same content once more is no newer file.
_IN_ITS_PLACE = """NOT EXISTS (
    SELECT 1 FROM arrival AS later WHERE later.path = arrival.path AND later.id > arrival.id
    AND NOT (later.state = 'done' AND later.sha256 IS arrival.sha256))"""
_LOGS = "See what happened with: memproc logs"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the person has to look at; `what` names the file, the chat or the part."""

    what: str
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Watch:
    """When it is, and what is known of the daemon: whether it runs, and how often it looks through the inbox."""

    now: str
    running: bool
    rescan_seconds: float


def problems(
    archive: Archive, signs: Mapping[str, Sign], watch: Watch, is_there: Callable[[str], bool]
) -> tuple[Problem, ...]:
    """All problems, the daemon's own first, then the newest.

    A file is none any more once the person has taken it out of the inbox, or has dropped a newer one in its
    place; a chat is none any more once it has come by again.
    """
    return (*_of_daemon(signs, watch), *_of_jobs(archive), *_of_chats(archive, is_there), *_of_files(archive, is_there))


def _of_daemon(signs: Mapping[str, Sign], watch: Watch) -> Iterator[Problem]:
    said = {name: sign.value for name, sign in signs.items()}
    if reason := said.get("config_error"):
        yield Problem(
            "the settings",
            reason,
            "Correct them: memproc.toml is read again by itself, and till then all is as before.",
        )
    if reason := said.get("inbox_note"):
        yield Problem("the inbox", reason, "memproc goes on by itself as soon as it can.")
    elif said.get("watch_mode") == "none":
        yield Problem(
            "the watch on the inbox", said.get("watch_note", ""), "Till then, the rescans find what is dropped."
        )
    if reason := said.get("log_note"):
        yield Problem("the log", reason, "memproc works on, and writes the log again as soon as it can.")
    newest = max((signs[name].at for name in ("started_at", "last_scan") if name in signs), default="")
    silent = seconds_between(newest, watch.now)
    if watch.running and silent is not None and silent > 2 * watch.rescan_seconds + _SLOW_SECONDS:
        yield Problem(
            "the daemon",
            f"It has not looked through the inbox for {span(silent)}, so it seems to hang.",
            "Start it anew: end its process, or say memproc service install.",
        )


def _of_jobs(archive: Archive) -> Iterator[Problem]:
    for name, error in archive.run("SELECT name, error FROM job WHERE error <> '' ORDER BY name"):
        yield Problem(f"the timed job {name}", error, f"It is tried again at its next time. {_LOGS}")


def _of_chats(archive: Archive, is_there: Callable[[str], bool]) -> Iterator[Problem]:
    rows = archive.run(
        f"""
        WITH by_title AS (SELECT title, max(id) AS newest FROM outcome GROUP BY title),
             by_chat AS (SELECT chat_id, max(id) AS newest FROM outcome GROUP BY chat_id)
        SELECT outcome.title, outcome.detail, outcome.next_step, arrival.path FROM outcome
        JOIN arrival ON arrival.id = outcome.arrival
        JOIN by_title ON by_title.title = outcome.title AND by_title.newest = outcome.id
        JOIN by_chat ON by_chat.chat_id = outcome.chat_id AND (by_chat.newest = outcome.id OR outcome.chat_id = '')
        WHERE outcome.kind = 'set aside' AND {_IN_ITS_PLACE} ORDER BY outcome.id DESC
        """  # noqa: S608
    )
    for title, detail, next_step, path in rows:
        if is_there(path):
            yield Problem(title, detail, next_step or _LOGS)


def _of_files(archive: Archive, is_there: Callable[[str], bool]) -> Iterator[Problem]:
    """Files that were set aside or wait for the person, unless their chats have told it already."""
    rows = archive.run(
        f"""
        SELECT path, state, reason, next_step FROM arrival
        WHERE (state = 'set aside' OR (next_step <> '' AND state NOT IN ('written', 'done', 'gone')))
        AND id NOT IN (SELECT arrival FROM outcome WHERE kind = 'set aside') AND {_IN_ITS_PLACE} ORDER BY id DESC
        """  # noqa: S608
    )
    for path, state, reason, next_step in rows:
        if is_there(path):
            yield Problem(Path(path).name, reason or f"It is {state}.", next_step or _LOGS)
