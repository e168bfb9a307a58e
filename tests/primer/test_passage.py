"""What the engine has in view of a long prompt."""

from primer.passage import said_after, said_before
from primer.prompt import Turn


def test_the_engine_has_the_newest_messages_before_a_passage_in_view() -> None:
    before = [Turn("user", f"This is message {number}.") for number in range(2_000)]
    turns = [*before, Turn("user", "<to_remember>\nNow.\n</to_remember>"), Turn("user", "And?")]
    in_view = said_before(turns)
    assert 1_000 < len(in_view) < 1_100
    assert in_view[-1].text == "This is message 1999."
    assert said_after(turns) == ("And?",)
