"""What `memproc status` prints, to the letter: a healthy daemon, a troubled one, one that does not run."""

from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.journal import SentRequest, begin_batch
from daemon.faces.table import table_lines
from daemon.reports.status import headline, status_report
from daemon.status.place import begin_pause
from daemon.status.printable import wrap_lines
from daemon.status.status import Status
from tests.daemon.status.filled import ago, ahead, alive, arrival, at_noon, call, job, outcome

HEALTHY = """\
memproc is running: working on long.json, 2 files after it, $0.30 today.

Daemon
  running since  09:00:00 (3 hours), process 4711
  last event     11:20:00 (40 minutes ago)
  last rescan    11:58:00 (2 minutes ago)
  watch mode     native: The system reports changes as they happen.

Queue: 1 arriving, 1 in progress, 1 next
  long.json  in progress
  next.json  next
  slow.json  arriving     JSON not closed at byte 512; looked at again at 12:00:08

Chats, the newest first
  The Garden   2026-11-19 12:00  written    /updated/The Garden.json
  A Short One  2026-11-18 12:00  unchanged  it is not long enough

Money: $0.30 today, $1.55 this month, and 1 call without a known price

Next jobs
  rescan  12:03:00 (in 3 minutes)
  prune   2026-11-22 03:00 (in 15 hours)"""

TROUBLED = """\
memproc is running: paused until 14:00:00, $0.00 today, 5 things need attention.

Needs attention
  the settings: memproc.toml has 2 problems:
      line 3: chunk.tokens: must be at least 200
      line 9: typo: is no table
    -> Correct them: memproc.toml is read again automatically; until then the settings before it are used.
  the inbox: /inbox is not there.
    -> memproc goes on automatically as soon as it can.
  the timed job verify: 1 kept file is damaged: 0001.json.gz.
    -> It is tried again at its next time. See what happened with: memproc logs
  The Garden, garden.json: The provider does not accept the key.
    -> Set the right one: memproc key set anthropic
  odd\\x1b[2J.json is not JSON.
    -> Export the chat again.

Daemon
  running since  09:00:00 (3 hours), process 4711
  last event     11:20:00 (40 minutes ago)
  last rescan    11:58:00 (2 minutes ago)
  watch mode     poll: The inbox lies on a file system (nfs4) that does not report every change.

Chats, the newest first
  The Garden  11:53:00  skipped  see above

Money: $0.00 today, $0.00 this month

Next jobs
  verify  2026-11-22 03:00 (in 15 hours)"""

STOPPED = """\
memproc is not running. Its last sign of life: 2026-11-20 12:00 (1 day ago).
To have it run: memproc service install, or in this terminal: memproc watch

Needs attention
  odd.json: It is not JSON.
    -> Export the chat again.

Daemon
  last event   2026-11-20 12:00 (1 day ago)
  last rescan  never
  watch mode   native

Queue: 1 next
  next.json  next

Money: $0.00 today, $0.00 this month"""


def screen(status: Status) -> str:
    """What a person sees of a status."""
    tables = (table for table in status_report(status).tables if table.rows)
    return "\n\n".join("\n".join(table_lines(table, None)) for table in tables)


def test_a_healthy_daemon(archive: Archive) -> None:
    alive(archive)
    arrival(
        archive,
        "slow.json",
        "settling",
        "JSON not closed at byte 512",
        next_look_at=ahead(seconds=8),
    )
    arrival(archive, "next.json", "copied")
    arrival(archive, "long.json", "working")
    done = arrival(archive, "old.json", "written")
    outcome(
        archive, done, "A Short One", "unchanged", "short", "it is not long enough", at=ago(days=3)
    )
    outcome(archive, done, "The Garden", chat_id="garden", at=ago(days=2))
    for asked_at, usd in (
        (ago(hours=1), 0.1),
        (ago(hours=12), 0.2),
        (ago(hours=13), 1.25),
        (ago(days=22), 9.0),
    ):
        call(archive, asked_at, usd)
    call(archive, ago(minutes=1), None)
    job(archive, "prune", ahead(hours=15))
    job(archive, "rescan", ahead(minutes=3))

    found = at_noon(archive)

    assert (found.exit_code, screen(found)) == (0, HEALTHY)


