"""Cut a message into blocks of HTML, with quotes and searched words marked where they are.

Quotes are passages of the message as it was written, with Markdown's signs, which are not shown. So
a quote is looked for by its letters and digits alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from markupsafe import Markup

from daemon.archive.search_words import cut_stretches
from daemon.page.message_html import (
    MARKS,
    Mark,
    mark_text,
    outermost_blocks,
    parse_markdown,
    render_tokens,
    texts_in,
)
from rules.typingmind.content import Part

_FEW = 3
"""How many blocks of a message without a mark are shown."""


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """A paragraph, a list, a table or the like; `is_marked` if something in it is marked."""

    html: Markup
    is_marked: bool


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage to be marked where it first occurs; `name` is the id of that place."""

    text: str
    name: str


def cut_blocks(
    parts: Sequence[Part], passages: Sequence[MarkedPassage] = (), query: str = ""
) -> tuple[MessageBlock, ...]:
    """Return a message's blocks, with the passages and the words of the query marked."""
    blocks: list[MessageBlock] = []
    for part in parts:
        if part.spoken:
            own_passages = [
                passage for passage in passages if passage.text and passage.text in part.text
            ]
            blocks += _rendered(part.text, own_passages, query) or [
                _unrendered(part.text, own_passages)
            ]
        else:
            html = Markup('<p class="soft">{}</p>').format(part.text)
            blocks.append(MessageBlock(html, is_marked=False))
    return tuple(blocks)


def render_markdown(text: str) -> Markup:
    """Return a text in Markdown as HTML."""
    blocks = cut_blocks([Part(text, spoken=True)])
    return Markup().join(block.html for block in blocks)


def around_marks(blocks: Sequence[MessageBlock]) -> tuple[int, int]:
    """Return the first block to show, and the one after the last: those marked, and neighbours.

    Where none is marked, the first three are shown.
    """
    at_marks = [at for at, block in enumerate(blocks) if block.is_marked]
    if not at_marks:
        return 0, min(_FEW, len(blocks))
    first, last = at_marks[0] - 1, at_marks[-1] + 1
    return max(0, first), min(len(blocks), last + 1)


def find_written(text: str, shown: str) -> str:
    """Return the part of a text that is shown as these words; `shown` itself if there is none.

    Markdown's closing signs right after the words belong to it.
    """
    wanted = _letters(shown)
    if not wanted or shown in text:
        return shown
    begin = _letters(text).find(wanted)
    if begin < 0:
        return shown
    places = _letter_places(text)[begin : begin + len(wanted)]
    start, stop = places[0], places[-1] + 1
    _, after = _signs_around(shown)
    if closing := after.strip():
        signs = re.compile(rf"[*_~`]*{re.escape(closing)}").match(text, stop)
        stop = signs.end() if signs else stop
    return text[start:stop]


def _rendered(text: str, passages: Sequence[MarkedPassage], query: str) -> list[MessageBlock]:
    """Return the blocks of a Markdown text; [] where it cannot be read, or a passage is missing."""
    tokens = parse_markdown(text)
    texts = list(texts_in(tokens))
    if not all(_mark_passage(texts, passage) for passage in passages):
        return []
    if query:
        for token in texts:
            at = 0
            for stretch in cut_stretches(token.content, query):
                end = at + len(stretch.text)
                if stretch.is_marked:
                    _add_mark(token, Mark(at, end))
                at = end
    return [
        MessageBlock(render_tokens(block), any(MARKS in token.meta for token in texts_in(block)))
        for block in outermost_blocks(tokens)
    ]


def _unrendered(text: str, passages: Sequence[MarkedPassage]) -> MessageBlock:
    """Return the text as it was written, as one block with its passages marked."""
    marks = []
    for passage in passages:
        start = text.find(passage.text)
        marks.append(Mark(start, start + len(passage.text), passage.name))
    html = Markup('<p class="lines">{}</p>').format(mark_text(text, marks))
    return MessageBlock(html, bool(marks))


def _mark_passage(texts: Sequence[Token], passage: MarkedPassage) -> bool:
    """Mark a passage where its letters first occur. Return whether they do."""
    places = [(token, at) for token in texts for at in _letter_places(token.content)]
    letters = "".join(token.content[at] for token, at in places)
    shown = "".join(token.content for token in texts_in(parse_markdown(passage.text)))
    for wanted in (_letters(passage.text), _letters(shown)):
        begin = letters.find(wanted)
        if wanted and begin >= 0:
            _mark_places(places[begin : begin + len(wanted)], passage)
            return True
    return False


def _mark_places(places: Sequence[tuple[Token, int]], passage: MarkedPassage) -> None:
    """Mark the text from the first place to the last; the first mark gets the passage's name."""
    first, first_at = places[0]
    last, last_at = places[-1]
    before, after = _signs_around(passage.text)
    start = len(first.content[:first_at].rstrip(before))
    rest = last.content[last_at + 1 :]
    stop = len(last.content) - len(rest.lstrip(after))
    tokens = {id(token): token for token, _ in places}
    name = passage.name
    for token in tokens.values():
        begin = start if token is first else 0
        end = stop if token is last else len(token.content)
        _add_mark(token, Mark(begin, end, name))
        name = ""


def _add_mark(token: Token, mark: Mark) -> None:
    token.meta.setdefault(MARKS, []).append(mark)


def _signs_around(text: str) -> tuple[str, str]:
    """Return the signs before the first letter of a text, and those after its last."""
    places = _letter_places(text)
    first, last = places[0], places[-1]
    return text[:first], text[last + 1 :]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _letter_places(text: str) -> list[int]:
    """Return the positions of a text's letters and digits."""
    return [at for at, sign in enumerate(text) if sign.isalnum()]
