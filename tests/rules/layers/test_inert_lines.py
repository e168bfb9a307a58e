"""Lines lose what would read as the opening's form, show as before, and can be had back."""

from hypothesis import given
from hypothesis import strategies as st

from rules.layers.opening import JOINER, make_inert, restore_lines

J = JOINER
said = st.text(st.sampled_from(f"a# \t\r\n{J}"), max_size=12)


def test_headings_white_space_at_ends_and_empty_ends_get_a_joiner() -> None:
    assert make_inert("## human\n### below\na ##") == f"{J}## human\n### below\na ##"
    assert make_inert("a \n\nb\r\n\t") == f"a {J}\n\nb\r{J}\n\t{J}"
    assert make_inert("\na\n") == f"{J}\na\n{J}"
    assert make_inert("") == ""


@given(said)
def test_nothing_is_lost_and_nothing_stays_alive(text: str) -> None:
    inert = make_inert(text)
    assert restore_lines(inert) == text
    assert inert.replace(J, "") == text.replace(J, "")
    lines = inert.split("\n")
    assert all(
        line == line.rstrip() and not (line.startswith("##") and line[2:3] != "#") for line in lines
    )
    assert not text or (lines[0] and lines[-1])
