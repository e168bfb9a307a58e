"""Check what must hold of every finished chat, whatever life came before: requirements 2, 3 and 9."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

from tests.chats import Json
from tests.lives.layers import prove_kept, prove_ledger
from tests.lives.ours import SLOTS, said
from tests.lives.passages import prove_never_lost
from tests.lives.trip import Trip, kind
from tests.lives.witness import Account
from tests.typingmind.wire import stringify

_JOINER = "\u2060"


def prove_archive(before: Mapping[str, Account], after: Mapping[str, Account]) -> None:
    """Check that nothing in the archive is gone or changed, no frozen bound has moved, and chunks have no holes."""
    for chat_id, was in before.items():
        now = after[chat_id]
        for row, raw in was.raw.items():
            assert now.raw[row].hashes[: len(raw.hashes)] == raw.hashes, (
                "a version of a raw message is gone"
            )
        for name, memory in was.memories.items():
            assert now.memories[name].chunk == memory.chunk, "a frozen bound has moved"
            assert now.memories[name].members == memory.members, "a fold stands for other memories"
            assert now.memories[name].editions[: len(memory.editions)] == memory.editions, (
                "an edition is gone"
            )
        prove_ledger(was.ledger, now.ledger)
        prove_never_lost(was, now)
    for account in after.values():
        _prove_partition(account)
        prove_kept(account.ledger)


def _prove_partition(account: Account) -> None:
    rows = list(chain.from_iterable(account.chunks.values()))
    assert len(rows) == len(set(rows)), "a message stands under two memories"
    positions = [account.raw[row].position for row in rows]
    assert positions == sorted(positions), "the messages under memories are out of order"
    lived = (
        raw
        for raw in account.raw.values()
        if not (raw.left_out or raw.gone) and raw.row not in rows
    )
    assert not [raw for raw in lived if positions and raw.position < positions[-1]], (
        "a chunk has a hole"
    )


def prove_chat(trip: Trip) -> None:
    """Check everything that must hold of a finished chat."""
    for check in (_archived, _accounts, _once, _section, _order, _quotes, _bounded):
        check(trip)


def _archived(trip: Trip) -> None:
    """Check that every raw message of the export is a version in the archive, byte for byte."""
    hashes = {sha256 for raw in trip.after.raw.values() for sha256 in raw.hashes}
    texts = {text for raw in trip.after.raw.values() for text in raw.texts}
    for message in trip.raw_given:
        if message.get("memproc"):
            assert said(message) in texts, "an original is not in the archive"
        else:
            sha256 = hashlib.sha256(stringify(message).encode()).hexdigest()
            assert sha256 in hashes, "a raw message is not in the archive, byte for byte"


def _accounts(trip: Trip) -> None:
    """Check that every raw message is in the finished chat as often as in the export, or under a memory."""
    given = Counter(said(message) for message in trip.raw_given)
    there = Counter(said(message) for message in trip.raw_finished)
    live = Counter(
        said(message) for message in trip.raw_finished if not message.get("contextClearedAt")
    )
    assert not there.keys() - given.keys(), "a raw message came out of nowhere"
    with_files = {
        said(message) for message in trip.raw_given if "localBlobID" in stringify(message)
    }
    for text, times in given.items():
        if text not in trip.after.under:
            assert there[text] == times, (
                f"a raw message went in {times} times, and stands there {there[text]} times"
            )
        else:
            assert live[text] < times, "a message is live, and under a memory"
            if times == 1:
                stays = trip.keeps_originals or text in with_files
                assert there[text] == stays, "an original is kept or not kept against the setting"


def _once(trip: Trip) -> None:
    """Check that no uuid occurs twice unless it did before."""
    given = Counter(message.get("uuid") for message in trip.given["messages"])
    finished = Counter(message.get("uuid") for message in trip.finished["messages"])
    assert all(times <= max(1, given[uuid]) for uuid, times in finished.items()), (
        "a uuid stands twice"
    )


def _section(trip: Trip) -> None:
    """Check that every memory that is not forgotten, and no other, is shown once, itself or in a fold, oldest first."""
    shown = [edition.memory for _, edition in trip.shown]
    covers = [
        name for memory in shown for name in trip.after.chunks if name in trip.after.covered(memory)
    ]
    wanted = [name for name in trip.after.chunks if name in trip.after.standing]
    assert covers == wanted, (
        f"{len(wanted)} memories should be shown, {len(covers)} are, or they are out of order"
    )
    edges = {trip.shown[0][0] - 1, trip.shown[-1][0] + SLOTS} if shown else set()
    messages = trip.finished["messages"]
    outside = [messages[at] for at in trip.ours.where(messages) - trip.inside - edges]
    assert all(_may_be_lost(trip, message) for message in outside), (
        "messages of ours stand outside of memories"
    )


def _may_be_lost(trip: Trip, message: Json) -> bool:
    """Return whether a message of memproc's may be outside of memories.

    It may if, standing alone, nothing tells that it is memproc's, or if it stays for its file, or for a branch that once
    had one.
    """
    if said(message) in trip.ours.touched_up | trip.ours.openings:
        return True
    if kind(message) == "original":
        stays = "localBlobID" in stringify(message) or bool(message.get("threads"))
        return stays and bool(message.get("contextClearedAt"))  # it is not sent
    is_marked = kind(message) in ("opening", "memory", "closing")
    return not is_marked and trip.ours.is_canned(message)


def _order(trip: Trip) -> None:
    """Check the order: opening, memories, closing, then all live messages, except those put among memories."""
    if not trip.shown:
        return
    messages = trip.finished["messages"]
    texts = [said(message) for message in messages]
    first, closing = trip.shown[0][0], trip.shown[-1][0] + SLOTS
    assert trip.ours.opening_of(messages) == first - 1, (
        "the opening does not stand before the first memory"
    )
    if (was := trip.ours.opening_of(trip.given["messages"])) is not None:
        uuid, uuids = trip.given["messages"][was]["uuid"], [one.get("uuid") for one in messages]
        assert uuid not in uuids[: first - 1] + uuids[first:], (
            "an opening of before stands among the messages"
        )
    assert texts[closing : closing + 1] == [trip.ours.closing], (
        "the closing does not stand behind the last memory"
    )
    lived = {
        raw.texts[-1] for raw in trip.after.raw.values() if not raw.left_out
    } - trip.after.under
    before = {said(message) for message in trip.ours.others(messages[:closing])}
    assert not lived & before, "a live message stands before the closing"


def _quotes(trip: Trip) -> None:
    """Check that every quote is verbatim: in one version of one raw message under the memory.

    Any version counts, because the person may have chosen an edition that was made before a message was edited.
    """
    for _, edition in trip.shown:
        chunks = [trip.after.chunks[name] for name in trip.after.covered(edition.memory)]
        if not all(chunks):  # what nobody knows any more was under it
            continue
        by_key = {trip.after.raw[row].key: trip.after.raw[row].texts for row in chain(*chunks)}
        for text, source in edition.quotes:
            assert source in by_key, "a quote is of no message of its chunk"
            assert any(text in version for version in by_key[source]), "a quote is not verbatim"
            assert edition.kind == "person" or text in edition.texts[1].replace(_JOINER, ""), (
                "a quote is not shown"
            )


def _bounded(trip: Trip) -> None:
    """Check that the memories without their quotes exceed the budget by one memory at most.

    If they exceed it, all that may be folded is folded: of any two neighbours, the person has pinned or edited one.
    """
    sizes = [edition.tokens_beside_quotes for _, edition in trip.shown]
    kept = [trip.after.memories[edition.memory].pinned for _, edition in trip.shown]
    is_all_folded = all(one or other for one, other in pairwise(kept))
    is_within = sum(sizes) <= trip.budget + max(sizes, default=0)
    assert is_within or is_all_folded, f"{sum(sizes)} tokens of memories"


def prove_sent(trip: Trip, sent: Sequence[Json]) -> None:
    """Check that the model gets the finished chat without its excluded messages, and nothing besides."""
    words = "\n".join(message["content"] for message in sent if message["role"] != "system")
    at = 0
    for message in trip.finished["messages"]:
        if not message.get("contextClearedAt"):
            found = words.find(said(message), at)
            assert found >= 0, "something is not sent, or in another order"
            assert not words[at:found].strip() or not at, "something else is sent"
            at = found + len(said(message))
    assert not words[at:].strip(), "something else is sent behind it all"
