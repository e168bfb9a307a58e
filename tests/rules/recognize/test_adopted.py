"""A fork has memories of its own from the first look on.

A memory that nobody knows is kept as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from rules.conversation.history import Group, Past, Place, group_by_memory
from rules.conversation.kept_wishes import with_wishes
from rules.conversation.marker import Marker
from rules.conversation.memory import Edition, Kind, Memory, Wish, fold_id
from rules.recognize.adopted import (
    Adopted,
    as_forked,
    freeze,
    inherit,
    with_cited_sources,
    with_keys_here,
)
from rules.recognize.known import Known
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from tests.entries import chat_of, fold_of, memory_of, past_of, with_edition
from tests.rules.output.finishing import TALK, chunk, finish

M1, M2, M3 = (memory_of(number, chunk(2 * number - 2, 2 * number)) for number in (1, 2, 3))
ALL = [M1, M2, M3]
PAST = [old for at, memory in enumerate(ALL) for old in past_of(memory, chunk(2 * at, 2 * at + 2))]
FOLD = fold_of(1, [M1, M2])
OWN = "a9b8c7d6e5"


def kin_of(memories: Sequence[Memory], past: Sequence[Past] = PAST) -> Known:
    return Known("a", memories, {memory.memory_id: editions(memory) for memory in memories}, past)


def editions(memory: Memory) -> list[Edition]:
    return list({one.number: one for one in (memory.in_prompts, memory.edition)}.values())


def shows(*memories: Memory) -> dict[str, dict[int, Place]]:
    """What an export shows with these memories in it."""
    chat = finish(chat_of(TALK), [*ALL, FOLD], shown=memories).again()
    return group_by_memory(recognize(read_messages(chat), {}))


def by_number(found: Adopted) -> dict[int, Memory]:
    return {memory.number: memory for memory in found.memories if not memory.is_fold}


def test_a_fork_has_the_same_memories_under_ids_of_its_own() -> None:
    found = inherit(Known(OWN), shows(*ALL), kin_of(ALL))
    assert [memory.origins[0] for memory in found.memories] == ["m1", "m2", "m3"]
    assert [memory.edition for memory in found.memories] == [memory.edition for memory in ALL]
    assert found.past == tuple(PAST)
    names = {memory.memory_id for memory in found.memories}
    assert len(names) == 3
    assert not names & {"m1", "m2", "m3"}
    assert names == {
        memory.memory_id for memory in inherit(Known(OWN), shows(*ALL), kin_of(ALL)).memories
    }, "on any day"
    assert names.isdisjoint(
        one.memory_id for one in inherit(Known("another"), shows(*ALL), kin_of(ALL)).memories
    )


def test_a_fork_has_what_stood_in_the_chat_when_it_was_made_and_no_more() -> None:
    found = inherit(Known(OWN), shows(M1, M2), kin_of(ALL))
    assert [memory.origins[0] for memory in found.memories] == ["m1", "m2"]
    assert {old.memory for old in found.past} == {1, 2}


def test_what_was_forgotten_before_the_fork_is_forgotten_in_it() -> None:
    found = by_number(inherit(Known(OWN), shows(M1, M3), kin_of(ALL)))
    assert [found[number].forgotten for number in (1, 2, 3)] == [False, True, False]
    again = by_number(
        inherit(Known(OWN), shows(*ALL), kin_of([M1, replace(M2, forgotten=True), M3]))
    )
    assert again[2].forgotten


def test_a_memory_in_a_fold_that_the_fork_shows_was_not_forgotten() -> None:
    found = inherit(Known(OWN), shows(FOLD, M3), kin_of([*ALL, FOLD]))
    assert [memory.origins[0] for memory in found.memories] == ["m1", "m2", "m3", FOLD.memory_id]
    assert not any(memory.forgotten for memory in found.memories)
    *chunks, fold = found.memories
    assert fold.members == tuple(memory.memory_id for memory in chunks[:2])
    assert fold.memory_id != FOLD.memory_id


def test_a_fold_that_the_fork_does_not_show_comes_too_where_it_has_all_its_memories() -> None:
    assert [
        one.origins[0] for one in inherit(Known(OWN), shows(M1, M2), kin_of([*ALL, FOLD])).memories
    ][2:] == [FOLD.memory_id]
    assert [
        one.origins[0] for one in inherit(Known(OWN), shows(M1), kin_of([*ALL, FOLD])).memories
    ] == ["m1"]


@pytest.mark.parametrize("level", [2, 5])
def test_a_fold_of_folds_is_inherited_with_all_below_it(level: int) -> None:
    higher, lower = fold_of(1, [FOLD, M3]), replace(FOLD, level=level)
    kin = sorted([lower, higher], key=lambda fold: fold.level)
    found = inherit(Known(OWN), shows(FOLD, M3), kin_of([*ALL, *kin]))
    by_origin = {memory.origins[0]: memory for memory in found.memories}
    assert by_origin[higher.memory_id].members == tuple(
        by_origin[name].memory_id for name in (FOLD.memory_id, "m3")
    )  # fmt: skip


def test_a_fold_of_what_the_person_has_edited_since_comes_along_beside_the_fold_of_today() -> None:
    edited = with_edition(M1, 2)
    edited = replace(edited, in_prompts=edited.edition)
    of_today = replace(FOLD, memory_id=fold_id("a", [edited, M2]), number=2)
    found = inherit(Known(OWN), shows(edited, M2), kin_of([edited, M2, FOLD, of_today])).memories
    first, second, *folds = found
    assert {fold.origins[0]: fold.memory_id == fold_id(OWN, [first, second]) for fold in folds} == {
        FOLD.memory_id: False,
        of_today.memory_id: True,
    }


def test_every_edition_comes_along_and_what_had_hindsight_gets_none_again() -> None:
    found = inherit(Known(OWN), shows(*ALL), kin_of([with_edition(M1, 2), M2, M3]))
    first = by_number(found)[1].memory_id
    assert [edition.kind for edition in found.editions[first]] == ["as-of", "hindsight"]
    assert found.had_hindsight == {first}


@pytest.mark.parametrize("kind", ["hindsight", "person"])
def test_an_edition_from_after_the_fork_is_none_of_its_own(kind: Kind) -> None:
    now = with_edition(M1, 2, kind)
    told = now if kind == "hindsight" else replace(now, in_prompts=now.edition, chosen=2)
    kin = kin_of([told, M2, M3])
    kin = replace(kin, editions={**kin.editions, "m1": [M1.edition, now.edition]})
    before, since = (as_forked(kin, shows(shown, M2), "hindsight") for shown in (M1, now))
    assert [edition.number for edition in before.editions["m1"]] == [1]
    assert (before.memories[0].edition, before.memories[0].in_prompts) == (M1.edition, M1.edition)
    assert since == kin


def test_a_fork_has_the_persons_edition_of_before_it_and_not_the_hindsight_of_after_it() -> None:
    own, since = with_edition(M1, 2, "person"), with_edition(M1, 3)
    told = replace(since, in_prompts=own.edition, chosen=2, pinned=True)
    kin = kin_of([told, M2, M3])
    kin = replace(kin, editions={**kin.editions, "m1": [M1.edition, own.edition, since.edition]})
    forked = as_forked(kin, shows(own, M2), "hindsight")
    assert [edition.number for edition in forked.editions["m1"]] == [1, 2]
    memory = forked.memories[0]
    assert (memory.edition, memory.in_prompts) == (own.edition, own.edition)
    assert (memory.chosen, memory.pinned) == (2, True)
    before = as_forked(kin, shows(M1, M2), "hindsight").memories[0]
    assert (before.edition, before.chosen, before.pinned) == (M1.edition, None, False)


def test_the_export_of_a_fork_of_a_fork_may_call_its_memories_as_either_chat_before_it_did() -> (
    None
):
    second = inherit(Known("b"), shows(*ALL), kin_of(ALL))
    kin = Known("b", second.memories, second.editions, second.past)
    named = {
        memory.memory_id: group
        for memory, group in zip(second.memories, shows(*ALL).values(), strict=True)
    }
    for shown in (shows(*ALL), named):
        third = inherit(Known("c"), shown, kin)
        assert [memory.origins for memory in third.memories] == list(
            zip(named, ["m1", "m2", "m3"], strict=True)
        )


def length(text: str) -> int:
    return len(text)


def test_memories_that_nobody_knows_are_kept_as_they_stand() -> None:
    first, second = freeze(shows(M1, M2), 4, length).memories
    assert (first.memory_id, second.memory_id) == ("m1", "m2")
    assert (first.number, second.number) == (4, 5)
    assert first.edition.texts == M1.edition.texts
    assert first.keys == ()
    assert first.edition.tokens == sum(map(len, M1.edition.texts))
    assert first.edition.made == "model"
    assert [(quote.text, quote.source) for quote in first.edition.quotes] == [
        ("message number 0", "")
    ]
    assert (first.first, first.last) == (M1.first, M1.last)


def test_a_frozen_memory_has_the_time_of_its_first_and_last_message_in_the_persons_zone() -> None:
    group = dict(shows(M1)["m1"])
    for slot, when in ((1, "2026-03-01T20:00:00.000Z"), (6, "2026-03-02T20:00:00.000Z")):
        message = replace(group[slot].message, created_at=when)
        group[slot] = replace(group[slot], message=message)
    tokyo = ZoneInfo("Asia/Tokyo")
    (memory,) = freeze({"m1": group}, 1, length, zone=tokyo).memories
    assert memory.began_at == "2026-03-02T05:00:00+09:00"
    assert memory.ended_at == "2026-03-03T05:00:00+09:00"
    assert memory.edition.written_at == "2026-03-01T20:00:00.000Z"
    assert memory.edition.requests == ()


def test_a_frozen_memory_whose_name_is_taken_gets_one_of_its_own_and_answers_to_both() -> None:
    first, second = freeze(shows(M1, M2), 4, length, {"m2": "own"}).memories
    assert (first.memory_id, first.origins) == ("m1", ())
    assert (second.memory_id, second.origins) == ("own", ("m2",))


def test_a_fold_that_nobody_knows_keeps_its_level() -> None:
    fold, memory = freeze(shows(FOLD, M3), 1, length).memories
    assert (fold.level, memory.level) == (2, 1)
    assert not fold.is_fold, "what it stood for is not known any more"


def test_a_memory_that_has_lost_a_message_is_not_taken_for_one() -> None:
    shown = shows(*ALL)
    broken = {name: {slot: place for slot, place in group.items() if (name, slot) != ("m2", 5)}
              for name, group in shown.items()}  # fmt: skip
    found = freeze(broken, 1, length)
    assert [(memory.memory_id, memory.number) for memory in found.memories] == [
        ("m1", 1),
        ("m3", 2),
    ]
    assert set(found.editions) == {"m1", "m3"}


def test_a_memory_that_says_it_was_extracted_is_known_as_such() -> None:
    extracted = replace(M1, edition=replace(M1.edition, made="extracted", number=3))
    chat = finish(chat_of(TALK), [extracted]).again()
    (memory,) = freeze(group_by_memory(recognize(read_messages(chat), {})), 1, length).memories
    assert (memory.edition.made, memory.edition.number) == ("extracted", 3)


def quoting(memory: Memory, lead: str, *, framed: bool) -> Memory:
    """The same memory, whose first quote stands behind this lead, and is known as the person's if `framed`."""
    edition = memory.edition
    first, *rest = edition.quotes
    shown = "\n\n".join([lead + first.text, *(quote.text for quote in rest)])
    texts = (edition.texts[0], shown, *edition.texts[2:])
    quotes = (replace(first, lead=lead if framed else "", text=first.text), *rest)
    return replace(memory, edition=replace(edition, texts=texts, quotes=quotes))


