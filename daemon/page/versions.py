"""The kept versions of a chat's exports: what changed between any two of them, and what going back would change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat
from daemon.files.backup import read_version
from daemon.files.backup import versions_of as kept_versions
from daemon.files.paths import Folders
from daemon.page.app import desk_of, render
from daemon.recovery.restore import (
    Content,
    compare_versions,
    find_version,
    newest_other,
    read_updated,
    updated_path,
)
from rules.conversation.memory import Memory
from rules.errors import NotFound
from rules.output.difference import Difference, DifferenceLine, difference_lines

NOW = "now"


@dataclass(frozen=True, slots=True)
class ComparedVersion:
    """One of two that are compared: its number, or `now` for the updated export that stands there."""

    number: str
    messages: int
    memories: int

    @property
    def is_now(self) -> bool:
        """Whether it is the present state, and no kept version."""
        return self.number == NOW


def version_page(request: Request) -> Response:
    """The changes if the person went back to a kept version, with the button that does it."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        kept = find_version(desk.folders, known, int(request.path_params["number"]))
        now = read_updated(updated_path(archive, desk.folders, known))
        lines: Sequence[DifferenceLine] = ()
        sides: Sequence[ComparedVersion] = ()
        if now is not None:
            then = Content(f"version {kept.number}", read_version(kept))
            difference, memories = compare_versions(
                archive, desk.config, known.chat_id, Content(NOW, now), then
            )
            sides, lines = _sides(difference, NOW, str(kept.number)), _lines(difference, memories)
    return render(request, "version.html", chat=known, version=kept, sides=sides, lines=lines)


def undo_page(request: Request) -> Response:
    """Lead to the version that `memproc undo` would put back, with what would change. Raises NotFound."""
    folders = desk_of(request).folders
    with Archive.read(folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        number = newest_other(archive, folders, known).number
    return RedirectResponse(f"/chat/{known.chat_id}/versions/{number}", 303)


def comparison_page(request: Request) -> Response:
    """The changes from one version to another; each may be the updated export of now."""
    desk, names = desk_of(request), [request.query_params.get(name, NOW) for name in ("from", "to")]
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        before, after = (_content(archive, desk.folders, known, name) for name in names)
        difference, memories = compare_versions(archive, desk.config, known.chat_id, before, after)
        has_now = updated_path(archive, desk.folders, known).is_file()
    return render(
        request, "comparison.html", chat=known, sides=_sides(difference, *names), lines=_lines(difference, memories),
        versions=kept_versions(desk.folders.backups, known.chat_id)[::-1], has_now=has_now,
    )  # fmt: skip


def _sides(
    difference: Difference, before: str, after: str
) -> tuple[ComparedVersion, ComparedVersion]:
    return (
        ComparedVersion(before, difference.messages_before, difference.memories_before),
        ComparedVersion(after, difference.messages_after, difference.memories_after),
    )


def _lines(difference: Difference, memories: Sequence[Memory]) -> tuple[DifferenceLine, ...]:
    """The difference in words, without the ids of memories, which nobody needs on a page."""
    lines = []
    for line in difference_lines(difference, memories):
        text = line.text
        for memory in memories:
            text = text.replace(f" ({memory.memory_id})", "")
        lines.append(replace(line, text=text))
    return tuple(lines)


def _content(archive: Archive, folders: Folders, known: KnownChat, name: str) -> Content:
    """The content of a version of that number, or of the updated export of now. Raises NotFound."""
    if name != NOW:
        kept = find_version(folders, known, int(name) if name.isdecimal() else 0)
        return Content(f"version {kept.number}", read_version(kept))
    content = read_updated(updated_path(archive, folders, known))
    if content is None:
        raise NotFound(
            f'There is no updated export of "{known.title}" now.', "Compare two kept versions."
        )
    return Content("the updated export", content)
