"""Store what the persona proposes to keep word for word: a proposal, and nothing else.

The words are proved first. A proposal waits on the page and in `memproc status` until the person
says yes; nothing of it reaches an export before.
"""

from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.keeping import kept_passages, store_passages
from daemon.chat.kept import mark
from daemon.files.clock import now
from daemon.recall.library import Library, Recalled, reach
from rules.errors import NotFound

MOST_WAITING = 20
"""The proposals of a chat that may wait for the person at once."""
_WAITS = "The person sees it, and it is kept if they say yes. Nothing has been kept yet."


def propose(library: Library, words: str, why: str, chat: str) -> Recalled:
    """Store a proposal to keep these words.

    Raise NotFound where they were never said so, were proposed before, or too many wait.
    """
    with Archive.open(library.state) as archive, archive.transaction():
        known = library.chat(archive, chat)
        before = kept_passages(archive, known.chat_id)
        new = mark(archive, known.chat_id, words, by="persona")
        if there := next((old for old in before if old.covers(new)), None):
            states = {"offered": "is proposed already", "released": "was let go by the person"}
            state = states.get(there.state, "is kept already")
            raise NotFound(f"This {state}.", "Leave it at that.")
        if sum(old.by == "persona" and old.state == "offered" for old in before) >= MOST_WAITING:
            raise NotFound(
                f"{MOST_WAITING} proposals wait for the person already.", "Propose no more for now."
            )
        proposal = replace(new, state="offered", reason=why)
        store_passages(archive, known.chat_id, [*before, proposal], now())
        head = reach(archive, known)
    return Recalled(_WAITS, {**head.data, "proposed": True})
