"""What the engine has in view of a long conversation."""

from dataclasses import replace

from daemon.config.loading import load_texts
from daemon.remember.engine import chunk_material, in_view
from tests.daemon.remember.test_compress import passage
from tests.entries import memory_of, talk

TEXTS = load_texts(None)
CHUNK = talk("Where does it flow?", "To the sea.")


def test_the_engine_has_the_newest_messages_before_a_passage_in_view() -> None:
    tail = talk(*(f"This is message {number}." for number in range(2_000)))
    long = replace(passage(CHUNK), tail=tail)
    material = chunk_material(long, long.context(TEXTS))
    assert 1_000 < len(material.before) < 1_100
    assert material.before[-1].text == "This is message 1999."
    assert [message.text for message in material.passage] == ["Where does it flow?", "To the sea."]


def test_memories_of_long_ago_are_not_even_put_into_words_for_it() -> None:
    memories = [memory_of(number, CHUNK) for number in range(400)]
    long = replace(passage(CHUNK), memories=memories)
    whole, cut = long.context(TEXTS), in_view(long).context(TEXTS)
    assert len(cut) < 1_100 < len(whole)
    assert chunk_material(long, cut) == chunk_material(long, whole)
