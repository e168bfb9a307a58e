"""Lay the status out for a person: problems first, then daemon, queue, chats, money and jobs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from daemon.files.clock import local, seconds_between, span, with_span
from daemon.status.place import Pause
from daemon.status.printable import columns_of, in_one_line, padded, told_apart, visible
from daemon.status.sentences import outcome_in_words, progress_line, run_in_words
from daemon.status.status import Status, StatusProblem
from rules.wording import counted, cut_title

_MOST = 10
_START = "To have it run: memproc service install, or in this terminal: memproc watch"
_WHO = {
    "daemon": "by the daemon", "hand": "by hand", "page": "from the page", "bridge": "from TypingMind",
}  # fmt: skip
_WORDS = {
    "working": "in progress",
    "copied": "next",
    "waiting": "waiting",
    "paused": "waiting",
    "settling": "arriving",
    "seen": "arriving",
}


def screen(status: Status) -> str:
    """Return the whole text, without a final line break. No name or title steers the terminal."""
    sections = (
        _head(status),
        _problems("Needs attention", status.problems, "things"),
        _run(status),
        _daemon(status),
        _queue(status),
        _section("Inbox", [(sentence,) for sentence in status.unpacked]),
        _problems("At rest in the inbox", status.resting, "exports"),
        _chats(status),
        _section("Kept, word for word", [(line,) for line in status.kept]),
        _section("Models of your own", [(sentence,) for sentence in status.trials]),
        _rest(status),
    )
    texts = map("\n".join, sections)
    return visible("\n\n".join(text for text in texts if text))


def _head(status: Status) -> Iterator[str]:
    """Yield the state in one line, and how to start the daemon where it does not run."""
    yield headline(status)
    if not status.running:
        yield _START
        if status.paused:
            yield f"It is paused until {_end_of(status.paused, status.now)}; that counts for the next one."


def headline(status: Status) -> str:
    """Return the state in one line, without any title: a service manager shows it too."""
    if not status.running:
        if not (last := status.life.last_sign):
            return "Nothing runs by itself: memproc run does the work."
        if stopped := status.life.stopped:
            return f"memproc is not running. It was stopped: {with_span(stopped, status.now)}."
        return f"memproc is not running. Its last sign of life: {with_span(last, status.now)}."
    money = f"${status.money.today_usd:.2f} today"
    return f"memproc is running: {_activity(status)}, {money}{_attention(status)}."


def _attention(status: Status) -> str:
    """Return the clause that counts what needs attention, if something does."""
    if not status.problems:
        return ""
    things = counted(len(status.problems), "thing needs", "things need")
    return f", {things} attention"


def _activity(status: Status) -> str:
    """Say what the daemon does now: the file it works on, a pause, or how much there is to do."""
    working = [file.file for file in status.queue if file.state == "working"]
    left = sum(status.open_files.values()) - len(working)
    files = counted(left, "file")
    if working:
        after = f", {files} after it" if left else ""
        batches = f", {_batches(status)}" if status.batches else ""
        return f"working on {in_one_line(working[0])}{batches}{after}"
    to_do = f"{files} to do" if left else ""
    if not status.paused:
        return to_do or "nothing to do"
    further = f", {to_do}" if to_do else ""
    return f"paused until {_end_of(status.paused, status.now)}{further}"


def _end_of(pause: Pause, now: str) -> str:
    """Say when a pause ends, or by which command."""
    return local(pause.until, now) if pause.until else "memproc resume"


def _run(status: Status) -> Iterator[str]:
    """Yield the run that goes on, and who began it; else the newest that was begun by hand."""
    run, last = status.run, status.last_run
    if run:
        since = local(run.began_at, status.now)
        yield "Running"
        yield f"  {progress_line(run, status.now)}, since {since}, {_WHO[run.by]}"
        yield from (f"  {text}" for text in (run.waits, run.limited) if text)
    elif last and last.by_hand:
        when = with_span(last.ended_at, status.now)
        money = f", ${last.usd:,.2f}" if last.usd else ""
        yield "Last run by hand"
        yield f"  {when}: {run_in_words(last)}{money}"
        if last.limited and last.limited not in status.trials:
            yield f"  {last.limited}"


def _batches(status: Status) -> str:
    """Count the batches that were sent; each is answered as a whole, within a day."""
    number = len(status.batches)
    what = "a batch" if number == 1 else f"{number} batches"
    requests = sum(batch.requests for batch in status.batches)
    since = local(status.batches[0].since, status.now)
    return f"waiting for {what} ({requests:,} requests, since {since})"


def _problems(heading: str, problems: Sequence[StatusProblem], what: str) -> Iterator[str]:
    """Yield what is wrong, with its name before it unless the reason begins so, and what helps."""
    rows = []
    for problem in problems[:_MOST]:
        reason, *more = problem.reason.splitlines() or [""]
        is_named = reason.startswith(problem.what)
        rows.append((reason if is_named else f"{problem.what}: {reason}",))
        rows += [(f"  {line}",) for line in (*more, f"-> {problem.next_step}")]
    yield from _section(heading, rows, len(problems) - _MOST, what)


def _daemon(status: Status) -> Iterator[str]:
    """Yield since when the daemon runs, what it saw last, and how it watches."""
    life, now = status.life, status.now
    if not life.since:
        return
    rows = []
    if status.running:
        lasted = seconds_between(life.since, now)
        length = f" ({span(lasted)})" if lasted is not None else ""
        process = life.pid or "unknown"
        rows.append(("running since", f"{local(life.since, now)}{length}, process {process}"))
    rows.append(("last event", with_span(life.last_event, now)))
    rows.append(("last rescan", with_span(life.last_scan, now)))
    why = f": {life.why}" if life.why else ""
    rows.append(("watch mode", f"{life.mode or 'unknown'}{why}"))
    if status.running and life.page:
        rows.append(("page", life.page))
    yield from _section("Daemon", rows)


def _queue(status: Status) -> Iterator[str]:
    """Yield how many files are in which state, and the next of them."""
    if not status.open_files:
        return
    numbers: Counter[str] = Counter()
    for state, number in status.open_files.items():
        numbers[_WORDS[state]] += number
    in_words = [f"{number:,} {word}" for word, number in sorted(numbers.items())]
    rows = []
    for file in status.queue[:_MOST]:
        clauses = []
        if file.reason:
            clauses.append(file.reason.rstrip("."))
        if file.next_look_at:
            clauses.append(f"looked at again at {local(file.next_look_at, status.now)}")
        rows.append((file.file, _WORDS[file.state], "; ".join(clauses)))
    heading = f"Queue: {', '.join(in_words)}"
    yield from _section(heading, rows, numbers.total() - len(rows), "files")


def _chats(status: Status) -> Iterator[str]:
    """Yield what became of the chats: where the export is, or why there is none."""
    shown_above = {problem.reason for problem in status.problems[:_MOST]}
    known = [outcome for outcome in status.outcomes if outcome.chat_id]
    titles = told_apart((outcome.chat_id, outcome.title) for outcome in known)
    rows = []
    for outcome in status.outcomes[:_MOST]:
        title = titles.get(outcome.chat_id, cut_title(outcome.title))
        when = local(outcome.when, status.now)
        is_above = outcome.detail in shown_above
        detail = "see above" if is_above else outcome_in_words(outcome)
        rows.append((title, when, outcome.kind, outcome.path or detail))
    yield from _section("Chats, the newest first", rows, len(status.outcomes) - _MOST, "chats")


def _rest(status: Status) -> Iterator[str]:
    """Yield what was spent, the batches under way, and the next jobs."""
    money = status.money
    line = f"Money: ${money.today_usd:.2f} today, ${money.month_usd:.2f} this month"
    if money.unpriced:
        line += f", and {counted(money.unpriced, 'call')} without a known price"
    yield line
    if status.batches:
        yield f"Under way: {_batches(status)}"
    if status.running:
        jobs = [(job.name, with_span(job.due_at, status.now)) for job in status.jobs]
        yield from _section("Next jobs", jobs)


def _section(
    heading: str, rows: Sequence[tuple[str, ...]], left: int = 0, what: str = ""
) -> Iterator[str]:
    """Yield rows under a heading, and how many things were left out; nothing where there are none.

    Cells are aligned; the last of a row may have any length.
    """
    if not rows:
        return
    yield heading
    plain = [[in_one_line(cell) for cell in row] for row in rows]
    columns = list(zip(*plain, strict=True))[:-1]
    widths = [max(map(columns_of, column)) for column in columns]
    for *cells, last in plain:
        yield f"  {'  '.join((*map(padded, cells, widths), last))}".rstrip()
    if left > 0:
        yield f"  and {left:,} more {what}"
