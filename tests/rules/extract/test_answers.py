"""The built-in engine's four answers, on passages of several languages and on odd ones."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.extract.answers import pick_quote, what_was_there, write_analysis, write_perspective
from rules.extract.frames import ENGLISH, FRENCH, spaced
from rules.extract.languages import TONGUES, Tongue, lead_in
from rules.extract.prose import Said
from rules.extract.quoting import said_lead
from rules.extract.sentences import is_fence
from rules.extract.words import length
from tests.rules.extract.refining import refinement

ANSWERS = (pick_quote, write_perspective, write_analysis, refinement)
_LEADS = "|".join(
    re.escape(lead)
    for frames in {tongue.frames for tongue in TONGUES}
    for lead in (frames.told, frames.answered, frames.person, frames.persona, frames.asked)
)
LEAD = re.compile(
    rf"(?m)^.{{0,40}}?(?:{_LEADS}|the person \w+:|the persona \w+:|I \w+ed(?: you)?:) ?",
    re.I,
)
"""The engine's own words before sentences."""

TALK = (
    Said(
        "user",
        "Hey Aria. I came back from Lisbon last night, my sister Marta drove me.",
        "2026-03-02",
    ),
    Said(
        "assistant",
        "Welcome back, Tom. I noticed that I kept circling around the line of Pessoa you left me with, as if it "
        "were a room I could not quite leave. I don't know whether that is longing. How is Marta?",
        "2026-03-02",
    ),
    Said(
        "user",
        "Fine! The surgery is on 14 April at 9:30. Dr. Ferreira, not Pereira as I said.",
        "2026-03-02",
    ),
    Said(
        "assistant",
        "I will remember it. Here is a list:\n\n```python\nprint('I feel, I fear, I hope, I love. I wonder.')\n```\n\n"
        "| I feel | I fear |\n|---|---|\n| I doubt | I dream |\n\n[image: I feel and I hope and I love it.]\n",
        "2026-03-02",
    ),
    Said("user", "I read all of it twice.", "2026-03-05"),
    Said(
        "assistant", "The list has two parts. Let me know if you have any questions.", "2026-03-05"
    ),
)


BREAD = (
    "The dough in the bowl rose slowly beside a bright fire. Warm dough in the bowl smells of beer and apples. "
    "Cold dough sleeps under a cloth in the bowl. Every baker pokes the dough with a finger before the oven."
)


def long_talk() -> list[Said]:
    """Forty messages about bread, with one promise in the middle."""
    said = []
    for number in range(20):
        said.append(
            Said(
                "user",
                f"The dough of batch {number} rose well, and the oven was hot enough.",
                "2026-01-01",
            )
        )
        reply = f"Bread like batch {number} wants patience. I enjoy how loaf {number * 7} of the oven rises."
        said.append(Said("assistant", reply, "2026-01-02"))
    said[21] = Said(
        "assistant",
        "The dough is fine. I promise to remind you to call Ottilie on 17 May.",
        "2026-01-02",
    )
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


def test_the_quote_says_most_of_the_passage_whoever_said_it() -> None:
    assert "The surgery is on 14 April at 9:30." in pick_quote(TALK, 60)
    feelings = "I feel uneasy about my harbour, and I doubt our old lighthouse."
    passage = [Said("user", "It rained again.", ""), Said("assistant", feelings, "")]
    assert pick_quote(passage, 60) == feelings


def test_the_quote_is_the_persons_where_the_persona_only_wrote_code() -> None:
    passage = [
        Said("assistant", "```\nI feel.\n```", ""),
        Said("user", "I feel it. The sun is warm today.", ""),
    ]

    assert pick_quote(passage, 20).startswith("I feel it.")


def test_words_beside_a_picture_are_quoted_without_it() -> None:
    assert pick_quote([Said("user", "[image] I feel it. [image] ", "")], 5) == "I feel it."


@given(MESSAGES, st.integers(5, 80))
def test_the_quote_is_always_verbatim_in_one_message_and_there_where_words_are(
    passage: list[Said], words: int
) -> None:
    found = pick_quote(passage, words)

    assert any(found in said.text for said in passage) or not passage
    assert bool(found) == any(
        mark.isalnum() for said in passage for mark in said.text.replace("[image]", "")
    )
    assert not any(is_fence(line) for line in found.splitlines())
    assert found == found.strip()
    assert length(found) <= words


