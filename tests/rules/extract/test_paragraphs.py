"""An engine's fold: a paragraph for each memory while there is room, else for each stretch."""

from dataclasses import replace

from rules.extract.answers import in_paragraphs, paragraphs_for
from rules.extract.prose import Said

DAYS = [
    (
        Said(
            "user", f"Ilse came to Kettle Bay with her {what}, and we mended it.", f"2026-03-0{at}"
        ),
        Said("assistant", f"I promised to ask about the {what} again on Friday.", f"2026-03-0{at}"),
    )
    for at, what in enumerate(("lantern", "bicycle", "accordion", "barometer"), 1)
]


def test_there_is_one_for_each_memory_while_forty_words_remain_for_each() -> None:
    assert paragraphs_for(6, 240) == 6
    assert paragraphs_for(6, 239) == 5
    assert paragraphs_for(6, 30) == 1


def test_each_tells_of_its_own_memory_oldest_first() -> None:
    paragraphs = in_paragraphs(DAYS, 200).split("\n\n")
    told = [
        "".join(paragraphs).find(what) for what in ("lantern", "bicycle", "accordion", "barometer")
    ]
    assert -1 not in told
    assert told == sorted(told)
    assert len(paragraphs) == 4


def test_with_little_room_neighbours_share_one() -> None:
    first, second = in_paragraphs(DAYS, 80).split("\n\n")
    assert "lantern" in first and "accordion" not in first
    assert "accordion" in second and "lantern" not in second


def test_no_sentence_is_cut_for_the_words_before_it() -> None:
    same_day = [tuple(replace(said, date="2026-03-01") for said in passage) for passage in DAYS]
    told = [in_paragraphs(same_day, words) for words in range(40, 160, 5)]
    assert not [text for text in told if text.endswith("…")]


def test_none_takes_the_room_of_all_others() -> None:
    long_day = tuple(
        Said("user", f"Bramble the dog stole pear number {at} from crate {at + 50}.", "")
        for at in range(60)
    )
    paragraphs = in_paragraphs([DAYS[0], long_day, DAYS[1], DAYS[2]], 160).split("\n\n")
    assert [
        what in text
        for what, text in zip(
            ("lantern", "Bramble", "bicycle", "accordion"), paragraphs, strict=True
        )
    ] == [True] * 4
    assert paragraphs[1].count("Bramble") in range(2, 9)


def test_a_memory_of_which_nothing_is_left_to_say_has_none() -> None:
    twice = [DAYS[0], DAYS[0], DAYS[1]]
    assert "Nothing more was said." not in in_paragraphs(twice, 200)
    assert in_paragraphs([DAYS[0]], 40, [said.text for said in DAYS[0]]) != ""


def test_a_day_is_named_once_for_the_paragraphs_that_it_lasts() -> None:
    same_day = [tuple(replace(said, date="2026-03-01") for said in passage) for passage in DAYS[:2]]
    told = in_paragraphs([*same_day, DAYS[2]], 200)
    assert told.count("On 1 March 2026") == 1
    assert told.count("On 3 March you told me: ") == 1
    assert told.split("\n\n")[1].startswith("You told me: ")
