"""Cut a message into blocks for the page, with quotes and searched words marked where they stand.

Quotes are passages of the message as it was written, in Markdown; what is shown has lost its signs.
So a quote is found again by its letters and digits alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from markupsafe import Markup

from daemon.archive.search_words import stretches
from daemon.page.markdown import (
    MARKS,
    mark_text,
    outermost_blocks,
    parse_markdown,
    render_tokens,
    texts_in,
)
from rules.typingmind.content import Part

_FEW = 3
"""How many blocks are shown of a message without a mark."""


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """A paragraph, a list, a table or the like; `is_marked` where something in it is marked."""

    html: Markup
    is_marked: bool


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage to be marked where it is said first; `name` is the id of that place."""

    text: str
    name: str


def cut_blocks(
    parts: Sequence[Part], passages: Sequence[MarkedPassage] = (), query: str = ""
) -> tuple[MessageBlock, ...]:
    """Return a message's blocks, with the passages and the words of a search marked."""
    blocks: list[MessageBlock] = []
    for part in parts:
        if not part.spoken:
            blocks.append(MessageBlock(Markup('<p class="soft">{}</p>').format(part.text), False))
            continue
        own = [passage for passage in passages if passage.text and passage.text in part.text]
        blocks += _rendered(part.text, own, query) or [_unrendered(part.text, own)]
    return tuple(blocks)


def render_markdown(text: str) -> Markup:
    """Return a text in Markdown as HTML."""
    return Markup().join(block.html for block in cut_blocks((Part(text, spoken=True),)))


def around_marks(blocks: Sequence[MessageBlock]) -> tuple[int, int]:
    """Return the first block to show and the one after the last: all marked, and one beside them.

    Where none is marked, they are the first three.
    """
    at_marks = [at for at, block in enumerate(blocks) if block.is_marked]
    if not at_marks:
        return 0, min(_FEW, len(blocks))
    return max(0, at_marks[0] - 1), min(len(blocks), at_marks[-1] + 2)


def find_written(text: str, shown: str) -> str:
    """Return what was written where these words are shown of a text; `shown` if nowhere."""
    wanted = _letters(shown)
    if not wanted or shown in text:
        return shown
    places = [at for at, sign in enumerate(text) if sign.isalnum()]
    begin = _letters(text).find(wanted)
    if begin < 0:
        return shown
    start, stop = places[begin], places[begin + len(wanted) - 1] + 1
    _, after = _signs_around(shown)
    end = re.compile(rf"[*_~`]*{re.escape(after.strip())}").match(text, stop)
    return text[start : end.end() if end and after.strip() else stop]


def _rendered(text: str, passages: Sequence[MarkedPassage], query: str) -> list[MessageBlock]:
    """Return the blocks of Markdown; none where it cannot be read, or a passage is not found."""
    tokens = parse_markdown(text)
    texts = list(texts_in(tokens))
    if not all(_mark_passage(texts, passage) for passage in passages):
        return []
    for token in texts if query else ():
        _mark_words(token, query)
    return [
        MessageBlock(render_tokens(block), any(MARKS in token.meta for token in texts_in(block)))
        for block in outermost_blocks(tokens)
    ]


def _unrendered(text: str, passages: Sequence[MarkedPassage]) -> MessageBlock:
    """Return the text as it was written."""
    marks = []
    for passage in passages:
        start = text.find(passage.text)
        marks.append((start, start + len(passage.text), passage.name))
    return MessageBlock(
        Markup('<p class="lines">{}</p>').format(mark_text(text, marks)), bool(marks)
    )


def _mark_passage(texts: Sequence[Token], passage: MarkedPassage) -> bool:
    """Mark a passage where its letters stand first. Return whether they stand anywhere."""
    places = [
        (token, at) for token in texts for at, sign in enumerate(token.content) if sign.isalnum()
    ]
    letters = "".join(token.content[at] for token, at in places)
    shown = "".join(token.content for token in texts_in(parse_markdown(passage.text)))
    for wanted in map(_letters, (passage.text, shown)):
        begin = letters.find(wanted)
        if wanted and begin >= 0:
            _mark_places(places[begin : begin + len(wanted)], passage)
            return True
    return False


def _mark_places(places: Sequence[tuple[Token, int]], passage: MarkedPassage) -> None:
    """Mark the text from the first place to the last; the first mark has the passage's name."""
    (first, start), (last, stop) = places[0], places[-1]
    before, after = _signs_around(passage.text)
    while start and first.content[start - 1] in before:
        start -= 1
    stop += 1
    while stop < len(last.content) and last.content[stop] in after:
        stop += 1
    name = passage.name
    for token in {id(token): token for token, _ in places}.values():
        begin, end = start if token is first else 0, stop if token is last else len(token.content)
        token.meta.setdefault(MARKS, []).append((begin, end, name))
        name = ""


def _signs_around(text: str) -> tuple[str, str]:
    """Return the signs before the first letter of a text, and those after its last."""
    at_letters = [at for at, sign in enumerate(text) if sign.isalnum()]
    return text[: at_letters[0]], text[at_letters[-1] + 1 :]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _mark_words(token: Token, query: str) -> None:
    at = 0
    for stretch in stretches(token.content, query):
        if stretch.is_marked:
            token.meta.setdefault(MARKS, []).append((at, at + len(stretch.text), ""))
        at += len(stretch.text)
