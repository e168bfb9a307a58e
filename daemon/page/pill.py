"""Say in a line what the pill in TypingMind shows: how large a chat is, what is due, how it goes."""

from daemon.bridge.job_report import JobReport
from daemon.page.app import Plan
from daemon.page.words import tokens, usd
from rules.wording import counted

_SYNC_LIMIT = 3 << 20
"""Bytes; TypingMind's sync skips larger chats."""


def planned_line(plan: Plan, size: int) -> str:
    """Say a chat's size, what is due and about what it costs; `size` is in bytes."""
    if not plan["tokens"]:
        return str(plan["reason"])
    whole = int(plan["tokens"])
    sent = int(plan.get("sent", whole))
    in_tokens = f"{tokens(whole)} tokens"
    if sent < whole:
        in_tokens = f"{tokens(sent)} of {in_tokens} are sent"
    mib = f"{size / (1 << 20):.1f} MiB of {_SYNC_LIMIT >> 20}"
    unsynced = f"; TypingMind's sync skips it until it is smaller ({mib})"
    if plan["due"]:
        likely = plan["usd_likely"]  # None where prices are not known
        cost = usd(None) if likely is None else f"about {usd(likely)}" if likely else "free"
        due = f"{counted(plan['due'], 'memory', 'memories')} due, {cost}"
    elif plan["made"]:
        due = f"{counted(plan['made'], 'memory', 'memories')} ready to be put in, free"
    else:
        due = "changes ready to be put in, free" if plan["ready"] else "nothing due"
    return f"{in_tokens}, {due}{unsynced if size > _SYNC_LIMIT else ''}"


def planned_more(plan: Plan) -> str:
    """Say why nothing is due, or at which cap the work pauses."""
    if plan["due"] and plan["usd_likely"]:
        return str(plan["cost"])
    return str(plan["reason"])


def job_line(job: JobReport) -> str:
    """Say how a job is doing, in one sentence."""
    if job.reason or job.state not in ("waiting", "running"):
        return job.reason
    if job.state == "waiting":
        return "memproc has the chat; it waits for its turn"
    count = f": {job.done} of {job.total}" if job.total else ""
    money = f", {usd(job.usd)} so far" if job.usd else ""
    return f"Writing memories{count}{money}"
