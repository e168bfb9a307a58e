"""Read what a story sees of the wire: the requests that a server was sent, and the memories made by them."""

import json
from dataclasses import dataclass
from typing import Any

from tests.chats import CHAT_ID, Json
from tests.server.child import ServerProcess
from tests.server.log import read_events
from tests.stories.person import Person


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it reached the server: who was asked, which of the four questions, and the JSON itself."""

    model: str
    dialect: str
    step: str
    body: Json

    @property
    def text(self) -> str:
        """Return the whole request as one text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def roles(self) -> list[str]:
        """Return the role of each message, without the system message."""
        return [message["role"] for message in self.body["messages"] if message["role"] != "system"]


def sent(server: ServerProcess) -> list[Sent]:
    """Return every request until now, in order. The server's script must say `bodies`."""
    arrived = (event for event in read_events(server.log) if event["event"] == "arrived")
    return [
        Sent(event["model"], event["dialect"], event["step"], event["body"]) for event in arrived
    ]


def memories(person: Person, chat_id: str = CHAT_ID) -> list[dict[str, Any]]:
    """Return the memories of a chat that the archive shows."""
    found = json.loads(person.memproc("memories", chat_id, "--json").out)["memories"]
    assert isinstance(found, list)
    return found


def made_by(person: Person, chat_id: str = CHAT_ID) -> set[str]:
    """Return how the memories of a chat were made: `model`, `extracted`."""
    return {memory["edition"]["made"] for memory in memories(person, chat_id)}


def exported_texts(chat: Json) -> dict[str, list[str]]:
    """Return the six texts of each memory in an updated chat, by the memory's id."""
    found: dict[str, list[str]] = {}
    for message in chat["messages"]:
        marker = message.get("memproc", {})
        if marker.get("kind") == "memory":
            content = message["content"]
            found.setdefault(marker["memory"], []).append(
                content if isinstance(content, str) else content[0]["text"]
            )
    return found
