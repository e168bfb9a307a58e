"""List chats and their versions, accept a skipped chat: `memproc chats`, `versions`, `accept`."""

from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import (
    KnownChat,
    accept_state,
    find_chat,
    known_chats,
    newest_arrival,
    newest_file,
    waiting_state,
)
from daemon.archive.outputs import RESTORED, last_output, let_go_of_restored
from daemon.cli.settings import Settings, pass_settings
from daemon.files.candidates import exports_in
from daemon.files.clock import in_full, now
from daemon.files.lock import daemon_runs
from daemon.reports.chats import chats_report, versions_report
from daemon.reports.report import Step
from rules.wording import cut_title

_RUN_FIRST = (
    "`memproc plan` only shows what a run would skip: run memproc once, and accept it then."
)


@click.command
@pass_settings
def chats_command(settings: Settings) -> None:
    """List the chats that the archive knows, with how much of each is under memories."""
    with settings.archive() as archive:
        known = known_chats(archive)
    inbox = settings.folders.inbox
    waiting = 0 if known or not inbox.is_dir() else len(exports_in(inbox))
    settings.show(chats_report(known, waiting))


@click.command
@click.argument("chat")
@pass_settings
def versions_command(settings: Settings, chat: str) -> None:
    """List the kept versions of CHAT, the first original among them, oldest first."""
    with settings.chat(chat) as (_, known):
        settings.show(versions_report(known, settings.folders.backups))


@click.command
@click.argument("chat")
@pass_settings
def accept_command(settings: Settings, chat: str) -> None:
    """Say that CHAT is meant as it is.

    It was skipped as a possible mistake, or waits since it was restored. What is missing in it
    stays in the archive. A later state of the chat is judged again.
    """
    from daemon.cli.status import daemon_place
    from daemon.inbox.intake import enqueue

    state, when = settings.folders.state, now()
    with settings.archive() as archive:  # no archive is made for a chat that is not known
        known = find_chat(archive, chat, "whole")
    with Archive.open(state) as archive:
        accepted = _accept(archive, known, when)
        if not accepted:
            none = f'Nothing of "{cut_title(known.title)}" waits to be accepted. {_RUN_FIRST}'
            settings.done(none, accepted=False)
            return
        arrival = newest_arrival(archive, known.chat_id)
        again = (arrival,) if arrival is not None else ()
        enqueued = enqueue(archive, state, again, when, done=True)
        is_there = bool(enqueued) or Path(newest_file(archive, known.chat_id)).is_file()
    goes_on = enqueued and daemon_runs(daemon_place(settings).state)
    daemon = ", and so does the daemon, at once" if goes_on else ""
    drop = Step("Its newest export is not in the inbox any more: drop it there, then", "run")
    settings.done(
        f"{accepted} The next run goes on with it{daemon}.",
        next=() if is_there else (drop,),
        accepted=True,
        enqueued=enqueued,
    )


def _accept(archive: Archive, chat: KnownChat, when: str) -> str:
    """Accept the state that was skipped last, or the version that was restored since.

    Return a sentence on it, or "" if nothing waits.
    """
    waiting = waiting_state(archive, chat.chat_id)
    last = last_output(archive, chat.chat_id)
    restored = last if last is not None and last.messages_sha256 == RESTORED else None
    if waiting is not None and (restored is None or waiting.said_at > restored.written_at):
        accept_state(archive, chat.chat_id, waiting.sha256, when)
        day = in_full(waiting.said_at)[:10]
        return f"Accepted as meant, what was skipped on {day}: {waiting.doubt}"
    if restored is None:
        return ""
    let_go_of_restored(archive, chat.chat_id)
    day = in_full(restored.written_at)[:10]
    return f'Accepted: "{cut_title(chat.title)}", which was restored on {day}, is processed again.'
