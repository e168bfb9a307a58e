"""Which contents need no work: identity is the SHA-256 of what is in a file, never its name or its date."""

from pathlib import PurePath

from daemon.archive.archive import Archive
from rules.arrival import FINISHED, IN_HAND


def known_content(archive: Archive, sha256: str) -> str | None:
    """Why an export of this content needs no work, as a sentence; None where it does.

    What was set aside may be tried again, and what left before it was worked on is as good as new.
    """
    if archive.one("SELECT 1 FROM output WHERE sha256 = ?", (sha256,)):
        return "memproc wrote this file itself: import it in TypingMind, and drop a new export when you have talked on"
    states = archive.run(
        "SELECT state, path, changed_at FROM arrival WHERE sha256 = ? AND state <> 'gone' ORDER BY id", (sha256,)
    )
    for state, path, at in states:
        if state in IN_HAND:
            return f"the same content waits to be worked on already, as {PurePath(path).name}"
        if state == "written":
            return f"already done: the same content was worked on as {PurePath(path).name}, on {at[:10]}"
    if states and all(state == "done" for state, _, _ in states):
        return f"already done: the same content was dropped as {PurePath(states[0][1]).name}, on {states[0][2][:10]}"
    return None


def is_needed(archive: Archive, sha256: str) -> bool:
    """Whether an arrival of this content is not finished, so that its copy has to stay."""
    states = archive.run("SELECT state FROM arrival WHERE sha256 = ?", (sha256,))
    return any(state not in FINISHED for (state,) in states)
