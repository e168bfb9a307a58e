"""Take in exports that are dropped or brought from other programs, and send updated exports.

The list of conversations to bring, and the plan, are made by `memproc bring` in a process of its
own, because an export may be large.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.outputs import is_outgrown, last_output
from daemon.files.candidates import has_ending
from daemon.files.lock import daemon_runs
from daemon.files.packing import read_blocks
from daemon.files.private import make_private
from daemon.files.write import replace_file
from daemon.page.access import LARGEST_UPLOAD
from daemon.page.actions import finish_command, show_run
from daemon.page.app import Desk, desk_of, field, named_chat, render, show_at
from daemon.recovery.aside import free_path, is_movable, put_aside, return_to_inbox
from rules.errors import FileTrouble, MemprocError, NotFound
from rules.typingmind.foreign_files import ENOUGH, explain_head, other_program
from rules.wording import cut_title

_UNFIT = re.compile(r'[\x00-\x1f\x7f\ud800-\udfff<>:"|?*]+')
"""Characters that some system allows in no file name; slashes are cut off before."""
_LONGEST_NAME = 200  # bytes
_LONGEST_SUFFIX = 10  # characters

_OPTIONS = ("as", "model", "instructions")

Download = Literal["none", "ready", "outgrown"]
"""Whether a chat has an updated export; to import an "outgrown" one would lose what came since."""


def drop(request: Request) -> Response:
    """Put chosen or dropped exports into the inbox, each under a free name; refuse other files.

    The page's JavaScript sends them one by one, and gets the answer as JSON.
    """
    uploads = [
        upload
        for upload in request.state.form.getlist("export")
        if isinstance(upload, UploadFile) and upload.filename
    ]
    if not uploads:
        raise FileTrouble(
            "No file was chosen.", "Choose an export of TypingMind's, or drop it on the page."
        )
    inbox = desk_of(request).folders.inbox
    make_private(inbox)
    refusals = [refusal for upload in uploads if (refusal := _receive(inbox, upload))]
    if request.headers.get("accept") == "application/json":
        reasons = [f"{refusal.message} {refusal.next_step}" for refusal in refusals]
        return JSONResponse({"refused": reasons})
    if refusals:
        message = "\n".join(refusal.message for refusal in refusals)
        steps = dict.fromkeys(refusal.next_step for refusal in refusals)
        raise FileTrouble(message, "\n".join(steps))
    return to_what_was_dropped(request)


def _receive(inbox: Path, upload: UploadFile) -> MemprocError | None:
    """Put an upload into the inbox. Return the error if it cannot be an export or be written."""
    name = shown_name(upload.filename or "")
    head = upload.file.read(ENOUGH)
    is_foreign = other_program(head) is not None
    if refusal := None if is_foreign else explain_head(name, head):
        return refusal
    if not has_ending(name):
        return FileTrouble(
            f"{name} has a name that does not end in .json or .zip.",
            "If it is an export, give it the name back that it had in TypingMind.",
        )
    upload.file.seek(0)
    try:
        replace_file(free_path(inbox, name), _blocks(upload.file))
    except FileTrouble as trouble:
        return trouble
    return None


def to_what_was_dropped(request: Request) -> Response:
    """Redirect to Home if a daemon will take the file, otherwise to the plan of the inbox."""
    runs = daemon_runs(desk_of(request).folders.state)
    return RedirectResponse("/" if runs else "/inbox", 303)


def post_aside(request: Request) -> Response:
    """Move a skipped file out of the inbox, into `backups/aside`."""
    path = put_aside(desk_of(request).folders, field(request, "name"))
    return show_at(request, "/inbox", f"{path.name} was put aside.")


def post_back(request: Request) -> Response:
    """Move a file that was put aside back into the inbox."""
    path = return_to_inbox(desk_of(request).folders, field(request, "name"))
    return show_at(request, "/inbox", f"{path.name} is in the inbox again.")


def download_page(request: Request) -> Response:
    """Send the chat's updated export, for TypingMind's import."""
    with named_chat(request) as (archive, known):
        output = last_output(archive, known.chat_id)
    path = Path(output.path) if output else None
    if path is None or not path.is_file():
        message = f'There is no updated export of "{cut_title(known.title)}".'
        raise NotFound(message, "Drop its newest export on Home.")
    return FileResponse(path, filename=path.name, media_type="application/json")


def download_state(archive: Archive, chat_id: str) -> Download:
    """Return whether the chat has an updated export, and whether the chat is newer than it."""
    output = last_output(archive, chat_id)
    if output is None or not Path(output.path).is_file():
        return "none"
    return "outgrown" if is_outgrown(archive, output) else "ready"


def shown_name(name: str) -> str:
    """Return a file's name, not too long, without folders and characters that some system forbids.

    Letters, emoji and punctuation stay as they are. With its ending it has at most 200 bytes in
    UTF-8.
    """
    plain = Path(_UNFIT.sub("_", Path(name.replace("\\", "/")).name).strip(". ") or "export.json")
    suffix = plain.suffix if len(plain.suffix) <= _LONGEST_SUFFIX else ""
    stem = plain.name.removesuffix(suffix).encode("utf-8", "ignore")
    room = _LONGEST_NAME - len(suffix.encode("utf-8", "ignore"))
    return (stem[:room].decode("utf-8", "ignore").strip(". ") or "export") + (suffix or ".json")


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content in blocks. Raises FileTrouble where it is larger than the page takes."""
    size = 0
    for block in read_blocks(file):
        size += len(block)
        if size > LARGEST_UPLOAD:
            raise FileTrouble(
                "This file is larger than 4 GiB.", "Put it into the inbox folder by hand."
            )
        yield block


