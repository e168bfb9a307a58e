"""A quote stands in one message, character for character, or it is none."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Entry
from rules.conversation.quote import NotVerbatim, Verbatim, cut_best_run, find_quote
from rules.extract.words import length
from tests.entries import entries, said, talk

STATES = ("I feel light today.", "The ferry left at four.", "We were not afraid of the rain.")
_LETTERS = "ab é.\n\t\xa0\u2009  '\"“”‘’«»-–—−"
_texts = st.text(_LETTERS, max_size=30) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
)
_chunks = st.lists(_texts, min_size=1, max_size=4).map(lambda texts: talk(*texts))
_lettered = st.builds("{}{}{}".format, _texts, st.sampled_from("abé"), _texts)
_lettered_chunks = st.lists(_lettered, min_size=1, max_size=4).map(lambda texts: talk(*texts))


def normalised(text: str) -> str:
    """What the quote checker may look past, said a second time: gaps, quotation marks, dashes."""
    for mark in "‘’‚‛‹›":
        text = text.replace(mark, "'")
    for mark in "“”„‟«»「」『』":
        text = text.replace(mark, '"')
    for mark in "–—―−‐‑":
        text = text.replace(mark, "-")
    return re.sub(r"\s+", " ", text).strip()


def of(source: str, chunk: tuple[Entry, ...]) -> Entry:
    return next(entry for entry in chunk if entry.key == source)


@given(_chunks, _texts)
def test_nothing_is_accepted_that_does_not_stand_in_one_message(
    chunk: tuple[Entry, ...], answer: str
) -> None:
    found = find_quote(answer, chunk)
    stands = [normalised(entry.message.words) for entry in chunk]
    if isinstance(found, Verbatim):
        assert any(
            found.text in part.text for part in of(found.source, chunk).message.parts if part.spoken
        )
        assert normalised(found.text) in (normalised(answer), normalised(normalised(answer)[1:-1]))
    elif any(character.isalnum() for character in answer):
        assert not any(normalised(answer) in text for text in stands)


def part_of(chunk: tuple[Entry, ...], data: st.DataObject) -> str:
    """Some characters of one message, a letter or a digit among them."""
    text = data.draw(st.sampled_from(chunk)).message.words
    at = data.draw(
        st.sampled_from([at for at, character in enumerate(text) if character.isalnum()])
    )
    return text[data.draw(st.integers(0, at)) : data.draw(st.integers(at + 1, len(text)))]


@given(_lettered_chunks, st.data())
def test_a_true_part_of_a_message_is_always_found(
    chunk: tuple[Entry, ...], data: st.DataObject
) -> None:
    passage = part_of(chunk, data)
    dressed = data.draw(st.sampled_from(["{}", '"{}"', "“{}”", " {}\n"])).format(passage)

    found = find_quote(dressed, chunk)
    assert isinstance(found, Verbatim)
    assert found.text == found.text.strip()
    assert found.text in of(found.source, chunk).message.words


@given(_lettered_chunks, st.data())
def test_another_hand_at_gaps_marks_and_dashes_gives_the_writers_own(
    chunk: tuple[Entry, ...], data: st.DataObject
) -> None:
    entry = data.draw(st.sampled_from(chunk))
    passage = entry.message.words.strip()
    other = re.sub(r"\s+", data.draw(st.sampled_from([" ", "\n\n", "\xa0\t"])), passage)
    other = other.translate(str.maketrans('“’—-"', "\"'-–„"))

    found = find_quote(other, chunk)
    assert isinstance(found, Verbatim)
    assert normalised(found.text) == normalised(passage)
    assert found.text in of(found.source, chunk).message.words


def test_the_raw_messages_own_characters_are_kept() -> None:
    chunk = talk("Hm.", "I said: “the sea —\n  it breathes” and meant it.")
    assert find_quote('the sea - it breathes"', chunk) == Verbatim(
        "the sea —\n  it breathes”", chunk[1].key
    )


def test_the_first_message_that_holds_it_is_its_source() -> None:
    chunk = talk("The sea breathes.", "Yes: the sea breathes.")
    assert find_quote("sea breathes", chunk) == Verbatim("sea breathes", chunk[0].key)


def test_marks_that_the_writer_set_are_kept() -> None:
    chunk = talk('"Stay," she said.')
    assert find_quote('"Stay," she said.', chunk) == Verbatim('"Stay," she said.', chunk[0].key)


@pytest.mark.parametrize(
    "answer",
    [
        "The sea sleeps.",
        "the Sea breathes",
        "sea breathes. Yes",
        "The sea ... breathes",
        "breathes breathes",
        "seabreathes",
    ],
)
def test_what_was_changed_or_joined_is_no_quote(answer: str) -> None:
    found = find_quote(answer, talk("The sea breathes.", "Yes."))
    assert found == NotVerbatim(
        "It stands in no single message of the passage, character for character."
    )


@pytest.mark.parametrize("answer", ["", "  ", "—", '""', "...", "\u200b"])
def test_an_answer_without_words_is_no_quote(answer: str) -> None:
    assert find_quote(answer, talk("— ... \u200b")) == NotVerbatim("The answer holds no words.")


def test_placeholders_and_tool_traffic_are_not_quoted() -> None:
    parts = [{"type": "image_url", "metadata": {"name": "sea"}}, {"type": "text", "text": "Look."}]
    chunk = entries(
        [said("user", "", content=parts), said("tool", "High water at two.", 1, name="tide")]
    )
    for answer in ("[image: sea]", "image", "High water", "tool result"):
        assert isinstance(find_quote(answer, chunk), NotVerbatim)


def test_a_quote_does_not_reach_over_two_parts() -> None:
    chunk = entries(
        [
            said(
                "user",
                "",
                content=[{"type": "text", "text": "One"}, {"type": "text", "text": "two"}],
            )
        ]
    )
    assert isinstance(find_quote("One\n\ntwo", chunk), NotVerbatim)
    assert find_quote("two", chunk) == Verbatim("two", chunk[0].key)


def test_there_is_no_quote_in_nothing() -> None:
    assert isinstance(find_quote("anything", ()), NotVerbatim)


def test_a_quote_ends_where_its_words_end() -> None:
    chunk = talk("One. \n\n  Two. \n  Three.")
    for words in ("One.", "Two.", "Three."):
        assert find_quote(words, chunk) == Verbatim(words, chunk[0].key)


@given(_texts, st.integers(3, 40))
def test_the_best_run_of_a_quote_is_one_piece_of_it(quote: str, words: int) -> None:
    assert cut_best_run(quote, words) in quote


@given(st.lists(st.sampled_from(STATES), min_size=1, max_size=30), st.integers(12, 60))
def test_a_long_quote_is_cut_to_whole_sentences_that_fit(said: list[str], words: int) -> None:
    quote = " ".join(said)
    run = cut_best_run(quote, words)
    assert length(run) <= words
    assert run == quote or run.endswith(".")
    assert any(run.startswith(sentence) for sentence in STATES)


def test_the_best_run_holds_the_speaker_s_own_state() -> None:
    rain = "It rained in Oban. " * 20
    own = "I feel light, and I do not know why."
    assert own in cut_best_run(f"{rain}{own} {rain}", 20)


def test_a_sentence_that_is_too_long_by_itself_is_cut_between_words() -> None:
    quote = "and then we went on " * 40
    run = cut_best_run(quote, 20)
    assert quote.startswith(run)
    assert 0 < length(run) <= 20
