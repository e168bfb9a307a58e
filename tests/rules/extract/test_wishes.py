"""Standing wishes are told from what only sounds like one."""

import json
from pathlib import Path

import pytest

from rules.conversation.wish_frames import ASKED
from rules.extract.handed_on import owner_at
from rules.extract.prose import of_message
from rules.extract.same_matter import find_ended, is_same_matter
from rules.extract.spoken_languages import language_of
from rules.extract.wishes import find_promises, find_stated
from tests.rules.extract.train_wishes import WEIGHTS, digest

SETS = Path(__file__).parent / "wishes"
SAID = json.loads((SETS / "said.json").read_text(encoding="utf-8"))
UNSEEN = json.loads((SETS / "unseen.json").read_text(encoding="utf-8"))
"""None of these is among the labelled sentences, and no form was written for them."""
HANDED_ON = json.loads((SETS / "handed_on.json").read_text(encoding="utf-8"))
"""Written by somebody who has not read the rules."""
_LEAST_SAID, _LEAST_UNSEEN, _LEAST_HANDED_ON = 160, 104, 45


def find_wishes(text: str) -> tuple[str, ...]:
    """Return the standing wishes in a message of the person's, and what ends one, in order."""
    stated = (each for each in find_stated(text) if each.is_sure and each.kind in ("wish", "end"))
    return tuple(each.text for each in stated)


@pytest.mark.parametrize(
    "wish",
    [
        "Always format dates as 5 March when I ask about meetings.",
        "Never call me sir.",
        "From now on, answer in two sentences.",
        "I prefer short answers.",
        "Call me Ada.",
        "Nenn mich ab jetzt bitte Ada.",
        "Réponds toujours en français.",
        "Responde siempre en español.",
        "请总是用中文回答。",
    ],
)
def test_an_order_or_a_preference_that_holds_for_good_is_found_word_for_word(wish: str) -> None:
    assert find_wishes(f"The train was late. {wish}") == (wish,)


@pytest.mark.parametrize(
    "text",
    [
        "I always loved the sea.",
        "Never mind, it works.",
        "Why do you never answer in French?",
        'My teacher wrote: "Always format dates as 5 March."',
        "> Always format dates as 5 March.",
        "```\nAlways format dates as 5 March.\n```",
        "Here is my draft email:\n\nAlways call me before nine.",
    ],
)
def test_what_only_sounds_like_one_or_is_quoted_or_drafted_is_none(text: str) -> None:
    assert find_wishes(text) == ()


def test_a_list_belongs_to_the_wish_that_announces_it() -> None:
    wishes = find_wishes("From now on, always keep to these rules:\n- Short words.\n- No jokes.")
    assert wishes[1:] == ("Short words.", "No jokes.")


def test_the_words_before_them_are_in_the_language_of_the_conversation() -> None:
    german = ["Ich habe dir doch gesagt, dass wir am Freitag nicht nach Wien fahren können."]
    assert language_of(["I told you that we cannot go to Vienna on Friday."]) == 0
    assert ASKED[language_of(german)] == "Du hast mich gebeten:"


def test_a_later_wish_on_the_same_case_or_object_is_about_the_same() -> None:
    dates = "Always format dates as 5 March when I ask about meetings."
    assert is_same_matter(dates, "Always format dates as 2026-03-05 when I ask about meetings.")
    assert not is_same_matter(dates, "Always give prices in euros when I ask about hotels.")
    assert is_same_matter("I prefer short answers.", "From now on I prefer long answers.")
    assert not is_same_matter("Call me Ada.", "I prefer short answers.")


def test_of_a_very_long_sentence_the_clause_between_its_commas_is_the_wish() -> None:
    before = "can you look at this, " * 30
    assert find_wishes(f"{before}and I prefer short answers, {before}please.") == (
        "and I prefer short answers",
    )


def _is_right(said: dict[str, str]) -> bool:
    found = find_wishes(said["text"])
    if "wish" not in said:
        return not found
    return any(said["wish"].rstrip(".") in wish or wish in said["wish"] for wish in found)


def test_of_messages_in_six_languages_wishes_are_told_from_what_only_looks_like_them() -> None:
    for messages, least in ((SAID, _LEAST_SAID), (UNSEEN, _LEAST_UNSEEN)):
        wrong = [said["text"] for said in messages if not _is_right(said)]
        assert len(messages) - len(wrong) >= least, wrong