@given(
    st.lists(
        st.sampled_from(
            [
                "I feel calm. ",
                "```\nI fear code.\n```\n",
                "\n| I fear | tables |\n",
                "\n[I fear a picture]\n",
            ]
        )
    )
)
def test_code_tables_and_placeholders_are_never_quoted_where_there_is_prose(
    parts: list[str],
) -> None:
    found = pick_quote([Said("assistant", "\n".join(["I feel calm.", *parts]), "")], 60)

    assert found
    assert "fear" not in found


def test_a_sentence_around_a_placeholder_is_not_quoted() -> None:
    text = "I feel and love and fear this [image: sea.png], I wonder. I am calm. See [the map](https://a.b) here."

    assert pick_quote([Said("assistant", text, "")], 60) == "I am calm."


def test_a_sentence_longer_than_the_quote_may_be_gives_its_beginning() -> None:
    passage = [Said("assistant", "I feel " + "very " * 50 + "calm", "")]

    assert pick_quote(passage, 10) == "I feel" + " very" * 8


@pytest.mark.parametrize(
    "code", ["\n```py\nx = 1\n```", "~~~\n\nx = 1", "> ```py\n\tx = 1\n", "\n\n    x = 1\n    y"]
)
def test_a_passage_of_code_alone_gives_its_first_line_with_words(code: str) -> None:
    found = pick_quote([Said("user", "```\n```", ""), Said("assistant", code, "")], 10)
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
        (["😀", "[image]", "😀", "..."],
         "We exchanged 4 messages: 2 of emoji alone, 1 of images alone and 1 of punctuation alone."),
    ],
)  # fmt: skip
def test_where_there_is_nothing_to_say_a_sentence_says_what_was_there(
    texts: list[str], told: str
) -> None:
    passage = [
        Said(("user", "assistant")[at % 2], text, "2026-03-02") for at, text in enumerate(texts)
    ]
    assert (write_perspective(passage, 25), write_analysis(passage, 25)) == (told, told)
    assert refinement(passage, 25, (told,)) == "Nothing more was said."


def test_the_perspective_is_what_the_persona_says_of_itself() -> None:
    assert write_perspective(TALK, 900).startswith("I noticed that I kept circling")
    assert "Let me know" not in write_perspective(TALK, 900)


def test_the_perspective_is_never_the_quote_again() -> None:
    quoted = "I don't know whether that is longing."

    assert quoted in write_perspective(TALK, 150)
    assert "longing" not in write_perspective(TALK, 150, [quoted])


def test_a_view_is_no_set_phrase_where_the_persona_says_something_of_itself() -> None:
    passage = [
        Said("assistant", "I know. I hope that the harbour keeps its old crane and its lamps.", ""),
        Said("assistant", "I'm here.", ""),
    ]
    view = write_perspective(passage, 900)
    assert view == "I hope that the harbour keeps its old crane and its lamps."


def test_a_name_that_begins_a_sentence_is_no_call() -> None:
    passage = [Said("user", "Cliff, thanks. Cliff, hello. Cliff heard a dog past lock nine.", "")]
    assert "Cliff heard a dog past lock nine." in refinement(passage, 7)


def test_a_view_has_three_lines_at_most() -> None:
    passage = [Said("assistant", f"I feel that the {word} is far away from me.", "")
               for word in ("heron", "tide", "mill", "orchard", "kiln")]  # fmt: skip
    assert len(write_perspective(passage, 900).splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            "Das Haus ist alt. Ich spüre, dass etwas fehlt. Der Tisch ist rot.",
            "Ich spüre, dass etwas fehlt.",
        ),
        ("Le train est là. Je sens une tristesse. La table est rouge.", "Je sens une tristesse."),
        (
            "El tren sale a las nueve. Siento que algo se va. La mesa es roja.",
            "Siento que algo se va.",
        ),
        ("O trem sai às nove. Sinto uma saudade. A mesa não é vermelha.", "Sinto uma saudade."),
        (
            "Il treno parte alle nove. Sento una nostalgia. Il tavolo è rosso.",
            "Sento una nostalgia.",
        ),
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
    assert write_perspective([Said("assistant", text, "")], 60) == own


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("The rain is what feeds the garden and the roof.", "I did not speak of myself here."),
        (
            "Der Regen ist gut für den Garten und das Dach.",
            "Von mir selbst habe ich hier nicht gesprochen.",
        ),
        ("これは猫です。それから寝ました。", "ここでは自分のことは話していない。"),
    ],
)
def test_a_persona_that_never_speaks_of_itself_says_so(text: str, nothing: str) -> None:
    assert (
        write_perspective(
            [Said("user", "I feel sad about rain.", ""), Said("assistant", text, "")], 40
        )
        == nothing
    )


