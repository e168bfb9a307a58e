"""Three ways to put memories back, each lived through: replace, new-chat, keep-originals."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from tests.chats import Json
from tests.stories.cycle import ENGINE, Cycle, quiet
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of
from tests.typingmind.wire import read_chats, stringify

pytestmark = [pytest.mark.timeout(120), pytest.mark.variants]
MODES = ("replace", "new-chat", "keep-originals")
LARGE, SMALL = 16_000, 1_500
"""Tokens of the memory section: room for all memories, and for very few."""
LIVES = [(mode, budget) for mode in MODES for budget in (LARGE, SMALL)]


def begin(home: Path, mode: str, budget: int = LARGE, build: Build = "2026") -> Cycle:
    return Cycle.begin(home, build, settings=settings(mode, budget))


def settings(mode: str, budget: int = LARGE) -> str:
    return f'{ENGINE}[fold]\nbudget = {budget}\n[output]\nmode = "{mode}"\n'


def goes_round(cycle: Cycle) -> Cycle:
    """Export, run, import, and go on in the chat that came of it."""
    path = cycle.person.drop(cycle.export(), f"{cycle.chat_id}.json")
    ended = cycle.person.memproc("run", path, "--json")
    assert (ended.code, ended.err) == (0, ""), ended
    (outcome,) = json.loads(ended.out)["outcomes"]
    assert outcome["outcome"] == "written", outcome
    content = Path(outcome["path"]).read_bytes()
    cycle.device.bring_in(content)
    (chat,) = read_chats(content)
    return cycle.of(chat["chatID"])


def is_well(cycle: Cycle) -> None:
    """The archive is whole, and TypingMind sends opening, memories, closing and live tail, and nothing else."""
    verified = cycle.person.memproc("verify")
    assert verified.code == 0, verified
    shown = [message for message in cycle.messages if not message.get("contextClearedAt")]
    kinds = [message.get("memproc", {}).get("kind", "raw") for message in shown]
    memories = kinds.count("memory")
    assert memories % 6 == 0
    assert kinds == [
        "opening",
        *["memory"] * memories,
        "closing",
        *["raw"] * (len(kinds) - memories - 2),
    ]
    said = "\n\n".join(text_of(message["content"]) for message in shown)
    system, *sent = cycle.device.what_is_sent(cycle.chat_id)
    assert system == {"role": "system", "content": "You are Ada, who keeps a lighthouse."}
    assert "\n\n".join(message["content"] for message in sent).rstrip() == said.rstrip()


class Witness:
    """Every raw message that was seen in a chat, as it was written then, in order."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}

    def looks(self, cycle: Cycle) -> Cycle:
        for message in cycle.messages:
            if "memproc" not in message:
                self.seen[message["uuid"]] = stringify(message)
        return cycle

    def confirms(self, cycle: Cycle) -> None:
        """Expanding gives back what was seen, byte for byte."""
        assert expanded(cycle) == [*self.seen.values()]


def expanded(cycle: Cycle) -> list[str]:
    """The full raw conversation, message by message, in the bytes of the expanded export."""
    path = cycle.person.home / "whole.json"
    ended = cycle.person.memproc("expand", cycle.chat_id, "--output", path)
    assert ended.code == 0, ended.err
    content = path.read_bytes()
    path.unlink()
    (chat,) = read_chats(content)
    found = [stringify(message) for message in chat["messages"]]
    assert ",".join(found).encode() in content
    return found


def originals(cycle: Cycle) -> list[Json]:
    return [
        message
        for message in cycle.messages
        if message.get("memproc", {}).get("kind") == "original"
    ]


def without_ours(message: Json) -> str:
    return stringify(
        {key: value for key, value in message.items() if key not in ("contextClearedAt", "memproc")}
    )


@pytest.mark.full
@pytest.mark.parametrize(("mode", "budget"), LIVES)
def test_a_conversation_goes_round_for_a_long_time(tmp_path: Path, mode: str, budget: int) -> None:
    build: Build = "2024" if budget == LARGE else "2026"
    cycle, witness = begin(tmp_path, mode, budget, build), Witness()
    for _ in range(4):
        cycle = goes_round(witness.looks(cycle))
        is_well(cycle)
        quiet(cycle)
        witness.confirms(cycle)
        cycle.talk()


