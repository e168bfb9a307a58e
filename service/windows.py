"""Keep memproc running on Windows: Task Scheduler starts it at logon, and again after a failure.

Task Scheduler has no watchdog: a program that hangs must end itself (`notify.StallExit`).
"""

import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from service.command import RunCommand
from service.unit import (
    NOT_INSTALLED,
    Program,
    Recipe,
    ServiceState,
    SystemCommand,
    UnitFile,
    marked,
)

TASK = "memproc"
# The schema prescribes the order of the elements. Restarts on failure are limited in number; the
# trigger repeats without end, and does nothing while the task runs.
_XML = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.4" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>memproc turns the old part of long conversations into memories.</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <Repetition>
        <Interval>PT10M</Interval>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>
      <UserId>{user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Hidden>true</Hidden>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>7</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def recipe(program: Program, folder: Path, user: str) -> Recipe:
    """Return the recipe that installs the task for `user`, as in DOMAIN\\name.

    The task is made from a file in `folder`; Task Scheduler keeps its own copy.
    """
    path = folder / "memproc-task.xml"
    return Recipe(
        folders=(*program.writes, folder),
        files=(UnitFile(path, marked(task(program, user)), "utf-16"),),
        start=(_schtasks("/Create", "/XML", str(path), "/F"), _schtasks("/Run")),
        stop=(_schtasks("/End", optional=True), _schtasks("/Delete", "/F", optional=True)),
    )


def task(program: Program, user: str) -> str:
    """Return the task as XML."""
    command, *arguments = program.command
    line = subprocess.list2cmdline(arguments)
    return _XML.format(user=escape(user), command=escape(command), arguments=escape(line))


def state(run: RunCommand) -> ServiceState:
    """Ask whether the task exists. Its state is in the system's language, so it is only shown."""
    answer = run(_schtasks("/Query", "/FO", "CSV", "/NH").argv)
    if answer.code != 0:
        return NOT_INSTALLED
    word = answer.out.strip().rpartition(",")[2].strip('"')
    sentence = f"The task is installed and starts when you log on. Task Scheduler says: {word}"
    return ServiceState("running", (sentence,))


def _schtasks(verb: str, *options: str, optional: bool = False) -> SystemCommand:
    return SystemCommand(("schtasks", verb, "/TN", TASK, *options), optional)
