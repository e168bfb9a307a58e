"""The page that shows what models see shows what the code sends now."""

import re

import pytest

from tests.requests_page import PLACE, renewed

pytestmark = pytest.mark.timeout(200)


@pytest.mark.full
def test_the_page_of_requests_shows_what_is_sent_now() -> None:
    page = PLACE.read_text("utf-8")
    assert renewed(page) == page, (
        "the requests have changed; renew the page with: python -m tests.requests_page"
    )


def test_the_page_of_requests_shows_every_part_in_its_place() -> None:
    page = PLACE.read_text("utf-8")
    order = [
        "=== system: the system message",
        "=== user: the opening",
        "=== user: memory 1, a question",
        "=== assistant: memory 1, an answer",
        "=== user: the closing",
        "more messages of the tail]",
        "=== user: to remember",
        "=== user: the question",
    ]
    places = [page.index(what) for what in order]
    assert places == sorted(places)
    requests = re.findall(r"~~~~~text\n(.*?)\n~~~~~\n", page, re.DOTALL)
    breaks = [request.count("a provider's cache may break off") for request in requests]
    assert breaks == [3, 0, 0, 0, 0, 0], (
        "after the memories, the tail and the chunk; the later requests begin alike"
    )
