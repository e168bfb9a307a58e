"""Cut a message into blocks of safe HTML, with quotes and searched words marked where they are.

A message is somebody else's text, so none of it becomes HTML by itself: tags are shown as they were
written, an image is named and never fetched, and a link leads to the web or to mail, without saying
where it was followed. A heading is a bold line, since it is no heading of the page.

Quotes are passages of the message as it was written, in Markdown; what is shown has lost its signs.
So a quote is found again by its letters and digits alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from daemon.archive.search_words import stretches
from rules.typingmind.content import Part

LONGEST = 20_000
"""Characters; a longer text is a pasted file, and is not read as Markdown."""
MARKS = "marks"
"""Where a token's `meta` has the stretches of its text to be marked: start, stop, id or ""."""
_DEEPEST = 40
"""Levels of lists and quotations; the parser leaves out what is nested deeper."""
_ROOM = 10
_OFF = ("reference", "lheading")
"""Rules of Markdown that are off: a reference would hide a line like "[laughs]: so"."""
_LINKS = ("https://", "http://", "mailto:")
_TEXTS = ("text", "code_inline", "fence", "code_block")

_FEW = 3
"""How many blocks are shown of a message without a mark."""


class MessageHTML(RendererHTML):
    """Renders tokens. The library calls the method that is named as the token's type."""

    def text(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return text with its marks."""
        return mark_text(tokens[at].content, tokens[at].meta.get(MARKS, ()))

    def code_inline(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return code within a line."""
        return f"<code>{self.text(tokens, at)}</code>"

    def fence(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return lines of code, which the keyboard can scroll."""
        return f'<pre tabindex="0"><code>{self.text(tokens, at)}</code></pre>'

    def code_block(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return indented lines of code."""
        return self.fence(tokens, at)

    def image(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return an image's name."""
        return f'<span class="soft">[image: {escape(tokens[at].content or "unnamed")}]</span>'

    def link_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return the beginning of a link."""
        address = escape(str(tokens[at].attrGet("href")))
        return f'<a href="{address}" rel="noopener noreferrer nofollow">'

    def heading_open(self, *_: Any) -> str:
        """Return the beginning of a bold line."""
        return '<p class="head">'

    def heading_close(self, *_: Any) -> str:
        """Return its end."""
        return "</p>"

    def table_open(self, *_: Any) -> str:
        """Return the beginning of a table, which the keyboard can scroll."""
        return '<div class="wide" tabindex="0"><table>'

    def table_close(self, *_: Any) -> str:
        """Return its end."""
        return "</table></div>"

    def th_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return the beginning of a column's head; an empty one is a plain cell."""
        return "<th>" if tokens[at + 1].content else "<td>"

    def th_close(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return its end."""
        return "</th>" if tokens[at - 1].content else "</td>"

    def td_open(self, *_: Any) -> str:
        """Return the beginning of a cell, without its style, which the page's policy forbids."""
        return "<td>"


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


def parse_markdown(text: str) -> list[Token]:
    """Return the tokens of a text; none where it is too long or too deep to be Markdown."""
    tokens = _markdown().parse(text) if len(text) <= LONGEST else []
    return [] if any(token.level >= _DEEPEST for token in tokens) else tokens


def outermost_blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each paragraph, list, table and the like."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def texts_in(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens whose text is shown, in order."""
    for token in tokens:
        if token.type in _TEXTS:
            yield token
        elif token.type != "image":
            yield from texts_in(token.children or ())


def render_tokens(tokens: Sequence[Token]) -> Markup:
    """Return the HTML of tokens."""
    markdown = _markdown()
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S704  escaped above


def mark_text(text: str, marks: Sequence[tuple[int, int, str]]) -> Markup:
    """Return the text as HTML with its marks; of two that overlap, the first counts."""
    html, end = Markup(), 0
    for start, stop, name in sorted(marks):
        if start >= end:
            opened = Markup('<mark id="{}">').format(name) if name else Markup("<mark>")
            html += escape(text[end:start]) + opened + escape(text[start:stop]) + Markup("</mark>")
            end = stop
    return html + escape(text[end:])


@cache
def _markdown() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": _DEEPEST + _ROOM}
    markdown = MarkdownIt("commonmark", options, renderer_cls=MessageHTML)
    markdown.enable(["table", "strikethrough"]).disable(list(_OFF))
    markdown.validateLink = lambda url: url.lower().startswith(_LINKS)  # type: ignore[method-assign]
    return markdown


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
