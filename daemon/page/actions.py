"""Carry out what buttons say by the commands that a user would type, each in its own process.

So a button follows the same rules, holds the same locks and says the same sentences as a command,
and what a command loads is freed when its process ends.
"""

import json
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.work import By
from daemon.files.clock import now, span
from daemon.files.lock import Busy, is_held
from daemon.page.app import View, desk_of, field, named_chat, show_at
from daemon.status.status import present_run
from rules.errors import MemprocError, RefusedArguments
from rules.typingmind.content import make_printable
from service.command import memproc_argv

CORE = "/chat/{chat}/core"
_LONGEST_SECONDS = 120.0
_BEGIN_SECONDS = 20.0
_LOOK_SECONDS = 0.1
_LONGEST_ARGUMENT = 30_000
"""Characters. Windows gives a process hardly more."""


class _Printed(dict[str, Any]):
    """A JSON object whose values are attributes, too, as in the rows that it was made from."""

    def __getattr__(self, name: str) -> Any:
        """Return the value of that name. Raises AttributeError where there is none."""
        if name in self:
            return self[name]
        raise AttributeError(name)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended: its exit code, or None where it took too long; and what it printed."""

    code: int | None
    printed: Any
    """The object that `--json` printed; its values, and those of objects in it, are attributes."""
    trouble: str = ""
    """What is shown where the command has printed nothing."""

    @property
    def is_done(self) -> bool:
        """Return whether the command succeeded."""
        return self.code == 0

    def or_raise(self) -> "CommandResult":
        """Return the result if the command succeeded; else raise MemprocError with what it says."""
        if self.is_done:
            return self
        raise MemprocError(self.says, "")

    @property
    def says(self) -> str:
        """Return what the user is told: the notes, or the error that ended it and its remedy."""
        lines = self.printed.get("notes", [])
        if error := self.printed.get("error"):
            lines = [error, *self.printed.get("next", [])]
        return "\n".join(lines) or self.trouble


def do_command(
    toml: Path | None, *arguments: str, given: str = "", longest: float = _LONGEST_SECONDS
) -> CommandResult:
    """Run a memproc command with `--json` to its end; `given` is its standard input.

    It is killed after `longest` seconds. No shell is used. Raises RefusedArguments.
    """
    _refuse_unfit(*arguments, given)
    options = arguments.index("--") if "--" in arguments else len(arguments)
    as_typed = (*arguments[:options], "--json", *arguments[options:])
    try:
        done = subprocess.run(  # noqa: S603  our own Python, and arguments that click reads
            memproc_argv(toml, *as_typed),
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=longest,
            check=False,
        )
    except subprocess.TimeoutExpired:
        took = f"It took longer than {span(longest)}, and was ended. What is finished is kept."
        return CommandResult(None, _Printed(), took)
    printed = json.loads(done.stdout or "{}", object_hook=_Printed)
    return CommandResult(done.returncode, printed, done.stderr.strip())


def start_command(
    toml: Path | None, arguments: Sequence[str], by: By = "page"
) -> subprocess.Popen[bytes]:
    """Start a command without waiting for its end; the archive shows its progress.

    Raises RefusedArguments.
    """
    _refuse_unfit(*arguments)
    started = subprocess.Popen(  # noqa: S603  our own Python, and arguments that click reads
        memproc_argv(toml, "--by", by, *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=sys.platform != "win32",
    )
    # Wait for it, so that it does not stay a zombie.
    threading.Thread(target=started.wait, name="command", daemon=True).start()
    return started


def _refuse_unfit(*texts: str) -> None:
    """Raise RefusedArguments for text that no process can be given; no user types such text."""
    for text in texts:
        if "\0" in text or make_printable(text) != text:
            raise RefusedArguments("This text holds what is no character.", "Take it out.")
        if len(text) > _LONGEST_ARGUMENT:
            longer = f"This text is longer than {_LONGEST_ARGUMENT:,} characters."
            raise RefusedArguments(longer, "Take a part of it.")


def show_run(request: Request, *arguments: str) -> Response:
    """Start a command that runs on an export, and redirect to Home once the run has begun.

    That takes a second or two; a short run may have ended by then.
    """
    desk = desk_of(request)
    started, end = start_command(desk.toml, arguments), monotonic() + _BEGIN_SECONDS
    while started.poll() is None and monotonic() < end:
        with desk.archive() as archive:
            run = present_run(archive, now())
        if run and run.goes_on:
            break
        sleep(_LOOK_SECONDS)
    return RedirectResponse("/", 303)


def runs(address: str, *command: str, given: str = "") -> View:
    """Return the action that runs a command, and shows what it says at `address`.

    Names in braces are replaced by the values of the form and of the address; `given` is the
    command's standard input.
    """

    def act(request: Request) -> Response:
        values = _form_values(request)
        words = [word.format_map(values) for word in command]
        text = given.format_map(values)
        return run_then_show(request, address.format_map(values), *words, given=text)

    return act


def starts(address: str, begun: str, *command: str) -> View:
    """Return the action that starts a command that asks models, and shows `begun` at `address`.

    A command that costs money is never left waiting: the action raises Busy while another memproc
    works with the archive.
    """

    def act(request: Request) -> Response:
        desk, values = desk_of(request), _form_values(request)
        if is_held(desk.folders.state / "lock"):
            raise Busy(
                "memproc is working with this archive.",
                "Wait until that has ended, then press again.",
            )
        start_command(desk.toml, [word.format_map(values) for word in command])
        return show_at(request, address.format_map(values), begun)

    return act


def _form_values(request: Request) -> Mapping[str, str]:
    """Return the values of the form and of the address by name; other names have "".

    Raises NotFound. A chat is given by its whole id.
    """
    values = defaultdict[str, str](str, {**request.state.form, **request.path_params})
    if "chat" in request.path_params:
        with named_chat(request) as (_, known):
            values["chat"] = known.chat_id
    return values


def run_then_show(request: Request, address: str, *arguments: str, given: str = "") -> Response:
    """Run the command, and show what it says at `address`. Raises MemprocError where it fails."""
    return show_at(request, address, finish_command(request, *arguments, given=given).says)


def finish_command(request: Request, *arguments: str, given: str = "") -> CommandResult:
    """Run the command as `do_command` does.

    Raises MemprocError, with what it says, where it fails.
    """
    return do_command(desk_of(request).toml, *arguments, given=given).or_raise()


def post_section(request: Request) -> Response:
    """Replace a section of the core memory by the user's text."""
    command = ("core", "{chat}", "set", "{section}")
    if field(request, "empty"):
        return runs(CORE, *command, "--empty")(request)
    return runs(CORE, *command, "-", given="{text}")(request)
