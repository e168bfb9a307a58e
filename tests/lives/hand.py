"""Check what must hold after the person's own acts: what they deleted, what they wrote, and what they forked."""

from tests.chats import Json
from tests.lives.ours import SLOTS, groups, said
from tests.lives.trip import Trip
from tests.lives.witness import Account


def prove_hand(trip: Trip) -> None:
    """Check everything that must hold after the person's own acts."""
    for check in (_forgotten, _edited, _forked):
        check(trip)


def _forgotten(trip: Trip) -> None:
    """Check that exactly the memories that are gone from the export are forgotten."""
    gone = trip.before.standing - trip.hinted_at - trip.recalled
    assert not gone & trip.after.standing, "a memory that the person has deleted is not forgotten"
    there = trip.before.standing & (trip.told | trip.recalled)
    assert there <= trip.after.standing, "a memory is forgotten that the person has not deleted"


def _edited(trip: Trip) -> None:
    """Check that what the person has written into a memory is one of its editions, and the one that is shown.

    A message that a fork has cut off from the rest of its memory counts as said in the conversation.
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
    """Return whether the person has pinned or excluded the message; such messages are left as they are."""
    return bool(message.get("isPinned") or message.get("contextClearedAt"))


def _forked(trip: Trip) -> None:
    """Check that a fork has the raw messages under every memory that it shows, as its origin has."""
    if trip.chat_id in trip.archive_before:
        return
    for _, edition in groups(trip.given["messages"], trip.archive_before):
        accounts = trip.archive_before.values()
        origins = [account for account in accounts if edition.texts in account.by_texts]
        assert any(
            _texts_under(origin, origin.by_texts[edition.texts].memory) <= trip.after.under
            for origin in origins
        ), "a fork lacks raw messages"


def _texts_under(account: Account, memory: str) -> set[str]:
    """Return the newest texts of the raw messages under a memory."""
    rows = (row for name in account.covered(memory) for row in account.chunks[name])
    return {account.raw[row].texts[-1] for row in rows}
