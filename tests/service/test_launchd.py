"""The launchd agent: what launchd will read, and how it is talked to."""

import plistlib
from dataclasses import replace

import pytest

from service.command import Answer
from service.launchd import LABEL, agent, recipe, state
from service.unit import SystemCommand, marked
from tests.service.programs import Computer, a_program

# launchd ignores a key that it does not know, and a value of another kind, without a word.
KEYS: dict[str, type] = {
    "Label": str,
    "ProgramArguments": list,
    "RunAtLoad": bool,
    "KeepAlive": dict,
    "ThrottleInterval": int,
    "ProcessType": str,
    "LowPriorityIO": bool,
    "ExitTimeOut": int,
    "Umask": int,
    "WorkingDirectory": str,
    "StandardOutPath": str,
    "StandardErrorPath": str,
    "EnvironmentVariables": dict,
}


def test_the_marked_list_is_read_as_it_was_meant_with_keys_and_kinds_that_launchd_knows() -> None:
    program = replace(a_program(), environment=(("XDG_STATE_HOME", '<a> & "b"'),))
    values = plistlib.loads(marked(agent(program)).encode())
    assert {name: type(value) for name, value in values.items()} == KEYS
    assert values["ProgramArguments"] == list(program.command)
    assert values["EnvironmentVariables"]["XDG_STATE_HOME"] == '<a> & "b"'
    assert values["KeepAlive"] == {"SuccessfulExit": False}
    assert values["Umask"] == 0o077


def test_an_agent_that_is_there_goes_before_it_comes_again() -> None:
    made = recipe(a_program(), 501)
    path = "/home/ada/Library/LaunchAgents/io.memproc.agent.plist"
    assert [str(file.path) for file in made.files] == [path]
    out, enable, bootstrap = made.start
    assert out == SystemCommand(("launchctl", "bootout", f"gui/501/{LABEL}"), optional=True)
    assert enable.argv == ("launchctl", "enable", f"gui/501/{LABEL}")
    assert bootstrap.argv == ("launchctl", "bootstrap", "gui/501", path) and bootstrap.attempts > 1
    assert made.stop == (out,)
    assert a_program().log.parent in made.folders, "launchd makes no folder for its log"


def printed(*lines: str) -> Answer:
    body = "\n".join(f"\t{line}" for line in lines)
    return Answer(0, f"gui/501/{LABEL} = {{\n{body}\n\tinner = {{\n\t\tstate = exited\n\t}}\n}}\n")


@pytest.mark.parametrize(
    ("answer", "word", "sentence"),
    [
        (Answer(113, err="Could not find service"), "not installed", "memproc service install"),
        (printed("state = running", "pid = 77"), "running", "process 77"),
        (
            printed("state = not running", "last exit code = 0"),
            "stopped",
            f"kickstart gui/501/{LABEL}",
        ),
        (printed("state = not running", "last exit code = 70"), "troubled", "ended with 70"),
    ],
)
def test_what_launchd_prints_becomes_a_sentence(answer: Answer, word: str, sentence: str) -> None:
    agent_state = state(501, Computer({f"launchctl print gui/501/{LABEL}": answer}))
    assert agent_state.state == word
    assert sentence in agent_state.sentences[0]
