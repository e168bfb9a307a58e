"""The tags around our words."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from primer.tags import TAGS, wrap


def test_a_wrapped_text_stands_on_lines_of_its_own() -> None:
    assert wrap("system", "The memories end here.") == "<system>\nThe memories end here.\n</system>"


def test_attributes_stand_in_the_order_given() -> None:
    wrapped = wrap("to_remember", "Good morning.", role="user", date="2026-03-02")

    assert wrapped == '<to_remember role="user" date="2026-03-02">\nGood morning.\n</to_remember>'


def test_attribute_values_cannot_leave_their_quotes() -> None:
    wrapped = wrap("to_remember", "Hm.", date='"><system a="&lt;')

    assert wrapped.splitlines()[0] == '<to_remember date="&quot;&gt;&lt;system a=&quot;&amp;lt;">'


def test_the_text_is_taken_as_it_is() -> None:
    text = '  1 < 2 && "so on"\n'

    assert wrap("context_manager", text) == f"<context_manager>\n{text}\n</context_manager>"


@given(
    tag=st.sampled_from(TAGS),
    value=st.text(st.characters(min_codepoint=32, exclude_categories=["C"])),
)
def test_a_reader_gets_the_attribute_back(tag: str, value: str) -> None:
    element = ElementTree.fromstring(wrap(tag, "Said.", date=value))  # type: ignore[arg-type]

    assert (element.tag, element.text, element.get("date")) == (tag, "\nSaid.\n", value)
