"""How records are shown to a model: quoted line by line, dated, and never longer than their bound.

Whatever stands in an archive was written by somebody, so each of its lines stands behind "> ", control characters are
written out, and no line can end the quotation, pose as ours, or steer whoever reads it.
"""

from collections.abc import Iterable, Iterator

from daemon.status.sentences import visible

SEARCH_TOKENS = 1_500
PAGE_TOKENS = 4_000
_CUT = "[cut here]"


def tokens_at_most(text: str) -> int:
    """How many tokens the text has at most, for all that people write: counting them would take 70 MB of memory.

    English has about 4.3 characters a token, code 3; scripts beyond ASCII may have a token for each character.
    """
    plain = sum(character < "\x80" for character in text)
    return plain // 3 + (len(text) - plain) + 1


def quoted(text: str) -> str:
    """The text as a quotation, line by line."""
    return "\n".join(f"> {visible(line)}" for line in text.strip().splitlines()) or "> (nothing)"


def within(parts: Iterable[str], tokens: int) -> tuple[str, bool]:
    """As many of the parts as fit, with an empty line between them, and whether that was all.

    The first part is cut where it does not fit by itself.
    """
    kept: list[str] = []
    left = tokens
    for part in parts:
        size = tokens_at_most(part) + 1
        if size > left:
            if not kept:
                kept.append(cut(part, tokens))
            return "\n\n".join(kept), False
        kept.append(part)
        left -= size
    return "\n\n".join(kept), True


def cut(text: str, tokens: int) -> str:
    """The beginning of the text that fits, and a word that there is more."""
    size = tokens * 3
    while size > 0 and tokens_at_most(text[:size]) > tokens - len(_CUT):
        size = size * 9 // 10
    return f"{text[:size].rstrip()} {_CUT}"


def pages(text: str, tokens: int) -> tuple[str, ...]:
    """The text in pages that fit, cut between lines where that can be; one empty page where there is no text."""
    found: list[str] = []
    page: list[str] = []
    size = 0
    for line in _short_lines(text, tokens):
        weight = tokens_at_most(line) + 1
        if page and size + weight > tokens:
            found.append("\n".join(page))
            page, size = [], 0
        page.append(line)
        size += weight
    return (*found, "\n".join(page))


def _short_lines(text: str, tokens: int) -> Iterator[str]:
    """The lines of the text; one that is larger than a page by itself comes in pieces."""
    for line in text.split("\n"):
        step = tokens if tokens_at_most(line) >= tokens else len(line) + 1
        for begin in range(0, max(1, len(line)), step):
            yield line[begin : begin + step]
