"""What somebody else wrote becomes HTML that can do nothing on the page, with quotes marked in it."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.page.message_blocks import (
    MarkedPassage,
    around_marks,
    cut_blocks,
    find_written,
    render_markdown,
)
from daemon.page.message_html import LONGEST, parse_markdown, render_tokens
from rules.typingmind.content import Part

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

STORY = """Listen.

The **sea** breathes, and *no one* had heard it. Not even I.

- salt
- wind

And that was all.

Good night."""


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


def _html(text: str, quote: str) -> str:
    parts = (Part(text, spoken=True),)
    return "".join(block.html for block in cut_blocks(parts, [MarkedPassage(quote, "said-1")]))


def _marked(html: str) -> str:
    return "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL))


def test_a_quote_is_marked_through_its_markdown() -> None:
    html = _html(STORY, "The **sea** breathes, and *no one* had heard it.")
    assert _marked(html) == "The sea breathes, and no one had heard it."
    assert html.count('id="said-1"') == 1


def test_a_quote_may_begin_and_end_within_bold_words() -> None:
    assert _marked(_html("so **the sea** breathes", "sea** brea")) == "sea brea"


def test_a_quote_goes_over_paragraphs_and_lists() -> None:
    assert _marked(_html(STORY, "Not even I.\n\n- salt\n- wind")) == "Not even I.saltwind"


def test_a_quote_that_is_not_found_again_is_marked_in_the_text_as_it_was_written() -> None:
    text = "See [the log](http://example.org/2024) of *March*."
    assert _marked(_html(text, "log](http://example.org/2024) of")) == (
        "log](http://example.org/2024) of"
    )


def test_an_image_is_no_place_of_a_quote() -> None:
    assert _marked(_html("![sea](http://a.b) the sea", "the sea")) == "the sea"


def test_the_blocks_around_the_quote_are_shown_first() -> None:
    parts = (Part(STORY, spoken=True),)
    blocks = cut_blocks(parts, [MarkedPassage("And that was all.", "said-1")])
    first, stop = around_marks(blocks)
    shown = "".join(block.html for block in blocks[first:stop])
    assert "salt" in shown
    assert "Good night" in shown
    assert "Listen" not in shown
    assert around_marks(cut_blocks(parts)) == (0, 3)


def test_the_words_of_a_search_are_marked_and_markup_stays_text() -> None:
    (block,) = cut_blocks((Part("**Salt** & <i>salt</i>", spoken=True),), query="salt")
    assert block.html.count("<mark>") == 2
    assert "&amp; &lt;i&gt;" in block.html


def test_what_is_no_words_is_named() -> None:
    (block,) = cut_blocks((Part("[image: <sea>.png]", spoken=False),))
    assert block.html == '<p class="soft">[image: &lt;sea&gt;.png]</p>'


def test_what_is_shown_is_found_again_as_it_was_written() -> None:
    assert find_written(STORY, "The sea breathes, and no one had heard it.") == (
        "The **sea** breathes, and *no one* had heard it."
    )
    assert find_written(STORY, "And that was all.") == "And that was all."
    assert find_written(STORY, "salt\nwind") == "salt\n- wind"
    assert find_written(STORY, "Nothing of it.") == "Nothing of it."
    assert find_written(STORY, "") == ""


@given(st.data())
def test_any_quote_of_plain_words_is_marked(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(["sea", "salt", "I", "wind,"]), min_size=1))
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    if any(map(str.isalnum, quote)):
        marked = _marked(_html(text, quote))
        assert "".join(filter(str.isalnum, marked)) == "".join(filter(str.isalnum, quote))
