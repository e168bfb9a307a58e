"""Pause the daemon's work, stop a run, and go on: `memproc pause`, `resume`, `stop`."""

import re
from datetime import timedelta

import click

from daemon.archive.archive import Archive
from daemon.archive.work import ask_to_stop
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.status import daemon_place
from daemon.files.clock import now, seconds_between, span, with_span
from daemon.files.lock import daemon_runs
from daemon.reports.status import START
from daemon.status.place import begin_pause, end_pause
from daemon.status.status import present_run

_LONGEST = timedelta(days=366)
_PART = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_NO_DAEMON = "No daemon is running now; this counts for the next one."


def read_duration(text: str) -> timedelta:
    """Read "2h", "30m", "3d" or "1h30m". Raise BadParameter for anything else."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise click.BadParameter('must be a number with s, m, h or d, like "30m", "2h" or "3d".')
    length = sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    if not timedelta() < length <= _LONGEST:
        raise click.BadParameter("must be longer than nothing, and not longer than a year.")
    return length


@click.command
@click.argument("duration", required=False, type=read_duration)
@pass_settings
def pause_command(settings: Settings, duration: timedelta | None) -> None:
    """Have the daemon take up no new work, for DURATION (30m, 2h, 3d), or until `memproc resume`.

    What it is doing is finished, and new files are still noticed. `memproc run` by hand is not
    paused.
    """
    place, when = daemon_place(settings), now()
    with Archive.open(place.state) as archive:
        until = begin_pause(archive, duration, when)
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
