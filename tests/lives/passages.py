"""Check what must hold of passages that are kept word for word, in the archive and in a finished chat."""

from tests.lives.opening import shown
from tests.lives.ours import said
from tests.lives.trip import Trip
from tests.lives.witness import Account


def prove_never_lost(before: Account, after: Account) -> None:
    """Check that no passage is gone or has other words, and that each is in its message word for word."""
    now = {row.number: row for row in after.ledger.passages}
    for row in before.ledger.passages:
        assert now[row.number].text == row.text, "a kept passage has other words"
        assert now[row.number].message == row.message, "a kept passage is of another message"
    for row in after.ledger.passages:
        if row.message is not None:
            texts = after.raw[row.message].texts
            assert any(row.text in text for text in texts), "a kept passage was never said"


def prove_passages(trip: Trip) -> None:
    """Check that each kept passage is shown once, pinned messages are kept, and only the person releases."""
    rows, raw = trip.after.ledger.passages, trip.after.raw
    _released_by_person(trip)
    for message in trip.raw_given:
        if message.get("isPinned") and said(message).strip():
            of_it = [row for row in rows if row.message and said(message) in raw[row.message].texts]
            assert of_it, "a pinned message is not kept"
    if not trip.shown:
        return
    if trip.ours.opening_of(trip.given["messages"]) is not None:  # it was not deleted since
        back = {row.text.strip() for row in rows if row.state == "kept"} & trip.taken_out
        assert not back, f"taken out of the opening, and kept still: {back}"
    at = trip.ours.opening_of(trip.finished["messages"])
    assert at is not None
    in_opening = list(shown(said(trip.finished["messages"][at])).kept)
    # Memories do not count: a memory may quote all of a message, and so contain what is kept.
    outside = (one for at, one in enumerate(trip.finished["messages"]) if at not in trip.inside)
    sent = {said(one) for one in outside if not one.get("contextClearedAt")}
    for row in rows:
        if row.state != "kept":
            continue
        texts = raw[row.message].texts if row.message is not None else ()
        if any(row.text in text for text in sent.intersection(texts)):
            assert row.text.strip() not in in_opening, "a passage is in the tail and in the opening"
        else:
            assert row.text.strip() in in_opening, "a kept passage is nowhere in the export"
            in_opening.remove(row.text.strip())
    assert not in_opening, f"the opening shows {in_opening}, which is not kept"


def _released_by_person(trip: Trip) -> None:
    """Check that what was kept or waited still does, unless the person has released it."""
    now = {row.number: row for row in trip.after.ledger.passages}
    for row in trip.before.ledger.passages:
        if row.state in ("kept", "waiting") and now[row.number].state == "released":
            texts = trip.after.raw[row.message].texts if row.message is not None else ()
            by_person = row.text in trip.released or trip.unpinned & set(texts)
            assert by_person, "a passage was released, and not by the person"