def test_where_the_quote_is_all_that_a_persona_says_of_itself_it_said_no_more() -> None:
    own = "I feel calm when it rains."
    passage = [Said("assistant", f"The rain feeds the garden. {own}", "")]
    assert write_perspective(passage, 40, besides=[own]) == "I said no more about myself here."


def test_the_refinement_tells_with_the_day_what_the_person_said_before_the_answer() -> None:
    talk = [*TALK[:4], Said("user", "I read all of it twice.", "2026-03-05")]
    lines = refinement(talk, 400).splitlines()

    assert lines[0].startswith("On 2 March 2026 you told me: ")
    assert "I came back from Lisbon last night" in lines[0]
    assert lines[1].startswith("I answered: ")
    assert "I noticed that I kept circling" in lines[1]
    assert lines[2] == "On 5 March you told me: I read all of it twice."


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (
            "Meine Schwester Ilse ist nicht mehr in Kiel, und das ist gut.",
            "2. März 2026: du hast mir gesagt: ",
        ),
        ("Ma sœur Ilse est partie pour Lille avec une valise.", "2 mars 2026 : tu m’as dit : "),
        ("Mi hermana Ilse no está en la casa de los abuelos.", "2 de marzo de 2026: me dijiste: "),
        ("Моя сестра не на даче, и это так.", "2 марта 2026: твои слова: "),
        ("我们没有一个可以说的时候，因为姐姐搬走了。", "2026年3月2日，你对我说："),
        ("姉は引っ越しました。それから電話がない。", "2026年3月2日、あなたは私に言った："),
        ("أختي ليست في البيت لكن هي على السفر.", "2 مارس 2026: قلت لي: "),
    ],
)
def test_the_refinement_speaks_the_language_of_the_conversation(text: str, head: str) -> None:
    assert refinement([Said("user", text, "2026-03-02")], 60) == head + text


def test_the_analysis_reports_what_was_said_where_nothing_was_asked() -> None:
    told = write_analysis(TALK, 300)

    assert told.startswith("The person said: ")
    assert "Let me know" not in told


def test_names_dates_and_numbers_are_kept() -> None:
    analysed = write_analysis(TALK, 300)
    kept = analysed + refinement(TALK, 300, (analysed,))

    assert "14 April at 9:30" in kept
    assert "Ferreira" in kept


def test_an_answer_in_a_word_is_told_with_its_question() -> None:
    passage = [
        Said("user", "We had a fight on Saturday.", "2026-04-18"),
        Said("assistant", "I am sorry. Fists or words?", "2026-04-18"),
        Said("user", "Words. Then a bin.", "2026-04-18"),
    ]
    told = "(I asked: Fists or words?) Words. Then a bin."
    assert told in refinement(passage, 60)


def test_a_short_sentence_in_everyday_words_outlasts_long_ones() -> None:
    passage = [Said("user", f"{BREAD} He went. {BREAD}".replace("bread", "loaf"), "")]
    assert "He went." in refinement(passage, 24)


def test_the_persons_questions_in_a_talk_give_way_to_what_is_told() -> None:
    passage = [
        Said("user", "Do you like the pier of Mallaig in rain? The mast of the Morag broke.", ""),
        Said("assistant", "I do.", ""),
    ]
    assert refinement(passage, 9) == "You told me: The mast of the Morag broke."


def test_a_promise_among_forty_messages_survives() -> None:
    passage = long_talk()

    both = write_analysis(passage, 120) + refinement(passage, 120)

    assert "I promise to remind you to call Ottilie on 17 May." in both


def test_the_analysis_takes_the_sentence_with_names_and_numbers_first() -> None:
    passage = [Said("user", f"{BREAD} We paid Ottilie 340 euros on 17 May for it.", "")]

    assert (
        write_analysis(passage, 94)
        == "The person said: We paid Ottilie 340 euros on 17 May for it."
    )


