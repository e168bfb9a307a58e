"""Where a quote was said is marked in the message as it is shown."""

import re

from hypothesis import given
from hypothesis import strategies as st

from daemon.page.message_blocks import MarkedPassage, around_marks, cut_blocks, find_written
from rules.typingmind.content import Part

STORY = """Listen.

The **sea** breathes, and *no one* had heard it. Not even I.

- salt
- wind

And that was all.

Good night."""


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
