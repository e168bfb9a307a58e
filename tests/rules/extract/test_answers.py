"""The built-in engine's four answers, on passages of several languages and on odd ones."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.extract.answers import analysis, perspective, quote, refinement, what_was_there
from rules.extract.sentences import is_fence, length
from rules.extract.weights import Said

ANSWERS = (quote, perspective, analysis, refinement)

TALK = (
    Said("user", "Hey Aria. I came back from Lisbon last night, my sister Marta drove me.", "2026-03-02"),
    Said(
        "assistant",
        "Welcome back, Tom. I noticed that I kept circling around the line of Pessoa you left me with, as if it "
        "were a room I could not quite leave. I don't know whether that is longing. How is Marta?",
        "2026-03-02",
    ),
    Said("user", "Fine! The surgery is on 14 April at 9:30. Dr. Ferreira, not Pereira as I said.", "2026-03-02"),
    Said(
        "assistant",
        "I will remember it. Here is a list:\n\n```python\nprint('I feel, I fear, I hope, I love. I wonder.')\n```\n\n"
        "| I feel | I fear |\n|---|---|\n| I doubt | I dream |\n\n[image: I feel and I hope and I love it.]\n",
        "2026-03-02",
    ),
    Said("user", "I read all of it twice.", "2026-03-05"),
    Said("assistant", "The list has two parts. Let me know if you have any questions.", "2026-03-05"),
)


BREAD = (
    "The dough in the bowl rose slowly beside a bright fire. Warm dough in the bowl smells of beer and apples. "
    "Cold dough sleeps under a cloth in the bowl. Every baker pokes the dough with a finger before the oven."
)


def long_talk() -> list[Said]:
    """Forty messages about bread, with one promise in the middle."""
    said = []
    for number in range(20):
        said.append(Said("user", f"The dough of batch {number} rose well, and the oven was hot enough.", "2026-01-01"))
        reply = f"Bread like batch {number} wants patience. I enjoy how loaf {number * 7} of the oven rises."
        said.append(Said("assistant", reply, "2026-01-02"))
    said[21] = Said("assistant", "The dough is fine. I promise to remind you to call Ottilie on 17 May.", "2026-01-02")
    return said


MESSAGES = st.lists(
    st.builds(
        Said,
        st.sampled_from(["user", "assistant"]),
        st.lists(
            st.sampled_from(
                [
                    "I feel it. ",
                    "Yes. ",
                    "We met Anna in May 2026, ",
                    "really?\n",
                    "\n\n",
                    "- item ",
                    "```\ncode I feel.\n```\n",
                    "| a | b |\n",
                    "[image] ",
                    "    indented\n",
                    "我觉得很奇怪。",
                    "Я боюсь. ",
                    "ผมรู้สึก ",
                    "a" * 40,
                    " ",
                    "!",
                ]
            ),
            max_size=12,
        ).map("".join),
        st.sampled_from(["", "2026-01-01", "2026-01-02"]),
    ),
    max_size=6,
)


def test_the_quote_holds_the_personas_state_of_mind() -> None:
    assert "as if it were a room I could not quite leave." in quote(TALK, 60)


def test_the_quote_is_the_persons_where_the_persona_only_wrote_code() -> None:
    passage = [
        Said("assistant", "```\nI feel.\n```", ""),
        Said("user", "I feel it. The sun is warm today.", ""),
    ]

    assert quote(passage, 20).startswith("I feel it.")


def test_words_beside_a_picture_are_quoted_without_it() -> None:
    assert quote([Said("user", "[image] I feel it. [image] ", "")], 5) == "I feel it."


@given(MESSAGES, st.integers(5, 80))
def test_the_quote_is_always_verbatim_in_one_message_and_there_where_words_are(passage: list[Said], words: int) -> None:
    found = quote(passage, words)

    assert any(found in said.text for said in passage) or not passage
    assert bool(found) == any(mark.isalnum() for said in passage for mark in said.text.replace("[image]", ""))
    assert not any(is_fence(line) for line in found.splitlines())
    assert found == found.strip()
    assert length(found) <= words


@given(
    st.lists(
        st.sampled_from(
            ["I feel calm. ", "```\nI fear code.\n```\n", "\n| I fear | tables |\n", "\n[I fear a picture]\n"]
        )
    )
)
def test_code_tables_and_placeholders_are_never_quoted_where_there_is_prose(parts: list[str]) -> None:
    found = quote([Said("assistant", "\n".join(["I feel calm.", *parts]), "")], 60)

    assert found
    assert "fear" not in found


def test_a_sentence_around_a_placeholder_is_not_quoted() -> None:
    text = "I feel and love and fear this [image: sea.png], I wonder. I am calm. See [the map](https://a.b) here."

    assert quote([Said("assistant", text, "")], 60) == "I am calm. See [the map](https://a.b) here."


def test_a_sentence_longer_than_the_quote_may_be_gives_its_beginning() -> None:
    passage = [Said("assistant", "I feel " + "very " * 50 + "calm", "")]

    assert quote(passage, 10) == "I feel" + " very" * 8


@pytest.mark.parametrize("code", ["\n```py\nx = 1\n```", "~~~\n\nx = 1", "> ```py\n\tx = 1\n", "\n\n    x = 1\n    y"])
def test_a_passage_of_code_alone_gives_its_first_line_with_words(code: str) -> None:
    found = quote([Said("user", "```\n```", ""), Said("assistant", code, "")], 10)
    assert found == "x = 1"


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["😀😀"] * 60, "We exchanged 60 messages of emoji alone."),
        (["👍🏽", "❤️", "🏳️‍🌈", "🇫🇷"], "We exchanged 4 messages of emoji alone."),
        (["...", "?!"], "We exchanged 2 messages of punctuation alone."),
        (["[empty message]", " ", "\n\n"], "We exchanged 3 empty messages."),
        (["[empty message]"], "There was one message, and it was empty."),
        (["[image: sea.png]", "[image]\n\n[image: b]"], "We exchanged 2 messages of images alone."),
        (["[tool call: search]", "[tool result: search, 9,000 characters]"],
         "We exchanged 2 messages of the work of tools alone."),
        (["```\nx = 1\n```"], "There was one message of code or tables alone."),
        (["ok", "好", "42"], "We exchanged 3 messages of a few words alone."),
        (["😀", "[image]", "😀", "..."],
         "We exchanged 4 messages: 2 of emoji alone, 1 of images alone and 1 of punctuation alone."),
    ],
)  # fmt: skip
def test_where_there_is_nothing_to_say_a_sentence_says_what_was_there(texts: list[str], told: str) -> None:
    passage = [Said(("user", "assistant")[at % 2], text, "2026-03-02") for at, text in enumerate(texts)]
    assert (perspective(passage, 25), analysis(passage, 25)) == (told, told)
    assert refinement(passage, 25, (told,)) == "Nothing more was said."


def test_the_perspective_is_first_person_and_in_order() -> None:
    lines = perspective(TALK, 60).splitlines()

    assert lines[0].startswith("I noticed that I kept circling")
    assert lines[-1] == "I will remember it."
    assert "Let me know" not in perspective(TALK, 60)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Das Haus ist alt. Ich spüre, dass etwas fehlt. Der Tisch ist rot.", "Ich spüre, dass etwas fehlt."),
        ("Le train est là. Je sens une tristesse. La table est rouge.", "Je sens une tristesse."),
        ("El tren sale a las nueve. Siento que algo se va. La mesa es roja.", "Siento que algo se va."),
        ("O trem sai às nove. Sinto uma saudade. A mesa não é vermelha.", "Sinto uma saudade."),
        ("Il treno parte alle nove. Sento una nostalgia. Il tavolo è rosso.", "Sento una nostalgia."),
        ("Pociąg nie jest na stacji. Czuję smutek. Stół jest czerwony.", "Czuję smutek."),
        ("Поезд уходит в девять. Я чувствую грусть. Стол не на месте.", "Я чувствую грусть."),
        ("Потяг не на місці. Я відчуваю сум. Це стіл, але й не стіл.", "Я відчуваю сум."),
        (
            "Bu bir tren. İçimde bir hüzün hissediyorum. Masa kırmızı ve çok büyük.",
            "İçimde bir hüzün hissediyorum.",
        ),
        ("القطار في المحطة. أشعر بحزن لا أعرف اسمه. الطاولة حمراء.", "أشعر بحزن لا أعرف اسمه."),
        ("ट्रेन नौ बजे जाती है। मैं उदासी महसूस करती हूँ। मेज लाल है।", "मैं उदासी महसूस करती हूँ।"),
        ("我们没有时间。我感到有些难过。这个桌子是红的。", "我感到有些难过。"),
        ("電車は出ました。私は寂しさを感じています。机は赤いです。", "私は寂しさを感じています。"),
    ],
)
def test_the_perspective_is_the_personas_own_in_many_languages(text: str, own: str) -> None:
    assert perspective([Said("assistant", text, "")], 40) == own


def test_a_persona_that_never_speaks_of_itself_gives_its_central_sentences() -> None:
    passage = [
        Said("user", "I feel sad about rain.", ""),
        Said("assistant", "Rain feeds the garden well.", ""),
    ]

    assert perspective(passage, 40) == "Rain feeds the garden well."


def test_the_analysis_names_speakers_and_each_new_day_once() -> None:
    lines = analysis(TALK, 200).splitlines()

    assert lines[0].startswith("2026-03-02, user: ")
    assert sum("2026-03-02" in line for line in lines) == 1
    assert sum(line.startswith("2026-03-05, user: ") for line in lines) == 1


def test_the_analysis_keeps_names_dates_and_numbers() -> None:
    kept = analysis(TALK, 40)

    assert "14 April at 9:30" in kept
    assert "Ferreira" in kept


def test_a_promise_among_forty_messages_survives() -> None:
    passage = long_talk()

    both = analysis(passage, 120) + refinement(passage, 120)

    assert "I promise to remind you to call Ottilie on 17 May." in both


def test_the_analysis_takes_the_sentence_with_names_and_numbers_first() -> None:
    passage = [Said("user", f"{BREAD} We paid Ottilie 340 euros on 17 May for it. {BREAD}", "")]

    assert analysis(passage, 14) == "user: We paid Ottilie 340 euros on 17 May for it."


def test_the_refinement_takes_the_promise_first() -> None:
    promise = "Tomorrow you must remind me what was agreed."
    passage = [Said("assistant", f"{BREAD} {promise} {BREAD}", "")]

    assert refinement(passage, 12, ("Nothing yet.",)) == f"assistant: {promise}"


def test_a_detail_in_passing_outlasts_a_whole_talk_about_something_else() -> None:
    dough = [
        Said("user", f"The dough of batch {number} rose well in the hot oven of the bakery.", "")
        for number in range(10, 60)
    ]
    passage = [*dough, Said("user", "Otherwise nobody forgot Ottilie.", ""), *dough]

    assert "Ottilie" in analysis(passage, 100)


def test_the_refinement_prefers_what_was_not_said_yet() -> None:
    before = (quote(TALK, 40), perspective(TALK, 40))

    assert not any(line.split(": ", 1)[1] in " ".join(before) for line in refinement(TALK, 60, before).splitlines())


def test_the_refinement_repeats_rather_than_say_nothing() -> None:
    passage = [Said("assistant", "I promise to write.", "")]

    assert refinement(passage, 20, ("I promise to write.",)) == "assistant: I promise to write."


@given(MESSAGES, st.integers(5, 80))
def test_every_answer_keeps_its_budget_and_says_something(passage: list[Said], words: int) -> None:
    for answer in ANSWERS:
        text = answer(passage, words)

        if text != what_was_there(passage):
            assert length(text.removesuffix(" …")) <= words
        assert bool(text) == bool(passage) or answer is quote


def test_budgets_are_used_where_there_is_enough_to_say() -> None:
    passage = long_talk()

    assert all(80 <= length(answer(passage, 100)) <= 100 for answer in (perspective, analysis, refinement))


def test_a_single_sentence_longer_than_the_budget_is_cut_between_words() -> None:
    assert perspective([Said("assistant", "I feel " + "very " * 50 + "calm.", "")], 4) == "I feel very very …"


def test_the_same_passage_gives_the_same_answers_in_every_process() -> None:
    script = (
        "from tests.rules.extract.test_answers import ANSWERS, TALK, long_talk\n"
        "print([ascii(answer(said, 50)) for said in (TALK, long_talk()) for answer in ANSWERS])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(told) == 1
    assert all(len(one) > 500 for one in told)


def test_an_empty_passage_gives_empty_answers() -> None:
    assert [answer([], 50) for answer in ANSWERS] == ["", "", "", ""]
