"""Lay the status out for a person: problems first, then daemon, queue, chats, money and jobs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from daemon.files.clock import local, seconds_between, span, with_span
from daemon.status.printable import columns_of, in_one_line, padded, told_apart, visible
from daemon.status.sentences import progress_line
from daemon.status.status import Status
from rules.wording import counted

_MOST = 10
_START = "Start it with: memproc service install, or in this terminal: memproc watch"
_WORDS = {
    "working": "in progress",
    "planned": "next",
    "copied": "next",
    "waiting": "waiting",
    "paused": "waiting",
    "settling": "arriving",
    "seen": "arriving",
}


def screen(status: Status) -> str:
    """Return the whole text, without a final line break. No name or title steers the terminal."""
    parts = (
        [headline(status), *([] if status.running else [_START])],
        _problems(status),
        _run(status),
        _daemon(status),
        _queue(status),
        _chats(status),
        ["Kept, word for word", *(f"  {in_one_line(line)}" for line in status.kept)]
        if status.kept
        else [],
        _rest(status),
    )
    return visible("\n\n".join("\n".join(part) for part in parts if part))


def headline(status: Status) -> str:
    """Return the state in one line, without any title: a service manager shows it too."""
    if not status.running:
        last = status.life.last_sign
        sign = f" Its last sign of life: {with_span(last, status.now)}." if last else ""
        return f"memproc is not running.{sign}"
    wants = len(status.problems)
    attention = f", {counted(wants, 'thing wants', 'things want')} attention" if wants else ""
    money = f"${status.money.today_usd:.2f} today"
    return f"memproc is running: {_activity(status)}, {money}{attention}."


def _activity(status: Status) -> str:
    working = [file.file for file in status.queue if file.state == "working"]
    left = sum(status.open_files.values()) - len(working)
    if working:
        waiting = f", {_batches(status)}" if status.batches else ""
        after = f", {counted(left, 'file')} after it" if left else ""
        return f"working on {in_one_line(working[0])}{waiting}{after}"
    to_do = f"{counted(left, 'file')} to do" if left else ""
    if status.paused:
        until = status.paused.until
        end = local(until, status.now) if until else "memproc resume"
        return f"paused until {end}{f', {to_do}' if to_do else ''}"
    return to_do or "nothing to do"


def _run(status: Status) -> list[str]:
    """Return the run that goes on, and who began it; else the newest that was begun by hand."""
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
    """Count the batches that were sent; each is answered as a whole, within a day."""
    requests, since = sum(batch.requests for batch in status.batches), status.batches[0].since
    what = "a batch" if len(status.batches) == 1 else f"{len(status.batches)} batches"
    return f"waiting for {what} ({requests:,} requests, since {local(since, status.now)})"


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
        length = f" ({span(lasted)})" if lasted is not None else ""
        since = f"{local(life.since, status.now)}{length}, process {life.pid or 'unknown'}"
        rows.insert(0, ("running since", since))
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
        rows.append((title, local(outcome.at, status.now), outcome.kind, outcome.path or detail))
    return [
        "Chats, the newest first",
        *_columns(rows),
        *_more(len(status.outcomes) - _MOST, "chats"),
    ]


def _word(state: str) -> str:
    return _WORDS.get(state, state)


def _rest(status: Status) -> list[str]:
    money = status.money
    calls = counted(money.unpriced, "call")
    unpriced = f", and {calls} without a known price" if money.unpriced else ""
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
    """Yield the rows with their cells aligned; the last cell may have any length."""
    plain = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(columns_of, column)) for column in list(zip(*plain, strict=True))[:-1]]
    for row in plain:
        cells = [padded(cell, width) for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join((*cells, row[-1]))}".rstrip()
