"""What the person does to an opening is told apart: reworded, removed, added, or thrown away."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.layers.opening import FactLine, Opening
from rules.layers.opening_edits import OpeningEdits, edits_of_opening

ENGINEER = FactLine("2024-03-05", "Ada is a software engineer.")
BROTHER = FactLine("2024-04-01", "Ada has a brother in Porto.")
TEA = FactLine("", "She likes green tea in the morning.")
BASE = Opening(
    "Hello.", {"persona": "I am curious.", "human": "Ada."}, (ENGINEER, BROTHER, TEA), headed=True
)
NOTHING = OpeningEdits({}, (), (), ())


def facts_now(*facts: FactLine) -> OpeningEdits | None:
    return edits_of_opening(BASE, replace(BASE, facts=facts))


def test_another_preface_and_another_order_are_no_edit() -> None:
    assert edits_of_opening(BASE, BASE) == NOTHING
    assert (
        edits_of_opening(
            BASE, replace(BASE, preface="Good morning.", facts=(TEA, ENGINEER, BROTHER))
        )
        == NOTHING
    )


def test_a_section_is_rewritten_emptied_gone_or_new() -> None:
    rewritten = replace(BASE, sections={"human": "Ada, 36.", "persona": "I am curious."})
    assert edits_of_opening(BASE, rewritten) == OpeningEdits({"human": "Ada, 36."}, (), (), ())
    for sections in ({"persona": "I am curious."}, {"persona": "I am curious.", "human": ""}):
        assert edits_of_opening(BASE, replace(BASE, sections=sections)) == OpeningEdits(
            {"human": ""}, (), (), ()
        )
    more = replace(BASE, sections={**BASE.sections, "promises": "To come back."})
    assert edits_of_opening(BASE, more) == OpeningEdits({"promises": "To come back."}, (), (), ())


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
    assert edits_of_opening(twice, replace(BASE, facts=(TEA,))) == OpeningEdits({}, (), (TEA,), ())


def test_an_opening_that_was_thrown_away_says_nothing_of_its_parts() -> None:
    away = Opening("Something else.", {}, (), headed=False)
    assert edits_of_opening(BASE, away) is None
    assert edits_of_opening(away, replace(away, preface="Another.")) == NOTHING
    emptied = Opening("Hello.", {"persona": ""}, (), headed=True)
    said = edits_of_opening(BASE, emptied)
    assert said == OpeningEdits({"persona": "", "human": ""}, (), (ENGINEER, BROTHER, TEA), ())


def test_sections_can_be_begun_by_hand() -> None:
    bare = Opening("Hello.", {}, (), headed=False)
    assert edits_of_opening(bare, BASE) == OpeningEdits(BASE.sections, (), (), BASE.facts)


lines = st.lists(
    st.builds(FactLine, st.just(""), st.text("ab ", min_size=1, max_size=6)), max_size=6
)


@given(lines, lines)
def test_the_edits_lead_from_the_one_to_the_other(
    before: list[FactLine], after: list[FactLine]
) -> None:
    said = edits_of_opening(replace(BASE, facts=tuple(before)), replace(BASE, facts=tuple(after)))
    assert isinstance(said, OpeningEdits)
    for line in (*said.removed, *(old for old, _ in said.changed)):
        before.remove(line)
    now = [*before, *said.added, *(new for _, new in said.changed)]
    assert sorted(line.text for line in now) == sorted(line.text for line in after)
