"""Watch the daemon: `memproc watch`, `status`, `logs`, and `memproc` alone on a terminal."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.trials import trials
from daemon.cli.settings import Settings, pass_settings
from daemon.files.candidates import describe_unpacked, exports_in
from daemon.files.clock import now
from daemon.files.lock import daemon_runs
from daemon.files.paths import default_state
from daemon.reports.status import headline, log_report, status_report
from daemon.status.log import log_rows
from daemon.status.place import DaemonPlace, read_place, waits_for
from daemon.status.printable import in_one_line
from daemon.status.sentences import trial_in_words
from daemon.status.status import Status, StatusProblem
from daemon.status.status import read_status as gather
from rules.errors import ConfigurationError, MemprocError
from rules.wording import counted, cut_title

_REDRAW_SECONDS = 2.0
_LOOK_SECONDS = 0.5

_NOT_SET_UP = """\
memproc is not set up yet. Begin with one of these:
    memproc init    folders, a key or none, the service, a sample
    memproc demo    the whole trip on a sample conversation; no key, no network"""


def daemon_place(settings: Settings) -> DaemonPlace:
    """Return the folders of the daemon's archive, lock and inbox. Raises ConfigurationError."""
    toml = settings.config_file.path
    if toml is None:
        return DaemonPlace(default_state())
    return read_place(toml) or DaemonPlace(settings.folders.state, inbox=settings.folders.inbox)


@click.command
@click.option("--watch", is_flag=True, help="Show it again every two seconds, until Ctrl-C.")
@pass_settings
def status_command(settings: Settings, watch: bool) -> int:
    """Say whether the daemon is well: problems first, then what it waits for and what it has done.

    The exit code is 0 where all is well, 1 where something needs attention, 2 where the daemon has
    run before and does not run now.
    """
    try:
        place = daemon_place(settings)
    except MemprocError as fault:
        raise _or_what_is_waited_for(fault, settings.path) from fault
    if watch and settings.for_programs:
        raise click.UsageError("--watch is for a person; ask for --json as often as you like.")
    settings.say_which_file()
    shown = _show(settings, place, watch)
    try:
        while watch:
            time.sleep(_REDRAW_SECONDS)
            shown = _show(settings, place, watch)
    except KeyboardInterrupt:
        pass  # Ctrl-C stops watching
    return shown.exit_code


def _show(settings: Settings, place: DaemonPlace, again: bool) -> Status:
    """Print the status, and return it; with `again`, clear the screen before."""
    shown = _gathered(settings, place)
    report = status_report(shown)
    if not settings.for_programs:
        report = replace(report, next=())  # the first lines say so
    if again:
        click.clear()
    settings.show(report)
    if again:
        click.echo()
    return shown


def _gathered(settings: Settings, place: DaemonPlace) -> Status:
    """Return the status, including what a daemon waits for that cannot begin yet."""
    toml = settings.config_file.path
    try:
        with Archive.read(place.state) as archive:
            status = gather(archive, datetime.now(UTC), daemon_runs(place.state))
            if isinstance(place.inbox, Path):
                unpacked = tuple(sentence for _, sentence in describe_unpacked(place.inbox))
                status = replace(status, unpacked=unpacked)
            with suppress(ConfigurationError):  # the daemon reports this itself, or waits for it
                status = _with_settings(status, settings, archive)
    except MemprocError as fault:
        raise _or_what_is_waited_for(fault, toml) from fault
    if trouble := waits_for(toml):  # it may hold its lock while it tries to begin
        what = "the daemon waits and tries again"
        waiting = StatusProblem(what, trouble.message, trouble.next_step)
        status = replace(status, running=True, problems=(waiting, *status.problems))
    return status


