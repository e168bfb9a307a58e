"""One hostile message: what it tries, who says it, and what else its JSON holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.chats import START, Json, assistant, user


@dataclass(frozen=True, slots=True)
class Hostile:
    """`name` says what it tries. `fields` stand in the message beside or instead of the usual ones."""

    name: str
    content: Any
    role: str = "user"
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lived(self) -> bool:
        """A role that the app does not know, or that of the system, is no part of the agent's experience."""
        return self.role in ("user", "assistant", "tool", "function")

    def message(self, number: int, at: datetime = START) -> Json:
        """The message as it stands in an export; `number` decides its uuid, unless it has forged one."""
        if self.role == "assistant":
            return assistant("", number, at=at) | {"content": self.content} | dict(self.fields)
        return (
            user("", number, at=at)
            | {"role": self.role, "content": self.content}
            | dict(self.fields)
        )


def person(name: str, content: Any, **fields: Any) -> Hostile:
    """Something that the person says, or pastes from a web page that they have not read."""
    return Hostile(name, content, "user", fields)


def persona(name: str, content: Any, **fields: Any) -> Hostile:
    """Something that the persona was made to say."""
    return Hostile(
        name,
        [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "assistant",
        fields,
    )
