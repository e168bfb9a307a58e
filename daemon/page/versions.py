"""Compare the kept versions of a chat's export with each other and with the present one."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat
from daemon.files.backup import Version
from daemon.files.backup import versions_of as kept_versions
from daemon.files.packing import sha256_of
from daemon.files.paths import Folders
from daemon.page.app import desk_of, named_chat, render
from daemon.recovery.compare import Content, compare_versions, version_content
from daemon.recovery.restore import (
    find_version,
    newest_other,
    read_updated,
    updated_path,
)
from rules.output.difference import Difference
from rules.output.difference_lines import DifferenceLine

NOW = "now"


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """What can be compared: the kept versions, newest first, and the two chosen at first."""

    kept: tuple[Version, ...]
    has_now: bool
    before: str
    after: str


def version_choice(archive: Archive, folders: Folders, known: KnownChat) -> VersionChoice:
    """Return what can be compared; the two newest versions that differ are chosen at first."""
    newest_first = tuple(reversed(kept_versions(folders.backups, known.chat_id)))
    hashes = {str(version.number): version.sha256 for version in newest_first}
    path = updated_path(archive, folders, known)
    if has_now := path.is_file():
        hashes = {NOW: sha256_of(path) or "", **hashes}
    after = next(iter(hashes), NOW)
    before = next((name for name, sha256 in hashes.items() if sha256 != hashes[after]), after)
    return VersionChoice(newest_first, has_now, before, after)


def version_page(request: Request) -> Response:
    """Show what going back to a kept version would change, and the button for it."""
    desk = desk_of(request)
    difference: Difference | None = None
    lines: list[DifferenceLine] = []
    with named_chat(request) as (archive, known):
        version = find_version(desk.folders, known, int(request.path_params["number"]))
        now = read_updated(updated_path(archive, desk.folders, known))
        if now is not None:
            after = version_content(archive, desk.folders, known, version.number)
            difference, lines = compare_versions(
                archive, desk.config, known.chat_id, Content(NOW, now), after
            )
    return render(
        request, "version.html", chat=known, version=version, difference=difference, lines=lines
    )


def undo_page(request: Request) -> Response:
    """Redirect to the version that `memproc undo` would put back. Raises NotFound."""
    with named_chat(request) as (archive, known):
        number = newest_other(archive, desk_of(request).folders, known).number
    return RedirectResponse(f"/chat/{known.chat_id}/versions/{number}", 303)


def comparison_page(request: Request) -> Response:
    """Show the changes from one version to another; either may be the present one."""
    desk, parameters = desk_of(request), request.query_params
    with named_chat(request) as (archive, known):
        choice = version_choice(archive, desk.folders, known)
        first = parameters.get("from", choice.before)
        second = parameters.get("to", choice.after)
        before = version_content(archive, desk.folders, known, _number(first))
        after = version_content(archive, desk.folders, known, _number(second))
        difference, lines = compare_versions(archive, desk.config, known.chat_id, before, after)
    return render(
        request,
        "comparison.html",
        chat=known,
        before=first,
        after=second,
        difference=difference,
        lines=lines,
        choice=choice,
    )


def _number(name: str) -> int | None:
    """Return the number that a form names: None for `now`; for nonsense 0, which no version has."""
    if name == NOW:
        return None
    return int(name) if name.isdecimal() else 0