def frozen(memory: Memory, *others: Memory) -> list[tuple[str, str]]:
    chat = finish(chat_of(TALK), [memory, *others], shown=[memory]).again()
    (found,) = freeze(group_by_memory(recognize(read_messages(chat), {})), 1, length).memories
    return [(quote.lead, quote.text) for quote in found.edition.quotes]


def test_a_frozen_quote_of_the_person_is_known_as_theirs_by_its_marker() -> None:
    assert frozen(quoting(M1, "Du hast gesagt: ", framed=True)) == [
        ("Du hast gesagt: ", "message number 0")
    ]


def test_of_a_frozen_fold_only_the_quotes_behind_a_lead_are_the_persons() -> None:
    fold = quoting(FOLD, "You said: ", framed=True)
    assert frozen(fold, M1, M2) == [("You said: ", "message number 0"), ("", "message number 2")]


def in_two_paragraphs(fold: Memory) -> Memory:
    """The same fold, whose first quote has a blank line in it."""
    edition = fold.edition
    first, *rest = edition.quotes
    quotes = (replace(first, text="The lamp.\n\nThe sea."), *rest)
    shown = "\n\n".join(quote.text for quote in quotes)
    texts = (edition.texts[0], shown, *edition.texts[2:])
    return replace(fold, edition=replace(edition, texts=texts, quotes=quotes))


