"""What a story sees of the facts: those that are true, their history, the requests for them, the opening's lines."""

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
    """`memproc facts CHAT`."""
    return lived.person.memproc("facts", lived.chat_id, *arguments)


def known(lived: Life, *arguments: str) -> dict[int, str]:
    """What `memproc facts CHAT list` tells, or `search`: the texts by their numbers, in its order."""
    ended = facts(lived, *(arguments or ("list",)), "--json")
    assert ended.code == 0, ended.err
    return {one["number"]: one["text"] for one in json.loads(ended.out)["facts"]}


def history(lived: Life, number: int) -> list[dict[str, Any]]:
    """What `memproc facts CHAT history ID` tells."""
    ended = facts(lived, "history", str(number), "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)["events"]
    assert isinstance(found, list)
    return found


def events(person: Person, chat_id: str) -> list[dict[str, Any]]:
    """All that ever happened to the facts, in order, but for when it was kept."""
    found: list[dict[str, Any]] = []
    for number in count(1):
        ended = person.memproc("facts", chat_id, "history", str(number), "--json")
        if f"never had a fact {number}" in ended.err:
            break
        found += json.loads(ended.out)["events"]
    return [event | {"at": ""} for event in sorted(found, key=itemgetter("at"))]


def opening(lived: Life) -> str:
    """The opening message, as TypingMind has it."""
    return text_of(lived.device.messages(lived.chat_id)[0]["content"])


def lines(lived: Life) -> list[str]:
    """The lines of the facts in it."""
    _, _, listed = opening(lived).partition(_HEADING)
    return listed.removesuffix("\n</system>").splitlines()


def steps(requests: Sequence[Request]) -> list[str]:
    """Which questions were asked, in order."""
    return [read_task(request).step for request in requests]


def asked_for_facts(requests: Sequence[Request]) -> list[Request]:
    """The requests for facts among these."""
    return [request for request in requests if read_task(request).step == "facts"]


def shown(request: Request) -> list[str]:
    """The facts that a request shows for comparison, in the order of their ids, which count from 0."""
    found = _ID.findall(request.turns[-1].text)
    assert [int(number) for number, _ in found] == list(range(len(found)))
    return [text for _, text in found]


def noted(lived: Life) -> dict[str, int]:
    """Export and run; what the report of the run counts."""
    lived.drop()
    ended = lived.person.memproc("run", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)["noted"]
    assert isinstance(found, dict)
    return found
