"""What makes a sentence matter: its words, the persona's states, its names and numbers."""

import pytest

from rules.extract.languages import TONGUES, UNKNOWN, Tongue, spoken
from rules.extract.sentences import terms
from rules.extract.weights import Said, Sentence, centrality, details, inwardness, prose, rarity


def heard(*texts: str) -> tuple[Sentence, ...]:
    return prose([Said("assistant", text, "") for text in texts])


def english() -> Tongue:
    return spoken(terms("this is what it was and that is the way of it"), TONGUES)


def test_a_sentence_that_shares_the_passages_words_is_central() -> None:
    said = heard("The garden needs rain.", "Rain fell on the garden.", "The garden drank the rain.", "Buy two screws.")

    weights = centrality(said, rarity(said))

    assert min(weights[:3]) > weights[3]


def test_central_weights_lie_between_nothing_and_one() -> None:
    said = heard("One word.", "One word.", "Another thing entirely.")

    assert all(0 <= weight <= 1 for weight in centrality(said, rarity(said)))


def test_ones_own_states_weigh_more_than_mere_mention_of_oneself() -> None:
    said = heard("I feel strangely afraid of the door.", "I put the key under the door today.", "The door is blue.")

    states, mention, nothing = inwardness(said, english())

    assert states > mention > nothing == 0


def test_the_states_of_others_are_not_ones_own() -> None:
    assert inwardness(heard("She feels afraid and sad."), english()) == [0.0]


def test_a_courtesy_is_no_state_of_mind() -> None:
    courtesy, state = inwardness(heard("Let me know if you have questions.", "I wonder who knocked."), english())

    assert courtesy == 0 < state


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
    assert spoken(terms(text), TONGUES) is TONGUES[place]


def test_a_language_outside_the_table_is_unknown() -> None:
    assert spoken(terms("ሰላም እንዴት ነህ ዛሬ ጥሩ ነው"), TONGUES) is UNKNOWN


def test_names_dates_and_numbers_count_as_details() -> None:
    plain, name, date = details(heard("The weather is quite nice.", "We met Marta there.", "It is due 14 May 2026."))

    assert plain == 0 < name < date


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    title, small = details(heard("We talk about Design today.", "We like good design."))

    assert title == small == 0


def test_german_nouns_tell_less_than_english_names() -> None:
    german = details(heard("Das Haus am Fluss hat einen Garten.", "Der Hund im Garten sieht Marta."))
    english = details(heard("The house by the river has a garden.", "The dog in the garden sees Marta."))

    assert german[1] / 3 < english[1]
