"""A person looks at memories, chooses, pins, recalls, and sees what changed from one version to the next."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chats import CHAT_ID, export_bytes, long_chat, user
from tests.stories.cycle import ENGINE, FIRST, Cycle
from tests.stories.person import Ended, Person
from tests.stories.recalling import call, text_of
from tests.stories.rounds import Life, life
from tests.stories.test_page import Browser

pytestmark = pytest.mark.timeout(200)
TIGHT = f"{ENGINE}[fold]\nbudget = 700\n"


@pytest.fixture(scope="module")
def wise(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Memories that a model wrote, the fourth and the fifth of them with hindsight too."""
    with life(tmp_path_factory.mktemp("wise"), memory="") as wise:
        wise.round(6_500)
        wise.round(1_600)
        assert wise.kinds()[3:5] == [["as-of", "hindsight"]] * 2
        yield wise


def read(ended: Ended) -> Any:
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def flush(ended: Ended) -> str:
    """What was printed, without the indentation of what was said."""
    return ended.out.replace("\n  ", "\n")


def done(ended: Ended, *words: str) -> None:
    """It went well and says these words."""
    assert (ended.code, ended.err) == (0, "")
    for word in words:
        assert word in ended.out, ended.out


def shown_texts(lived: Life, at: int) -> list[str]:
    """The texts of a memory as TypingMind shows them."""
    name = lived.memories()[at].memory_id
    return [
        message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
        for message in lived.device.messages(lived.chat_id)
        if message.get("memproc", {}).get("memory") == name
    ]


def test_the_list_says_of_each_memory_what_it_is_and_where(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=TIGHT)
    every = chat.everything()
    words = {memory["memory_id"]: memory["state"] for memory in every}
    assert set(words.values()) >= {"shown", "folded"}
    assert [name for name in words if words[name] == "shown" and name in chat.shown()] == sorted(
        chat.shown(), key=list(words).index
    )
    heading, columns, *listed = chat.person.memproc("memories", chat.chat_id).out.splitlines()
    assert heading == f"The lighthouse ({chat.chat_id}):"
    assert columns.split() == ["No.", "Day", "Before", "Now", "State", "First", "words"]
    assert [line.split()[0] for line in listed] == [memory["name"] for memory in every]
    called = {memory["memory_id"]: memory["name"] for memory in every}
    for memory, line in zip(every, listed, strict=True):
        before, now = f"{memory['source_tokens']:,}", f"{memory['edition']['tokens']:,}"
        state = f"in {called[memory['folded_into']]}" if memory["folded_into"] else ""
        quote = memory["edition"]["quotes"][0]
        first_words = " ".join(quote["text"].split())[:20]
        for word in (before, now, "2026-01-14", first_words, "extracted", state):
            assert word in line


@pytest.mark.full
def test_numbers_work_wherever_ids_do_and_folds_have_names_of_their_own(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=TIGHT)
    every = chat.everything()
    assert {memory["name"] for memory in every if not memory["members"]} == {
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
    }
    folds = [memory["name"] for memory in every if memory["level"] == 2]
    assert folds == [f"f{number}" for number in range(1, len(folds) + 1)] != []
    for memory in every:
        for command in (
            ["show", chat.chat_id, memory["name"]],
            ["show", "The lighthouse", memory["name"]],
        ):
            assert read(chat.person.memproc(*command, "--json"))["memory_id"] == memory["memory_id"]
    assert read(chat.person.memproc("show", "6", "--json"))["name"] == "6", (
        "there is one chat alone"
    )
    done(
        chat.person.memproc("pin", "The lighthouse", "6"),
        "Pinned memory 6: ",
    )
    done(chat.person.memproc("unpin", "The lighthouse", "6"), "Unpinned memory 6")
    done(chat.person.memproc("use", "The lighthouse", "6", "1"), "of memory 6")
    done(
        chat.person.memproc("recall", "The lighthouse", "1", "2"),
        "memory 1",
        "memory 2",
        "not forgotten",
    )
    done(
        chat.person.memproc("recall", every[0]["memory_id"], every[1]["memory_id"]),
        "memory 1",
        "memory 2",
    )
    for unknown in (
        ["show", chat.chat_id, "7"],
        ["show", chat.chat_id, "f9"],
        ["show", "nobody", "1"],
        ["show", "77"],
    ):
        assert chat.person.memproc(*unknown).code == 2
    assert chat.person.memproc("show", "The", "lighthouse", "6").code == 2


