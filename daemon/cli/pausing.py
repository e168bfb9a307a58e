"""Pause the daemon's work, stop a run, and go on: `memproc pause`, `resume`, `stop`."""

from datetime import timedelta

import click

from daemon.archive.archive import Archive
from daemon.archive.work import ask_to_stop
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.status import daemon_place
from daemon.files.clock import now, seconds_between, span, with_span
from daemon.files.lock import daemon_runs
from daemon.reports.status import START
from daemon.status.place import begin_pause, end_pause, read_duration
from daemon.status.status import present_run

_NO_DAEMON = "No daemon is running now; this counts for the next one."


def _duration(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> timedelta | None:
    """Read a duration such as "2h". Raise BadParameter where it is none."""
    try:
        return None if text is None else read_duration(text)
    except ValueError as fault:
        raise click.BadParameter(f"{fault}.", context, parameter) from fault


@click.command
@click.argument("duration", required=False, callback=_duration)
@pass_settings
def pause_command(settings: Settings, duration: timedelta | None) -> None:
    """Have the daemon take up no new work, for DURATION (30m, 2h, 3d), or until `memproc resume`.

    What it is doing is finished, and new files are still noticed. `memproc run` by hand is not
    paused.
    """
    place, when = daemon_place(settings), now()
    with Archive.open(place.state) as archive:
        until = begin_pause(archive, duration, when).until
    end = f"until {with_span(until, when)}" if until else "until you say: memproc resume"
    none = "" if daemon_runs(place.state) else _NO_DAEMON
    settings.done(f"Paused {end}.", none, until=until)


@click.command
@pass_settings
def stop_command(settings: Settings) -> None:
    """Stop the run that goes on, once the calls that are under way are answered.

    All that is finished is kept and nothing is asked twice: the next run goes on from there. Where
    the daemon began the run, it takes up no new work until `memproc resume`.
    """
    place, when = daemon_place(settings), now()
    with Archive.open(place.state) as archive:
        run = present_run(archive, when)
        if run is None or not run.goes_on:
            settings.done("No run goes on now.", stopped=False)
            return
        if not run.by_hand:
            begin_pause(archive, None, when)
        ask_to_stop(archive, run, when)
    waits = "The run stops after the calls that are under way"
    ago, seconds_left = seconds_between(run.asked_at, when), seconds_between(when, run.asked_until)
    if ago is not None and seconds_left is not None and run.asked_at >= run.answered_at:
        remaining = f"{span(max(0.0, seconds_left))} left at most"
        waits = f"{waits}: {run.asked} was asked {span(ago)} ago and has {remaining}"
    after = "" if run.by_hand else "No new work is taken up until you say: memproc resume"
    settings.done(f"{waits}.", after, stopped=True)


@click.command
@pass_settings
def resume_command(settings: Settings) -> None:
    """Have the daemon go on after `memproc pause`."""
    place = daemon_place(settings)
    with Archive.open(place.state) as archive:
        was = end_pause(archive, now())
    says = "Resumed." if was else "memproc was not paused."
    starts = START if was and not daemon_runs(place.state) else ()
    settings.done(says, "But no daemon is running." if starts else "", next=starts)
