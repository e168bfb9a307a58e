"""Why systemd gave a service up, in a sentence with the next step."""

from collections.abc import Mapping
from dataclasses import dataclass

from service.ask import Answer
from service.systemd import UNIT

QUESTION = ("systemctl", "--user", "show", UNIT, "--property=Result,ExecMainStatus")
_CONFIGURATION_ERROR = "2"
_REASONS = {
    "exit-code": "it ended with an error each time it was started",
    "signal": "it was killed each time it was started",
    "core-dump": "it crashed each time it was started",
    "watchdog": "it hung each time it was started",
    "timeout": "it did not come up in time",
    "oom-kill": "it needed more memory than it may have",
    "start-limit-hit": "it was started too often within five minutes",
    "resources": "the system could not give it what it needs",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What is told of a service that stays down."""

    message: str
    next_step: str
    may_pass: bool = True
    """Whether it may be started again as it is; else the person has to do the next step."""


def properties(answer: Answer) -> Mapping[str, str]:
    """What `systemctl show` answered."""
    pairs = (line.partition("=") for line in answer.out.splitlines())
    return {name: value for name, _, value in pairs}


def failure(said: Mapping[str, str]) -> Failure:
    """What to tell, from the properties that QUESTION asks for."""
    if said.get("Result") == "exit-code" and said.get("ExecMainStatus") == _CONFIGURATION_ERROR:
        message = "The memproc service is down: its settings cannot be used."
        return Failure(message, "Say: memproc config check", may_pass=False)
    reason = _REASONS.get(said.get("Result", ""), "its service manager gave it up")
    return Failure(f"The memproc service is down: {reason}.", "It is started again in ten minutes. See: memproc logs")
