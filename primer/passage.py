"""The passage of a prompt, read back: what was said in it, and before and after."""

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from operator import itemgetter

from primer.prompt import Beginning, Turn
from primer.wording import restore_tags
from rules.conversation.memory import Memory
from rules.extract.prose import Said

_TAG = "<to_remember"
_WRAPPED = re.compile(r"<to_remember((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</to_remember>", re.DOTALL)
_MOST_BEFORE = 1_024
"""Messages before a passage that the engine has in view: its tail, and some 150 memories."""
_MESSAGES_A_MEMORY = 6
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")
_BEGINNINGS, _TURNS = 2, 256
"""Beginnings of requests, and turns of passages, that are remembered: all requests about a passage
have the same."""


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return every message in `<to_remember>`, as it was said.

    Tags in people's text are inert by then.
    """
    return tuple(message for _, message in _numbered(turns))


def read_stretches(turns: Sequence[Turn]) -> tuple[tuple[Said, ...], ...]:
    """Return the passage cut by the attribute `memory` of its messages, one part a memory."""
    stretches: list[tuple[Said, ...]] = []
    for _, row in groupby(_numbered(turns), key=itemgetter(0)):
        stretches.append(tuple(message for _, message in row))
    return tuple(stretches)


def _numbered(turns: Sequence[Turn]) -> Iterator[tuple[str, Said]]:
    """Yield each message in `<to_remember>`, after the number of its memory, where it has one."""
    for turn in turns:
        if _TAG in turn.content:
            yield from _wrapped(turn.role, turn.content)


@lru_cache(_TURNS)
def _wrapped(role: str, content: str) -> tuple[tuple[str, Said], ...]:
    """Return the numbered messages in a turn; `role` says whose they are unless they do."""
    messages: list[tuple[str, Said]] = []
    for head, text in _WRAPPED.findall(content):
        attributes = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(head)}
        said_by = attributes.get("role", role)
        date = attributes.get("date", "")[:10]
        said = Said(said_by, restore_tags(text), date)
        messages.append((attributes.get("memory", ""), said))
    return tuple(messages)


def in_view(memories: Sequence[Memory]) -> Sequence[Memory]:
    """Return the newest of the memories before a passage: all that `said_before` can reach."""
    return memories[-(_MOST_BEFORE // _MESSAGES_A_MEMORY + 1) :]


def parted(turns: Sequence[Turn]) -> tuple[Sequence[Turn], Sequence[Turn]]:
    """Return the turns before the passage, and those from its first message on.

    The passage is looked for from the end: what comes before it is many times longer.
    """
    first = len(turns)
    for at in reversed(range(len(turns))):
        if _is_wrapped(turns[at].content):
            first = at
        elif first < len(turns):
            break
    return turns[:first], turns[first:]


def said_before(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return the newest of the messages and memories before the passage, as they were said.

    The system's part is left out, and so are memories of long ago: with all of them, the engine's
    work would grow with the square of a conversation.
    """
    return _as_said(Beginning(turns[-_MOST_BEFORE:]))


@lru_cache(_BEGINNINGS)
def _as_said(turns: Beginning) -> tuple[Said, ...]:
    return tuple(turn.as_said for turn in turns if turn.role != "system")


def said_after(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the texts since the passage.

    These are questions, answers, and the analysis in the last question.
    """
    after = takewhile(lambda turn: not _is_wrapped(turn.content), reversed(turns))
    return tuple(restore_tags(turn.content) for turn in after)[::-1]


def _is_wrapped(content: str) -> bool:
    """Return whether a turn has a message to remember; most turns of a long prompt have none."""
    return _TAG in content and _WRAPPED.search(content) is not None
