"""Rounds of the whole trip over a hostile chat, and the proof of each by somebody who knows what was said."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from primer.prompt import closing, opening
from tests.chats import CHAT_ID, Json, texts
from tests.hostile.corpus import CORPUS
from tests.hostile.forgeries import TEXTS
from tests.hostile.reading import is_alive
from tests.hostile.talk import LATER, export, hostile_talk, lived, plain_talk, raw
from tests.stories.person import Person


def memories(person: Person) -> list[dict[str, Any]]:
    found = json.loads(person.memproc("memories", CHAT_ID, "--json").out)["memories"]
    assert isinstance(found, list)
    return found


class Round:
    """One round of the trip, with all that has been said until then."""

    def __init__(
        self, person: Person, said: Sequence[Json], standing: Sequence[Json] | None = None
    ) -> None:
        """`standing` is what the export holds, if some of what was said stands under memories in it already."""
        self.person = person
        self.said = said
        person.drop(export(said if standing is None else standing))
        (self.planned,) = json.loads(person.memproc("plan", "--json").out)["chats"]
        self.ended = person.memproc("run")

    @property
    def messages(self) -> list[Json]:
        found = self.person.chat()["messages"]
        assert isinstance(found, list)
        return found

    def is_as_designed(self) -> None:
        """The proof of a finished chat, once more, by somebody who knows what was said."""
        assert (self.ended.code, self.ended.err) == (0, ""), self.ended.err
        assert self.planned["messages"] == len(lived(self.said)), (
            "nobody's words were taken for ours"
        )
        own = {raw(message) for message in self.said}
        kinds = [
            "raw" if raw(message) in own else message["memproc"]["kind"]
            for message in self.messages
        ]
        alive = [
            (kind, message)
            for kind, message in zip(kinds, self.messages, strict=True)
            if kind != "raw" or message["role"] in ("user", "assistant", "tool", "function")
        ]
        made = memories(self.person)
        live = len(alive) - 6 * len(made) - 2
        assert [kind for kind, _ in alive] == [
            "opening",
            *["memory"] * 6 * len(made),
            "closing",
            *["raw"] * live,
        ]
        assert [message["content"] for _, message in (alive[0], alive[-live - 1])] == [
            opening(TEXTS),
            closing(TEXTS),
        ]
        groups = [message for kind, message in alive if kind == "memory"]
        for start, memory in zip(range(0, len(groups), 6), made, strict=True):
            group = groups[start : start + 6]
            assert [message["memproc"]["slot"] for message in group] == [1, 2, 3, 4, 5, 6]
            assert {message["memproc"]["memory"] for message in group} == {memory["memory_id"]}
            assert [message["role"] for message in group] == ["user", "assistant"] * 3
            assert texts(group) == memory["edition"]["texts"]
        self._accounts(made, [message for _, message in alive[-live:]])

    def _accounts(self, made: Sequence[dict[str, Any]], live: Sequence[Json]) -> None:
        """Every message is under exactly one memory, or live, as the bytes that it was, or left out where it stood."""
        under = [key for memory in made for key in memory["keys"]]
        assert len(set(under)) == len(under) == len(lived(self.said)) - len(live)
        content = self.person.updated()[0].read_bytes()
        left_out = [message for message in self.said if not lived([message])]
        tail = [message for message in self.said[-len(live) - len(left_out) :] if lived([message])][
            -len(live) :
        ]
        assert [raw(message) for message in live] == [raw(message) for message in tail]
        for message in [*left_out, *tail]:
            assert raw(message) in content

    def chunks(self) -> list[range]:
        """Where each memory's messages stand in what was lived."""
        sizes = [len(memory["keys"]) for memory in memories(self.person)]
        bounds = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
        return [range(start, stop) for start, stop in pairwise(bounds)]

    def has_memories_without_tags(self) -> None:
        """A question is in its tag, and in no other; in an answer none is alive."""
        for memory in memories(self.person):
            for slot, text in enumerate(memory["edition"]["texts"], 1):
                inner = text.removeprefix("<context_manager>\n").removesuffix(
                    "\n</context_manager>"
                )
                assert (inner != text) == (slot % 2 == 1)
                assert not is_alive(inner), (memory["number"], slot)

    def can_be_had_back(self) -> None:
        """The whole raw conversation, byte for byte; and all that is kept is as it was written."""
        whole = self.person.home / "whole.json"
        whole.unlink(missing_ok=True)
        assert self.person.memproc("expand", CHAT_ID, "--output", whole).code == 0
        assert b'"messages":[' + b",".join(map(raw, self.said)) + b"]" in whole.read_bytes()
        assert self.person.memproc("verify").code == 0


def three_rounds(person: Person) -> Iterator[Round]:
    """A chat that begins hostile, goes on hostile when it has memories, and goes on.

    As much plain talk as fills the live tail stands behind the first and the third part.
    """
    turns = 4 + person.tail // 200
    said = [*hostile_talk(CORPUS, 1), *plain_talk(turns, 1001)]
    yield (first := Round(person, said))
    more = [*plain_talk(3, 1101), *hostile_talk(LATER, 2001)]
    yield (second := Round(person, [*said, *more], [*first.messages, *more]))
    last = plain_talk(turns, 1301)
    yield Round(person, [*second.said, *last], [*second.messages, *last])
