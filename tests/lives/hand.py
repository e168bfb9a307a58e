"""What must hold of the person's own doings: what they deleted, what they wrote, and what they forked."""

from tests.chats import Json
from tests.lives.ours import SLOTS, groups, said
from tests.lives.trip import Trip


def prove_hand(trip: Trip) -> None:
    """Everything that must hold of the person's hand."""
    for check in (_forgotten, _edited, _forked):
        check(trip)


def _forgotten(trip: Trip) -> None:
    """A memory that is gone from the export is forgotten, and no other one is."""
    gone = trip.before.standing - trip.hinted_at - trip.recalled
    assert not gone & trip.after.standing, "a memory that the person has deleted is not forgotten"
    there = trip.before.standing & (trip.told | trip.recalled)
    assert there <= trip.after.standing, "a memory is forgotten that the person has not deleted"


def _edited(trip: Trip) -> None:
    """What the person has written into a memory is one of its editions, and the one that is shown.

    What a fork has cut off from the rest of its memory counts as said in the conversation.
    """
    known = {
        text
        for one in trip.after.memories.values()
        for edition in one.editions
        for text in edition.texts
    }
    known |= {text for raw in trip.after.raw.values() for text in raw.texts}
    there = {said(message) for message in trip.finished["messages"]}
    for message in trip.given["messages"]:
        if said(message) in trip.ours.touched_up:
            assert said(message) in known | there, "what the person wrote into a memory is lost"
    for at, edition in trip.shown:
        kinds = {one.kind for one in trip.after.memories[edition.memory].editions}
        if (
            "person" in kinds
            and not trip.chooses
            and not any(map(_is_touched, trip.finished["messages"][at : at + SLOTS]))
        ):
            assert edition.kind == "person", "a memory of theirs was rewritten"


def _is_touched(message: Json) -> bool:
    """What the person has pinned or excluded stays as it stands."""
    return bool(message.get("isPinned") or message.get("contextClearedAt"))


def _forked(trip: Trip) -> None:
    """A fork has the raw messages under every memory that it shows, as the chat has that it came from."""
    if trip.chat_id in trip.archive_before:
        return
    for _, edition in groups(trip.given["messages"], trip.archive_before):
        origin = next(
            account
            for account in trip.archive_before.values()
            if edition.memory in account.memories
        )
        rows = [row for name in origin.covered(edition.memory) for row in origin.chunks[name]]
        assert {origin.raw[row].texts[-1] for row in rows} <= trip.after.under, (
            "a fork lacks raw messages"
        )