def test_what_the_person_said_comes_before_what_the_persona_said_as_well() -> None:
    passage = [
        Said("assistant", "Marta bought seven lemons.", ""),
        Said("user", "Tom sold eleven pears.", ""),
    ]

    assert refinement(passage, 4) == "You told me: Tom sold eleven pears."


def test_a_persona_that_tells_of_its_own_life_has_more_room_than_one_that_listens() -> None:
    places = (
        "mill",
        "quay",
        "barn",
        "well",
        "pier",
        "kiln",
        "lock",
        "weir",
        "dune",
        "cove",
        "ford",
        "hall",
    )
    person = [Said("user", f"My goat ate the {place} ledger and our hats.", "") for place in places]

    def share(reply: str) -> float:
        replies = [Said("assistant", reply.format(place.upper() * 2), "") for place in places]
        told = refinement([*person, *replies], 120)
        return length(told.partition("I answered: ")[2]) / length(told)

    assert share("My aunt rows past {} with our geese.") > 0.35
    assert share("Geese and rowing aunts go past {} often.") < 0.25


def test_a_reaction_gives_way_to_what_is_told() -> None:
    told = "The ferry to Skye was full of sheep on Tuesday."
    passage = [Said("user", f"Wow, Calum, that ferry must have been amazing! {told}", "")]
    assert refinement(passage, 12) == f"You told me: {told}"


@pytest.mark.parametrize(
    "text", ["Benign.", "She knew.", "Thank you!", "What's up?", "Two rows, then: eleven."]
)
def test_nothing_that_the_person_says_is_shut_out(text: str) -> None:
    passage = [PLAIN, Said("assistant", "The ferry is small.", ""), Said("user", text, "")]
    assert text in refinement(passage, 400)


def test_the_beginning_of_a_long_quotation_is_kept_and_closed() -> None:
    more = "It rained on the slates and on the hens and on the gate. " * 6
    told = 'He said "I needed the money for the headstone.'
    passage = [Said("user", f'{told} {more}And that was all."', "")]
    assert refinement(passage, 12) == f'You told me: {told}"'


def test_a_quotation_of_several_sentences_is_kept_whole() -> None:
    note = 'There was a note: "For the box. Don\'t let them sell you brass handles."'
    assert note in refinement([Said("user", f"Dad had a tin. {note}", "")], 60)


def test_every_stretch_of_a_long_passage_has_its_part() -> None:
    days = [f"2026-01-{day:02d}" for day in range(1, 29)]
    passage = [
        Said(
            "user",
            " ".join(
                f"On {day} the {word}{number} met a {word}{number + 1}." for number in range(60)
            ),
            day,
        )
        for word, day in zip(
            ("alder", "birch", "cedar", "elder", "fir", "hazel", "ivy", "larch", "maple", "oak"),
            days,
            strict=False,
        )
    ]

    told = refinement(passage, 400)
    assert all(
        f"\nOn {int(said.date[-2:])} January you told me: " in told for said in passage[4::4]
    )
    assert told.startswith("On 1 January 2026 you told me: ")


def test_with_little_room_a_long_passage_keeps_a_long_sentence_that_says_much() -> None:
    small_talk = " ".join(f"We spoke of the weather on day {number}." for number in range(200))
    plan = (
        "The ferry to Kettle Bay leaves on 4 May at 07:40 with Ilse, Tom, both bicycles, the oak "
        "table, nine crates of pears, the barometer that Ottilie lent us, and our old dog Bramble."
    )
    passage = [Said("user", text, "") for text in (*[small_talk] * 5, plan, *[small_talk] * 5)]

    assert plan in refinement(passage, 60)


def test_what_was_said_before_the_passage_counts_less() -> None:
    passage = [Said("user", "A heron landed on Sunday. The kettle boiled over twice.", "")]

    assert "heron" in refinement(passage, 13)
    assert "kettle" in refinement(passage, 13, (), [Said("user", "A heron landed on Sunday.", "")])


def test_a_detail_in_passing_outlasts_a_whole_talk_about_something_else() -> None:
    dough = [
        Said("user", f"The dough of batch {number} rose well in the hot oven of the bakery.", "")
        for number in range(10, 60)
    ]
    passage = [*dough, Said("user", "Otherwise nobody forgot Ottilie.", ""), *dough]

    assert "Ottilie" in refinement(passage, 60)


