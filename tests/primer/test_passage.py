"""What the engine has in view of a long prompt."""

from daemon.config.loading import load_texts
from primer.passage import in_view, parted, said_after, said_before
from primer.prompt import Turn, context
from tests.entries import memory_of, talk

TEXTS = load_texts(None)


def test_the_engine_has_the_newest_messages_before_a_passage_in_view() -> None:
    before = [Turn("user", f"This is message {number}.") for number in range(2_000)]
    turns = [*before, Turn("user", "<to_remember>\nNow.\n</to_remember>"), Turn("user", "And?")]
    seen = said_before(parted(turns)[0])
    assert 1_000 < len(seen) < 1_100
    assert seen[-1].text == "This is message 1999."
    assert said_after(turns) == ("And?",)


def test_the_engine_says_the_same_without_the_memories_that_it_has_not_in_view() -> None:
    chunk = talk("Where does it flow?", "To the sea.")
    memories = [memory_of(number, chunk) for number in range(400)]
    whole, cut = (
        context(TEXTS, "You are Aria.", shown, (), chunk) for shown in (memories, in_view(memories))
    )
    assert len(cut) < 1_100 < len(whole)
    assert said_before(parted(cut)[0]) == said_before(parted(whole)[0])
