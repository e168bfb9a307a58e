"""Render the Markdown of a message as safe HTML, with marks in its text.

A message is somebody else's text, so none of it becomes HTML by itself: tags are shown as written,
an image is named and never fetched, and a link leads to the web or to mail, without a referrer. A
heading becomes a bold line, since it is no heading of the page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

LONGEST = 20_000
"""Characters; a longer text is taken for a pasted file, and not read as Markdown."""
MARKS = "marks"
"""The key in a token's `meta` of the stretches of its text that are to be marked."""
_DEEPEST = 40
"""Levels of lists and quotations; the parser leaves out what is nested deeper."""
_ROOM = 10
_OFF = ("reference", "lheading")
"""Markdown's rules that are switched off: a reference would hide a line like "[laughs]: so"."""
_LINKS = ("https://", "http://", "mailto:")
_TEXTS = ("text", "code_inline", "fence", "code_block")


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A stretch of a text to be marked; `name` is the id of that place, or ""."""

    start: int
    stop: int
    name: str = ""


class MessageHTML(RendererHTML):
    """Renders tokens. The library calls the method with the name of the token's type."""

    def text(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return text, with its marks."""
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


def parse_markdown(text: str) -> list[Token]:
    """Return the tokens of a text; [] where it is too long, or nests too deeply, for Markdown."""
    if len(text) > LONGEST:
        return []
    tokens = _markdown().parse(text)
    is_too_deep = any(token.level >= _DEEPEST for token in tokens)
    return [] if is_too_deep else tokens


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


def mark_text(text: str, marks: Sequence[Mark]) -> Markup:
    """Return the text as HTML with its marks; of two that overlap, the later one is left out."""
    html = Markup()
    end = 0
    for mark in sorted(marks):
        if mark.start < end:
            continue
        html += escape(text[end : mark.start])
        html += Markup('<mark id="{}">').format(mark.name) if mark.name else Markup("<mark>")
        html += escape(text[mark.start : mark.stop])
        html += Markup("</mark>")
        end = mark.stop
    return html + escape(text[end:])


@cache
def _markdown() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": _DEEPEST + _ROOM}
    markdown = MarkdownIt("commonmark", options, renderer_cls=MessageHTML)
    markdown.enable(["table", "strikethrough"]).disable(list(_OFF))
    markdown.validateLink = lambda url: url.lower().startswith(_LINKS)  # type: ignore[method-assign]
    return markdown
