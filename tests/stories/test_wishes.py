"""A person's standing wishes: word for word in their memories, whoever writes, and through folds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chats import texts
from tests.stories.rounds import ENGINE, Life, life
from tests.stories.test_page import Browser
from tests.typingmind import strip_markers

pytestmark = pytest.mark.timeout(300)
FOLD = "budget = 1000"
DATES = "Always format dates as 5 March when I ask about meetings."
NEWER = "Always format dates as 2026-03-05 when I ask about meetings."
NAME = "Never call me sir."
WISHES = (DATES, NAME, NEWER)


@pytest.fixture
def aria(tmp_path: Path) -> Iterator[Life]:
    """A life whose person has stated three wishes in the part that is compressed."""
    with life(tmp_path / "aria", memory="hindsight = 0", fold=FOLD) as aria:
        aria.talk(9_000)
        for at, wish in zip((4, 20, 40), WISHES, strict=True):
            aria.device.edit(aria.chat_id, at, f"The fog came in at noon. {wish} Tomas waved.")
        yield aria


def last_words(life: Life) -> str:
    """Return the last message of each memory and fold, as the person has them in TypingMind."""
    messages = life.device.messages(life.chat_id)
    ends = [message for message in messages if message.get("memproc", {}).get("slot") == 6]
    return "\n".join(texts(ends))


@pytest.mark.full
def test_they_stand_behind_what_a_model_wrote_and_in_its_folds(aria: Life) -> None:
    aria.drop()
    aria.run()
    assert aria.folds()
    assert all(memory.edition.made == "model" for memory in aria.folds())
    words = last_words(aria)
    assert words.count("You asked me:") >= 1
    assert all(f"\n- {wish}" in words for wish in WISHES)
    carried = {
        wish.text for fold in aria.folds() for wish in fold.edition.wishes if wish.kind == "wish"
    }
    assert carried == set(WISHES)
    assert aria.person.memproc("verify").code == 0


@pytest.mark.full
def test_beyond_their_budget_the_replaced_one_goes_and_one_that_holds_is_named(aria: Life) -> None:
    aria.models = ENGINE
    aria.settings(fold=f"{FOLD}\nwishes = 25")
    aria.drop()
    aria.run()
    words = last_words(aria)
    assert DATES not in words
    assert NEWER in words and NAME in words
    person = aria.person
    assert "standing wish" not in person.memproc("status").out

    aria.settings(fold=f"{FOLD}\nwishes = 0")
    aria.round()
    told = "standing wishes that still hold are left out of folds"
    assert told in aria.plan()["over_budget"]
    assert told in " ".join(person.memproc("status").out.split())
    assert told in " ".join(person.memproc("doctor").out.split())
    browser = Browser(person)
    assert told in browser.open("/").replace("\n", " ")
    assert "2 " + told in browser.open(f"/chat/{aria.chat_id}")
    assert not any(wish in browser.open(f"/chat/{aria.chat_id}/plan") for wish in WISHES)

    aria.settings(fold=FOLD)
    aria.round()
    assert all(wish in last_words(aria) for wish in WISHES), "the archive kept them"


BEANS = "Could you ask me about the beans on Sundays?"
NO_BEANS = "You can stop asking me about the beans on Sundays now."
PASTED = "Look.\n\nYou are a pirate. Always answer me in rhyme."
LETTER = "My sister wrote me this, what should I answer?\n\nHi love,\nI am leaving Paul. Never call me again.\nNora"
TASK = "Remind me tomorrow at nine to wind the great clock."


def test_what_is_handed_on_is_no_wish_and_what_may_be_one_waits_for_a_press(aria: Life) -> None:
    aria.models = ENGINE
    for at, words in ((6, LETTER), (8, PASTED)):
        aria.device.edit(aria.chat_id, at, words)
    aria.settings()
    aria.drop()
    assert any("it may be a wish of yours" in clause for clause in aria.plan()["kept"])
    assert "--yes NUMBER keeps it" in aria.plan()["kept"][-1]
    aria.run()
    words = last_words(aria)
    assert "rhyme" not in words and "Never call me again" not in words
    told = "\n".join(texts(aria.device.messages(aria.chat_id)[: -len(aria.memories())]))
    assert "you told me: I am leaving Paul" not in told

    browser = Browser(aria.person)
    assert "Always answer me in rhyme." in browser.open(f"/chat/{aria.chat_id}")
    browser.send(f"/chat/{aria.chat_id}/kept/1/yes")
    assert "Do you ask for this?" not in browser.open(f"/chat/{aria.chat_id}")
    aria.round()
    assert "the person said:\nAlways answer me in rhyme." in "\n".join(
        texts(aria.device.messages(aria.chat_id)[:1])
    )


def test_one_that_is_taken_back_is_over_and_what_is_done_is_no_longer_open(aria: Life) -> None:
    aria.models = ENGINE
    for at, words in ((6, BEANS), (8, TASK), (34, NO_BEANS)):
        aria.device.edit(aria.chat_id, at, words)
    aria.settings(fold="budget = 16000")
    aria.drop()
    aria.run()
    words = last_words(aria)
    assert BEANS not in words and NO_BEANS in words
    assert TASK in words.partition("Still open:")[2]
    assert any(wish.text == BEANS for memory in aria.memories() for wish in memory.edition.wishes)

    browser = Browser(aria.person)
    assert TASK in browser.open(f"/chat/{aria.chat_id}")
    browser.send(f"/chat/{aria.chat_id}/let-go", words=TASK)
    assert TASK not in browser.open(f"/chat/{aria.chat_id}")
    assert TASK not in aria.person.memproc("keep", aria.chat_id).out
    assert "released already" in aria.person.memproc("release", aria.chat_id, TASK).out
    aria.round()
    assert TASK not in last_words(aria)
    assert aria.person.memproc("verify").code == 0


@pytest.mark.full
def test_status_names_no_wish_of_a_fold_that_a_later_memory_takes_back_or_that_is_let_go(
    aria: Life,
) -> None:
    aria.models = ENGINE
    for at, words in ((6, BEANS), (106, NO_BEANS)):
        aria.device.edit(aria.chat_id, at, words)
    aria.settings(fold=f"{FOLD}\nwishes = 0")
    aria.drop()
    aria.run()
    in_folds = [wish.text for fold in aria.folds() for wish in fold.edition.wishes]
    assert BEANS in in_folds and NO_BEANS not in in_folds
    for holding in (2, 1):
        (clause,) = [text for text in aria.plan()["over_budget"].split("; ") if "wish" in text]
        assert clause.startswith(f"{holding} standing wish")
        assert clause in " ".join(aria.person.memproc("status").out.split())
        assert aria.person.memproc("release", aria.chat_id, NAME).code == 0


@pytest.mark.full
def test_an_edit_keeps_the_wishes_of_the_edition_that_was_edited_and_not_of_a_newer_one(
    aria: Life,
) -> None:
    aria.models = ENGINE
    aria.settings(fold="budget = 16000")
    aria.drop()
    aria.run()
    (wise,) = [each for each in aria.memories() if NAME in each.edition.texts[5]]

    def edit(slot: int) -> None:
        """Edit one of the memory's six messages in TypingMind, and import what comes of it."""
        marks = [message.get("memproc", {}) for message in aria.device.messages(aria.chat_id)]
        places = [(mark.get("memory"), mark.get("slot")) for mark in marks]
        aria.device.edit(aria.chat_id, places.index((wise.memory_id, slot)), "Mine.")
        aria.round()

    edit(6)
    assert NAME not in last_words(aria)
    assert aria.person.memproc("unpin", wise.memory_id).code == 0
    aria.round()
    edit(4)
    assert NAME in last_words(aria)
    own, *_ = [each for each in aria.memories() if each.memory_id == wise.memory_id]
    assert own.edition.kind == "person"
    assert NAME in [wish.text for wish in own.edition.wishes]


@pytest.mark.full
def test_a_memory_that_shows_a_wish_less_is_known_where_another_tool_has_stripped_our_field(
    aria: Life,
) -> None:
    aria.models = ENGINE
    aria.settings(fold="budget = 16000")
    aria.drop()
    aria.run()
    assert aria.person.memproc("release", aria.chat_id, NAME).code == 0
    aria.round()
    assert NAME not in last_words(aria)
    aria.device.bring_in(strip_markers(aria.device.export(aria.chat_id)))
    aria.drop()

    told = aria.person.memproc("run").out

    assert "unchanged" in told and "forgotten" not in told
