"""Which options of a model are secrets: handed on to its provider, and neither kept nor shown."""

import re

_SECRET = re.compile(r"key|token$|secret|credential|password|authorization", re.IGNORECASE)
HIDDEN = "(hidden)"


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret."""
    return _SECRET.search(name) is not None


def hidden(found: object) -> object:
    """Tables and lists as they are, with every secret in them replaced by a word."""
    if isinstance(found, dict):
        return {name: HIDDEN if is_secret(str(name)) and value else hidden(value) for name, value in found.items()}
    return [hidden(value) for value in found] if isinstance(found, list) else found
