"""Search messages, memories and facts; each hit links to its place."""

import re

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import known_chats
from daemon.archive.full_text import ANYTHING
from daemon.page.app import desk_of, render
from daemon.reports.search import Search, search_report

_MOST = 50
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def search_page(request: Request) -> Response:
    """Show the hits, and the form that narrows them."""
    desk, parameters = desk_of(request), request.query_params
    wanted = Search(
        parameters.get("words", ""),
        next((name for name in ANYTHING if name == parameters.get("in")), None),
        parameters.get("chat", ""),
        _day(parameters.get("from", "")),
        _day(parameters.get("to", "")),
        _MOST,
    )
    with desk.archive() as archive:
        chats = known_chats(archive)
        report = search_report(archive, desk.config, desk.folders.state, wanted)
    return render(request, "search.html", search=wanted, report=report, chats=chats)


def _day(text: str) -> str:
    """Return the text if it looks like a day; otherwise "", for no bound."""
    return text if _DAY.fullmatch(text) else ""
