"""Read what a story sees of facts: the present ones, their history, the requests for them, the opening's lines."""

import json
import re
from collections.abc import Sequence
from itertools import count
from operator import itemgetter
from typing import Any

from tests.server.request import Request
from tests.server.step import read_task
from tests.stories.person import Ended, Person
from tests.stories.rounds import Life
from tests.typingmind.texts import text_of

_HEADING = "## facts\n"
_ID = re.compile(r'\{"id": "(\d+)", "text": "([^"]*)"')


def facts(lived: Life, *arguments: str) -> Ended:
    """Run `memproc facts CHAT`."""
    return lived.person.memproc("facts", lived.chat_id, *arguments)


def known(lived: Life, *arguments: str) -> dict[int, str]:
    """Return the texts of `memproc facts CHAT list`, or `search`, by their numbers, in its order."""
    ended = facts(lived, *(arguments or ("list",)), "--json")
    assert ended.code == 0, ended.err
    return {one["number"]: one["text"] for one in json.loads(ended.out)["facts"]}


def history(lived: Life, number: int) -> list[dict[str, Any]]:
    """Return the events of `memproc facts CHAT history ID`."""
    ended = facts(lived, "history", str(number), "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)["events"]
    assert isinstance(found, list)
    return found


def events(person: Person, chat_id: str) -> list[dict[str, Any]]:
    """Return all events of a chat's facts, in order, without the times at which they were kept."""
    found: list[dict[str, Any]] = []
    for number in count(1):
        ended = person.memproc("facts", chat_id, "history", str(number), "--json")
        if f"never had a fact {number}" in ended.err:
            break
        found += json.loads(ended.out)["events"]
    return [event | {"at": ""} for event in sorted(found, key=itemgetter("at"))]


def opening(lived: Life) -> str:
    """Return the text of the opening in TypingMind."""
    return text_of(lived.device.messages(lived.chat_id)[0]["content"])


def lines(lived: Life) -> list[str]:
    """Return the lines of the facts in the opening."""
    _, _, listed = opening(lived).partition(_HEADING)
    return listed.removesuffix("\n</system>").splitlines()


def steps(requests: Sequence[Request]) -> list[str]:
    """Return the steps of the requests, in order."""
    return [read_task(request).step for request in requests]


def asked_for_facts(requests: Sequence[Request]) -> list[Request]:
    """Return the requests for facts among these."""
    return [request for request in requests if read_task(request).step == "facts"]


def shown(request: Request) -> list[str]:
    """Return the facts that a request shows for comparison, in the order of their ids, which count from 0."""
    found = _ID.findall(request.turns[-1].text)
    assert [int(number) for number, _ in found] == list(range(len(found)))
    return [text for _, text in found]


def noted(lived: Life) -> dict[str, int]:
    """Export and run; return the counts in the report of the run."""
    lived.drop()
    ended = lived.person.memproc("run", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)["noted"]
    assert isinstance(found, dict)
    return found