@pytest.mark.full
def test_of_two_chats_the_number_alone_names_no_memory(ada: Person) -> None:
    names = ("chatnumber1", "chatnumber2")
    ada.drop(
        export_bytes(
            *(
                long_chat(5000, tokens_each=200, chatID=name, id=name, chatTitle="Aria")
                for name in names
            )
        )
    )
    run = ada.memproc("run")
    assert run.code == 0
    alone = ada.memproc("show", "1")
    assert alone.code == 2
    assert "can be any of 2 memories" in alone.err
    assert "memproc show chatnumber1 1" in alone.err
    assert read(ada.memproc("show", "chatnumber2", "1", "--json"))["chat_id"] == "chatnumber2"
    ambiguous = ada.memproc("show", "Aria", "1")
    assert ambiguous.code == 2
    assert "chatnumber1 (Aria), chatnumber2 (Aria)" in ambiguous.err
    assert "Aria (chatnumber2): " in run.out, "titles of two chats of one name are told apart"
    assert "Aria (chatnumber1)" in ada.memproc("plan").out


@pytest.mark.full
def test_show_reads_as_prose_and_has_ids_questions_and_requests_only_if_asked(wise: Life) -> None:
    memory = wise.memories()[3]
    prose = wise.person.memproc("show", "The lighthouse", "4")
    done(
        prose,
        '"The lighthouse"\nMemory 4: ',
        "edition 2, hindsight (what came after in view), shown now",
        "Quote\n",
        "Perspective\n",
        "Memory\n",
    )
    for edition in wise.editions(memory.memory_id):
        for text in edition.texts[1::2]:
            assert text in flush(prose)
        for hidden in (
            *edition.texts[::2],
            *(request[:8] for request in edition.requests),
            memory.memory_id,
        ):
            assert hidden not in prose.out
    (step,) = read(wise.person.memproc("show", "The lighthouse", "4", "--json"))["next"]
    assert step.endswith(f": memproc show {wise.chat_id} 4 --raw")
    raw = step.partition(": memproc ")[2].split()
    done(wise.person.memproc(*raw), memory.memory_id, "Requests ", "--- context manager")


def test_the_tree_shows_what_stands_in_the_export_with_what_it_is_made_of(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=TIGHT)
    ids = {memory["name"]: memory["memory_id"] for memory in chat.everything()}
    _, _, *lines = chat.person.memproc("memories", chat.chat_id, "--tree").out.splitlines()
    depth = {ids[line.split()[0]]: len(line) - len(line.lstrip()) for line in lines}
    assert [name for name in depth if depth[name] == 0] == chat.shown()
    assert depth.keys() == {memory["memory_id"] for memory in chat.everything()}
    order = list(depth)
    for memory in chat.everything():
        for member in memory["members"]:
            assert depth[member] == depth[memory["memory_id"]] + 3
            assert order.index(member) > order.index(memory["memory_id"])


@pytest.mark.usefixtures("key")
def test_a_chat_without_memories_says_how_to_see_what_a_run_would_do(ada: Person) -> None:
    ada.settings('[models]\nagent = "anthropic/claude-haiku-5-5"\n[budget]\nrun_usd = 0\n')
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 4, "it was read, and the cap allows no call"
    for command in (["memories", CHAT_ID], ["memories", CHAT_ID, "--tree"]):
        done(ada.memproc(*command), "has no memories yet", "What a run would do: memproc ", " plan")
    assert read(ada.memproc("memories", CHAT_ID, "--json"))["memories"] == []


def test_show_prints_all_editions_one_below_the_other(wise: Life) -> None:
    memory = wise.memories()[3]
    ended = wise.person.memproc("show", memory.memory_id[:9], "--raw")
    done(
        ended,
        "edition 1, as-of (nothing later in view), seen while later ones are written",
        "edition 2, hindsight (what came after in view), shown now",
        "anthropic/claude-haiku-5-5",
    )
    for edition in wise.editions(memory.memory_id):
        for text in (*edition.texts, *(request[:8] for request in edition.requests)):
            assert text in flush(ended)
    assert max(map(len, ended.out.splitlines())) > 120, "lines are not cut in a pipe"


