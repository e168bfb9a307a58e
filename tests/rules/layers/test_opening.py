"""An opening is read back as it was written, whatever its parts say, and whatever editors do to white space."""

from hypothesis import given
from hypothesis import strategies as st

from rules.layers.core import Section
from rules.layers.opening import JOINER, FactLine, Opening, one_line, read_opening, write_opening

PREFACE = "What follows are memories."
INTRODUCTION = "This is what you keep in mind."
NAMES = ("persona", "human", "promises")
ADA = FactLine("2024-03-05", "Ada is a software engineer.")
OLD = FactLine("", "An older one whose day nobody knows.")

telling = st.text(st.sampled_from(f"a1-:#*•. \n\r\t\x85\u2028{JOINER}"), max_size=12)
tricky = st.sampled_from(
    [
        "## persona",
        "##human",
        "## facts ",
        "### below",
        "- entry",
        "2024-03-05: said",
        INTRODUCTION,
        PREFACE,
        "",
        " ",
    ]
)
texts = st.one_of(
    st.text(max_size=30), st.lists(st.one_of(telling, tricky), max_size=4).map("\n".join)
)
days = st.one_of(st.just(""), st.dates().map(lambda day: day.isoformat()))
fact_lines = st.builds(FactLine, days, texts)
values = st.one_of(texts, st.lists(texts, max_size=3).map(tuple))


def section(name: str, value: str | tuple[str, ...]) -> Section:
    return Section(name, "", 100_000, value)


cores = st.lists(values, min_size=3, max_size=3).map(lambda said: list(map(section, NAMES, said)))


def test_the_parts_stand_below_one_another() -> None:
    core = [
        section("persona", "I am curious."),
        section("human", ""),
        section("promises", ("One.", "Two.")),
    ]
    assert write_opening(PREFACE, INTRODUCTION, core, [ADA, OLD]) == (
        "What follows are memories.\n\n"
        "This is what you keep in mind.\n\n"
        "## persona\nI am curious.\n\n"
        "## promises\n- One.\n- Two.\n\n"
        "## facts\n"
        "- 2024-03-05: Ada is a software engineer.\n"
        "- An older one whose day nobody knows."
    )


@given(texts)
def test_with_nothing_to_show_the_preface_stands_alone(preface: str) -> None:
    assert (
        write_opening(
            preface, INTRODUCTION, [section("human", "")], [FactLine("2024-03-05", " \n")]
        )
        == preface
    )
    read = read_opening(preface, [], INTRODUCTION)
    assert read == Opening(preface, {}, (), headed=False) or read.headed


@given(texts, texts, cores, st.lists(fact_lines, max_size=3))
def test_what_was_written_is_read(
    preface: str, introduction: str, core: list[Section], facts: list[FactLine]
) -> None:
    sections = {one.name: one.rendered for one in core if one.rendered}
    shown = tuple(FactLine(one.day, one_line(one.text)) for one in facts if one_line(one.text))
    read = read_opening(write_opening(preface, introduction, core, facts), NAMES, introduction)
    if sections or shown:
        assert read == Opening(preface, sections, shown, headed=True)


@given(texts, cores, st.lists(fact_lines, max_size=3), st.sampled_from(["\r\n", " \n", " \t\r\n"]))
def test_white_space_of_editors_changes_nothing(
    preface: str, core: list[Section], facts: list[FactLine], end: str
) -> None:
    written = write_opening(preface, INTRODUCTION, [*core, section("extra", "x")], facts)
    names = (*NAMES, "extra")
    edited = "\n".join(
        f"\n{line}\n" if line.startswith("## ") else line for line in written.split("\n")
    )
    assert read_opening(edited.replace("\n", end) + end, names, INTRODUCTION) == read_opening(
        written, names, INTRODUCTION
    )


def test_a_heading_of_another_name_is_a_line_of_its_section() -> None:
    read = read_opening("Hello.\n\n## human\nAda.\n## Diet\nNo nuts.", NAMES, INTRODUCTION)
    assert read == Opening("Hello.", {"human": "Ada.\n## Diet\nNo nuts."}, (), headed=True)
    core = [section("human", read.sections["human"])]
    assert (
        read_opening(write_opening("Hello.", "", core, []), ("human", "Diet"), "").sections
        == read.sections
    )


def test_a_heading_without_text_and_one_that_stands_twice() -> None:
    read = read_opening(
        "Hello.\n\n## persona\n\n## human\nAda.\n\n## human\nTall.", NAMES, INTRODUCTION
    )
    assert read.sections == {"persona": "", "human": "Ada.\n\nTall."}


def test_words_around_the_introduction_belong_to_the_preface() -> None:
    read = read_opening(
        f"Hello.\n\n{INTRODUCTION}\nAnd be kind.\n\n## human\nAda.", NAMES, INTRODUCTION
    )
    assert read.preface == "Hello.\n\nAnd be kind."
    assert (
        read_opening("Hello.\n\nKeep this:\n\n## human\nAda.", NAMES, INTRODUCTION).preface
        == "Hello.\n\nKeep this:"
    )


def test_facts_are_read_as_people_write_lists() -> None:
    begun = "- 2024-03-05: Ada is a\n  software engineer.\n"
    lines = "* She has a brother.\nHe is tall.\n  - So is she.\n-\n- 2024-03-06:\n"
    read = read_opening(f"Hello.\n\n## facts\n{begun}{lines}", NAMES, INTRODUCTION)
    said = ["She has a brother.", "He is tall.", "So is she."]
    assert read.facts == (ADA, *(FactLine("", text) for text in said))
    assert read_opening("Hello.\n\n## facts\n", NAMES, INTRODUCTION) == Opening(
        "Hello.", {}, (), headed=True
    )
