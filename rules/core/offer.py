"""How an editing function is offered to the agent: by its name, its docstring and its parameters.

def mood_set(memory, mood):
    '''Say what mood you are in.               the description: the first paragraph

    mood: One or two words.                    a parameter, in any paragraph behind it
    '''
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rules.core.layout import EditingFunction

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What providers take as the name of a function."""
_PARAMETER = re.compile(r"^(\w+): (.+(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
"""A line, with the indented lines below it."""


class Undocumented(ValueError):
    """A function that cannot be offered, since a model would not know how to call it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model is told about a function."""

    name: str
    description: str
    parameters: Mapping[str, str]
    """The names of the texts that it takes, in order, each with its description."""


def offered(function: EditingFunction) -> Offer:
    """What the agent is told about `function`; its first parameter is the memory, and no concern of the agent's.

    Raises Undocumented for one without a name or docstring, or with a parameter that the docstring does not describe.
    """
    name = getattr(function, "__name__", "")
    if not _NAME.fullmatch(name):
        raise Undocumented(f'the function "{name}" has no name that a model could call')
    description, _, described = (inspect.getdoc(function) or "").partition("\n\n")
    if not description:
        raise Undocumented(f'the function "{name}" has no docstring')
    said = {parameter: " ".join(text.split()) for parameter, text in _PARAMETER.findall(described)}
    names = list(inspect.signature(function).parameters)[1:]
    if missing := [one for one in names if one not in said]:
        raise Undocumented(f'the docstring of "{name}" has no line "{missing[0]}: ..." about that parameter')
    return Offer(name, " ".join(description.split()), {one: said[one] for one in names})
