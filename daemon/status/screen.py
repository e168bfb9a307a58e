"""Lays the status out for a person: problems first, then the daemon, the queue, the chats, money and jobs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from daemon.status.printable import in_one_line, told_apart, visible
from daemon.status.sentences import progress_line
from daemon.status.spans import local, seconds_between, span, with_span
from daemon.status.status import Status

_MOST = 10
_START = "Start it with: memproc service install, or in this terminal: memproc watch"
_WORDS = {
    # of files
    "working": "in progress",
    "planned": "next",
    "copied": "next",
    "waiting": "waiting",
    "paused": "waiting",
    "settling": "arriving",
    "seen": "arriving",
    # of chats
    "written": "processed",
    "left alone": "unchanged",
    "set aside": "skipped",
}


def screen(status: Status) -> str:
    """The whole text, without a line's end after the last line. Nothing in a name or title steers the terminal."""
    parts = (
        [headline(status), *([] if status.running else [_START])],
        _problems(status),
        _run(status),
        _daemon(status),
        _queue(status),
        _chats(status),
        _rest(status),
    )
    return visible("\n\n".join("\n".join(part) for part in parts if part))


def headline(status: Status) -> str:
    """The state of things in one line, without any title: a service manager shows it too."""
    if not status.running:
        last = status.life.last_sign
        return f"memproc is not running.{f' Its last sign of life: {with_span(last, status.now)}.' if last else ''}"
    wants = len(status.problems)
    attention = (
        f", {wants:,} {'thing wants' if wants == 1 else 'things want'} attention" if wants else ""
    )
    return (
        f"memproc is running: {_activity(status)}, ${status.money.today_usd:.2f} today{attention}."
    )


def _activity(status: Status) -> str:
    working = [file.file for file in status.queue if file.state == "working"]
    left = sum(status.open_files.values()) - len(working)
    if working:
        waiting = f", {_batches(status)}" if status.batches else ""
        return f"working on {in_one_line(working[0])}{waiting}{f', {_files(left)} after it' if left else ''}"
    if status.paused:
        until = (
            f"until {local(status.paused.until, status.now)}"
            if status.paused.until
            else "until memproc resume"
        )
        return f"paused {until}{f', {_files(left)} to do' if left else ''}"
    return f"{_files(left)} to do" if left else "nothing to do"


def _run(status: Status) -> list[str]:
    """The run that goes on, and who has begun it; else the newest one that was begun by hand."""
    if run := status.run:
        who = "by hand" if run.by_hand else "by the daemon"
        return [
            "Running",
            f"  {progress_line(run)}, since {local(run.began_at, status.now)}, {who}",
        ]
    if (last := status.last_run) and last.by_hand:
        money = f", ${last.usd:,.2f}" if last.usd else ""
        return [
            "Last run by hand",
            f"  {with_span(last.ended_at, status.now)}: {last.outcome}{money}",
        ]
    return []


def _batches(status: Status) -> str:
    """The batches that were sent: the provider answers all of a batch together, within a day."""
    requests, since = sum(batch.requests for batch in status.batches), status.batches[0].since
    what = "a batch" if len(status.batches) == 1 else f"{len(status.batches)} batches"
    return f"waiting for {what} ({requests:,} requests, since {local(since, status.now)})"


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"


def _problems(status: Status) -> list[str]:
    if not status.problems:
        return []
    lines = ["Wants attention"]
    for problem in status.problems[:_MOST]:
        reason, *more = problem.reason.splitlines() or [""]
        named = (
            reason if reason.startswith(problem.what) else f"{in_one_line(problem.what)}: {reason}"
        )
        lines += [f"  {named}", *(f"    {line}" for line in more)]
        lines.append(f"    -> {problem.next_step}")
    return [*lines, *_more(len(status.problems) - _MOST, "things")]


def _daemon(status: Status) -> list[str]:
    life = status.life
    if not life.since:
        return []
    rows = [
        ("last event", with_span(life.last_event, status.now)),
        ("last rescan", with_span(life.last_scan, status.now)),
        ("watch mode", f"{life.mode or 'unknown'}{f': {life.why}' if life.why else ''}"),
    ]
    if status.running:
        lasted = seconds_between(life.since, status.now)
        since = (
            f"{local(life.since, status.now)}{f' ({span(lasted)})' if lasted is not None else ''}"
        )
        rows.insert(0, ("running since", f"{since}, process {life.pid or 'unknown'}"))
    return ["Daemon", *_columns(rows)]


def _queue(status: Status) -> list[str]:
    if not status.open_files:
        return []
    numbers: Counter[str] = Counter()
    for state, number in status.open_files.items():
        numbers[_word(state)] += number
    counted = ", ".join(f"{number:,} {word}" for word, number in sorted(numbers.items()))
    rows = []
    for file in status.queue[:_MOST]:
        again = (
            f"looked at again at {local(file.next_look_at, status.now)}"
            if file.next_look_at
            else ""
        )
        why = "; ".join(text.rstrip(".") for text in (file.reason, again) if text)
        rows.append((file.file, _word(file.state), why))
    return [
        f"Queue: {counted}",
        *_columns(rows),
        *_more(sum(numbers.values()) - len(rows), "files"),
    ]


def _chats(status: Status) -> list[str]:
    if not status.outcomes:
        return []
    shown_above = {problem.reason for problem in status.problems[:_MOST]}
    titles = told_apart(
        (outcome.chat_id, outcome.title) for outcome in status.outcomes if outcome.chat_id
    )
    rows = []
    for outcome in status.outcomes[:_MOST]:
        detail = "see above" if outcome.detail in shown_above else outcome.detail
        title = titles.get(outcome.chat_id, outcome.title)
        rows.append(
            (title, local(outcome.at, status.now), _word(outcome.kind), outcome.path or detail)
        )
    return [
        "Chats, the newest first",
        *_columns(rows),
        *_more(len(status.outcomes) - _MOST, "chats"),
    ]


def _word(state: str) -> str:
    return _WORDS.get(state, state)


def _rest(status: Status) -> list[str]:
    money = status.money
    calls = "call" if money.unpriced == 1 else "calls"
    unpriced = f", and {money.unpriced:,} {calls} without a known price" if money.unpriced else ""
    lines = [f"Money: ${money.today_usd:.2f} today, ${money.month_usd:.2f} this month{unpriced}"]
    if status.batches:
        lines.append(f"Under way: {_batches(status)}")
    if status.jobs:
        lines += [
            "Next jobs",
            *_columns([(job.name, with_span(job.due_at, status.now)) for job in status.jobs]),
        ]
    return lines


def _more(number: int, what: str) -> list[str]:
    return [f"  and {number:,} more {what}"] if number > 0 else []


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their cells below each other; the last cell is as long as it likes."""
    plain = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in list(zip(*plain, strict=True))[:-1]]
    for row in plain:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join((*cells, row[-1]))}".rstrip()