def test_the_refinement_does_not_say_again_what_was_said() -> None:
    before = (pick_quote(TALK, 40), write_perspective(TALK, 500))

    assert "circling" in before[0] + before[1]
    assert "circling" not in refinement(TALK, 300, before)


def test_the_refinement_repeats_rather_than_say_nothing() -> None:
    passage = [Said("assistant", "I promise to write.", "")]

    assert refinement(passage, 20, ("I promise to write.",)) == "I answered: I promise to write."


@given(MESSAGES, st.integers(20, 80))
def test_no_answer_has_the_form_of_a_transcript_or_markup(passage: list[Said], words: int) -> None:
    for answer in (write_perspective, write_analysis, refinement):
        text = answer(passage, words)

        assert not re.search(r"(?m)^(?:\d{4}-\d\d-\d\d, )?(?:user|assistant): ", text)
        assert "**" not in text
        assert "`" not in text


@given(MESSAGES, MESSAGES, st.integers(5, 80))
def test_a_line_that_was_said_before_is_quoted_only_where_nothing_else_is_left(
    before: list[Said], passage: list[Said], words: int
) -> None:
    found = pick_quote(passage, words, before)

    fresh = [said for said in passage if said.role == "assistant" and "I feel it." in said.text]
    if fresh and not any("I feel it." in said.text for said in before) and found:
        assert not any(found in said.text for said in before)


@given(MESSAGES, st.integers(5, 80))
def test_every_answer_keeps_its_budget_and_says_something(passage: list[Said], words: int) -> None:
    for answer in ANSWERS:
        text = answer(passage, words)

        if text != what_was_there(passage):
            assert length(LEAD.sub("", text).removesuffix(" …")) <= words
        assert bool(text) == bool(passage) or answer is pick_quote


def test_budgets_are_used_where_there_is_enough_to_say() -> None:
    passage = long_talk()

    assert 10 <= length(write_analysis(passage, 200)) <= 20
    assert 80 <= length(LEAD.sub("", refinement(passage, 100))) <= 100


def test_a_single_sentence_longer_than_the_budget_is_cut_between_words() -> None:
    text = "I feel that the sea is what it was, " + "very " * 50 + "calm."

    assert write_perspective([Said("assistant", text, "")], 4) == "I feel that the …"


