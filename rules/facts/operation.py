"""What a context manager wants done with the facts: the four operations of mem0's prompt, as values.

Where that prompt deletes a fact that is contradicted, ours asks for an UPDATE: the new statement supersedes the old.
"""

from dataclasses import dataclass
from typing import Literal

Asked = Literal["ADD", "UPDATE", "DELETE", "NONE"]
MOST_CHARACTERS = 500
"""Of a fact: what is longer is none."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, as it was answered; nothing of it is believed yet."""

    event: Asked
    id: str
    """Of a known fact, by its place among those shown, from 0; empty where none was given."""
    text: str
    old: str = ""
    """What the fact said so far, where the answer repeats it."""
    message: int | None = None
    """Number of the message that says so, from 1; None where none was named."""
