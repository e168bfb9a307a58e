"""An answer that is nearly a quote leads to the passage that it nearly repeats, or to none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Entry
from rules.conversation.quote import Verbatim, find_quote, nearest_passage, plain_text
from tests.entries import entries, said, talk

TOLD = (
    "I was down at the harbour again. The sea breathes, and nobody ever heard it but the two of us. Then it rained.",
    "You never told me that before.\n\n- I noticed how “quietly” you wrote it —  and I kept\n  it to myself until now.",
    "My sister Ilse moves to Porto on 14 May 2026, and she asked me to help her with the piano.",
)
INVENTED = "Seven violet herons unfolded the quarterly lighthouse, and nobody in the orchard had been told."
SEA = "The sea breathes, and nobody ever heard it but the two of us."
NOTICED = "I noticed how “quietly” you wrote it —  and I kept\n  it to myself until now."
PORTO = "My sister Ilse moves to Porto on 14 May 2026, and she asked me to help her with the piano."


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        pytest.param(
            "The sea breathes, and nobody ever noticed it but the two of us.",
            SEA,
            id="a word changed",
        ),
        pytest.param(
            "The sea breathes, and nobody heard it but the two of us.", SEA, id="a word dropped"
        ),
        pytest.param(
            "The sea breathed, and nobody had ever heard it but the two of us.",
            SEA,
            id="another tense",
        ),
        pytest.param(
            "the see braethes, and nobdy ever heard it but the two of us", SEA, id="typing mistakes"
        ),
        pytest.param(
            '"The sea breathes, and nobody heard it but us two."', SEA, id="in quotation marks"
        ),
        pytest.param(
            "I noted how 'quietly' you wrote it - and I kept it to myself.",
            NOTICED,
            id="another hand at marks",
        ),
        pytest.param(
            "moves to Porto on 14 May, and she asked me to help her with the piano",
            PORTO,
            id="widened",
        ),
    ],
)
def test_a_damaged_quote_leads_to_the_writers_own_sentence(answer: str, passage: str) -> None:
    chunk = talk(*TOLD)
    found = nearest_passage(answer, chunk)
    assert isinstance(found, Verbatim)
    assert found.text == passage
    assert [entry.key for entry in chunk if passage in entry.message.words] == [found.source]


@pytest.mark.parametrize(
    "answer",
    [
        INVENTED,
        "The persona told how much the harbour had meant in all those years.",
        "The sea, the sister, the piano, the rain and the harbour.",
        "You moved to Porto?",
        "Yes",
        "...",
        "",
    ],
)
def test_what_nobody_nearly_said_leads_to_nothing(answer: str) -> None:
    assert nearest_passage(answer, talk(*TOLD)) is None


def test_there_is_no_passage_in_nothing() -> None:
    assert nearest_passage(SEA, ()) is None
    assert nearest_passage(SEA, talk("", " ")) is None


def test_of_two_messages_in_one_answer_the_longer_part_is_kept() -> None:
    found = nearest_passage(f"{SEA} {PORTO}", talk(*TOLD))
    assert found == Verbatim(PORTO, talk(*TOLD)[2].key)


@pytest.mark.parametrize("dots", [" ... ", "… ", " [...] "])
def test_of_an_answer_with_a_gap_the_better_side_is_kept(dots: str) -> None:
    answer = f"The sea breathes, and nobody heard it{dots}Ilse moves to Porto on 14 May 2026, and she asked me to help"
    found = nearest_passage(answer, talk(*TOLD))
    assert found == Verbatim(PORTO, talk(*TOLD)[2].key)


def test_a_quote_inside_a_longer_answer_is_found() -> None:
    answer = f'I choose this, since it holds so much of that evening: "{SEA}" Nothing else comes close to it for me.'
    assert nearest_passage(answer, talk(*TOLD)) == Verbatim(SEA, talk(*TOLD)[0].key)


def test_an_answer_that_is_much_longer_than_the_message_leads_to_nothing() -> None:
    assert nearest_passage(INVENTED, talk("Seven", "the orchard", "nobody")) is None


def test_the_first_of_two_equal_messages_is_the_source() -> None:
    chunk = talk("Hm.", SEA, SEA)
    assert nearest_passage(SEA.replace("ever", "had ever"), chunk) == Verbatim(SEA, chunk[1].key)


@pytest.mark.parametrize(
    ("told", "answer", "passage"),
    [
        (
            "昨日は雨でした。海辺を二人で歩いて、長い間黙っていました。今日は晴れです。",
            "海辺を二人で歩き、長い間黙っていた。",
            "海辺を二人で歩いて、長い間黙っていました。",
        ),
        (
            "我们去了海边。那天晚上你告诉我，你很害怕一个人坐船回家。后来下雨了。",
            "那天晚上你对我说，你很害怕一个人坐船回去。",
            "那天晚上你告诉我，你很害怕一个人坐船回家。",
        ),
        (
            "Вчера шёл дождь. Мы долго молчали у моря, и мне стало спокойно. Сегодня солнце.",
            "Мы долго молчим у моря, и мне становится спокойно.",
            "Мы долго молчали у моря, и мне стало спокойно.",
        ),
        (
            "İstanbul'da yağmur yağdı. Seninle deniz kıyısında uzun süre sustuk ve içim rahatladı. Sonra gittik.",
            "Seninle deniz kıyısında uzun zaman sustuk ve içim rahatladı.",
            "Seninle deniz kıyısında uzun süre sustuk ve içim rahatladı.",
        ),
    ],
)
def test_other_scripts_are_aligned_as_well(told: str, answer: str, passage: str) -> None:
    chunk = talk("Hm.", told)
    assert nearest_passage(answer, chunk) == Verbatim(passage, chunk[1].key)


def test_only_what_was_said_is_a_passage() -> None:
    hidden = entries(
        [
            said("tool", SEA, 1, name="tide"),
            said("user", "", 2, content=[{"type": "image_url", "metadata": {"name": SEA}}]),
        ]
    )
    assert nearest_passage(SEA, hidden) is None


_SPOKEN = """the sea breathes again, nobody heard it. Yes! “quietly” don't well-known — *so* 1,000 _me_ (then) …
    海が見えた。 न्याय है। ที่นี่ น้ำ มัน x\u0301y\u0301 👩\u200d👩\u200d👧 I noticed how you wrote about Porto"""
_words = st.sampled_from(_SPOKEN.split())
_gaps = st.sampled_from([" ", " ", " ", "", "\n\n- ", "  ", "\xa0"])
_texts = st.lists(st.builds("{}{}".format, _words, _gaps), max_size=40).map("".join)


@given(st.lists(_texts, min_size=1, max_size=3), st.data())
def test_what_is_found_is_a_quote_of_whole_words_from_the_message_named(
    told: list[str], data: st.DataObject
) -> None:
    chunk = talk(*told)
    text = max(told, key=len)
    start = data.draw(st.integers(0, len(text) // 3))
    piece = text[start : data.draw(st.integers(len(text) * 2 // 3, len(text)))]
    at = data.draw(st.integers(0, len(piece)))
    answer = piece[:at] + data.draw(_texts.map(lambda text: text[:12])) + piece[at:]

    found = nearest_passage(answer, chunk)
    if found is None:
        return
    source = next(entry for entry in chunk if entry.key == found.source)
    for quoted in (find_quote(found.text, chunk), find_quote(found.text, [source])):
        assert isinstance(quoted, Verbatim)
        assert plain_text(quoted.text) == plain_text(found.text)
    assert found.text == found.text.strip()
    assert _stands_in_whole_words(found.text, source)


@given(st.lists(_words, min_size=8))
def test_a_passage_with_a_word_too_many_is_always_found_again(words: list[str]) -> None:
    told = " ".join(words[:40])
    answer = " ".join([*words[:4], "aside", *words[4:40]])
    found = nearest_passage(answer, talk("Hm.", told))
    assert isinstance(found, Verbatim)


def _stands_in_whole_words(passage: str, source: Entry) -> bool:
    """Somewhere in the message it is neither begun nor ended by cutting a word of letters in two."""
    text = source.message.words
    places = [at for at in range(len(text)) if text.startswith(passage, at)]
    return any(not _cut(text, at) and not _cut(text, at + len(passage)) for at in places)


def _cut(text: str, at: int) -> bool:
    return 0 < at < len(text) and _spaced(text[at - 1]) and _spaced(text[at])


def _spaced(character: str) -> bool:
    return (
        character.isalnum()
        and not "\u0e00" <= character <= "\u0eff"
        and not "\u3040" <= character <= "\u9fff"
    )