@pytest.mark.full
def test_the_same_passage_gives_the_same_answers_in_every_process() -> None:
    script = (
        "from tests.rules.extract.test_answers import ANSWERS, TALK, long_talk\n"
        "print([ascii(answer(said, 50)) for said in (TALK, long_talk()) for answer in ANSWERS])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(told) == 1
    assert all(len(one) > 500 for one in told)


def test_an_empty_passage_gives_empty_answers() -> None:
    assert [answer([], 50) for answer in ANSWERS] == ["", "", "", ""]


LIGHTS = ("Neist", "Ardnamurchan", "Rua Reidh", "Barra Head", "Skerryvore", "Dubh Artach")
PLAIN = Said(
    "user", "Can you plan the crossing to Skye for me? The ferry leaves at 7:40.", "2026-03-02"
)


@pytest.mark.parametrize(
    ("reply", "lead"),
    [
        (
            "The ferry is small. You should book it before the school holidays begin.",
            "I advised you: ",
        ),
        ("The ferry is small. I'll check the timetable again on 3 April.", ""),
        (
            "The ferry is small. Correction, the pier at Mallaig is closed in March.",
            "I corrected: ",
        ),
    ],
)
def test_a_view_without_the_personas_states_says_what_it_answered_for(
    reply: str, lead: str
) -> None:
    passage = [PLAIN, Said("assistant", reply, "2026-03-02")]
    said = reply.partition(". ")[2]
    assert write_perspective(passage, 60) == lead + said


@pytest.mark.parametrize(
    "reply",
    [
        "Here's how you can book the ferry to Skye in March.",
        "Below is a list of what you should pack for Skye.",
        "Voici comment tu pourrais traverser vers Skye, et tu devrais lire ça.",
    ],
)
def test_what_only_says_that_something_follows_is_no_advice(reply: str) -> None:
    passage = [PLAIN, Said("assistant", reply, "2026-03-02")]
    assert write_perspective(passage, 60) in (frames.nothing for frames in (ENGLISH, FRENCH))


def test_the_analysis_is_what_the_person_asked_for() -> None:
    passage = [
        Said("user", "The pier at Mallaig was wet.", "2026-03-02"),
        Said("assistant", "The ferry to Skye is small and grey.", "2026-03-02"),
        PLAIN,
    ]
    assert (
        write_analysis(passage, 80) == "The person asked: Can you plan the crossing to Skye for me?"
    )


def test_the_analysis_leaves_what_was_told_to_the_memory() -> None:
    told = "Calum painted the hull of the Morag red on 3 March."
    passage = [Said("user", f"{told} Can you plan the crossing to Skye for me?", "2026-03-04")]
    analysed = write_analysis(passage, 300)
    assert told not in analysed
    assert told in refinement(passage, 200, (analysed,))


def test_a_wish_that_the_memory_has_apart_is_not_in_its_analysis() -> None:
    wish = "I would prefer short answers about Skye."
    passage = [Said("user", f"Can you plan the crossing to Skye for me? {wish}", "2026-03-04")]
    assert wish in write_analysis(passage, 300)
    assert wish not in write_analysis(passage, 300, (wish,))


@pytest.mark.parametrize(
    "formula",
    [
        "This plan looks solid!", "Enjoy the crossing!", "By following these steps, you can reach Skye.",
        "It is essential to plan ahead.", "Overall, it is a great choice.",
    ],
)  # fmt: skip
def test_courtesies_and_formulas_are_last(formula: str) -> None:
    passage = [PLAIN, Said("assistant", f"The ferry is small and grey. {formula}", "2026-03-02")]
    for answer in ANSWERS:
        assert formula not in answer(passage, 25)


@pytest.mark.parametrize(
    "judged",
    [
        "Crossing to Skye with Calum is a great idea.",
        "By packing the ropes, the charts and the flares of Calum, you can leave early.",
    ],
)
def test_a_judgement_that_names_its_matter_is_kept(judged: str) -> None:
    person = Said("user", "I want to cross to Skye with my brother Calum on Friday.", "2026-03-02")
    assert judged in refinement([person, Said("assistant", judged, "2026-03-02")], 200)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("- **The boat**: Ask Calum for the oars of the old boat.", "Ask Calum for the oars of the old boat."),
        ("- What would Calum say about the oars of the old boat?", ""),
        ("- The oars and the sail of the old boat from Calum", ""),
        ("- Dry the oars for 14 days.", ""),
    ],
)  # fmt: skip
def test_of_a_list_whole_sentences_are_kept_that_name_what_the_person_named(
    line: str, kept: str
) -> None:
    person = Said("user", "I want to cross to Skye with my brother Calum on 14 May.", "2026-03-02")
    told = refinement([person, Said("assistant", f"Some steps:\n{line}", "2026-03-02")], 200)
    assert told.endswith(f"I answered: {kept}") if kept else "oars" not in told


def test_a_word_that_the_person_also_writes_small_is_no_name() -> None:
    person = Said("user", "We saw The Keeper at Oban, and the sea was grey and wide.", "2026-03-02")
    item = Said("assistant", "Some steps:\n- Fold the sheets before breakfast.", "2026-03-02")
    assert "sheets" not in refinement([person, item], 200)


