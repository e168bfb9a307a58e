"""Report the daemon's status: problems first, then daemon, queue, chats, money and jobs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from operator import itemgetter

from daemon.archive.work import Run
from daemon.files.clock import in_full, local, seconds_between, span, with_span
from daemon.reports.report import Column, Report, ReportTable, Step
from daemon.status.log import LogRow
from daemon.status.printable import in_one_line, tell_apart
from daemon.status.sentences import outcome_in_words, progress_line, run_in_words
from daemon.status.status import Status, StatusProblem
from rules.money.price import usd_in_words
from rules.wording import about_it, counted, cut_title, with_file

START = (
    Step("To have it run", "service install"),
    Step("Or in this terminal", "watch"),
)
_MOST = 10
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

_Cells = tuple[str, ...]
_Section = ReportTable[_Cells]


def status_report(status: Status) -> Report:
    """Return the status in sections, without empty ones; the first lines are the most important."""
    jobs = status.jobs if status.running else ()
    return Report(
        (
            _lines("", *_head(status)),
            _problems("Needs attention", status.problems, "things"),
            _run(status),
            _daemon(status),
            _queue(status),
            _lines("Inbox", *status.unpacked),
            _problems("At rest in the inbox", status.resting, "exports"),
            _chats(status),
            _lines("Kept, word for word", *status.kept),
            _lines("Models of your own", *status.trials),
            _lines("", *_money(status)),
            _section("Next jobs", [(job.name, with_span(job.due_at, status.now)) for job in jobs]),
        ),
        next=() if status.running else START,
        values={**asdict(status), "exit_code": status.exit_code},
    )


def _section(title: str, rows: Sequence[_Cells], omitted: int = 0, what: str = "") -> _Section:
    """Return rows under a title, with a line on how many of `what` are left out."""
    size = len(rows[0]) if rows else 0
    columns: list[Column[_Cells]] = [Column("", itemgetter(at)) for at in range(size)]
    rest = f"and {omitted:,} more {what}" if omitted > 0 else ""
    return ReportTable("", rows, columns, title=title, rest=rest)


def _lines(title: str, *lines: str) -> _Section:
    return _section(title, [(line,) for line in lines])


def _head(status: Status) -> Iterator[str]:
    """Yield the state in one line, and how to start the daemon where it does not run."""
    yield headline(status)
    if not status.running:
        service, in_terminal = START
        how = f"{service.words}: memproc {service.command}"
        yield f"{how}, {in_terminal.words.lower()}: memproc {in_terminal.command}"
        if status.paused:
            yield f"It is paused until {_pause_ends(status)}; that counts for the next one."


def headline(status: Status) -> str:
    """Return the state in one line."""
    if not status.running:
        if not (last := status.life.last_sign):
            return "Nothing runs by itself: memproc run does the work."
        if stopped := status.life.stopped:
            return f"memproc is not running. It was stopped: {with_span(stopped, status.now)}."
        return f"memproc is not running. Its last sign of life: {with_span(last, status.now)}."
    number = len(status.problems)
    attention = f", {counted(number, 'thing needs', 'things need')} attention" if number else ""
    money = f"${status.money.today_usd:.2f} today"
    return f"memproc is running: {_activity(status)}, {money}{attention}."


def _activity(status: Status) -> str:
    """Return what the daemon does: the file in work, a pause, or how much there is to do."""
    working = [file.file for file in status.queue if file.state == "working"]
    waiting = sum(status.open_files.values()) - len(working)
    files = counted(waiting, "file")
    if working:
        after = f", {files} after it" if waiting else ""
        batches = f", {_batches(status)}" if status.batches else ""
        return f"working on {in_one_line(working[0])}{batches}{after}"
    to_do = f"{files} to do" if waiting else ""
    if not status.paused:
        return to_do or "nothing to do"
    further = f", {to_do}" if to_do else ""
    return f"paused until {_pause_ends(status)}{further}"


def _pause_ends(status: Status) -> str:
    """Return when the pause ends, or the command that ends it."""
    until = status.paused.until if status.paused else ""
    return local(until, status.now) if until else "memproc resume"


def _run(status: Status) -> _Section:
    """Return the run in progress, and who began it; else the newest run, if it was by hand."""
    run, last = status.run, status.last_run
    if run:
        since = local(run.began_at, status.now)
        first = f"{progress_line(run, status.now)}, since {since}, {_WHO[run.by]}"
        return _lines("Running", *filter(None, (first, run.waits, run.limited)))
    if not (last and last.by_hand):
        return _lines("")
    limited = "" if last.limited in status.trials else last.limited
    first = f"{with_span(last.ended_at, status.now)}: {run_in_words(last)}"
    return _lines("Last run by hand", first, *what_a_run_made(last), *filter(None, [limited]))


def what_a_run_made(run: Run) -> Iterator[str]:
    """Yield sentences on who made the memories of a run, and on its cost."""
    if run.written:
        yield f"{counted(run.written, 'memory was', 'memories were')} written by the model."
    if run.extracted:
        why = "the models' answers could not be used" if run.unusable else "no model was asked"
        yield f"{counted(run.extracted, 'memory was', 'memories were')} extracted, since {why}."
    if run.usd:
        yield f"{usd_in_words(run.usd)} spent."


def _batches(status: Status) -> str:
    """Return a clause on the batches waited for; each is answered as a whole, within a day."""
    number = len(status.batches)
    what = "a batch" if number == 1 else f"{number} batches"
    requests = sum(batch.requests for batch in status.batches)
    since = local(status.batches[0].since, status.now)
    return f"waiting for {what} ({requests:,} requests, since {since})"


def _problems(title: str, problems: Sequence[StatusProblem], what: str) -> _Section:
    """Return each problem with its next step, name and file in front unless its reason has them."""
    rows = []
    for problem in problems[:_MOST]:
        reason, *further_lines = problem.reason.splitlines() or [""]
        name = with_file(problem.what, problem.file)
        is_named = reason.startswith(name)
        rows.append((reason if is_named else f"{name}: {about_it(reason, problem.what)}",))
        rows += [(f"  {line}",) for line in (*further_lines, f"-> {problem.next_step}")]
    return _section(title, rows, len(problems) - _MOST, what)


def _daemon(status: Status) -> _Section:
    """Return how long the daemon has been running, its last event and scan, and how it watches."""
    life, now = status.life, status.now
    if not life.since:
        return _lines("")
    rows = []
    if status.running:
        lasted = seconds_between(life.since, now)
        length = f" ({span(lasted)})" if lasted is not None else ""
        process = life.pid or "unknown"
        rows.append(("running since", f"{local(life.since, now)}{length}, process {process}"))
    why = f": {life.why}" if life.why else ""
    rows += [
        ("last event", with_span(life.last_event, now)),
        ("last rescan", with_span(life.last_scan, now)),
        ("watch mode", f"{life.mode or 'unknown'}{why}"),
    ]
    if status.running and life.page:
        rows.append(("page", life.page))
    return _section("Daemon", rows)


def _queue(status: Status) -> _Section:
    """Return the numbers of files in each state, and the next files."""
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
    title = f"Queue: {', '.join(in_words)}"
    return _section(title, rows, numbers.total() - len(rows), "files")


def _chats(status: Status) -> _Section:
    """Return the outcomes of chats: the path of the export, or why there is none."""
    shown_above = {problem.reason for problem in status.problems[:_MOST]}
    known = [outcome for outcome in status.outcomes if outcome.chat_id]
    titles = tell_apart((outcome.chat_id, outcome.title) for outcome in known)
    rows = []
    for outcome in status.outcomes[:_MOST]:
        title = titles.get(outcome.chat_id, cut_title(outcome.title))
        when = local(outcome.when, status.now)
        is_above = outcome.detail in shown_above
        detail = "see above" if is_above else outcome_in_words(outcome)
        rows.append((title, when, outcome.kind, outcome.path or detail))
    return _section("Chats, the newest first", rows, len(status.outcomes) - _MOST, "chats")


def _money(status: Status) -> Iterator[str]:
    """Yield what was spent, and the batches under way."""
    money = status.money
    line = f"Money: ${money.today_usd:.2f} today, ${money.month_usd:.2f} this month"
    if money.unpriced:
        line += f", and {counted(money.unpriced, 'call')} without a known price"
    yield line
    if status.batches:
        yield f"Under way: {_batches(status)}"


def log_report(rows: Sequence[LogRow], chat: str = "") -> Report:
    """Return entries of the log as they come; `chat` is what they are about, if it was named."""
    entry: Column[LogRow] = Column("", lambda row: f"{in_full(row.at)} {row.says}".lstrip())
    subject = " about this chat" if chat else ""
    none = f"The log holds nothing{subject} yet."
    return Report((ReportTable("entries", rows, (entry,), none),))