def test_a_daemon_in_trouble_says_so_first(archive: Archive) -> None:
    alive(
        archive,
        config_error="memproc.toml has 2 problems:\n  line 3: chunk.tokens: must be at least 200\n"
        "  line 9: typo: is no table",
        inbox_note="/inbox is not there.",
        watch_mode="poll",
        watch_note="The inbox lies on a file system (nfs4) that does not report every change.",
        paused_until=ahead(hours=2),
    )
    arrival(
        archive,
        "odd\x1b[2J.json",
        "skipped",
        "odd\x1b[2J.json is not JSON.",
        "Export the chat again.",
    )
    of = arrival(
        archive,
        "garden.json",
        "skipped",
        "The provider does not accept the key.",
        "Set the right one.",
    )
    outcome(
        archive, of, "The Garden", "skipped", "", "The provider does not accept the key.",
        "Set the right one: memproc key set anthropic",
    )  # fmt: skip
    job(archive, "verify", ahead(hours=15), "1 kept file is damaged: 0001.json.gz.")

    found = at_noon(archive)

    assert (found.exit_code, screen(found)) == (1, TROUBLED)


def test_a_daemon_that_does_not_run(archive: Archive) -> None:
    archive.run("INSERT INTO sign VALUES ('started_at', ?1, ?1), ('last_event', '', ?1), ('watch_mode', 'native', ?1)",
                (ago(days=1),))  # fmt: skip
    arrival(archive, "odd.json", "skipped", "It is not JSON.", "Export the chat again.")
    arrival(archive, "next.json", "copied")

    found = at_noon(archive, running=False)

    assert (found.exit_code, screen(found)) == (2, STOPPED)


def test_a_skipped_chat_is_named_with_the_file_it_came_in(archive: Archive) -> None:
    alive(archive)
    of = arrival(archive, "garden.json", "skipped")
    says = "The Garden has lost its messages."
    outcome(archive, of, "The Garden", "skipped", "garden", says, "Export it again.")

    told = screen(at_noon(archive)).splitlines()

    assert "  The Garden, garden.json: It has lost its messages." in told


def test_a_house_in_which_nothing_has_happened_yet(archive: Archive) -> None:
    assert screen(at_noon(archive, running=False)).splitlines() == [
        "Nothing runs by itself: memproc run does the work.",
        "To have it run: memproc service install, or in this terminal: memproc watch",
        "",
        "Money: $0.00 today, $0.00 this month",
    ]


def test_long_lists_are_counted_and_not_listed(archive: Archive) -> None:
    alive(archive)
    done = arrival(archive, "done.json", "written")
    for number in range(250):
        arrival(archive, f"{number}.json", "seen")
        outcome(archive, done, f"Chat {number}", chat_id=f"chat{number}")

    lines = screen(at_noon(archive)).splitlines()

    assert "Queue: 250 arriving" in lines
    assert "  and 240 more files" in lines
    assert "  and 240 more chats" in lines
    assert len(lines) < 40


def test_the_headline_says_what_is_going_on(archive: Archive) -> None:
    alive(archive)
    assert headline(at_noon(archive)) == "memproc is running: nothing to do, $0.00 today."
    arrival(archive, "a.json", "copied")
    assert headline(at_noon(archive)) == "memproc is running: 1 file to do, $0.00 today."
    begin_pause(archive, None, ago())
    assert (
        headline(at_noon(archive))
        == "memproc is running: paused until memproc resume, 1 file to do, $0.00 today."
    )
    arrival(archive, "b.json", "working")
    assert (
        headline(at_noon(archive))
        == "memproc is running: working on b.json, 1 file after it, $0.00 today."
    )
    item = SentRequest("key", "chat", "model", "quote", {}, 10, None)
    begin_batch(archive, [item, replace(item, request="other")], "", ago(minutes=10))
    waiting = "waiting for a batch (2 requests, since 11:50:00)"
    assert f"working on b.json, {waiting}, 1 file after it" in headline(at_noon(archive))
    assert f"Under way: {waiting}" in screen(at_noon(archive))


def test_neither_titles_nor_names_break_the_page(archive: Archive) -> None:
    alive(archive)
    of = arrival(archive, "a\nb\x1b[31m.json", "working")
    outcome(archive, of, "Needs attention\n  x: \x1b]0;owned\x07", chat_id="x")

    shown = screen(at_noon(archive))

    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert not any(line.startswith("Needs attention") for line in shown.splitlines())


def test_on_a_terminal_a_long_line_goes_on_a_little_further_in() -> None:
    text = "short\n\n  a.json: " + "a long reason " * 4 + "\n    -> Do this."
    assert wrap_lines(text, 40).splitlines() == [
        "short",
        "",
        "  a.json: a long reason a long reason a",
        "    long reason a long reason",
        "    -> Do this.",
    ]