def _with_settings(status: Status, settings: Settings, archive: Archive) -> Status:
    """Return the status with problems of chats, their kept passages, and trials of models.

    Of kept passages it is how full of them chats are. Problems of chats are models that end, wishes
    left out, and questions about kept passages. Trials are those of models that memproc.toml names,
    with the reason if the agent does less. Raises ConfigurationError.
    """
    if known_chats(archive):
        from daemon.config.keys import keys  # late: only chats need it
        from daemon.remember.chat_notes import fullness_of_kept, problems_of_chats

        config, key = settings.config, keys(settings.folders.state)
        problems = (problem for problem, _ in problems_of_chats(archive, config, key, now()))
        kept = tuple(fullness_of_kept(archive, config))
        status = replace(status, problems=(*status.problems, *problems), kept=kept)
    if last := trials(archive):
        from daemon.models.limited import why_agent_is_limited  # late: few try a model of their own

        names = dict.fromkeys(settings.config.models.names)
        shown = [trial_in_words(name, last[name]) for name in names if name in last]
        limited = filter(None, [why_agent_is_limited(archive, settings.config)])
        status = replace(status, trials=(*shown, *limited))
    return status


def _or_what_is_waited_for(fault: MemprocError, toml: Path | None) -> MemprocError:
    """Return the error that a daemon waits for, which is often the cause; else `fault`."""
    trouble = waits_for(toml)
    if trouble is None:
        return fault
    return MemprocError(f"The daemon waits and tries again: {trouble.message}", trouble.next_step)


@click.command
@pass_settings
def watch_command(settings: Settings) -> int:
    """Watch the inbox until you stop it: every export that is dropped there is processed."""
    from daemon.inbox.watch import watch as watch_inbox

    return watch_inbox(settings.path)


@click.command
@click.argument("chat", required=False, default="")
@click.option(
    "-f", "--follow", is_flag=True, help="Go on with what happens from now on, until Ctrl-C."
)
@pass_settings
def logs_command(settings: Settings, chat: str, follow: bool) -> int:
    """Tell what was done, of all chats or of CHAT (an id or a title), oldest first."""
    if follow and settings.for_programs:
        raise click.UsageError("--follow has no end, so it has no --json.")
    wait = (lambda: time.sleep(_LOOK_SECONDS)) if follow else None
    entries = log_rows(daemon_place(settings).state, chat, wait)
    try:
        for row in entries if follow else ():
            settings.show(log_report([row]))
        settings.show(log_report(list(entries), chat))
    except KeyboardInterrupt:
        pass  # Ctrl-C stops following
    return 0


def show_overview(settings: Settings) -> None:
    """Print the state of the daemon, the chats and the inbox, and the next step."""
    folders = settings.folders
    if settings.config_file.path is None and not folders.inbox.is_dir():
        click.echo(_NOT_SET_UP)
        return
    place = daemon_place(settings)
    status = _gathered(settings, place)
    with Archive.read(place.state) as archive:
        chats = known_chats(archive)
    exports = _exports(folders.inbox)
    lines = [headline(status)]
    if chats:
        memories = counted(sum(chat.memories for chat in chats), "memory", "memories")
        title = cut_title(in_one_line(chats[-1].title))
        lines.append(f'{counted(len(chats), "chat")} with {memories}; seen last: "{title}".')
    if exports:
        lines.append(f"{counted(len(exports), 'export')} in the inbox.")
    settings.say("\n".join(lines))
    next_step, *to_copy = _next_step(status, folders.inbox, exports, _exports(folders.updated))
    settings.say(f"\nNext: {next_step}")
    for line in to_copy:
        settings.say_whole(f"    {line}")
    settings.say("All commands: memproc help")


def _exports(folder: Path) -> tuple[Path, ...]:
    """Return the exports of a folder, the newest last; none if the folder is missing."""
    return exports_in(folder) if folder.is_dir() else ()


def _next_step(
    status: Status, inbox: Path, exports: Sequence[Path], updated: Sequence[Path]
) -> tuple[str, ...]:
    """Return a sentence on what to do first, then lines to copy.

    They are for a problem, a new export, or an updated one.
    """
    if status.problems:
        problem = status.problems[0]
        return f"{in_one_line(problem.what)} needs attention.", problem.next_step
    has_new = bool(exports)
    if exports and updated:
        has_new = exports[-1].stat().st_mtime > updated[-1].stat().st_mtime
    if has_new:
        if status.running:
            sentence = "the export is processed automatically. See how far along it is."
            return sentence, "memproc status"
        return "see what a run would do with them, and what it costs.", "memproc plan"
    if updated:
        return "import this file in TypingMind; it replaces the chat.", str(updated[-1])
    return "put an export of a chat into the inbox.", str(inbox)
