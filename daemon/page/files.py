"""Exports in and out: what is dropped on the page goes into the inbox, and the updated export is downloaded."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.outputs import last_output
from daemon.files.candidates import LARGEST_BYTES
from daemon.files.lock import is_held
from daemon.files.packing import BLOCK
from daemon.files.private import make_private
from daemon.files.write import replace_file
from daemon.page.app import desk_of
from rules.errors import FileTrouble, NotFound

_UNFIT = re.compile(r"[^\w .()-]+")
_LONGEST_NAME = 100  # characters


def drop(request: Request) -> Response:
    """Put an export that was chosen or dropped into the inbox, under a name that nothing there has."""
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
    """Home, where the daemon takes it by itself; else the page that says what a run would do with it."""
    runs = is_held(desk_of(request).folders.state / "daemon.lock")
    return RedirectResponse("/" if runs else "/inbox", 303)


def download_page(request: Request) -> Response:
    """The updated export of a chat, for TypingMind's import."""
    with Archive.read(desk_of(request).folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        output = last_output(archive, known.chat_id)
    path = Path(output.path) if output else None
    if path is None or not path.is_file():
        raise NotFound(
            f'There is no updated export of "{known.title}".',
            "Drop its newest export on the first page.",
        )
    return FileResponse(path, filename=path.name, media_type="application/json")


def has_updated(archive: Archive, chat_id: str) -> bool:
    """Whether there is an updated export of the chat to download."""
    output = last_output(archive, chat_id)
    return output is not None and Path(output.path).is_file()


def free_name(folder: Path, name: str) -> Path:
    """A path in the folder for a file of that name, as others may have it, that no file has yet."""
    plain = _UNFIT.sub("_", Path(name.replace("\\", "/")).name).strip(". ")
    stem, suffix = (
        Path(plain).stem[:_LONGEST_NAME] or "export",
        Path(plain).suffix[:_LONGEST_NAME] or ".json",
    )
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{suffix}"
    return path


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """The content; raises FileTrouble where it is larger than any export may be."""
    size = 0
    while block := file.read(BLOCK):
        size += len(block)
        if size > LARGEST_BYTES:
            raise FileTrouble(
                "This file is larger than 512 MiB.", "Export the chat by itself, and drop that."
            )
        yield block
