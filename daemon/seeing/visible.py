"""What is printed of texts that others wrote: nothing in them steers a terminal, turns a line around, or hides.

Written out as `\\x1b` or `\\u200e` are control characters, line and paragraph separators, halves of surrogate pairs,
and all that Unicode calls format characters: marks, embeddings, overrides and isolates of a direction, characters
without width, tags, the byte order mark. Right-to-left scripts need none of them: their letters have a direction.

Some format characters are part of how people write, and stay as they are:

    the joiners U+200C and U+200D behind a letter of a script that is written with them (Persian, Hindi, Sinhala ...)
    the joiner U+200D between two emoji, which makes one of several
    the tags of a flag (England, Scotland, Wales), of which there are six at most
    the signs of Arabic, Syriac and Kaithi that enclose numbers, since they can be seen

A joiner anywhere else, in a Latin or Cyrillic word for instance, can only deceive.
"""

import json
import re
import unicodedata

_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_DOUBTFUL = re.compile(f"{_FLAG}|[^\n\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_JOINERS = "\u200c\u200d"
# Arabic to Myanmar, Khmer and Mongolian, Indic scripts of the later blocks, Arabic presentation forms, Brahmic, Adlam.
_JOINED = re.compile(
    "[\u0600-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010a5f\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI_GOES_ON = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def visible(text: str) -> str:
    """The text with every character that would steer or deceive written out; tabs become spaces."""
    return _DOUBTFUL.sub(_spelled, text.expandtabs(4))


def in_one_line(text: str) -> str:
    """The same for a title or a name, which stands in one line."""
    return visible(text.replace("\n", " "))


def printable_json(value: object, indent: int | None = 2) -> str:
    """The value as JSON for a terminal and for programs: the same characters are spelled as JSON's own escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    return _DOUBTFUL.sub(lambda found: json.dumps(found[0])[1:-1] if _spelled(found) != found[0] else found[0], text)


def _spelled(found: "re.Match[str]") -> str:
    character = found[0]
    if len(character) > 1 or unicodedata.category(character) not in _HIDDEN or character in _SEEN:
        return character
    if character in _JOINERS and _joins(found.string, found.start()):
        return character
    return character.encode("unicode_escape").decode()


def _joins(text: str, at: int) -> bool:
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if _JOINED.match(before) and unicodedata.category(before)[0] in "LM":
        return True
    is_emoji = unicodedata.category(before or " ") == "So" or before in _EMOJI_GOES_ON
    return bool(before and behind) and text[at] == "\u200d" and is_emoji and unicodedata.category(behind) == "So"