def test_a_quote_with_a_blank_line_in_it_stays_one_quote() -> None:
    assert frozen(in_two_paragraphs(FOLD), M1, M2) == [
        ("", "The lamp.\n\nThe sea."),
        ("", "message number 2"),
    ]


def test_a_quote_is_from_where_its_marker_names_if_that_message_says_it() -> None:
    shown = shows(M1)
    (memory,) = freeze(shown, 1, length).memories
    (own,) = M1.edition.quotes

    def source(said: dict[str, list[str]]) -> str:
        (quote,) = with_cited_sources(memory.edition, shown["m1"], said).quotes
        return quote.source

    assert source({own.source: [f"Well, {own.text}."]}) == own.source
    assert source({own.source: ["something else", own.text[:9], own.text[9:]]}) == ""
    assert source({"another": [own.text]}) == ""


WISHES = (Wish("Please never call me Jo.", "u1"), Wish("Keep the lamp lit.", "u3"))


def with_stated(memory: Memory, wishes: Sequence[Wish] = WISHES) -> Memory:
    """The same memory, which ends with these wishes."""
    return replace(memory, edition=with_wishes(memory.edition, wishes, 0, length))


def last_message(shown: Mapping[str, Group], **fields: Any) -> dict[str, Group]:
    """What the export shows, with other fields in the field of ours of the last message of each memory."""
    return {
        name: {
            **group,
            6: replace(group[6], ours=replace(group[6].ours or Marker("", ""), **fields)),
        }
        for name, group in shown.items()
    }


