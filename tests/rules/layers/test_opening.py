"""An opening is read back as it was written, whatever its parts say, and whatever editors do to white
space; what the person does to it is told apart: reworded, removed, added, or thrown away.
"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.layers.core import Section
from rules.layers.opening import (
    JOINER,
    FactLine,
    Opening,
    OpeningEdits,
    compare_openings,
    make_inert,
    one_line,
    read_opening,
    restore_lines,
    write_opening,
)

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

cores = st.lists(values, min_size=3, max_size=3).map(lambda said: list(map(section, NAMES, said)))

ENGINEER = FactLine("2024-03-05", "Ada is a software engineer.")
BROTHER = FactLine("2024-04-01", "Ada has a brother in Porto.")
TEA = FactLine("", "She likes green tea in the morning.")
BASE = Opening(
    "Hello.", {"persona": "I am curious.", "human": "Ada."}, (ENGINEER, BROTHER, TEA), headed=True
)
NOTHING = OpeningEdits({}, (), (), ())

lines = st.lists(
    st.builds(FactLine, st.just(""), st.text("ab ", min_size=1, max_size=6)), max_size=6
)

J = JOINER
said = st.text(st.sampled_from(f"a# \t\r\n{J}"), max_size=12)


def section(name: str, value: str | tuple[str, ...]) -> Section:
    return Section(name, "", 100_000, value)


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


def facts_now(*facts: FactLine) -> OpeningEdits | None:
    return compare_openings(BASE, replace(BASE, facts=facts))


def test_another_preface_and_another_order_are_no_edit() -> None:
    assert compare_openings(BASE, BASE) == NOTHING
    assert (
        compare_openings(
            BASE, replace(BASE, preface="Good morning.", facts=(TEA, ENGINEER, BROTHER))
        )
        == NOTHING
    )


def test_a_section_is_rewritten_emptied_gone_or_new() -> None:
    rewritten = replace(BASE, sections={"human": "Ada, 36.", "persona": "I am curious."})
    assert compare_openings(BASE, rewritten) == OpeningEdits({"human": "Ada, 36."}, (), (), ())
    for sections in ({"persona": "I am curious."}, {"persona": "I am curious.", "human": ""}):
        assert compare_openings(BASE, replace(BASE, sections=sections)) == OpeningEdits(
            {"human": ""}, (), (), ()
        )
    more = replace(BASE, sections={**BASE.sections, "promises": "To come back."})
    assert compare_openings(BASE, more) == OpeningEdits({"promises": "To come back."}, (), (), ())


def test_a_reworded_fact_is_a_change_and_no_removal() -> None:
    engineer = FactLine("2024-03-05", "Ada is a hardware engineer.")
    assert facts_now(engineer, BROTHER, TEA) == OpeningEdits({}, ((ENGINEER, engineer),), (), ())
    dated = FactLine("2024-05-01", TEA.text)
    assert facts_now(ENGINEER, BROTHER, dated) == OpeningEdits({}, ((TEA, dated),), (), ())


def test_facts_that_are_not_alike_are_removed_and_added() -> None:
    cats = FactLine("", "Cats frighten her.")
    assert facts_now(ENGINEER, cats, BROTHER) == OpeningEdits({}, (), (TEA,), (cats,))


def test_the_most_alike_are_paired() -> None:
    porto = FactLine("2024-04-01", "Ada has a brother in Paris.")
    sister = FactLine("", "Ada has a sister in Paris.")
    assert facts_now(ENGINEER, sister, porto, TEA) == OpeningEdits(
        {}, ((BROTHER, porto),), (), (sister,)
    )


def test_one_of_two_equal_lines_can_go() -> None:
    twice = replace(BASE, facts=(TEA, TEA))
    assert compare_openings(twice, replace(BASE, facts=(TEA,))) == OpeningEdits({}, (), (TEA,), ())


def test_an_opening_that_was_thrown_away_says_nothing_of_its_parts() -> None:
    away = Opening("Something else.", {}, (), headed=False)
    assert compare_openings(BASE, away) is None
    assert compare_openings(away, replace(away, preface="Another.")) == NOTHING
    emptied = Opening("Hello.", {"persona": ""}, (), headed=True)
    said = compare_openings(BASE, emptied)
    assert said == OpeningEdits({"persona": "", "human": ""}, (), (ENGINEER, BROTHER, TEA), ())


def test_sections_can_be_begun_by_hand() -> None:
    bare = Opening("Hello.", {}, (), headed=False)
    assert compare_openings(bare, BASE) == OpeningEdits(BASE.sections, (), (), BASE.facts)


@given(lines, lines)
def test_the_edits_lead_from_the_one_to_the_other(
    before: list[FactLine], after: list[FactLine]
) -> None:
    said = compare_openings(replace(BASE, facts=tuple(before)), replace(BASE, facts=tuple(after)))
    assert isinstance(said, OpeningEdits)
    for line in (*said.removed, *(old for old, _ in said.changed)):
        before.remove(line)
    now = [*before, *said.added, *(new for _, new in said.changed)]
    assert sorted(line.text for line in now) == sorted(line.text for line in after)


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
