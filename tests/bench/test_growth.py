"""Nothing that the rules do with texts and histories grows with the square of their length: that takes many minutes.

Each of these has a limit in time, which a busy machine can miss; `make bench` runs them.
"""

import pytest

from rules.conversation.answer import why_foreign
from rules.conversation.quote import NotVerbatim, Verbatim, nearest_passage
from rules.extract.prose import Said
from rules.extract.sentences import split_sentences
from rules.extract.words import length
from rules.recognize.recognize import judge_claims
from rules.typingmind.message import read_message
from tests.chats import json_bytes
from tests.entries import talk
from tests.rules.conversation.test_nearest_quote import INVENTED, SEA
from tests.rules.extract.refining import refinement
from tests.rules.recognize.test_claims import row as memory_row

pytestmark = pytest.mark.bench


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["hello ", "The sea breathes. ", "x", "海が"])
def test_messages_of_a_hundred_thousand_characters_take_bounded_time(unit: str) -> None:
    long = (unit * 100_000)[:50_000] + SEA + (unit * 100_000)[:50_000]
    answer = " ".join(unit * times + f"and then {times} more." for times in range(2, 20))
    assert isinstance(nearest_passage(answer, talk(long)), Verbatim | NotVerbatim)
    assert isinstance(
        nearest_passage(SEA.replace("ever", "had ever"), talk(f"{INVENTED} " * 1000 + SEA)),
        Verbatim,
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["“", '"', "`", "« ", "the sea ", "海", "\n", "https://"])
def test_long_texts_take_little_time(unit: str) -> None:
    assert why_foreign(unit * 100_000, [unit * 100_000]) is None


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
    assert all(piece.stop <= len(whole) for piece in split_sentences(whole))


@pytest.mark.parametrize("text", ["I am ok. ", "我怕。", "[a ", "Aa Bb ", "a\n"])
@pytest.mark.timeout(60)
def test_a_megabyte_is_answered_before_the_limit(text: str) -> None:
    passage = [Said("assistant", text * (1_000_000 // len(text.encode())), "")]
    assert length(refinement(passage, 200)) <= 230


@pytest.mark.timeout(60)
@pytest.mark.parametrize("rows", [["m1"] * 1667, [f"m{number}" for number in range(300)] * 5])
def test_ten_thousand_messages_that_claim_to_be_ours_are_read_in_time(rows: list[str]) -> None:
    messages = [read_message(json_bytes(one)) for name in rows for one in memory_row(name)]
    assert None not in judge_claims(messages, {})