def test_the_wishes_that_a_frozen_memory_ends_with_are_known_as_such() -> None:
    (memory,) = freeze(shows(with_stated(M1)), 1, length).memories
    assert [wish.text for wish in memory.edition.wishes] == [wish.text for wish in WISHES]
    assert {wish.source for wish in memory.edition.wishes} == {""}
    assert (memory.edition.number, memory.edition.kind) == (M1.edition.number, "as-of")
    assert (memory.edition.agent, memory.edition.context_manager) == ("unknown", "unknown")
    assert (memory.source_tokens, memory.level, memory.in_prompts) == (0, 1, memory.edition)


def test_a_wish_is_from_where_its_marker_names_if_that_message_says_it() -> None:
    shown = shows(with_stated(M1))
    (memory,) = freeze(shown, 1, length).memories
    said = {"u1": ["Well. Please never call me Jo. Ever."], "u3": ["something else"]}
    cited = with_cited_sources(memory.edition, shown["m1"], said)
    assert [wish.source for wish in cited.wishes] == ["u1", ""]


def test_an_older_marker_tells_only_how_many_wishes_there_are() -> None:
    older = last_message(shows(with_stated(M1)), cited=())
    (memory,) = freeze(older, 1, length).memories
    assert [wish.text for wish in memory.edition.wishes] == [wish.text for wish in WISHES]
    (memory,) = freeze(last_message(older, wishes=1), 1, length).memories
    assert [wish.text for wish in memory.edition.wishes] == [WISHES[-1].text]
    (memory,) = freeze(last_message(older, wishes=0), 1, length).memories
    assert memory.edition.wishes == ()


def test_what_the_person_wrote_at_the_end_of_a_memory_is_theirs_and_no_list_of_wishes() -> None:
    edited = last_message(shows(with_stated(M1)), text="as memproc wrote it")
    (memory,) = freeze(edited, 1, length).memories
    assert (memory.edition.wishes, memory.pinned) == ((), True)


def test_a_memory_that_the_person_wrote_stays_pinned_where_no_text_tells_it() -> None:
    by_person = replace(M1, edition=replace(M1.edition, kind="person"))
    chat = finish(chat_of(TALK), [by_person, M2]).again()
    first, second = freeze(group_by_memory(recognize(read_messages(chat), {})), 1, length).memories
    assert (first.pinned, second.pinned) == (True, False)


def test_messages_that_a_fork_shows_beside_their_memory_are_under_it_by_the_keys_of_the_fork() -> (
    None
):
    quoted = replace(M1.edition, quotes=(replace(M1.edition.quotes[0], source=PAST[0].key),))
    first = replace(M1, edition=quoted, in_prompts=quoted)
    inherited = inherit(Known(OWN), shows(M1, M2), kin_of([first, M2, M3]))
    adopted = with_keys_here(inherited, {PAST[0].key: "copy"})
    assert [old.key for old in adopted.past] == ["copy", *(old.key for old in inherited.past[1:])]
    mine, other = adopted.memories
    assert mine.keys == ("copy", *M1.keys[1:])
    assert other == inherited.memories[1]
    (edition,) = adopted.editions[mine.memory_id]
    assert [edition, mine.edition, mine.in_prompts] == [edition] * 3
    assert edition.quotes[0].source == "copy"
    assert adopted.keys_of_kin == {"copy": PAST[0].key}
