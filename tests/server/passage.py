"""What stands in `<to_remember>` in a request, read anew here so that the server shares no mistake with memproc."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.server.request import Turn

_WRAPPED = re.compile(r"<to_remember\b([^>]*)>\n?(.*?)\n?</to_remember>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
# A sentence ends at its mark, or at the end of its line.
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]+[\"'»”’)]*(?=\s)|[。！？]+|(?=\n)|$)")


@dataclass(frozen=True, slots=True)
class Said:
    """One message to remember: who says it, on which day (may be empty), and its text."""

    role: str
    day: str
    text: str

    @property
    def sentences(self) -> list[str]:
        """The message's sentences, each character as it stands there."""
        return [found for match in _SENTENCE.finditer(self.text) if (found := match[0].strip())]


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Every message to remember, in order."""
    said = []
    for turn in turns:
        for head, text in _WRAPPED.findall(turn.text):
            attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(head)}
            said.append(Said(attributes.get("role", turn.role), attributes.get("date", "")[:10], text))
    return tuple(said)


def words(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters a word."""
    unspaced = sum("\u3040" <= character <= "\u9fff" for character in text)
    return len(text.split()) + unspaced // 2


def is_latin(text: str) -> bool:
    """Whether most letters of the text are of the Latin script."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(character < "\u0250" for character in letters) >= len(letters)
