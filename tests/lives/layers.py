"""Check what must hold of core memory and facts: nothing is lost, and the opening shows their present state."""

from collections import Counter
from itertools import pairwise

from tests.lives.keeper import SECTIONS
from tests.lives.ledger import CoreRow, Ledger
from tests.lives.opening import Shown, shown
from tests.lives.ours import said
from tests.lives.trip import Trip


def prove_ledger(before: Ledger, after: Ledger) -> None:
    """Check that nothing that was noted is gone or changed."""
    assert after.core[: len(before.core)] == before.core, (
        "something written into the core memory is gone"
    )
    known = [
        (row.number, row.fact, row.event, row.text, row.said_at, row.by, row.memory)
        for row in before.facts
    ]
    now = [
        (row.number, row.fact, row.event, row.text, row.said_at, row.by, row.memory)
        for row in after.facts
    ]
    assert now[: len(known)] == known, "something that happened to a fact is gone"
    done = {(memory, layer): when for memory, layer, _, when in after.steps}
    for memory, layer, _, when in before.steps:
        assert when in (None, done[memory, layer]), "a step was done twice"


def prove_kept(ledger: Ledger) -> None:
    """Check the rules of both layers for all that was ever noted."""
    held: dict[str, bool] = {}
    own: dict[str, tuple[str, ...]] = {}
    for row in ledger.core:
        assert row.characters <= SECTIONS[row.section]["limit"], "a value over its limit"
        assert row.by == "person" or not held.get(row.section), (
            "the agent has edited what the person keeps"
        )
        kept = set(own.get(row.section, ()))
        assert row.by == "person" or kept <= set(row.lines), (
            "the agent has edited a line that the person wrote"
        )
        held[row.section], own[row.section] = row.held, row.own
    numbers: list[int] = []
    gone: set[int] = set()
    for fact in ledger.facts:
        if fact.event == "ADD":
            assert fact.fact > max(numbers, default=0), "the number of a fact is given twice"
        assert fact.by == "person" or fact.fact not in gone, (
            "a fact that the person has forgotten is back"
        )
        if fact.event == "FORGET":
            gone.add(fact.fact)
        elif fact.by == "person":  # they have reworded it where an older opening still shows it
            gone.discard(fact.fact)
        numbers.append(fact.fact)
    for rows in ([row.memory for row in ledger.core], [row.memory for row in ledger.facts]):
        steps = [memory for memory in rows if memory is not None]
        assert all(one <= later for one, later in pairwise(steps)), "the steps are out of order"


def prove_layers(trip: Trip) -> None:
    """Check everything that must hold of core memory and facts in a finished chat."""
    if trip.shown:
        at = trip.ours.opening_of(trip.finished["messages"])
        assert at is not None
        finished = said(trip.finished["messages"][at])
        _section_by_section(trip, shown(finished))
        _fact_by_fact(trip, shown(finished), in_order=finished not in trip.ours.openings)
        _preface(trip, finished)
    numbers = {name: trip.after.memories[name].number for name in trip.after.chunks}
    noted = {numbers[memory] for memory, layer, *_ in trip.after.ledger.steps if layer == "facts"}
    taken = {fact.memory for fact in trip.after.ledger.facts if fact.memory is not None}
    assert taken <= noted, "facts were taken after a memory, and nobody noted the step"
    for memory, layer, _, when in trip.after.ledger.steps:
        assert when or layer not in trip.layers_asked, (
            f"{layer} is due after {memory}, and nobody does it"
        )
    if (at := trip.ours.opening_of(trip.given["messages"])) is not None:
        _taken_over(trip, at)


def _section_by_section(trip: Trip, opening: Shown) -> None:
    expected = trip.after.ledger.sections if "core" in trip.layers else {}
    assert opening.sections == expected, f"the opening shows {opening.sections} and not {expected}"


def _fact_by_fact(trip: Trip, opening: Shown, *, in_order: bool) -> None:
    """Check that the opening shows present facts, within the budget, in order, and all that surely fit.

    Their order is not checked where the person has chosen one.
    """
    live = (
        sorted(trip.after.ledger.live, key=lambda row: (row.said_at, row.fact))
        if "facts" in trip.layers
        else []
    )
    lines = [row.line for row in live if row.line]
    rest = iter(lines)
    assert not Counter(opening.facts) - Counter(lines), (
        f"the opening shows {opening.facts}, and true is {lines}"
    )
    assert not in_order or all(line in rest for line in opening.facts), (
        f"the opening shows {opening.facts}, and true is {lines}"
    )
    assert sum(len(line.split()) for line in opening.facts) <= trip.fact_budget, (
        "more facts than the budget holds"
    )
    if sum(4 + len(line.encode()) for line in lines) + 3 * sum(map(len, lines)) <= trip.fact_budget:
        assert len(opening.facts) == len(lines), "a fact is not shown that fits"


def _preface(trip: Trip, finished: str) -> None:
    """Check that the text before the first heading is memproc's or the person's, and is all there is without layers."""
    preface = shown(finished).preface
    own = {shown(text).preface for text in trip.ours.openings}
    plain = shown(trip.canned).preface
    if shown(finished).sections or shown(finished).facts:
        known = preface.startswith((plain, *own))
    else:
        # Without layers it lacks the sentence that introduces them.
        known = preface == plain or any(text.startswith(preface) for text in own)
    assert known, "what stands first in the opening is nobody's"


def _taken_over(trip: Trip, at: int) -> None:
    """Check that all that was in the opening is known from then on, and what the person wrote there stays theirs."""
    given = said(trip.given["messages"][at])
    marked = trip.given["messages"][at].get("memproc")
    if not marked and given in trip.ours.openings and trip.renewed:
        return  # nothing tells any longer that it is an opening
    opening, before, after = shown(given), trip.before.ledger, trip.after.ledger
    elsewhere = _of_other_chats(trip)
    if "core" in trip.layers:
        for name, text in opening.sections.items():
            rows = [row for row in after.core if row.section == name and row.seen == text]
            assert rows or text in elsewhere | {Ledger().sections.get(name)}, (
                f"{text!r} in {name} is lost"
            )
            if text in trip.words and not any(row in before.core for row in rows):
                theirs = [row for row in rows if row not in before.core]
                assert theirs and _is_theirs(theirs[0]), "what the person wrote is not theirs"
    if "facts" in trip.layers:
        known = {row.line for row in after.facts}
        for line in opening.facts:
            assert line in known | elsewhere, f"the fact {line!r} is lost"
        told = {row.line for row in after.facts[len(before.facts) :] if row.by == "model"}
        back = {row.line for row in after.live} & trip.crossed_out - told
        assert not back, f"the person has taken out {back}"
    if given not in trip.ours.openings and trip.chat_id in trip.archive_before:
        new = [row.by for row in after.core[len(before.core) :]] + [
            row.by for row in after.facts[len(before.facts) :]
        ]
        assert "person" not in new, "an opening that nobody has edited is taken for an edit"


def _is_theirs(row: CoreRow) -> bool:
    """Return whether the person wrote the row, and keeps the section or lines of it unless it is empty."""
    return row.by == "person" and (row.held or bool(row.own) or not row.seen)


def _of_other_chats(trip: Trip) -> set[str]:
    """Return the entries of the other chats: a cut-off fork lacks what its origin learned from later messages."""
    ledgers = [
        one.ledger for chat_id, one in trip.archive_before.items() if chat_id != trip.chat_id
    ]
    return {row.seen for one in ledgers for row in one.core} | {
        row.line for one in ledgers for row in one.facts
    }
