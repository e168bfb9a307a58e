"""What the pill says of a plan and of a job."""

import pytest

from daemon.bridge.chat_jobs import JobReport
from daemon.page.app import Plan
from daemon.page.bridge_jobs import job_line, planned_line, planned_more

PLAN: Plan = {
    "tokens": 114_000,
    "due": 9,
    "made": 0,
    "ready": False,
    "usd_likely": 0.4,
    "cost": "Likely $0.40. The caps allow it.",
    "reason": "",
}
WHY = "Fewer than 4,000 tokens come before the live tail."


@pytest.mark.parametrize(
    ("changes", "size", "line"),
    [
        ({}, 0, "114k tokens, 9 memories due, about $0.40"),
        ({"due": 1, "usd_likely": 0.0}, 0, "114k tokens, 1 memory due, free"),
        ({"usd_likely": None}, 0, "114k tokens, 9 memories due, at an unknown price"),
        ({"due": 0, "reason": WHY}, 0, "114k tokens, nothing due"),
        ({"due": 0, "made": 26}, 0, "114k tokens, 26 memories ready to be put in, free"),
        ({"due": 0, "ready": True}, 0, "114k tokens, changes ready to be put in, free"),
        ({"due": 0, "made": 26, "ready": True}, 0, "114k tokens, 26 memories ready to be put in, free"),
        ({"tokens": 93_000, "sent": 40_000, "due": 0}, 9, "40.0k of 93.0k tokens are sent, nothing due"),
        ({"tokens": 93_000, "sent": 93_000, "due": 0}, 9, "93.0k tokens, nothing due"),
        ({"tokens": 0, "due": 0, "reason": "The archive is locked."}, 9 << 20, "The archive is locked."),
        ({"due": 0}, 3 << 20, "114k tokens, nothing due"),
        ({"due": 0}, (7 << 20) // 2, "114k tokens, nothing due; TypingMind's sync skips it until it is smaller "
         "(3.5 MiB of 3)"),
    ],
)  # fmt: skip
def test_a_plan_in_a_line(changes: Plan, size: int, line: str) -> None:
    assert planned_line(PLAN | changes, size) == line


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({}, "Likely $0.40. The caps allow it."),
        ({"usd_likely": None}, ""),
        ({"usd_likely": 0.0, "cost": "It costs nothing."}, ""),
        ({"due": 0, "reason": WHY}, WHY),
    ],
)
def test_what_there_is_to_say_of_a_plan_besides(changes: Plan, more: str) -> None:
    assert planned_more(PLAN | changes) == more


@pytest.mark.parametrize(
    ("job", "line"),
    [
        (JobReport("waiting"), "memproc has the chat; it waits for its turn"),
        (JobReport("waiting", "memproc is paused."), "memproc is paused."),
        (JobReport("running"), "Writing memories"),
        (
            JobReport("running", done=14, total=20, usd=0.77),
            "Writing memories: 14 of 20, $0.77 so far",
        ),
        (JobReport("running", "A batch is waited for.", 14, 20), "A batch is waited for."),
        (JobReport("failed", "The work broke off."), "The work broke off."),
        (JobReport("done", path="x.json"), ""),
    ],
)
def test_a_job_in_a_sentence(job: JobReport, line: str) -> None:
    assert job_line(job) == line
