"""What somebody else wrote becomes HTML that can do nothing on the page."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.page.markdown import LONGEST, parse_markdown, render_tokens
from daemon.page.message_blocks import render_markdown

TAGS = frozenset(
    [
        "p",
        "br",
        "em",
        "strong",
        "s",
        "a",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "pre",
        "code",
        "span",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
ATTRIBUTES = {"class", "href", "rel", "tabindex", "start"}
SIGNS = st.sampled_from([*"<>&\"'[]()!*_~`#|-:\\/ \n", "javascript:", "http://a", "a", "1."])


class _Read(HTMLParser):
    """Collects all tags and attributes of some HTML, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def _check(html: str) -> None:
    for tag, attributes in _Read(html).tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("http://", "https://", "mailto:"))
            assert "noreferrer" in str(attributes["rel"])


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](/memory/1)",
        "![x](http://example.org/seen.png)",
        "[x](http://example.org '\" onmouseover=alert(1) ')",
        '[x](http://example.org/"onmouseover="alert(1))',
        '<http://example.org/"onclick=alert(1)>',
        '```"><script>alert(1)</script>\nx\n```',
        "|<b>a|\n|:-:|\n|<script>|",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    ],
)
def test_no_tag_of_a_message_is_a_tag_of_the_page(hostile: str) -> None:
    _check(render_markdown(hostile))


@given(st.lists(SIGNS, max_size=60).map("".join))
def test_whatever_is_written_only_harmless_tags_come_of_it(text: str) -> None:
    _check(render_markdown(text))


@given(st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1))
def test_no_letter_is_left_out(text: str) -> None:
    shown = _Read(render_markdown(text)).text
    assert "".join(filter(str.isalnum, shown)) == "".join(filter(str.isalnum, text))


def test_an_image_is_named_and_not_fetched() -> None:
    assert "[image: the sea]" in render_markdown("![the sea](http://example.org/sea.png)")
    assert "<img" not in render_markdown("![the sea](http://example.org/sea.png)")


def test_a_line_like_a_reference_is_shown() -> None:
    assert "[laughs]: hello" in render_markdown("[laughs]: hello")


@pytest.mark.parametrize("text", ["a" * (LONGEST + 1), "> " * 60 + "deep down"])
def test_what_cannot_be_read_as_markdown_is_shown_as_it_was_written(text: str) -> None:
    assert not parse_markdown(text)
    assert _Read(render_markdown(text)).text == text


def test_a_heading_of_a_message_is_none_of_the_page() -> None:
    assert render_tokens(parse_markdown("## Plans")) == '<p class="head">Plans</p>'