@pytest.mark.long
@pytest.mark.parametrize(("mode", "budget"), LIVES)
def test_what_the_person_does_in_between_counts(tmp_path: Path, mode: str, budget: int) -> None:
    witness = Witness()
    cycle = goes_round(witness.looks(begin(tmp_path, mode, LARGE)))
    cycle.person.settings(settings(mode, budget))
    edited, *_, forgotten, _ = cycle.shown()
    cycle.device.edit(cycle.chat_id, cycle.at(edited, 6), "This is how I want to remember it.")
    cycle.forget(forgotten)
    one, other = cycle.live()[3], cycle.live()[-4]
    del witness.seen[cycle.messages[other]["uuid"]]
    cycle.device.delete(cycle.chat_id, other)
    cycle.device.edit(cycle.chat_id, one, "What I meant to say is this.")
    for _ in range(3):
        cycle = goes_round(witness.looks(cycle.talk()))
        is_well(cycle)
        quiet(cycle)
        witness.confirms(cycle)
    if budget == LARGE:
        assert cycle.texts()[cycle.shown()[0]][5] == "This is how I want to remember it."
    assert forgotten not in cycle.shown()
    assert {"pinned", "forgotten"} <= {
        flag for memory in cycle.memories() for flag in flags(memory)
    }


def flags(memory: Json) -> list[str]:
    return [name for name in ("pinned", "forgotten") if memory.get(name)]


@pytest.mark.long
@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize("mode", MODES)
def test_a_fork_and_the_chat_that_it_was_forked_from_go_on_side_by_side(
    tmp_path: Path, mode: str, build: Build
) -> None:
    witness = Witness()
    cycle = goes_round(witness.looks(begin(tmp_path, mode, build=build)))
    fork = cycle.of(cycle.device.fork(cycle.chat_id))
    for _ in range(2):
        before = cycle.device.export(cycle.chat_id)
        fork = goes_round(fork.talk())
        assert cycle.device.export(cycle.chat_id) == before, "the chat is as it was"
        is_well(fork)
        quiet(fork)
        before = fork.device.export(fork.chat_id)
        cycle = goes_round(witness.looks(cycle.talk()))
        assert fork.device.export(fork.chat_id) == before
        is_well(cycle)
        quiet(cycle)
    witness.confirms(cycle)
    raw = [json.loads(message)["content"] for message in expanded(fork)]
    same = [json.loads(message)["content"] for message in witness.seen.values()][:72]
    assert raw[:72] == same, "the fork has the whole conversation"
    assert len(raw) == 72 + 2 * 28


@pytest.mark.parametrize("budget", [LARGE, SMALL])
def test_every_original_stands_in_the_chat_with_its_own_bytes_and_is_not_sent(
    tmp_path: Path, budget: int
) -> None:
    witness = Witness()
    cycle = witness.looks(begin(tmp_path, "keep-originals", budget))
    for _ in range(3):
        cycle = goes_round(witness.looks(cycle))
        raw = [
            message
            for message in cycle.messages
            if message.get("memproc", {}).get("kind") in (None, "original")
        ]
        assert [without_ours(message) for message in raw] == [*witness.seen.values()]
        assert originals(cycle)
        assert all(original["contextClearedAt"] for original in originals(cycle))
        is_well(cycle)
        cycle.talk()


@pytest.mark.full
@pytest.mark.parametrize("budget", [LARGE, SMALL])
def test_the_originals_leave_when_the_mode_goes_back_to_replace(
    tmp_path: Path, budget: int
) -> None:
    witness = Witness()
    cycle = goes_round(witness.looks(begin(tmp_path, "keep-originals", budget)))
    cycle = goes_round(witness.looks(cycle.talk()))
    gone = {message["uuid"] for message in originals(cycle)}
    texts = cycle.texts()
    cycle.person.settings(settings("replace", budget))
    cycle = goes_round(cycle)
    assert not originals(cycle)
    assert cycle.texts() == texts, "nothing was written anew"
    assert gone <= set(cycle.device.chat(cycle.chat_id)["syncMetadata"]["deletedMessageUUIDs"])
    is_well(cycle)
    quiet(cycle)
    witness.confirms(cycle)


@pytest.mark.full
def test_an_original_that_the_person_takes_back_into_the_context_is_excluded_again(
    tmp_path: Path,
) -> None:
    cycle = goes_round(begin(tmp_path, "keep-originals"))
    del originals(cycle)[3]["contextClearedAt"]
    before, calls = cycle.texts(), cycle.calls()
    cycle = goes_round(cycle.talk(1))
    is_well(cycle)
    quiet(cycle)
    assert (cycle.texts(), cycle.calls()) == (before, calls)


