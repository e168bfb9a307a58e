"""`memproc accept CHAT`: a chat that was set aside as a possible mistake is meant as it is."""

import click

from daemon.archive.archive import Archive
from daemon.archive.chat_states import accept_state, newest_arrival, waiting_state
from daemon.archive.chats import KnownChat, find_chat
from daemon.archive.outputs import RESTORED, last_output, let_go_of_restored
from daemon.cli.settings import Settings, pass_settings
from daemon.files.clock import now
from daemon.inbox.enqueue import enqueue

_NEXT = "The next run goes on with it"
_RUN_FIRST = "`memproc plan` only shows what a run would skip: run memproc once, and accept it then."


@click.command
@click.argument("chat")
@pass_settings
def accept(settings: Settings, chat: str) -> int:
    """Say that CHAT is meant as it is, after it was set aside, or left alone since it was restored.

    What is missing in it stays in the archive. A later state of the chat is judged anew.
    """
    state, when = settings.folders.state, now()
    with settings.archive() as archive:  # nothing is made for a chat that nobody knows
        known = find_chat(archive, chat)
    with Archive.open(state) as archive:
        accepted = _accepted(archive, known, when)
        if not accepted:
            settings.say(f'Nothing of "{known.title}" waits to be accepted. {_RUN_FIRST}')
            return 0
        arrival = newest_arrival(archive, known.chat_id)
        begun = enqueue(archive, state, (arrival,), when, done=True) if arrival is not None else ()
    settings.say(f"{accepted} {_NEXT}{', and so does the daemon, at once' if begun else ''}.")
    return 0


def _accepted(archive: Archive, known: KnownChat, when: str) -> str:
    """What is accepted from now on, as a sentence; empty where nothing waits."""
    waiting, last = waiting_state(archive, known.chat_id), last_output(archive, known.chat_id)
    restored = last if last is not None and last.messages_sha256 == RESTORED else None
    if waiting is not None and (restored is None or waiting.said_at > restored.written_at):
        accept_state(archive, known.chat_id, waiting.sha256, when)
        return f"Accepted as meant, what was set aside on {waiting.said_at[:10]}: {waiting.doubt}"
    if restored is not None:
        let_go_of_restored(archive, known.chat_id)
        return f'Accepted: "{known.title}", which was restored on {restored.written_at[:10]}, is worked on again.'
    return ""
