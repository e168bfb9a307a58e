"""Make foreign texts safe for a terminal, so that nothing in them controls it or is hidden.

Control characters, line and paragraph separators, halves of surrogate pairs, and Unicode's format
characters are written out, as `\\x1b` or `\\u200e`; right-to-left scripts need none of them.

Kept is what people need to write: the joiners U+200C and U+200D after a letter of a script that is
written with them, U+200D between two emoji, the tags of a flag, and the signs of Arabic, Syriac and
Kaithi that enclose numbers. Anywhere else a joiner can only deceive.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from unicodedata import category

from rules.wording import cut_title

_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_DOUBTFUL = re.compile(f"{_FLAG}|[^\n\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEEN = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_JOINERS = "\u200c\u200d"
# Arabic to Myanmar, Khmer and Mongolian, Indic scripts of the later blocks, Arabic presentation
# forms, Brahmic, Adlam.
_JOINED = re.compile(
    "[\u0600-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010a5f\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_WHOLE = re.compile(
    r"`(?! )[^`]{1,78}(?<! )`|(?<=: )memproc [^.]+|(?<!\S)(?:~?/|[A-Z]:\\)[^:]*?\.(?:json|zip|toml)\b"
)
"""Commands and paths within a sentence."""
_TO_COPY = re.compile(
    r" +(?:@reboot|chmod|export|loginctl|memproc|pipx|rm|rmdir|sudo|systemctl)(?= )"
)
"""An indented line that is a command, which a person may copy."""
_WORD = re.compile("( *)([^ ]+)")
_STYLE = re.compile("\x1b\\[[0-9;]*m")
"""What sets words in colours or in bold letters; it takes no columns."""
_EMOJI_GOES_ON = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def make_visible(text: str) -> str:
    """Return the text with each controlling or deceiving character written out; tabs as spaces."""
    return _DOUBTFUL.sub(_spelled, text.expandtabs(4))


def in_one_line(text: str) -> str:
    """Return a title or a name as `make_visible` does, on one line."""
    return make_visible(text.replace("\n", " "))


def printable_json(value: object) -> str:
    """Return the value as JSON, with the characters escaped that `make_visible` writes out."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return _DOUBTFUL.sub(
        lambda match: json.dumps(match[0])[1:-1] if _spelled(match) != match[0] else match[0], text
    )


def _spelled(match: "re.Match[str]") -> str:
    """Return a character as it is if it may stay, else written out."""
    character = match[0]
    is_seen = len(character) > 1 or category(character) not in _HIDDEN or character in _SEEN
    if is_seen or (character in _JOINERS and _joins(match)):
        return character
    return character.encode("unicode_escape").decode()


def _joins(match: "re.Match[str]") -> bool:
    """Return whether a joiner is between two emoji, or after a letter that is joined."""
    text, at = match.string, match.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return False
    if _JOINED.match(before) and category(before)[0] in "LM":
        return True
    is_emoji = category(before) == "So" or before in _EMOJI_GOES_ON
    return is_emoji and match[0] == "\u200d" and after != "" and category(after) == "So"


def tell_apart(chats: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map ids to titles, from pairs of both; a title that several chats have gets the id added."""
    titles = dict(chats)
    times = Counter(titles.values())
    return {
        chat_id: cut_title(title) + (f" ({chat_id})" if times[title] > 1 and chat_id else "")
        for chat_id, title in titles.items()
    }


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: an emoji or a wide letter takes two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # late: most texts are plain

    return cell_len(text)


def padded(text: str, columns: int) -> str:
    """Return a text padded with blanks to `columns` columns of a terminal."""
    return text + " " * (columns - columns_of(text))


def wrap_lines(text: str, columns: int, further: int = 2) -> str:
    """Return the text wrapped to `columns`, with continued lines indented by `further` more.

    Commands and paths within a sentence stay whole, and so does a line that is only a command.
    """
    lines = []
    for line in text.splitlines():
        if _TO_COPY.match(line):
            lines.append(line)
            continue
        # Words that must stay together are joined by no-break spaces for now.
        whole = _WHOLE.sub(lambda part: part[0].replace(" ", "\xa0"), line)
        indent, current = " " * (len(line) - len(line.lstrip()) + further), ""
        for blanks, word in _WORD.findall(whole):
            shown = _STYLE.sub("", current + blanks + word)
            if current.strip() and columns_of(shown) > columns:
                lines.append(current.replace("\xa0", " "))
                current = indent + word
            else:
                current += blanks + word
        lines.append(current.replace("\xa0", " "))
    return "\n".join(lines)
