"""How memories read: what a person would wince at, counted. The engine's own lists of words have no part in it."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from rules.extract.languages import TONGUES
from tests.bench.memory.runs import MemoryTexts

_COURTESY = re.compile(
    r"feel free|let me know|happy to (?:help|assist)|(?:hope|hopefully) (?:this|that|it) helps|good luck|best of luck"
    r"|hesitate to|glad (?:to hear|you|i could)|you['’]re welcome|thank(?:s| you) for|would you like me to"
    r"|(?:any|other|further|more) (?:specific )?questions|i['’]m here to help|^(?:certainly|absolutely|sure)!"
    r"|of course!|great (?:question|choice|idea)!|sounds like a (?:great|good) plan"
    r"|need (?:any )?(?:more|further) (?:help|assistance)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_SPEAKER = re.compile(
    r"^\W*(?:user|assistant|human|ai|system|tool)\W*:", re.IGNORECASE | re.MULTILINE
)
_MARKDOWN = re.compile(
    r"\*\*|__\w|`|^\s*#{1,6}\s|^\s*[-*+•]\s|^\s*\d{1,2}[.)]\s|\]\(\w|^\s*\|.*\|\s*$|~~",
    re.MULTILINE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_NONE = frozenset(
    text for tongue in TONGUES for text in (tongue.frames.nothing, tongue.frames.nothing_more)
)
"""How a memory says that the persona did not speak of itself."""


def _texts(memory: MemoryTexts) -> tuple[str, str, str]:
    return memory.quote, memory.perspective, memory.refinement


def _is_courtesy_alone(text: str) -> bool:
    return all(_COURTESY.search(sentence) for sentence in _SENTENCE.split(text) if sentence.strip())


CHECKS: Mapping[str, Callable[[MemoryTexts], bool]] = MappingProxyType(
    {
        "a courtesy in the quote": lambda memory: bool(_COURTESY.search(memory.quote)),
        "a perspective of courtesies alone": lambda memory: _is_courtesy_alone(memory.perspective),
        "a perspective equal to the quote": lambda memory: (
            memory.perspective.split() == memory.quote.split()
        ),
        "a transcript (user: ... assistant: ...)": lambda memory: any(
            map(_SPEAKER.search, _texts(memory))
        ),
        "a fence that never closes": lambda memory: any(
            len(_FENCE.findall(text)) % 2 for text in _texts(memory)
        ),
        "Markdown": lambda memory: any(map(_MARKDOWN.search, _texts(memory))),
        "an empty text": lambda memory: not all(map(str.strip, _texts(memory))),
        "a perspective that says there is none": lambda memory: memory.perspective in _NONE,
    }
)
"""What is looked for in a memory; the last of them is true where the persona never speaks of itself."""


def shares(memories: Sequence[MemoryTexts]) -> dict[str, float]:
    """In what percentage of the memories each of these is."""
    return {name: 100 * sum(map(check, memories)) / len(memories) for name, check in CHECKS.items()}
