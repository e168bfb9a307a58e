"""Nothing that the rules do with texts and histories grows with the square of their length: that takes many minutes.

Each of these has a limit in time, which a busy machine can miss; `make bench` runs them.
"""

import pytest

from rules.conversation.answer import foreign
from rules.conversation.marker import MEMORY, Marker, text_digest
from rules.conversation.quote import NotVerbatim, Verbatim, nearest_passage
from rules.extract.answers import refinement
from rules.extract.passage import Said
from rules.extract.sentences import sentences
from rules.extract.words import length
from rules.recognize.recognize import believed
from tests.entries import talk
from tests.rules.history.test_rows import SLOTS, TALK, archive, marked, read, six, without
from tests.rules.history.test_rows import Said as Told
from tests.rules.memory.test_nearest import INVENTED, SEA

pytestmark = pytest.mark.bench


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["hello ", "The sea breathes. ", "x", "海が"])
def test_messages_of_a_hundred_thousand_characters_take_bounded_time(unit: str) -> None:
    long = (unit * 100_000)[:50_000] + SEA + (unit * 100_000)[:50_000]
    answer = " ".join(unit * times + f"and then {times} more." for times in range(2, 20))
    assert isinstance(nearest_passage(answer, talk(long)), Verbatim | NotVerbatim)
    assert isinstance(nearest_passage(SEA.replace("ever", "had ever"), talk(f"{INVENTED} " * 1000 + SEA)), Verbatim)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["“", '"', "`", "« ", "the sea ", "海", "\n", "https://"])
def test_long_texts_take_little_time(unit: str) -> None:
    assert foreign(unit * 100_000, [unit * 100_000]) is None


@pytest.mark.parametrize(
    "text",
    [
        "a",
        ".",
        ". ",
        "a. ",
        "!a",
        "。",
        "! ",
        "`",
        "```\n",
        "|",
        "a\n",
        "> ",
        "[x] ",
        "ก ",
        "1. ",
        '?!" ',
        "~~~ x\n",
    ],
)
@pytest.mark.timeout(20)
def test_long_monotony_ends_before_the_limit(text: str) -> None:
    whole = text * (300_000 // len(text))
    assert all(piece.stop <= len(whole) for piece in sentences(whole))


@pytest.mark.parametrize("text", ["I am ok. ", "我怕。", "[a ", "Aa Bb ", "a\n"])
@pytest.mark.timeout(60)
def test_a_megabyte_is_answered_before_the_limit(text: str) -> None:
    passage = [Said("assistant", text * (1_000_000 // len(text.encode())), "")]
    assert length(refinement(passage, 200)) <= 230


NAMES = [f"m{number}" for number in range(300)]
HARD = {
    "every field stripped": [one for name in NAMES for one in six(name)] + TALK * 683,
    "every field kept": [one for name in NAMES for one in marked(name)] + TALK * 683,
    "one answer missing in each": [one for name in NAMES for one in without(six(name), 4)] * 7,
    "nothing but one question": [six()[0]] * 10_000,
    "one memory again and again": six() * 1667,
    "answers of different memories": [one for n, name in enumerate(NAMES) for one in six(name, n % 2 + 1)[:3]] * 12,
}


@pytest.mark.parametrize("said", HARD.values(), ids=HARD)
@pytest.mark.timeout(60)
def test_ten_thousand_messages_and_six_hundred_editions_are_read_in_time(said: list[Told]) -> None:
    messages, known = read(said), archive(*NAMES)
    assert len(believed(messages, known)) == len(messages)


@pytest.mark.timeout(60)
def test_memories_that_all_have_the_same_texts_are_read_in_time_too() -> None:
    known = {
        f"{name}/{slot}": Marker(MEMORY, text_digest("ok"), memory=name, slot=slot) for name in NAMES for slot in SLOTS
    }
    messages = read([Told("user" if at % 2 == 0 else "assistant", "ok") for at in range(10_000)])
    found = believed(messages, known)
    assert sum(one is not None for one in found) == 6 * len(NAMES)
