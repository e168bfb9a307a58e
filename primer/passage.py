"""The passage of a prompt, read back: what was said in it, and before and after."""

import html
import re
from collections.abc import Sequence
from itertools import groupby, takewhile

from primer.prompt import Turn
from primer.wording import restore_tags
from rules.conversation.memory import Memory
from rules.extract.prose import Said

_TAG = "<to_remember"
_WRAPPED = re.compile(r"<to_remember((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</to_remember>", re.DOTALL)
_MOST_BEFORE = 1_024
"""Messages before a passage that the engine has in view: its tail, and some 150 memories."""
_MESSAGES_A_MEMORY = 6
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return every message in `<to_remember>`, as it was said.

    Tags in people's text are inert by then.
    """
    return tuple(
        Said(attributes.get("role", turn.role), restore_tags(text), attributes.get("date", "")[:10])
        for turn in turns
        for attributes, text in _wrapped(turn.content)
    )


def read_stretches(turns: Sequence[Turn]) -> tuple[tuple[Said, ...], ...]:
    """Return the passage cut by the attribute `memory` of its messages, one part a memory."""
    numbered = [
        attributes.get("memory", "") for turn in turns for attributes, _ in _wrapped(turn.content)
    ]
    messages = zip(read_passage(turns), numbered, strict=True)
    return tuple(
        tuple(message for message, _ in row)
        for _, row in groupby(messages, key=lambda entry: entry[1])
    )


def in_view(memories: Sequence[Memory]) -> Sequence[Memory]:
    """Return the newest of the memories before a passage: all that `said_before` can reach."""
    return memories[-(_MOST_BEFORE // _MESSAGES_A_MEMORY + 1) :]


def parted(turns: Sequence[Turn]) -> tuple[Sequence[Turn], Sequence[Turn]]:
    """Return the turns before the passage, and those from its first message on."""
    first = next((at for at, turn in enumerate(turns) if _is_wrapped(turn.content)), len(turns))
    return turns[:first], turns[first:]


def said_before(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return the newest of the messages and memories before the passage, as they were said.

    The system's part is left out, and so are memories of long ago: with all of them, the engine's
    work would grow with the square of a conversation.
    """
    return tuple(
        Said(turn.role, restore_tags(turn.content), "")
        for turn in turns[-_MOST_BEFORE:]
        if turn.role != "system"
    )


def said_after(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the texts since the passage.

    These are questions, answers, and the analysis in the last question.
    """
    after = takewhile(lambda turn: not _is_wrapped(turn.content), reversed(turns))
    return tuple(restore_tags(turn.content) for turn in after)[::-1]


def _is_wrapped(content: str) -> bool:
    """Return whether a turn has a message to remember; most turns of a long prompt have none."""
    return _TAG in content and _WRAPPED.search(content) is not None


def _wrapped(content: str) -> list[tuple[dict[str, str], str]]:
    return [
        ({key: html.unescape(value) for key, value in _ATTRIBUTE.findall(head)}, text)
        for head, text in _WRAPPED.findall(content)
    ]