def test_show_puts_editions_side_by_side_where_there_is_room(
    wise: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    done(wise.person.memproc("show", wise.memories()[3].memory_id))
    beside = wise.person.memproc("show", wise.memories()[3].memory_id).out.splitlines()
    assert any("edition 1, as-of" in line and "edition 2, hindsight" in line for line in beside)
    assert max(map(len, beside)) <= 140
    monkeypatch.setenv("COLUMNS", "119")
    below = wise.person.memproc("show", wise.memories()[3].memory_id).out.splitlines()
    assert not any("edition 1, as-of" in line and "edition 2, hindsight" in line for line in below)


def test_show_as_json_has_everything(wise: Life) -> None:
    memory = wise.memories()[3]
    found = read(wise.person.memproc("show", memory.memory_id, "--json"))
    assert found["keys"] == list(memory.keys)
    assert [edition["kind"] for edition in found["editions"]] == ["as-of", "hindsight"]
    assert [edition["requests"] for edition in found["editions"]] == [
        list(edition.requests) for edition in wise.editions(memory.memory_id)
    ]
    assert (found["chat_id"], found["state"], found["edition"]["number"]) == (
        wise.chat_id,
        "shown",
        2,
    )


def test_a_fold_is_shown_with_its_members_and_all_its_quotes(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=TIGHT)
    fold = next(memory for memory in chat.everything() if memory["members"])
    ended = chat.person.memproc("show", fold["memory_id"], "--raw")
    done(ended, f"Fold f{fold['number']}", *fold["members"])
    for quote in fold["edition"]["quotes"]:
        assert f"message {quote['source']}" in ended.out


def test_a_deleted_fold_that_an_older_export_shows_again_is_back_with_its_memories(
    tmp_path: Path,
) -> None:
    chat = Cycle.lived(tmp_path, settings=TIGHT)
    older, shown = chat.export(), chat.shown()
    states = {memory["memory_id"]: memory["state"] for memory in chat.everything()}
    fold = next(memory for memory in chat.everything() if memory["members"])
    assert fold["memory_id"] in shown
    assert "forgotten" in chat.forget(fold["memory_id"]).hand_in().out
    chat.device.bring_in(older)
    assert f"{len(fold['members'])} back again" in chat.hand_in().out
    chat.device.bring_in(chat.updated().read_bytes())
    assert chat.shown() == shown
    assert {memory["memory_id"]: memory["state"] for memory in chat.everything()} == states


@pytest.mark.full
def test_the_chosen_edition_is_shown_from_the_next_run_on_and_auto_lets_go(wise: Life) -> None:
    memory = wise.memories()[4]
    as_of, hindsight = wise.editions(memory.memory_id)
    assert shown_texts(wise, 4) == list(hindsight.texts)

    chosen = wise.person.memproc("use", memory.memory_id, "1")
    done(chosen, "From now on edition 1 (as-of) of memory 5", "as you have chosen", " run\n")
    done(wise.person.memproc("use", memory.memory_id, "1"), "Nothing to do")
    assert wise.round() == [], "to choose costs nothing"
    assert shown_texts(wise, 4) == list(as_of.texts)

    done(
        wise.person.memproc("use", memory.memory_id, "auto"),
        "edition 2 (hindsight)",
        "as memory.editions prefers",
    )
    done(
        wise.person.memproc("use", memory.memory_id, "as-of"),
        "edition 1 (as-of)",
        "as you have chosen",
    )
    done(
        wise.person.memproc("use", memory.memory_id, "hindsight"),
        "edition 2 (hindsight)",
        "as you have chosen",
    )
    done(
        wise.person.memproc("use", memory.memory_id, "auto"),
        "edition 2 (hindsight)",
        "as memory.editions prefers",
    )
    assert wise.round() == []
    assert shown_texts(wise, 4) == list(hindsight.texts)
    assert wise.person.memproc("verify").code == 0


def test_the_list_shows_the_editions_that_the_settings_prefer(wise: Life) -> None:
    def listed() -> list[str]:
        out = wise.person.memproc("memories", wise.chat_id).out.splitlines()
        return ["hindsight" if " hindsight " in line else "as-of" for line in out[5:7]]

    assert listed() == ["hindsight"] * 2
    wise.settings(memory='editions = "as-of"')
    assert listed() == ["as-of"] * 2
    found = read(wise.person.memproc("show", wise.memories()[3].memory_id, "--json"))
    assert found["edition"]["kind"] == "as-of"
    memory = wise.memories()[3]
    as_of, hindsight = (
        edition.texts[5].split(".")[0] for edition in wise.editions(memory.memory_id)
    )
    page = Browser(wise.person).open(f"/chat/{wise.chat_id}/read?sheet=1")
    opened = text_of(call(wise.person, "recall_open", record=memory.memory_id))
    for shown in (page, opened):
        assert as_of in " ".join(shown.split()) and hindsight not in " ".join(shown.split())
    wise.settings(memory="")


def test_an_edition_that_is_not_there_is_not_chosen(wise: Life) -> None:
    name = wise.memories()[4].memory_id
    ended = wise.person.memproc("use", name, "7")
    assert ended.code == 2
    assert "no edition 7; it has 1 (as-of), 2 (hindsight)" in ended.err
    assert wise.person.memproc("use", name, "newest").code == 2
    assert wise.person.memproc("use", "m0000", "1").code == 2
    assert wise.memories()[4].chosen is None


def test_a_retry_without_a_word_makes_no_second_copy_of_an_edition(wise: Life) -> None:
    memory = wise.memories()[3]
    ended = wise.person.memproc("retry", memory.memory_id)
    assert (ended.code, ended.out) == (1, "")
    assert "All this has been asked before" in ended.err
    assert len(wise.editions(memory.memory_id)) == 2


@pytest.mark.full
def test_a_pinned_memory_is_never_written_again_by_itself(tmp_path: Path) -> None:
    with life(tmp_path / "life", memory="") as lived:
        lived.round(6_500)
        name = lived.memories()[-1].memory_id
        done(lived.person.memproc("pin", name), "Pinned memory 5", f" unpin {name}\n")
        done(lived.person.memproc("pin", name), "Nothing to do", "pinned already")
        done(lived.person.memproc("memories", lived.chat_id), "  pinned  ")
        lived.round(1_600)
        assert lived.kinds()[3:5] == [["as-of", "hindsight"], ["as-of"]]
        done(lived.person.memproc("unpin", name), "Unpinned memory 5")
        done(lived.person.memproc("unpin", name), "Nothing to do", "not pinned")


@pytest.mark.full
def test_unpinning_an_edited_memory_puts_memprocs_edition_back_and_keeps_the_persons(
    chat: Cycle,
) -> None:
    name = chat.names()[0]
    written = chat.texts()[name]
    chat.device.edit(chat.chat_id, chat.at(name, 6), "In my own words.")
    assert chat.hand_in().code == 0
    done(
        chat.person.memproc("show", name),
        "edition 2, yours, shown now",
        "edited in TypingMind",
    )
    done(chat.person.memproc("memories", chat.chat_id), "  yours, pinned  ")

    done(
        chat.person.memproc("unpin", name),
        "edition 1 (as-of)",
        f" use {name} 2\n",
        " run\n",
    )
    assert chat.goes_round().texts()[name] == written
    own_words = ("search", "my own words", "--in", "memories")
    assert "In my own words." not in chat.person.memproc(*own_words).out
    done(chat.person.memproc("use", name, "2"))
    assert "In my own words." in chat.person.memproc(*own_words).out
    assert chat.goes_round().texts()[name] == [*written[:5], "In my own words."]
    done(chat.person.memproc("unpin", name), "edition 1 (as-of)")  # what `use` of it kept
    assert chat.goes_round().texts()[name] == written
    assert chat.person.memproc("verify").code == 0


@pytest.mark.full
def test_auto_goes_back_to_the_persons_own_edition_which_unpinning_then_lets_go(
    chat: Cycle,
) -> None:
    name = chat.names()[0]
    written = chat.texts()[name]
    own = [*written[:5], "In my own words."]
    chat.device.edit(chat.chat_id, chat.at(name, 6), own[5])
    assert chat.hand_in().code == 0
    done(chat.person.memproc("use", name, "1"), "edition 1 (as-of)", "as you have chosen")
    assert chat.goes_round().texts()[name] == written
    done(chat.person.memproc("use", name, "auto"), "edition 2 (yours)", "as you have written it")
    assert chat.goes_round().texts()[name] == own
    done(chat.person.memproc("use", name, "auto"), "Nothing to do")
    done(chat.person.memproc("unpin", name), "edition 1 (as-of)")
    assert chat.goes_round().texts()[name] == written


def test_a_recalled_memory_comes_back_between_its_neighbours_and_can_be_forgotten_again(
    chat: Cycle,
) -> None:
    name, before = chat.names()[1], chat.shown()
    done(chat.person.memproc("recall", name), "Nothing to do", "not forgotten")
    chat.forget(name).hand_in()
    done(chat.person.memproc("memories", chat.chat_id), "forgotten")
    [known] = json.loads(chat.person.memproc("chats", "--json").out)["chats"]
    assert known["memories"] == len(chat.names()) - 1
    done(chat.person.memproc("show", name, "--json"), f"recall {chat.chat_id} 2")
    assert "shown now" not in chat.person.memproc("show", name).out

    done(chat.person.memproc("recall", name), "Recalled memory 2", " run\n")
    done(chat.person.memproc("memories", chat.chat_id), "extracted, recalled  ")
    assert chat.goes_round().shown() == before
    assert chat.hand_in().code == 0
    assert "recalled" not in chat.person.memproc("memories", chat.chat_id).out

    chat.forget(name).hand_in()
    assert (
        next(memory for memory in chat.memories() if memory["memory_id"] == name)["state"]
        == "forgotten"
    )


@pytest.mark.full
def test_a_recalled_fold_brings_back_all_that_it_stands_for(tmp_path: Path) -> None:
    chat = Cycle.lived(tmp_path, settings=f"{ENGINE}[fold]\nbudget = 500\n")
    before = chat.shown()
    fold = next(memory for memory in chat.everything() if memory["memory_id"] == before[0])
    inside = sum(memory["state"] == "folded" for memory in chat.memories())
    assert fold["members"] and inside > 3
    assert len(before) == 1 + 6 - inside
    gone = chat.forget(fold["memory_id"]).hand_in()
    assert f"{inside} forgotten: memproc recall {fold['memory_id']}\n" in gone.out, (
        "it is one of those that are shown, whatever is in it"
    )
    assert fold["memory_id"] not in [
        one["memory_id"] for one in chat.everything() if one["state"] != "forgotten"
    ]
    done(
        chat.person.memproc("recall", fold["memory_id"]),
        f"Recalled fold f{fold['number']}",
    )
    assert chat.goes_round().shown() == before
    assert {memory["state"] for memory in chat.everything()} == {"shown", "folded"}
    chat.person.settings(ENGINE)
    assert chat.goes_round().shown() == chat.names(), (
        "with a larger budget they all stand there themselves"
    )


@pytest.mark.full
def test_diff_tells_what_a_round_has_changed(chat: Cycle) -> None:
    first = len(chat.names())
    person = chat.person
    done(
        person.memproc("diff", chat.chat_id),
        "version 1 (original, ", f": {2 * FIRST} messages, 0 memories", "the updated export: ",
        "+ memory 1, ", "new, in edition 1", "Compressed into memory 1, ", "changed fields of the chat: ",
    )  # fmt: skip
    chat.talk().device.edit(chat.chat_id, chat.live()[-1], "Let me say this in another way.")
    chat.goes_round()
    found = read(person.memproc("diff", chat.chat_id, "--json"))
    news = [one["memory"] for one in found["memories"] if one["how"] == "new"]
    assert news == chat.names()[first:]
    keys = {one["memory_id"]: one["keys"] for one in chat.memories()}
    for name in news:
        here = [
            one["uuid"]
            for one in found["raw"]
            if one["memory"] == name and one["how"] == "compressed"
        ]
        assert here == [key for key in keys[name] if key in here]
    assert {one["how"] for one in found["raw"]} == {"compressed", "new"}
    assert found["before"].startswith("version 2 ")


@pytest.mark.full
def test_diff_tells_of_editions_folds_and_edits(chat: Cycle) -> None:
    person = chat.person
    chat.device.edit(chat.chat_id, chat.live()[-1], "Let me say this in another way.")
    person.settings(TIGHT)
    chat.goes_round()
    done(
        person.memproc("diff", chat.chat_id),
        "memory 2, ",
        ": folded into fold ",
        "Edited, 1 message:",
        "+   ",
        "-   ",
    )
    person.settings(ENGINE)
    chat.goes_round()
    done(person.memproc("diff", chat.chat_id), "memory 2, ", ": unfolded from fold ")


@pytest.mark.full
def test_diff_of_two_versions_reads_the_other_way_round_too(chat: Cycle) -> None:
    chat.talk().goes_round()
    there, back = (
        read(chat.person.memproc("diff", chat.chat_id, *two, "--json"))
        for two in (("1", "2"), ("2", "1"))
    )
    assert {one["how"] for one in there["raw"]} == {"compressed"}
    assert {one["how"] for one in back["raw"]} == {"come back"}
    assert [one["uuid"] for one in there["raw"]] == [one["uuid"] for one in back["raw"]]
    same = read(chat.person.memproc("diff", chat.chat_id, "2", "2", "--json"))
    assert same["same_bytes"]
    assert not (same["raw"] or same["memories"] or same["fields"])
    done(chat.person.memproc("diff", chat.chat_id, "2", "2"), "the same, byte for byte")


@pytest.mark.full
def test_diff_changes_nothing_and_steers_no_terminal(ada: Person) -> None:
    evil = user("Look: \x1b[2Jgone \u202eesrever", 900)
    chat = long_chat(5000, tokens_each=200)
    ada.drop(export_bytes({**chat, "messages": [evil, *chat["messages"]]}))
    assert ada.memproc("run").code == 0
    before = ada.bytes_of_everything()
    ended = ada.memproc("diff", CHAT_ID)
    done(ended, "\\x1b[2J", "\\u202e")
    assert "\x1b" not in ended.out
    assert "\u202e" not in ended.out
    assert ada.bytes_of_everything() == before


def test_diff_names_what_it_cannot_find(chat: Cycle) -> None:
    unknown = chat.person.memproc("diff", chat.chat_id, "9")
    assert unknown.code == 2
    assert "no version 9" in unknown.err
    assert "there are: 1." in unknown.err
    chat.updated().unlink()
    absent = chat.person.memproc("diff", chat.chat_id)
    assert absent.code == 2
    assert "no updated export" in absent.err
    assert chat.person.memproc("diff", chat.chat_id, "1", "1").code == 0
    assert chat.person.memproc("diff", "nobody").code == 2


@pytest.mark.full
def test_restore_tells_the_difference_in_the_same_words_and_keeps_the_present_state(
    chat: Cycle,
) -> None:
    chat.talk().goes_round()
    person, present = chat.person, chat.updated().read_bytes()
    before = person.bytes_of_everything()
    dry = person.memproc("restore", chat.chat_id, "1")
    done(
        dry,
        "now: ",
        f"then: {2 * FIRST} messages, 0 memories",
        "Come back from under memory 1, ",
        "Nothing was changed",
    )
    assert person.bytes_of_everything() == before
    kept = read(person.memproc("versions", chat.chat_id, "--json"))["versions"]
    for number in (1, 2, 1, 3):
        done(person.memproc("restore", chat.chat_id, str(number), "--yes"), "Restored.")
    after = read(person.memproc("versions", chat.chat_id, "--json"))["versions"]
    assert after[: len(kept)] == kept, "nothing is pruned"
    assert len(after) == 3
    assert chat.updated().read_bytes() == present
    assert person.memproc("verify").code == 0


def test_what_is_no_export_any_more_can_be_replaced_by_a_version(chat: Cycle) -> None:
    whole = chat.updated().read_bytes()
    assert chat.person.memproc("restore", chat.chat_id, "1", "--yes").code == 0
    chat.updated().write_bytes(whole[: len(whole) // 2])
    done(
        chat.person.memproc("restore", chat.chat_id, "2", "--yes"),
        "cannot be compared",
        "Restored.",
    )
    assert chat.updated().read_bytes() == whole
