"""What makes a sentence matter: its words, the persona's states, and whose voice it is."""

import pytest

from rules.extract.languages import TONGUES, UNKNOWN, Tongue, find_tongue_of
from rules.extract.prose import Said, Sentence, of_message
from rules.extract.weights import measure_inwardness, read_passage


def heard(*texts: str) -> tuple[Sentence, ...]:
    return tuple(sentence for text in texts for sentence in of_message("assistant", text))


def english() -> Tongue:
    return find_tongue_of(["this is what it was and that is the way of it"])


def test_what_comes_up_again_and_what_is_taken_up_weighs_more_and_a_known_word_less() -> None:
    said = "The garden needs rain. The garden drank. The garden sleeps. Snow fell."
    passage = [Said("user", said, ""), Said("assistant", "Snow!", "")]

    weights = read_passage(passage, [Said("user", "It drank.", "")]).weights

    assert (
        weights["snow"] > weights["garden"] > weights["rain"] == weights["sleeps"] > weights["the"]
    )
    assert weights["drank"] < weights["rain"]


def test_ones_own_states_weigh_more_than_mere_mention_of_oneself() -> None:
    said = heard(
        "I feel strangely afraid of the door.",
        "I put the key under the door today.",
        "The door is blue.",
    )

    states, mention, nothing = measure_inwardness(said, english())

    assert states > mention > nothing == 0


def test_the_states_of_others_are_not_ones_own() -> None:
    assert measure_inwardness(heard("She feels afraid and sad."), english()) == [0.0]


def test_a_courtesy_is_no_state_of_mind() -> None:
    courtesy, state = measure_inwardness(
        heard("I am happy to help you.", "I wonder who knocked."), english()
    )

    assert courtesy == 0 < state


@pytest.mark.parametrize(
    "formula",
    [
        "Feel free to ask if anything is unclear!", "I hope this helps.", "Sure, here is a plan for you.",
        "Would you like me to go on?", "Melde dich gerne, wenn etwas unklar ist.", "Viel Erfolg dabei!",
        "N'hésitez pas à me poser des questions.", "Avísame si necesitas algo más.",
        "Обращайтесь, если что-то непонятно.", "如果你有任何问题，请随时告诉我。", "お気軽にご質問ください。",
        "لا تتردد في السؤال.",
    ],
)  # fmt: skip
def test_formulas_are_known_in_many_languages(formula: str) -> None:
    assert all(sentence.courteous for sentence in of_message("assistant", formula))


@pytest.mark.parametrize(
    "line",
    [
        "I noticed that I kept circling around that line.", "I missed you while you were in Cork.",
        "Ich habe gemerkt, wie sehr mich das berührt.", "Je sens une tristesse que je ne sais pas nommer.",
        "Siento que algo se va contigo.", "Я чувствую грусть.", "我感到有些难过。", "私は寂しさを感じています。",
        "أشعر بحزن لا أعرف اسمه.",
    ],
)  # fmt: skip
def test_what_a_persona_feels_is_no_formula(line: str) -> None:
    assert not any(sentence.courteous for sentence in of_message("assistant", line))


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I thought of you. Then it rained.", ["I thought of you.", "Then it rained."]),
        ("I wrote this for you:\n\nDear Mr. Weaver,\n\nI resign today.\n\nBest regards,\nTom\n\nIt was hard to write.",
         ["It was hard to write."]),
        ("Here is a tale:\n\nOnce I was a whale. I sang.", []),
        ("I looked.\n\n## What I saw\n\nThe sea was grey.\n\n- I saw gulls.\n\nI liked it.",
         ["I looked.", "I liked it."]),
        ("> I am a quotation.\n\nI am myself.", ["I am myself."]),
        ("“I am somebody else.”\n\nI am myself.", ["I am myself."]),
        ("---\n\nI rest.", ["I rest."]),
    ],
)  # fmt: skip
def test_ones_own_voice_stands_before_and_behind_what_was_drafted(
    text: str, own: list[str]
) -> None:
    assert [sentence.text for sentence in of_message("assistant", text) if sentence.own] == own


def test_a_sentence_is_read_without_its_markup() -> None:
    (sentence,) = of_message(
        "user", "- **Budget:** see [the plan](https://a.b/c), it is 2*3*4 in `total_sum` *now*."
    )

    assert sentence.text == "Budget: see the plan, it is 2*3*4 in total_sum now."


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("The cat is on the mat and it was there for you", 0),
        ("Die Katze ist nicht auf dem Dach und das ist gut", 1),
        ("Le chat est dans la maison avec une souris", 2),
        ("El gato no está en la casa y los niños lo buscan", 3),
        ("O gato não está em casa e os meninos não sabem de você", 4),
        ("Il gatto non è in casa e la pioggia con il vento", 5),
        ("Кот не на крыше, но он был там, и это так", 6),
        ("Кіт не на даху, але він був там, і це так", 7),
        ("Kot nie jest na dachu, ale był tam i to jest dobre", 8),
        ("Kedi evde değil ama bu bir oyun gibi ve çok güzel", 9),
        ("القط ليس في البيت لكن هو على السطح", 10),
        ("बिल्ली घर में नहीं है और वह छत पर है", 11),
        ("我们没有一个可以说的时候，因为这个不是什么", 12),
        ("これは猫です。それから寝ました。", 13),
    ],
)
def test_each_language_of_the_table_is_told_by_its_everyday_words(text: str, place: int) -> None:
    assert find_tongue_of([text]) is TONGUES[place]


def test_a_language_outside_the_table_is_unknown() -> None:
    assert find_tongue_of(["ሰላም እንዴት ነህ ዛሬ ጥሩ ነው"]) is UNKNOWN
