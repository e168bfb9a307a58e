"""A unit of ours is known by its mark, and every change to it shows."""

from hypothesis import given
from hypothesis import strategies as st

from service.unit import author, marked

TEXTS = st.text(st.characters(codec="utf-8"))


@given(TEXTS)
def test_what_memproc_wrote_is_known_as_such(text: str) -> None:
    assert author(marked(text).encode()) == "memproc"


@given(TEXTS, st.data())
def test_a_character_that_was_added_below_shows(text: str, data: st.DataObject) -> None:
    whole = marked(text)
    first = (
        whole.index("\n")
        + 1
        + (whole[whole.index("\n") + 1 :].index("\n") + 1 if whole.startswith("<?xml") else 0)
    )
    at = data.draw(st.integers(first, len(whole)))
    assert author(f"{whole[:at]}x{whole[at:]}".encode()) == "memproc, changed since"


def test_a_unit_of_somebody_else_is_theirs() -> None:
    assert author(b"[Service]\nExecStart=/usr/bin/true\n") == "somebody else"


def test_in_xml_the_declaration_stays_on_top() -> None:
    text = marked('<?xml version="1.0"?>\n<Task/>\n')
    assert text.startswith('<?xml version="1.0"?>\n<!-- written by memproc, sha256=')
    assert author(text.encode("utf-16")) == "memproc"
    assert author(text.replace("<Task/>", "<Task />").encode("utf-16")) == "memproc, changed since"
