"""What the pill in TypingMind says of a plan and of a job."""

from daemon.bridge.job_report import JobReport
from daemon.page.plans import Plan
from daemon.page.words import tokens, usd

SYNC_LIMIT = 3 << 20
"""Bytes; TypingMind's sync skips larger chats."""


def planned_line(plan: Plan, size: int) -> str:
    """The size of a chat, what is due and about what that costs; `size` is in bytes."""
    if not plan["tokens"]:
        return str(plan["reason"])
    return f"{_size(plan)}, {_due(plan)}{_sync_note(size)}"


def planned_more(plan: Plan) -> str:
    """More on a plan: why nothing is due, or the most that it may cost."""
    if plan["due"] and plan["usd_most"]:
        return f"At most {usd(plan['usd_most'])}."
    return str(plan["reason"])


def job_line(job: JobReport) -> str:
    """The progress of a job, as one sentence."""
    if job.reason or job.state not in ("waiting", "running"):
        return job.reason
    if job.state == "waiting":
        return "memproc has the chat; it waits for its turn"
    count = f": {job.done} of {job.total}" if job.total else ""
    money = f", {usd(job.usd)} so far" if job.usd else ""
    return f"Writing memories{count}{money}"


def _size(plan: Plan) -> str:
    """The tokens of the conversation, and how many of them are still sent where memories are in the chat."""
    whole = int(plan["tokens"])
    sent = int(plan.get("sent", whole))
    return (
        f"{tokens(sent)} of {tokens(whole)} tokens are sent"
        if sent < whole
        else f"{tokens(whole)} tokens"
    )


def _due(plan: Plan) -> str:
    """The memories that are to be made; else those that are made already and do not stand in the chat."""
    if plan["due"]:
        cost = "free" if plan["usd_likely"] == 0 else f"about {usd(plan['usd_likely'])}"
        return (
            f"{_memories(plan['due'])} due, {cost if plan['usd_likely'] is not None else usd(None)}"
        )
    return f"{_memories(plan['made'])} ready to be put in, free" if plan["made"] else "nothing due"


def _sync_note(size: int) -> str:
    if size <= SYNC_LIMIT:
        return ""
    return f"; TypingMind's sync skips it until it is smaller ({size / (1 << 20):.1f} MiB of {SYNC_LIMIT >> 20})"


def _memories(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"
