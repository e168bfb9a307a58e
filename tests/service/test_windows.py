"""The task for Task Scheduler: XML in the order of its schema, and how it is talked to."""

from pathlib import Path
from xml.etree.ElementTree import fromstring

from service.command import Answer
from service.unit import Program
from service.windows import recipe, state
from tests.service.programs import HOME, Computer

NS = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
PROGRAM = Program(
    command=(
        r"C:\Program Files\memproc\pythonw.exe",
        "-c",
        "import sys; sys.exit(0)",
        "--config",
        r"C:\A & B\m.toml",
    ),
    notice=(),
    writes=(HOME / "inbox",),
    home=HOME,
    code=(),
    log=HOME / "logs" / "service.log",
)
MADE = recipe(PROGRAM, Path("/state"), r"PC\ada & bob")


def test_the_file_is_utf_16_with_its_mark_and_says_what_was_meant() -> None:
    content = MADE.files[0].content
    assert content.startswith((b"\xff\xfe", b"\xfe\xff"))
    task = fromstring(content)
    assert task.findtext("t:Actions/t:Exec/t:Command", namespaces=NS) == PROGRAM.command[0]
    arguments = task.findtext("t:Actions/t:Exec/t:Arguments", namespaces=NS)
    assert arguments == '-c "import sys; sys.exit(0)" --config "C:\\A & B\\m.toml"'
    assert task.findtext("t:Triggers/t:LogonTrigger/t:UserId", namespaces=NS) == r"PC\ada & bob"
    trigger = task.find("t:Triggers/t:LogonTrigger", NS)
    assert trigger is not None
    assert [part.tag.partition("}")[2] for part in trigger] == ["Enabled", "Repetition", "UserId"]
    assert trigger.findtext("t:Repetition/t:Interval", namespaces=NS) == "PT10M", (
        "started again whatever happened"
    )
    assert task.findtext("t:Settings/t:ExecutionTimeLimit", namespaces=NS) == "PT0S", (
        "never ended after three days"
    )
    assert task.findtext("t:Settings/t:DisallowStartIfOnBatteries", namespaces=NS) == "false"
    assert task.findtext("t:Settings/t:MultipleInstancesPolicy", namespaces=NS) == "IgnoreNew"
    assert task.findtext("t:Settings/t:RestartOnFailure/t:Count", namespaces=NS) == "10"


def test_the_parts_stand_in_the_order_of_the_schema() -> None:
    names = [part.tag.partition("}")[2] for part in fromstring(MADE.files[0].content)]
    assert names == ["RegistrationInfo", "Triggers", "Principals", "Settings", "Actions"]


def test_the_task_is_made_started_ended_and_deleted_by_name() -> None:
    lines = [" ".join(run.argv) for run in (*MADE.start, *MADE.stop)]
    assert lines == [
        f"schtasks /Create /TN memproc /XML {Path('/state/memproc-task.xml')} /F",
        "schtasks /Run /TN memproc",
        "schtasks /End /TN memproc",
        "schtasks /Delete /TN memproc /F",
    ]


def test_what_task_scheduler_says_is_shown_in_its_own_language() -> None:
    assert state(Computer({"schtasks /Query": Answer(1)})).state == "not installed"
    task_state = state(
        Computer({"schtasks /Query": Answer(0, '"\\memproc","N/A","Wird ausgeführt"\r\n')})
    )
    assert task_state.state == "running" and task_state.sentences[0].endswith("Wird ausgeführt")
