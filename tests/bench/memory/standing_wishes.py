"""Standing wishes of the person, and how many of them are kept word for word.

They are told by a plain pattern of English and not by the engine's own forms, by which it would judge itself.
"""

import re
from collections.abc import Iterator

from rules.extract.prose import PERSONA
from tests.bench.memory.contexts import END
from tests.bench.memory.runs import CompressedChat

_WISH = re.compile(
    r"^(?:please )?(?:always|never|from now on)\b|\b(?:always|never)\b.*\bwhen i ask"
    r"|\bi(?:'d| would)? (?:really |much )?prefer\b",
    re.IGNORECASE,
)


def standing_wishes(chat: CompressedChat) -> list[str]:
    """Return the wishes in the compressed messages, without the stops that end them."""
    return list(_wishes(chat))


def kept_wishes(chat: CompressedChat) -> list[str]:
    """Return those of the wishes that are word for word in what memproc made."""
    return [wish for wish in _wishes(chat) if wish in chat.made]


def _wishes(chat: CompressedChat) -> Iterator[str]:
    for said in chat.compressed:
        if said.role == PERSONA:
            continue
        for sentence in map(str.strip, filter(None, END.split(said.text))):
            if _WISH.search(sentence.replace("’", "'")):
                yield sentence.rstrip(".;?! ")
