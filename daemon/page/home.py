"""Home: what needs you, what is running, the chats and the money."""

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.page.app import desk_of, shown


def home(request: Request) -> Response:
    """The first page."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        chats = known_chats(archive)
    return shown(request, "home.html", chats=list(reversed(chats)))
