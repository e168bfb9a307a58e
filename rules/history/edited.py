"""Which memories of an export the person has edited: their text is no longer what we wrote (D11)."""

from collections.abc import Sequence

from rules.history.marker import MEMORY, text_digest
from rules.history.recognise import Place


def edited_memories(places: Sequence[Place]) -> frozenset[str]:
    """Ids of the memories of which at least one message reads otherwise than it was written."""
    return frozenset(
        place.ours.memory
        for place in places
        if place.ours is not None and place.ours.kind == MEMORY and place.ours.text != text_digest(place.message.text)
    )
