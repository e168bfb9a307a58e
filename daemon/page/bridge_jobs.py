"""Do what a paired device may ask for: plan a chat, give a job, report it, send its result.

The work is done by the daemon or by `memproc run`, as for every export in the inbox. The lines that
are made here are what the pill in TypingMind shows: a chat's size, what is due, how a job is going.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from time import time

from daemon.archive.archive import Archive
from daemon.archive.sent import ChatJob, count_start, find_job
from daemon.bridge.chat_jobs import JobReport, give_job, lent_folder, only_chat, report_job
from daemon.bridge.devices import Device
from daemon.files.clock import now
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from daemon.page.actions import do_command, start_command
from daemon.page.app import Desk, Plan, Plans
from daemon.page.run_plans import find_row
from daemon.page.words import tokens, usd
from rules.conversation.marker import MEMORY, read_marker
from rules.errors import FileTrouble, MemprocError
from rules.typingmind.chat import Chat
from rules.typingmind.message import read_message
from rules.wording import counted

_LENT_SECONDS = 600.0
"""Longer than any command that reads such a file may take."""
_SYNC_LIMIT = 3 << 20
"""Bytes; TypingMind's sync skips larger chats."""
_NEW_CHAT = (
    'memproc puts memories into a new chat here (output.mode = "new-chat"), and the bridge can '
    "only put them into the chat itself. Export and import by hand, or set "
    'output.mode = "replace" in memproc.toml.'
)


def plan_of_chat(desk: Desk, plans: Plans, body: bytes) -> Plan:
    """Plan a run on the chat, as `memproc plan` does, without keeping the chat.

    Raises NotAnExport or FileTrouble.
    """
    chat = only_chat(body)

    def make() -> Plan:
        planned = _planned(desk, chat, body)
        planned["says"] = planned_line(planned, len(body))
        planned["why"] = planned_more(planned)
        return planned

    return plans.get(desk, chat.chat_id, body, make)


def planned_line(plan: Plan, size: int) -> str:
    """Return the line with a chat's size (in bytes), what is due and roughly what it costs."""
    if not plan["tokens"]:
        return str(plan["reason"])
    all_tokens = int(plan["tokens"])
    sent = int(plan.get("sent", all_tokens))
    in_tokens = f"{tokens(all_tokens)} tokens"
    if sent < all_tokens:
        in_tokens = f"{tokens(sent)} of {in_tokens} are sent"
    mib = f"{size / (1 << 20):.1f} MiB of {_SYNC_LIMIT >> 20}"
    unsynced = f"; TypingMind's sync skips it until it is smaller ({mib})"
    if plan["due"]:
        likely = plan["usd_likely"]  # None where prices are not known
        cost = usd(None) if likely is None else f"about {usd(likely)}" if likely else "free"
        then = f"{counted(plan['due'], 'memory', 'memories')} due, {cost}"
    elif plan["made"]:
        then = f"{counted(plan['made'], 'memory', 'memories')} ready to be put in, free"
    else:
        then = "changes ready to be put in, free" if plan["ready"] else "nothing due"
    return f"{in_tokens}, {then}{unsynced if size > _SYNC_LIMIT else ''}"


def planned_more(plan: Plan) -> str:
    """Return why nothing is due, or at which cap the work will pause."""
    if plan["due"] and plan["usd_likely"]:
        return str(plan["cost"])
    return str(plan["reason"])


def submit(desk: Desk, device: Device, body: bytes) -> str:
    """Put the chat into the inbox, have it processed, and return the job's id.

    Raises NotAnExport or FileTrouble.
    """
    chat, folders = only_chat(body), desk.folders
    if desk.config.output.mode == "new-chat":
        raise MemprocError(_NEW_CHAT, "")
    with Archive.open(folders.state) as archive:
        chat_job = give_job(archive, folders, device.id, chat, body, now())
        _look_after(desk, archive, chat_job)
    return chat_job.id


def job(desk: Desk, device: Device, job_id: str) -> dict[str, object] | None:
    """Return the progress of the device's job, or None where it has no such job."""
    with desk.archive() as archive:
        chat_job = find_job(archive, job_id, device.id)
        if chat_job is None:
            return None
        progress = _look_after(desk, archive, chat_job)
    return {
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "usd": progress.usd,
        "reason": progress.reason,
        "says": job_line(progress),
    }