def bring_page(request: Request) -> Response:
    """Show the conversations of a file in the inbox whose titles have the words looked for."""
    name, find = (request.query_params.get(key, "") for key in ("file", "find"))
    path = _path(desk_of(request), name)
    listed = finish_command(request, "bring", "--", str(path), *find.split())
    return render(
        request,
        "bring.html",
        file=name,
        find=find,
        conversations=listed.printed.conversations,
        projects=listed.printed.projects,
    )


def plan_bring(request: Request) -> Response:
    """Show what bringing the ticked conversations would do and cost."""
    plan = finish_command(request, *_arguments(request)).printed
    return render(
        request,
        "bring_plan.html",
        file=field(request, "file"),
        sentences=plan.sentences,
        rows=plan.get("chats", ()),
        chosen=_chosen(request),
        options={name: field(request, name) for name in (*_OPTIONS, "untouched")},
    )


def post_bring(request: Request) -> Response:
    """Bring the conversations that were planned, and redirect to Home."""
    return show_run(request, *_arguments(request, "--yes"))


def _arguments(request: Request, *options: str) -> tuple[str, ...]:
    """Return the command that brings the ticked conversations, as a user would type it."""
    arguments = ["bring", *options]
    for number in _chosen(request):
        arguments += ["--chat", number]
    for name in _OPTIONS:
        if value := field(request, name).strip():
            arguments += [f"--{name}", value]
    if field(request, "untouched"):
        arguments.append("--untouched")
    return (*arguments, "--", str(_path(desk_of(request), field(request, "file"))))


def _chosen(request: Request) -> list[str]:
    chosen = [value for value in request.state.form.getlist("chat") if isinstance(value, str)]
    if not chosen:
        raise NotFound("No conversation was ticked.", "Go back, and tick at least one.")
    return chosen


def _path(desk: Desk, name: str) -> Path:
    """Return the file of that name in the inbox. Raises NotFound."""
    path = desk.folders.inbox / name
    if not name or name != path.name or not is_movable(path):
        raise NotFound(f"The inbox holds no file {name} now.", "Drop it on Home.")
    return path
