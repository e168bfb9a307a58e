"""What buttons do: the very commands that a person would type, each in a process of its own.

So a button follows the same rules, holds the same locks and tells the same sentences as a command, and what a command
loads leaves memory with it.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.files.clock import now
from daemon.files.reasons import file_errors
from daemon.page.app import Desk, View, desk_of, field, render
from daemon.status.status import run_progress
from service.command import memproc_argv

_LONGEST_SECONDS = 120.0
_BEGIN_SECONDS = 20.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The output of a command; `code` is its exit code, or None where it took too long and was ended."""

    code: int | None
    text: str
    out: str = ""
    """The part of `text` that is meant for programs: its standard output alone."""

    @property
    def is_done(self) -> bool:
        """Whether it did what it was asked for."""
        return self.code == 0


def do_command(toml: Path | None, *arguments: str, given: str = "") -> CommandResult:
    """Run a memproc command to its end; `given` goes to its standard input. Arguments never reach a shell."""
    try:
        done = subprocess.run(  # noqa: S603  our own Python, and arguments that click reads
            memproc_argv(toml, *arguments), input=given, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=_LONGEST_SECONDS, check=False,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return CommandResult(
            None, "It took longer than two minutes, and was ended. What is finished is kept."
        )
    return CommandResult(
        done.returncode,
        "\n".join(part.strip() for part in (done.stdout, done.stderr) if part.strip()),
        done.stdout,
    )


def start_command(
    toml: Path | None, arguments: Sequence[str], out: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a command that goes on by itself, as a run does; its progress is told by the archive.

    What it prints goes into the new file `out`, where there is one. Raises FileTrouble.
    """
    with ExitStack() as stack:
        printed: int | IO[bytes] = subprocess.DEVNULL
        if out:
            with file_errors(out, "written"):
                out.unlink(missing_ok=True)
                printed = stack.enter_context(
                    os.fdopen(os.open(out, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
                )
        started = subprocess.Popen(  # noqa: S603  our own Python, and arguments that click reads
            memproc_argv(toml, *arguments), stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",
        )  # fmt: skip
    threading.Thread(
        target=started.wait, name="command", daemon=True
    ).start()  # so that it does not stay a zombie
    return started


def start_run(desk: Desk, *paths: str) -> Response:
    """Start a run, and go to Home once that can show it: it takes a second or two to begin, and may have ended by then.

    Without paths it processes what lies in the inbox.
    """
    started, end = start_command(desk.toml, ["run", "--", *paths]), monotonic() + _BEGIN_SECONDS
    while started.poll() is None and monotonic() < end:
        with Archive.read(desk.folders.state) as archive:
            if run_progress(archive, now()):
                break
        sleep(_LOOK_SECONDS)
    return RedirectResponse("/", 303)


def on_memory(command: str, *fields: str) -> View:
    """The action that runs a command on the memory that the address names, with these fields of the form behind it."""

    def act(request: Request) -> Response:
        memory = request.path_params["memory"]
        return after(
            request,
            f"/memory/{memory}",
            command,
            "--",
            memory,
            *(field(request, name) for name in fields),
        )

    return act


def post_retry(request: Request) -> Response:
    """Begin to ask the models for a memory once more, with what the person says about it."""
    memory, guidance = request.path_params["memory"], field(request, "guidance")
    start_command(desk_of(request).toml, ["retry", "--say", guidance, "--", memory])
    begun = {
        "said": "The models are being asked. It takes a minute or so; the new edition then stands here."
    }
    return RedirectResponse(f"/memory/{memory}?{urlencode(begun)}", 303)


def post_restore(request: Request) -> Response:
    """Put a kept version back."""
    chat, number = request.path_params["chat"], str(request.path_params["number"])
    return after(request, f"/chat/{chat}", "restore", "--yes", "--", chat, number)


def after(request: Request, address: str, *arguments: str, given: str = "") -> Response:
    """Run the command, then show at `address` what it said; what went wrong is a page of its own."""
    result = do_command(desk_of(request).toml, *arguments, given=given)
    if not result.is_done:
        return render(request, "trouble.html", 409, message=result.text, next_step="")
    return RedirectResponse(f"{address}?{urlencode({'said': result.text})}", 303)


def set_section(request: Request) -> Response:
    """Have a section of the core memory say what the person has written."""
    text, section = field(request, "text"), request.path_params["section"]
    if field(request, "empty"):
        return _on_layer(request, "core", "set", section, "--empty")
    return _on_layer(request, "core", "set", section, "-", given=text)


def release_section(request: Request) -> Response:
    """Let the persona edit a section again."""
    return _on_layer(request, "core", "release", request.path_params["section"])


def undo_core(request: Request) -> Response:
    """Take back the newest edit of the core memory."""
    return _on_layer(request, "core", "undo")


def add_fact(request: Request) -> Response:
    """Add a fact of today."""
    return _on_layer(request, "facts", "add", "--", field(request, "text"))


def forget_fact(request: Request) -> Response:
    """Forget a fact."""
    return _on_layer(request, "facts", "forget", str(request.path_params["number"]))


def post_accept(request: Request) -> Response:
    """Say that a chat which was skipped is meant as it is."""
    return after(request, "/", "accept", "--", request.path_params["chat"])


def _on_layer(request: Request, group: str, *arguments: str, given: str = "") -> Response:
    """Run a command of `core` or `facts`, a group that takes the id of the chat before its own arguments."""
    with Archive.read(desk_of(request).folders.state) as archive:
        chat = find_chat(archive, request.path_params["chat"]).chat_id
    return after(request, f"/chat/{chat}/{group}", group, chat, *arguments, given=given)
