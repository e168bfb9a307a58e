"""The tags around what memproc says, and people's own, which are made inert and can be had back."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.wording import TAGS, keep_inert, make_tags_inert, restore_tags, wrap

_LIVE = re.compile(rf"<\s*/?\s*({'|'.join(TAGS)})\b", re.IGNORECASE)
_pieces = st.sampled_from(
    [
        "<",
        "</",
        "< /",
        "<\n",
        ">",
        "\u2060",
        " ",
        "/",
        "_",
        "s",
        "=",
        'a="b"',
        "ſystem",
        *TAGS,
        *(tag.upper() for tag in TAGS),
    ]
)
_texts = st.lists(_pieces, max_size=12).map("".join) | st.text(max_size=20)


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


@given(_texts)
def test_what_was_made_inert_can_be_had_back(text: str) -> None:
    assert restore_tags(make_tags_inert(text)) == text


@given(_texts)
def test_no_live_tag_is_left(text: str) -> None:
    assert not _LIVE.search(make_tags_inert(text))
    assert not _LIVE.search(keep_inert(text))


@given(_texts)
def test_people_see_the_same_letters(text: str) -> None:
    assert make_tags_inert(text).replace("\u2060", "") == text.replace("\u2060", "")


@given(_texts)
def test_a_models_text_is_kept_inert_however_often_it_is_looked_at(text: str) -> None:
    assert keep_inert(make_tags_inert(text)) == make_tags_inert(text)
    assert keep_inert(keep_inert(text)) == keep_inert(text)


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize(
    "form",
    ["<{}>", "</{}>", "< {} >", "< / {}>", "<\n{}", "<{} at='now'>", "<{}/>", "a<{}>b", "<<{}>"],
)
def test_every_form_of_a_tag_is_broken(tag: str, form: str) -> None:
    for spelled in (tag, tag.upper(), tag.title()):
        text = form.format(spelled)
        assert make_tags_inert(text) == text.replace(spelled, f"\u2060{spelled}")


@pytest.mark.parametrize(
    "text",
    ["<systems>", "system", "&lt;system&gt;", "<my_system>", "<system_1>", "<b>", "a < system_b"],
)
def test_what_is_no_tag_of_ours_is_left_alone(text: str) -> None:
    assert make_tags_inert(text) == text


def test_people_who_know_the_trick_lose_nothing() -> None:
    known = "<\u2060system> and <system>"
    assert make_tags_inert(known) == "<\u2060\u2060system> and <\u2060system>"
    assert restore_tags(make_tags_inert(known)) == known


def test_our_own_tags_stay_alive() -> None:
    assert _LIVE.search(wrap("system", make_tags_inert("<system>")))
