"""What stands in `<to_remember>` in a request, read anew here so that the server shares no mistake with memproc."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.server.request import Turn

_WRAPPED = re.compile(r"<to_remember\b([^>]*)>\n?(.*?)\n?</to_remember>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
_NOTE = re.compile(r"[\[\]]")
# A number, or a capital in the middle of the sentence.
_SPECIFIC = re.compile(r"\d|(?<=[a-z,] )[A-Z][a-z]")
_WORD = re.compile(r"\w+")
_ENGLISH = frozenset({"the", "and", "of", "to", "is", "you", "that", "for", "with", "this", "have"})
# A sentence ends at its mark, or at the end of its line.
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]+[\"'»”’)]*(?=\s)|[。！？]+|(?=\n)|$)")


@dataclass(frozen=True, slots=True)
class Said:
    """One message to remember: who says it, on which day (may be empty), and its text. `number` is 0 without one."""

    role: str
    day: str
    text: str
    number: int = 0


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Every message to remember, in order."""
    said = []
    for turn in turns:
        for head, text in _WRAPPED.findall(turn.text):
            attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(head)}
            day, number = attributes.get("date", "")[:10], int(attributes.get("message", 0))
            said.append(Said(attributes.get("role", turn.role), day, text, number))
    return tuple(said)


def sentences(passage: Sequence[Said]) -> list[tuple[Said, str]]:
    """Every sentence with its message, each character as it stands there.

    Notes in square brackets stand for images and files and are nobody's words: they are left out if others remain.
    """
    found = [
        (said, match[0].strip())
        for said in passage
        for match in _SENTENCE.finditer(said.text)
        if any(character.isalnum() for character in match[0])
    ]
    return [(said, sentence) for said, sentence in found if not _NOTE.search(sentence)] or found


def is_specific(sentence: str) -> bool:
    """Whether it has a number or a name in it."""
    return bool(_SPECIFIC.search(sentence))


def words(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters a word."""
    unspaced = sum("\u3040" <= character <= "\u9fff" for character in text)
    return len(text.split()) + unspaced // 2


def is_english(text: str) -> bool:
    """Whether at least one word in twenty is one that hardly any English text is without."""
    found = _WORD.findall(text.lower())
    return 20 * sum(word in _ENGLISH for word in found) >= len(found)


def at_most(sentence: str, length: int) -> str:
    """The sentence, or as many words of it."""
    return sentence if words(sentence) <= length else beginning(sentence, length)


def beginning(sentence: str, length: int) -> str:
    """The first words of a longer sentence, a few characters each where there are no spaces."""
    at = -1
    for _ in range(length):
        at = sentence.find(" ", at + 1)
        if at < 0:
            return sentence[: 2 * length]
    return sentence[:at]