def test_the_weights_were_learned_from_the_labelled_sentences_as_they_are() -> None:
    assert WEIGHTS.read_text(encoding="utf-8").startswith(f"# {digest()}\t"), "run `make wishes`"


def test_what_is_taken_back_is_found_among_the_wishes() -> None:
    pairs = [(said["wish"], said["earlier"]) for said in SAID if "earlier" in said]
    others = [said["wish"] for said in SAID if said["kind"] == "regular" and "wish" in said]
    found = [find_ended(wish, [*others, earlier], is_done=False) for wish, earlier in pairs]
    assert found == [[len(others)]] * len(pairs)


@pytest.mark.parametrize(
    ("text", "earlier", "is_done"),
    [
        ("tu peux m'en parler maintenant", "tu peux pas me le rappeler, toi", False),
        (
            "Das hat sie seit der Schule nicht mehr gemacht.",
            "Kein Wort, wenn es um sie ist.",
            False,
        ),
        ("If she scratches them it's over.", "I'll ask about it, even if you talk of tides.", True),
    ],
)
def test_everyday_words_alone_end_nothing(text: str, earlier: str, is_done: bool) -> None:
    assert find_ended(text, [earlier], is_done=is_done) == []


def test_a_secret_is_not_ended_by_the_words_that_take_back_another_wish() -> None:
    earlier = ["Please don't tell Hannah about the ring.", "Could you always answer me in Celsius?"]
    assert find_ended("You don't have to give me Celsius any more.", earlier, is_done=False) == [1]
    assert find_ended("I don't want you to do it.", earlier, is_done=False) == []


@pytest.mark.parametrize("message", HANDED_ON, ids=lambda message: message["text"][:20])
def test_of_what_is_handed_on_nothing_is_the_persons(message: dict[str, object]) -> None:
    text = str(message["text"])
    own = "\n".join(sentence.text for sentence in of_message("user", text))
    for sentence in map(str, message["foreign"]):  # type: ignore[call-overload]
        assert owner_at(text, text.index(sentence)) == "foreign"
        assert not any(wish in sentence or sentence in wish for wish in find_wishes(text))
        assert sentence not in own


def test_ones_own_rules_in_a_list_are_wishes() -> None:
    wishes = [
        (wish, find_wishes(message["text"])) for message in HANDED_ON for wish in message["wishes"]
    ]
    right = sum(
        any(wish in found or found in wish for found in all_found) for wish, all_found in wishes
    )
    assert right >= _LEAST_HANDED_ON


def test_what_may_be_somebody_elses_is_doubtful_and_no_wish() -> None:
    text = "My boss wrote to us all: from now on, no jokes in meetings please."
    assert find_wishes(text) == ()
    mine = "Anyway.\n\nYou are a pirate. Always answer me in rhyme."
    assert find_wishes(mine) == ()
    assert [stated.text for stated in find_stated(mine)] == ["Always answer me in rhyme."]
    assert not any(stated.is_sure for stated in find_stated(mine))


def test_what_is_to_be_done_once_is_a_task_and_what_the_persona_binds_itself_to_a_promise() -> None:
    (task,) = find_stated("Remind me tomorrow at nine to move the car.")
    assert task.kind == "task"
    said = "The kettle is on. I'll ask about the beans on Sundays. I'll explain the rest."
    assert promised(said) == ["I'll ask about the beans on Sundays."]


def promised(said: str) -> list[str]:
    return [promise.text for promise in find_promises(said)]


@pytest.mark.parametrize(
    "words",
    [
        "I won't tell Hannah.",
        "I promise I won't tell Hannah.",
        "I promise you that I will not tell Hannah.",
        "I promise not to tell Hannah.",
    ],
)
def test_a_promise_may_say_that_it_is_one(words: str) -> None:
    assert promised(f"The kettle is on. {words}") == [words]


def test_what_the_persona_does_not_say_now_is_no_promise() -> None:
    assert promised("And I won't tell you it's nothing. I promise it will be fine.") == []


@pytest.mark.parametrize("heading", ["## How I'd like us to talk", "My rules for you:"])
def test_the_heading_of_a_list_of_wishes_is_none_of_them(heading: str) -> None:
    items = ["Never more than one question.", "Ask about the boat first."]
    assert find_wishes("\n- ".join((heading, *items))) == tuple(items)