@pytest.mark.parametrize(
    ("before", "leaning"),
    [
        (
            "My brother Calum mended the hull.",
            "He used tar from Portree, cedar, rope and 40 nails.",
        ),
        (
            "We wanted to sail on Friday.",
            "But the harbour of Mallaig was closed by a storm from Uist.",
        ),
        ("Wir wollten am Freitag segeln.", "Aber der Hafen von Mallaig war wegen Sturm gesperrt."),
        ("Nous voulions partir vendredi.", "Mais le port de Mallaig est fermé pour la tempête."),
        ("Мы хотели выйти в пятницу.", "Но порт Маллейг закрыт из-за шторма, и это надолго."),
        ("The hull leaks at Portree.", "Would Calum's tar help with this?"),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_it_is_kept_with_it(
    before: str, leaning: str
) -> None:
    told = refinement([Said("user", f"{before} {leaning}", "2026-03-02")], 60)
    assert f"{before} {leaning}" in told
    assert leaning not in refinement(
        [Said("user", f"{before} {leaning}", "")], int(length(leaning)) + 1
    )
    assert leaning in refinement([Said("user", leaning, "")], 60)


def test_a_quote_that_leans_on_what_is_not_quoted_gives_way_to_the_persons_words() -> None:
    passage = [
        Said("user", "My brother Calum mended the hull with tar from Portree.", "2026-03-02"),
        Said("assistant", "Good tar.\n\nThis makes your boat from Portree easier to mend.", ""),
    ]
    assert pick_quote(passage, 60) == passage[0].text


@pytest.mark.parametrize("tongue", TONGUES, ids=lambda tongue: tongue.frames.said)
def test_the_lead_of_the_persons_words_is_found_again_in_every_language(tongue: Tongue) -> None:
    lead = spaced(tongue.frames.said)
    assert lead
    assert lead_in(f"{lead}The ferry leaves at 7:40.") == lead
    assert lead_in("The ferry leaves at 7:40.") == ""


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("The boat was late and I was not there with it.", "You said: "),
        ("Das Boot war spät, und ich bin nicht mit der Fähre gefahren.", "Du hast gesagt: "),
        ("船晚了，因为我们没有赶上，所以我不知道什么时候到。", "你说："),
    ],
)
def test_the_lead_speaks_the_language_of_the_conversation(text: str, lead: str) -> None:
    assert said_lead([text]) == lead


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I leave for Skye at noon\n\nCalum stays in Oban.", "I leave for Skye at noon. Calum stays in Oban."),
        ("- the oars of the Morag\n- a new sail for Calum", "the oars of the Morag; a new sail for Calum."),
        ("I wrote this for Calum, who asked for a longer list of the things to pack in Oban:\n\n```\nlist\n```",
         "I wrote this for Calum, who asked for a longer list of the things to pack in Oban: …"),
        ("我和卡勒姆明天早上去奥本坐船", "我和卡勒姆明天早上去奥本坐船。"),
        ("Calum asks for Mallaig, not Oban. It rained. Calum asks for Mallaig, not Oban.",
         "Calum asks for Mallaig, not Oban. It rained."),
    ],
)  # fmt: skip
def test_what_has_no_stop_gets_one_and_nothing_is_told_twice(text: str, told: str) -> None:
    assert refinement([Said("user", text, "")], 200).partition(told)[1:] == (told, "")


def test_a_request_that_names_nothing_gives_way_to_one_that_does() -> None:
    passage = [
        Said("user", "Does that work? Can you review it and suggest any improvements?", "2026-03-02"),
        Said("user", "Which boat from Mallaig would Calum take on 14 May?", "2026-03-02"),
    ]  # fmt: skip
    assert (
        write_analysis(passage, 80)
        == "The person asked: Which boat from Mallaig would Calum take on 14 May?"
    )


@pytest.mark.parametrize(
    "told",
    ['I said "I\'d like to be there" since we live at the same pier.',
     "I set up the mast for Calum, but I'm not sure if I need to add a stay."],
)  # fmt: skip
def test_what_the_person_says_of_a_wish_is_none(told: str) -> None:
    passage = [Said("user", told, ""), PLAIN]
    assert told not in write_analysis(passage, 200)


def test_what_only_says_what_comes_next_is_not_quoted() -> None:
    reply = "Let's plan your crossing to Skye. Your boat of 7:40 to Skye is full."
    assert (
        pick_quote([PLAIN, Said("assistant", reply, "")], 10)
        == "Your boat of 7:40 to Skye is full."
    )


def test_a_memory_of_which_all_is_said_elsewhere_says_some_of_it_again() -> None:
    asked = "Can you plan the crossing to Skye for Calum on Friday, with the boat of 7:40?"
    passage = [Said("user", asked, "")]
    assert refinement(passage, 200, [asked]) == f"You told me: {asked}"
    other = Said("user", "Which pier does the Morag leave from on Friday?", "")
    assert asked not in refinement([*passage, other], 200, [asked, f"- {asked}"])


def test_a_sentence_that_is_too_long_is_cut_behind_a_clause_where_one_ends() -> None:
    clauses = "I row to Skye with Calum, and then to Mull, " * 3 + "and " + "on and on " * 9
    assert refinement([Said("user", clauses, "")], 30).endswith(", I row to Skye with Calum …")
    endless = "I row to Skye with Calum " + "and to Mull " * 30
    assert refinement([Said("user", endless, "")], 30).startswith(f"You told me: {endless[:80]}")
