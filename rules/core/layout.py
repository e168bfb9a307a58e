"""A layout of the core memory: which sections there are, and with which functions the agent edits them.

A developer adds one as a small class, and registers it as an entry point of the group `memproc.core_memory`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from rules.core.memory import CoreMemory, Refusal
from rules.core.section import Section

EditingFunction = Callable[..., CoreMemory | Refusal]
"""Takes the memory and texts by name, and returns the edited memory, or why it cannot be edited so.

Its name, its docstring and its parameters are what the agent is offered as a tool.
"""


class Layout(Protocol):
    """What an entry point of `memproc.core_memory` names: a class that is made without arguments."""

    @property
    def sections(self) -> Sequence[Section]:
        """The sections, with their first values."""

    @property
    def functions(self) -> Sequence[EditingFunction]:
        """What the agent may call."""
