"""Move exports in and out: into the inbox what is dropped on the page, out as a download."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.outputs import last_output
from daemon.files.candidates import LARGEST_BYTES
from daemon.files.lock import is_held
from daemon.files.packing import BLOCK
from daemon.files.private import make_private
from daemon.files.write import replace_file
from daemon.page.app import desk_of, named_chat
from rules.errors import FileTrouble, NotFound

_UNFIT = re.compile(r"[^\w .()-]+")
_LONGEST_NAME = 100  # characters


def drop(request: Request) -> Response:
    """Put a chosen or dropped export into the inbox, under a free name."""
    upload = request.state.form.get("export")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise FileTrouble(
            "No file was chosen.", "Choose an export of TypingMind's, or drop it on the page."
        )
    inbox = desk_of(request).folders.inbox
    make_private(inbox)
    path = free_name(inbox, upload.filename)
    replace_file(path, _blocks(upload.file))
    return to_what_was_dropped(request)


def to_what_was_dropped(request: Request) -> Response:
    """Go to Home where a daemon takes the file, else to the plan of the inbox."""
    runs = is_held(desk_of(request).folders.state / "daemon.lock")
    return RedirectResponse("/" if runs else "/inbox", 303)


def download_page(request: Request) -> Response:
    """Send the chat's updated export, for TypingMind's import."""
    with named_chat(request) as (archive, known):
        path = _updated_path(archive, known.chat_id)
    if path is None:
        message = f'There is no updated export of "{known.title}".'
        raise NotFound(message, "Drop its newest export on the first page.")
    return FileResponse(path, filename=path.name, media_type="application/json")


def has_updated(archive: Archive, chat_id: str) -> bool:
    """Return True if the chat has an updated export to download."""
    return _updated_path(archive, chat_id) is not None


def free_name(folder: Path, name: str) -> Path:
    """Return a path in the folder for a file of that name, cleaned and not yet taken."""
    plain = Path(_UNFIT.sub("_", Path(name.replace("\\", "/")).name).strip(". "))
    stem = plain.stem[:_LONGEST_NAME] or "export"
    suffix = plain.suffix[:_LONGEST_NAME] or ".json"
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{suffix}"
    return path


def _updated_path(archive: Archive, chat_id: str) -> Path | None:
    output = last_output(archive, chat_id)
    path = Path(output.path) if output else None
    return path if path and path.is_file() else None


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content. Raises FileTrouble where it is larger than any export may be."""
    size = 0
    while block := file.read(BLOCK):
        size += len(block)
        if size > LARGEST_BYTES:
            raise FileTrouble(
                "This file is larger than 512 MiB.", "Export the chat by itself, and drop that."
            )
        yield block