def job_line(progress: JobReport) -> str:
    """Return how a job is doing, in one sentence."""
    if progress.reason or progress.state not in ("waiting", "running"):
        return progress.reason
    if progress.state == "waiting":
        return "memproc has the chat; it waits for its turn"
    count = f": {progress.done} of {progress.total}" if progress.total else ""
    money = f", {usd(progress.usd)} so far" if progress.usd else ""
    return f"Writing memories{count}{money}"


def result(desk: Desk, device: Device, job_id: str) -> bytes | None:
    """Return the updated export of the device's job, or None where it has no such job.

    Raises FileTrouble where it is not done, or holds another chat than the one that was sent.
    """
    with desk.archive() as archive:
        chat_job = find_job(archive, job_id, device.id)
        if chat_job is None:
            return None
        progress = report_job(archive, desk.folders.state, chat_job, now())
    if progress.state != "done":
        raise FileTrouble(
            "There is no updated export of this job.", progress.reason or "Wait until it is done."
        )
    path = Path(progress.path)
    with file_errors(path, "read"):
        content = path.read_bytes()
    if [chat.id_if_any for chat in chats_in(path.name, content)] != [chat_job.chat_id]:
        raise FileTrouble(
            f"{path.name} holds another chat than the one that was sent.", "Import it by hand."
        )
    return content


def _look_after(desk: Desk, archive: Archive, chat_job: ChatJob) -> JobReport:
    """Return the job's progress; before that, start a run if no daemon would process its file."""
    state = desk.folders.state
    progress = report_job(archive, state, chat_job, now())
    if not progress.needs_run:
        return progress
    with Archive.open(state) as writable:
        if count_start(writable, chat_job, now()):
            start_command(desk.toml, ["run", "--", chat_job.path], "bridge")
    return report_job(
        archive, state, find_job(archive, chat_job.id, chat_job.device) or chat_job, now()
    )


@contextmanager
def _lent(state: Path, body: bytes) -> Iterator[Path]:
    """Yield a private file with this content, and remove it afterwards."""
    folder = lent_folder(state)
    make_private(folder)
    with file_errors(folder, "tidied up"):  # remove the files of killed processes
        for leftover in folder.iterdir():
            if time() - leftover.stat().st_mtime > _LENT_SECONDS:
                leftover.unlink(missing_ok=True)
    path = folder / f"{token_hex(8)}.json"
    try:
        replace_file(path, [body])
        yield path
    finally:
        path.unlink(missing_ok=True)


def _planned(desk: Desk, chat: Chat, body: bytes) -> Plan:
    """Plan the chat by `memproc plan`, and return what the extension is told about it."""
    if desk.config.output.mode == "new-chat":
        return _plan_of(chat, {}, _NEW_CHAT)
    with _lent(desk.folders.state, body) as path:
        result = do_command(desk.toml, "plan", "--", str(path))
    row = find_row(result.printed.get("chats", ()), chat.chat_id)
    if row is None:
        return _plan_of(chat, {}, result.says)
    reasons = (row[name] for name in ("reason", "next_step") if row.get(name))
    return _plan_of(chat, row, " ".join(reasons))


def _plan_of(chat: Chat, row: Plan, why_no_more: str) -> Plan:
    """Return what the extension is told about a chat; `row` is its row of the plan, or empty."""
    to_write = len(row.get("chunks", ())) + len(row.get("again", ()))
    markers = (read_marker(read_message(chat.slice(span)).marker) for span in chat.messages)
    has_memories = any(marker is not None and marker.kind == MEMORY for marker in markers)
    tokens_before = row.get("tokens", 0)
    sent = int(tokens_before)
    if sent and has_memories:  # in place of the messages under them
        sent -= sum(int(chunk["tokens"]) for chunk in row["made"])
        sent += int(row["section_before"]) + int(row["canned_tokens"])
    money = row.get("money") or {}
    return {
        "chat": chat.chat_id,
        "tokens": tokens_before,
        "sent": sent,
        "due": to_write,
        "made": 0 if has_memories else len(row.get("made", ())),
        "ready": row.get("ready", False),
        "usd_likely": money.get("likely_usd"),
        "cost": money.get("says", ""),
        "reason": "" if to_write else why_no_more,
    }
