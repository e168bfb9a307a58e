"""The passage to remember, read back out of a request: what the built-in engine works from."""

import html
import re
from collections.abc import Sequence

from primer.inert import restore
from primer.prompt import Turn
from rules.extract.passage import Said

_WRAPPED = re.compile(r"<to_remember((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</to_remember>", re.DOTALL)
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Every message that stands in `<to_remember>`, as it was said. Tags in people's text are inert by then."""
    return tuple(
        Said(attributes.get("role", turn.role), restore(text), attributes.get("date", "")[:10])
        for turn in turns
        for attributes, text in _wrapped(turn.content)
    )


def said_after(turns: Sequence[Turn]) -> tuple[str, ...]:
    """What has been said since the passage: questions, answers, and the analysis in the last question."""
    last = max((at for at, turn in enumerate(turns) if _WRAPPED.search(turn.content)), default=-1)
    return tuple(restore(turn.content) for turn in turns[last + 1 :])


def _wrapped(content: str) -> list[tuple[dict[str, str], str]]:
    found = _WRAPPED.findall(content)
    return [({key: html.unescape(value) for key, value in _ATTRIBUTE.findall(head)}, text) for head, text in found]
