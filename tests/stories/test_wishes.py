"""A person's standing wishes: word for word in their memories, whoever writes, and through folds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chats import texts
from tests.stories.rounds import ENGINE, Life, life
from tests.stories.test_page import Browser

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


def test_they_stand_behind_what_a_model_wrote_and_in_its_folds(aria: Life) -> None:
    aria.drop()
    aria.run()
    assert aria.folds()
    assert all(memory.edition.made == "model" for memory in aria.folds())
    words = last_words(aria)
    assert words.count("You asked me:") >= 1
    assert all(f"\n- {wish}" in words for wish in WISHES)
    carried = {wish.text for fold in aria.folds() for wish in fold.edition.wishes}
    assert carried == set(WISHES)
    assert aria.person.memproc("verify").code == 0


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
