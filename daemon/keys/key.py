"""A key and where it was found, or why there is none; and which texts can be a key at all."""

from dataclasses import dataclass, field
from typing import Literal

Where = Literal["environment", "credential", "file", "keyring"]


@dataclass(frozen=True, slots=True)
class Key:
    """A provider's key. Its value is in no repr, so that no message or traceback can repeat it."""

    value: str = field(repr=False)
    where: Where


@dataclass(frozen=True, slots=True)
class NoKey:
    """There is no key for this provider; `reason` is a sentence without its end."""

    provider: str
    reason: str


@dataclass(frozen=True, slots=True)
class NotAKey:
    """A text that cannot be a key; `reason` completes "the key ..." and repeats nothing of it."""

    reason: str


def read_key(text: str) -> str | NotAKey:
    """The key that somebody wrote, without the white space around it, or why it cannot be one.

    Keys travel in HTTP headers. What does not fit there would come back in the words of an error.
    """
    value = text.strip()
    if not value:
        return NotAKey("is empty")
    if any(character.isspace() for character in value):
        return NotAKey("has a space or a line break inside")
    if not value.isprintable():
        return NotAKey("has a control character inside")
    if not value.isascii():
        return NotAKey("has a character that no key has; was something else copied?")
    return value
