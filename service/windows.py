"""The task that keeps memproc up on Windows: Task Scheduler starts it at logon, and again when it failed.

Task Scheduler has no watchdog: there the program leaves by itself when it hangs (`service.notify`).
"""

import subprocess
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from service.ask import Answer
from service.recipe import Program, Recipe, Run, UnitFile, marked
from service.standing import NOT_INSTALLED, Standing

TASK = "memproc"
_NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"


def recipe(program: Program, folder: Path, user: str) -> Recipe:
    """How Task Scheduler keeps the program up for `user` (DOMAIN\\name).

    The file in `folder` is what the task is made from; Task Scheduler keeps a copy of its own.
    """
    path = folder / "memproc-task.xml"
    return Recipe(
        folders=(*program.writes, folder),
        files=(UnitFile(path, marked(task(program, user)), "utf-16"),),
        leftovers=(),
        start=(_schtasks("/Create", "/XML", str(path), "/F"), _schtasks("/Run")),
        stop=(_schtasks("/End", optional=True), _schtasks("/Delete", "/F", optional=True)),
        forget=(),
    )


def task(program: Program, user: str) -> str:
    """The text of the task. Its elements stand in the order that the schema wants."""
    root = Element("Task", {"version": "1.4", "xmlns": _NAMESPACE})
    _fill(root, "RegistrationInfo", {"Description": "memproc turns the old part of long conversations into memories."})
    triggers = SubElement(root, "Triggers")
    logon = _fill(triggers, "LogonTrigger", {"Enabled": "true"})
    # The restarts of the settings below are counted; this has no end, and does nothing to a task that runs.
    _fill(logon, "Repetition", {"Interval": "PT10M", "StopAtDurationEnd": "false"})
    _fill(logon, None, {"UserId": user})
    principals = SubElement(root, "Principals")
    principal = {"UserId": user, "LogonType": "InteractiveToken", "RunLevel": "LeastPrivilege"}
    _fill(principals, "Principal", principal).set("id", "Author")
    settings = _fill(root, "Settings", {
        "MultipleInstancesPolicy": "IgnoreNew",
        "DisallowStartIfOnBatteries": "false",
        "StopIfGoingOnBatteries": "false",
        "StartWhenAvailable": "true",
        "Hidden": "true",
        "ExecutionTimeLimit": "PT0S",
        "Priority": "7",
    })  # fmt: skip
    _fill(settings, "RestartOnFailure", {"Interval": "PT1M", "Count": "10"})
    actions = SubElement(root, "Actions", {"Context": "Author"})
    arguments = subprocess.list2cmdline(program.command[1:])
    _fill(actions, "Exec", {"Command": program.command[0], "Arguments": arguments})
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-16"?>\n{tostring(root, encoding="unicode")}\n'


def question() -> tuple[str, ...]:
    """The command that says how the task stands."""
    return _schtasks("/Query", "/FO", "CSV", "/NH").argv


def standing(answer: Answer) -> Standing:
    """How the task stands. Its state is a word in the language of the system, so it is shown and not judged."""
    if answer.code != 0:
        return NOT_INSTALLED
    state = answer.out.strip().rpartition(",")[2].strip('"')
    return Standing("running", (f"The task is installed and starts when you log on. Task Scheduler says: {state}",))


def _schtasks(verb: str, *options: str, optional: bool = False) -> Run:
    return Run(("schtasks", verb, "/TN", TASK, *options), optional)


def _fill(parent: Element, name: str | None, values: dict[str, str]) -> Element:
    """Add the values in an element of that name, or in the parent itself."""
    element = SubElement(parent, name) if name else parent
    for child, text in values.items():
        SubElement(element, child).text = text
    return element
