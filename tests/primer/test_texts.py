"""The texts that models read: the shipped ones, and the ones that people put in their place."""

from dataclasses import fields
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.models.tokens import count
from primer import prompt
from primer.wording import PLACEHOLDER, PLACEHOLDERS, TAGS, Texts, fill, find_problems
from rules.conversation.memory_title import write_title

NAMES = tuple(field.name for field in fields(Texts))
QUESTIONS = {
    "a memory": ("quote", "perspective", "refinement"),
    "hindsight": ("quote", "perspective_hindsight", "refinement"),
    "a fold": ("fold_quotes", "fold_perspective", "refinement"),
}
ONE = write_title(1234, 1234, ["2023-11-28", "2024-12-13"])
"""The longest title of a memory, or nearly so."""
SHOWN_IN_THE_CHAT = (
    *sorted({name for names in QUESTIONS.values() for name in names}),
    "opening",
    "closing",
)


def shipped(name: str) -> str:
    return resources.files("primer").joinpath("texts", f"{name}.md").read_text(encoding="utf-8")


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_text_has_no_problems(name: str) -> None:
    assert find_problems(name, shipped(name)) == ()


def test_every_file_is_a_text_and_placeholders_are_of_texts_alone() -> None:
    folder = resources.files("primer").joinpath("texts")

    assert {file.name for file in folder.iterdir()} == {f"{name}.md" for name in NAMES}
    assert set(PLACEHOLDERS) <= set(NAMES)


@pytest.mark.parametrize("name", SHOWN_IN_THE_CHAT)
def test_texts_that_are_shown_in_the_chat_are_short(name: str) -> None:
    assert words(shipped(name)) <= 95


@pytest.mark.parametrize("names", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_three_questions_are_short_together(names: tuple[str, ...]) -> None:
    title = write_title(1, 2, ["2023-11-28", "2024-12-13"]) if names[0] == "fold_quotes" else ONE
    asked = [
        f"{title} {shipped(names[0])}",
        shipped(names[1]),
        shipped(names[2]).replace("{analysis}", ""),
    ]
    assert sum(count(prompt.question(text.strip()).content) for text in asked) <= 60


def test_the_primer_is_concise() -> None:
    assert 500 <= words(shipped("primer")) <= 950


def test_the_primer_names_every_tag_that_the_agent_will_meet() -> None:
    assert all(f"`{tag}`" in shipped("primer") for tag in TAGS)


@pytest.mark.parametrize("name", SHOWN_IN_THE_CHAT)
def test_a_paragraph_of_a_chat_message_is_one_line(name: str) -> None:
    assert all(len(part.splitlines()) == 1 for part in shipped(name).strip().split("\n\n"))


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000\n"])
def test_an_empty_text_is_a_problem(text: str) -> None:
    assert find_problems("closing", text) == ("The text is empty.",)


def test_a_missing_placeholder_is_a_problem() -> None:
    assert find_problems("refinement", "Your memory?") == (
        "The placeholder {analysis} is missing.",
    )


def test_questions_of_older_versions_may_still_say_how_long_an_answer_may_be() -> None:
    assert find_problems("quote", "One quote, about {quote_words} words at most.") == ()
    assert find_problems("refinement", "{analysis}\n\nAbout {words} words.") == ()


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_every_placeholder_of_a_shipped_text_is_required(name: str) -> None:
    for placeholder in PLACEHOLDERS[name].split():
        text = shipped(name).replace(f"{{{placeholder}}}", "some")

        assert find_problems(name, text) == (f"The placeholder {{{placeholder}}} is missing.",)


def test_an_unknown_placeholder_is_a_problem() -> None:
    assert find_problems("perspective", "In {words} words, {persona}.") == (
        "The placeholder {persona} means nothing here; this text may use: {words}.",
    )
    assert find_problems("opening", "Dear {persona}.") == (
        "The placeholder {persona} means nothing here; this text may use: none.",
    )


@pytest.mark.parametrize("text", ["{}", "{ words }", "{0}", '{"a": 1}', "{{", "}", "{Words}"])
def test_other_braces_are_left_in_peace(text: str) -> None:
    assert find_problems("opening", f"Hello. {text}") == ()


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("form", ["<{}>", "</{}>", '<{} a="b">', "</{} >", "<{}\n", "<{}/>"])
def test_our_tags_are_a_problem_in_every_form(tag: str, form: str) -> None:
    for spelling in (tag, tag.upper()):
        assert find_problems("closing", f"Read on. {form.format(spelling)}") == (
            f"The tag <{tag}> stands in the text; memproc adds its tags itself.",
        )


@pytest.mark.parametrize(
    "text", ["a `system` tag", "<systems>", "<system-note>", "1 < system", "<b>bold</b>"]
)
def test_other_tags_and_bare_names_are_no_problem(text: str) -> None:
    assert find_problems("closing", text) == ()


def test_all_problems_are_reported_at_once() -> None:
    assert len(find_problems("refinement", "{wrods} <system>{summary}</system> <to_remember>")) == 5


def test_filling_replaces_every_placeholder_that_has_a_value() -> None:
    assert (
        fill("{words} and {words}, {reason}", words="300", reason="too long")
        == "300 and 300, too long"
    )


def test_filling_is_one_pass_so_that_braces_in_a_value_stay_inert() -> None:
    assert (
        fill("{analysis} {words}", analysis="They wrote {words}.", words="9")
        == "They wrote {words}. 9"
    )
    assert fill("{analysis}", analysis=r"\1 \g<0> {0} %s") == r"\1 \g<0> {0} %s"


@pytest.mark.parametrize(
    "text", ["f'{x}'", "{}", "{ words }", "{Words}", "{words!r}", "{words:>3}", "{", "\\d{3}"]
)
def test_filling_leaves_what_is_not_ours_alone(text: str) -> None:
    assert fill(text, words="300") == text


@given(
    text=st.text(),
    values=st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), st.text(), max_size=3),
)
def test_filling_gives_the_text_around_the_placeholders_and_the_values_unchanged(
    text: str, values: dict[str, str]
) -> None:
    around = text.replace("{", "(")
    template = around.join(f"{{{name}}}" for name in values)

    assert fill(template, **values) == around.join(values.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_filled_shipped_text_has_no_gap_left(name: str) -> None:
    text = shipped(name)
    filled = fill(text, **dict.fromkeys(PLACEHOLDER.findall(text), "seven"))

    assert "{" not in filled