@pytest.mark.full
def test_an_original_that_the_person_edits_gives_its_memory_a_new_edition(tmp_path: Path) -> None:
    cycle = goes_round(begin(tmp_path, "keep-originals"))
    first = cycle.shown()[0]
    before = cycle.texts()
    answer = 1 + cycle.messages.index(originals(cycle)[0])
    said = (
        "I decided to keep a log of all ships that pass the house at the end of the world, and to sign it. "
        * 4
    )
    cycle.device.edit(cycle.chat_id, answer, said)
    cycle = goes_round(cycle)
    is_well(cycle)
    quiet(cycle)
    assert cycle.texts()[first] != before[first]
    assert text_of(json.loads(expanded(cycle)[1])["content"]) == said


@pytest.mark.full
def test_an_original_that_the_person_deletes_stays_deleted(tmp_path: Path) -> None:
    witness = Witness()
    cycle = goes_round(witness.looks(begin(tmp_path, "keep-originals")))
    for original in originals(cycle)[2:4]:
        del witness.seen[original["uuid"]]
        cycle.device.delete(cycle.chat_id, cycle.messages.index(original))
    cycle = goes_round(witness.looks(cycle.talk()))
    is_well(cycle)
    quiet(cycle)
    witness.confirms(cycle)
    cycle.person.settings(settings("replace"))
    cycle = goes_round(cycle)
    is_well(cycle)
    witness.confirms(cycle)


@pytest.mark.long
def test_what_the_person_has_excluded_themselves_stays_theirs(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "keep-originals")
    for at in (4, 5, -4, -3):
        cycle.device.exclude(cycle.chat_id, at)
    theirs = [stringify(cycle.messages[at]) for at in (4, 5, -4, -3)]
    for mode in ("keep-originals", "replace"):
        cycle.person.settings(settings(mode))
        cycle = goes_round(cycle.talk())
        kept = [
            message
            for message in cycle.messages
            if "contextClearedAt" in message and "memproc" not in message
        ]
        assert [stringify(message) for message in kept] == theirs
        is_well(cycle)
        quiet(cycle)


@pytest.mark.long
@pytest.mark.parametrize(("first", "second"), [*permutations(MODES, 2)])
def test_the_mode_may_change_between_two_rounds(tmp_path: Path, first: str, second: str) -> None:
    witness = Witness()
    cycle = begin(tmp_path, first, SMALL)
    for mode in (first, second, first):
        cycle.person.settings(settings(mode, SMALL))
        cycle = goes_round(witness.looks(cycle))
        is_well(cycle)
        quiet(cycle)
        witness.confirms(cycle)
        cycle.talk()


@pytest.mark.full
def test_the_old_chat_is_untouched_beside_the_new_one(tmp_path: Path) -> None:
    old = begin(tmp_path, "new-chat")
    before = old.export()
    new = goes_round(old)
    assert new.chat_id != old.chat_id
    assert old.export() == before
    assert new.device.chat(new.chat_id)["chatTitle"] == "The lighthouse (memories)"
    assert not new.device.chat(new.chat_id).get("syncMetadata")
    quiet(new)
    for _ in range(2):
        before = old.export()
        later = goes_round(new.talk())
        assert later.chat_id == new.chat_id, "the new chat goes on in its own place"
        assert old.export() == before
        is_well(new)
        quiet(new)


@pytest.mark.long
def test_a_further_round_of_the_old_chat_never_overwrites_the_new_one(tmp_path: Path) -> None:
    old = begin(tmp_path, "new-chat")
    first = goes_round(old)
    first = goes_round(first.talk())
    lived, file = first.talk().export(), first.updated().read_bytes()
    second = goes_round(old.talk())
    assert len({old.chat_id, first.chat_id, second.chat_id}) == 3
    assert first.export() == lived
    assert first.updated().read_bytes() == file
    for cycle in (first, second):
        is_well(goes_round(cycle.talk()))
        quiet(cycle)
    third = goes_round(old.talk())
    assert third.chat_id not in {first.chat_id, second.chat_id}
    is_well(third)


def test_the_new_chat_is_not_overwritten_where_memproc_has_seen_no_round_of_it(
    tmp_path: Path,
) -> None:
    """The person talks on in the new chat, and exports only the old one."""
    old = begin(tmp_path, "new-chat")
    new = goes_round(old).talk()
    lived = new.export()
    other = goes_round(old.talk())
    assert new.export() == lived
    assert other.chat_id != new.chat_id
