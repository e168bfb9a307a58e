"""Put numbers and names into sentences."""

import re
from itertools import accumulate, takewhile
from unicodedata import east_asian_width

_TITLE_COLUMNS = 60
_WIDE = frozenset("WF")
_TO_COPY = re.compile(r":\s+(?:memproc |https?://|/|[A-Z]:\\)")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 message", "2,000 messages", "0 memories"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def cut_title(title: str) -> str:
    """Return a title as it is shown to people, cut to sixty columns of a terminal."""
    widths = (1 + (east_asian_width(letter) in _WIDE) for letter in title)
    kept = sum(1 for _ in takewhile(lambda columns: columns <= _TITLE_COLUMNS, accumulate(widths)))
    return title if kept == len(title) else f"{title[: kept - 3].rstrip()}..."


def with_file(name: str, file: str) -> str:
    """Return the name of a chat with that of the file it came in, where this is another."""
    return name if file in ("", name) else f"{name}, {file}"


def as_sentence(clause: str) -> str:
    """Return a clause with a capital letter and a full stop; a sentence stays as it is.

    Where it ends with a command, a path or an address, no full stop is added, so that this can be
    copied.
    """
    text = capital(clause)
    is_whole = text.endswith(("!", "?")) or _TO_COPY.search(text.rpartition(". ")[2])
    return text if is_whole else f"{text.removesuffix('.')}."


def capital(text: str) -> str:
    """Capitalize the first letter, unless the text begins with a name.

    A name is a path, or that of a model, a file, or memproc.
    """
    first = text.partition(" ")[0].rstrip(".:,;")
    if "/" in first or "." in first or first == "memproc":
        return text
    return text[:1].upper() + text[1:]


def about_it(sentence: str, name: str) -> str:
    """Replace a name that is printed before the sentence by "It".

    Leave it out where it is a prefix: `"Name": ...`.
    """
    for shown in (name, cut_title(name)):
        sentence = sentence.removeprefix(f'"{shown}": ')
        rest = sentence.removeprefix(shown)
        if shown and rest != sentence and rest.startswith(" "):
            return f"It{rest}"
    return sentence
