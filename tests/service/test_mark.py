"""A unit of ours is known by its mark, and every change to it shows."""

from hypothesis import given
from hypothesis import strategies as st

from service.recipe import hand, marked

TEXTS = st.text(st.characters(codec="utf-8"))


@given(TEXTS)
def test_what_we_wrote_is_ours(text: str) -> None:
    assert hand(marked(text)) == "ours"


@given(TEXTS, st.data())
def test_a_character_that_was_added_below_shows(text: str, data: st.DataObject) -> None:
    whole = marked(text)
    first = whole.index("\n") + 1 + (whole[whole.index("\n") + 1 :].index("\n") + 1 if whole.startswith("<?xml") else 0)
    at = data.draw(st.integers(first, len(whole)))
    assert hand(f"{whole[:at]}x{whole[at:]}") == "changed"


def test_a_unit_of_somebody_else_is_theirs() -> None:
    assert hand("[Service]\nExecStart=/usr/bin/true\n") == "theirs"


def test_in_xml_the_declaration_stays_on_top() -> None:
    text = marked('<?xml version="1.0"?>\n<Task/>\n')
    assert text.startswith('<?xml version="1.0"?>\n<!-- written by memproc, sha256=')
    assert hand(text) == "ours"
    assert hand(text.replace("<Task/>", "<Task />")) == "changed"
