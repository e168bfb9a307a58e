"""The person's own hand in the facts: at the command line, in TypingMind's opening, and by deleting memories."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.layers.opening import FactLine, fact_row
from tests.server.facts import operations
from tests.server.setup import KEY
from tests.stories.facts import (
    asked_for_facts,
    events,
    facts,
    history,
    known,
    lines,
    opening,
    shown,
)
from tests.stories.rounds import Life
from tests.stories.statements import Keeper, copy_of, take_statements, telling
from tests.typingmind.wire import copied

pytestmark = pytest.mark.timeout(200)
MISO, LISBON = "The person's cat is called Miso.", "The person lives in Lisbon."
TEA = "The person drinks tea."
KEEPER = Keeper()


@pytest.fixture(autouse=True)
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """The context manager of all these lives, who takes statements again after each story."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    yield KEEPER
    KEEPER.take = take_statements


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A life with three facts, each of a chunk of its own."""
    said = ("I live in Lisbon.", "My cat is called Miso.", "In the morning I drink tea.")
    with telling(
        tmp_path_factory.mktemp("told") / "ada", KEEPER, *said, core="enabled = true"
    ) as lived:
        lived.round()
        assert known(lived) == {1: LISBON, 2: MISO, 3: TEA}
        assert sections(lived)["human"]
        yield lived


def sections(lived: Life) -> dict[str, str]:
    """The core memory, as `memproc core CHAT` tells it."""
    ended = lived.person.memproc("core", lived.chat_id, "--json")
    assert ended.code == 0, ended.err
    return {section["name"]: section["value"] for section in json.loads(ended.out)["sections"]}


@pytest.fixture
def ada(told: Life, tmp_path: Path) -> Life:
    return copy_of(told, tmp_path / "ada")


@pytest.mark.full
def test_what_is_forgotten_is_gone_from_export_and_prompts_and_stays_in_the_history(
    ada: Life,
) -> None:
    ended = facts(ada, "forget", "2")
    assert (ended.code, ended.err) == (0, "")
    assert "Fact 2 is forgotten." in ended.out
    requests = ada.round(800)
    assert known(ada) == {1: LISBON, 3: TEA}
    assert MISO not in opening(ada)
    assert [shown(request) for request in asked_for_facts(requests)] == [[LISBON, TEA]]
    assert [event["event"] for event in history(ada, 2)] == ["ADD", "FORGET"]
    assert "forget by you: forgotten at the command line" in facts(ada, "history", "2").out
    assert "Nothing to do" in facts(ada, "forget", "2").out


@pytest.mark.full
def test_a_fact_of_ones_own_is_shown_and_told(ada: Life) -> None:
    assert "Added as fact 4." in facts(ada, "add", "  I am  afraid of moths. ").out
    assert (
        "Nothing to do: fact 4 says so already." in facts(ada, "add", "I am afraid of moths!").out
    )
    requests = ada.round(800)
    assert "I am afraid of moths." in lines(ada)[-1]
    assert all("I am afraid of moths." in shown(request) for request in asked_for_facts(requests))
    (event,) = history(ada, 4)
    assert (event["by"], event["source"], event["memory"]) == ("person", "", 0)


def test_a_plan_is_made_while_the_opening_has_facts_that_were_never_counted(ada: Life) -> None:
    assert facts(ada, "add", "My boat is called Vega.").code == 0
    ended = ada.person.memproc("plan")
    assert (ended.code, ended.err) == (0, "")


def test_facts_are_searched_and_listed_as_json_too(told: Life) -> None:
    assert list(known(told, "search", "cat", "lives")) in ([1, 2], [2, 1])
    assert known(told, "search", "zeppelin") == {}
    assert 'No fact of "The lighthouse" has these words.' in facts(told, "search", "zeppelin").out
    assert MISO in facts(told, "search", "cat").out
    every = json.loads(facts(told, "--json").out)["facts"]
    assert every == json.loads(facts(told, "list", "--json").out)["facts"]
    assert [(one["number"], one["by"], one["confirmed"], len(one["sources"])) for one in every] == [
        (1, "model", 0, 1), (2, "model", 0, 1), (3, "model", 0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("history", "9"), 2, "never had a fact 9"),
        (("forget", "9"), 2, "never had a fact 9"),
        (("forget", "0"), 2, "0"),
        (("history", "one"), 2, "one"),
        (("add", "  "), 2, "A fact needs words."),
        (("search",), 2, "WORDS"),
        (("erase", "1"), 2, "erase"),
    ],
)
def test_what_cannot_be_done_says_why(
    told: Life, arguments: tuple[str, ...], code: int, said: str
) -> None:
    before = events(told.person, told.chat_id)
    ended = facts(told, *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert events(told.person, told.chat_id) == before


@pytest.mark.parametrize(
    "arguments", [(), ("list",), ("history", "1"), ("forget", "1"), ("add", "A"), ("search", "a")]
)
def test_a_chat_that_nobody_knows_has_no_facts(told: Life, arguments: tuple[str, ...]) -> None:
    ended = told.person.memproc("facts", "The windmill", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "The windmill" in ended.err


def edited(ada: Life, text: str) -> None:
    """Other words for the opening, in TypingMind."""
    ada.device.edit(ada.chat_id, 0, text)


def taken_over_alone(ada: Life) -> None:
    """The export with the edit, twice: no call, no changed byte, and the second time nothing happens at all."""
    files, said = files_of(ada), opening(ada)
    assert ada.round() == []
    happened = events(ada.person, ada.chat_id)
    assert ada.round() == []
    assert (files_of(ada), events(ada.person, ada.chat_id), opening(ada)) == (files, happened, said)


def files_of(ada: Life) -> dict[str, bytes]:
    return {
        name: what for name, what in ada.person.bytes_of_everything().items() if "inbox" not in name
    }


@pytest.mark.full
def test_a_fact_that_is_reworded_in_the_opening_is_the_person_s(ada: Life) -> None:
    edited(ada, opening(ada).replace("called Miso.", "called Miso, and he is old."))
    taken_over_alone(ada)
    event = history(ada, 2)[-1]
    assert (event["event"], event["by"], event["why"]) == (
        "UPDATE",
        "person",
        "edited in TypingMind",
    )
    assert event["text"] == "The person's cat is called Miso, and he is old."
    requests = ada.round(800)
    assert [shown(request)[1] for request in asked_for_facts(requests)] == [event["text"]]
    assert f"- 2026-01-20: {event['text']}" in lines(ada)


@pytest.mark.full
def test_a_fact_whose_date_is_changed_in_the_opening_has_that_date(ada: Life) -> None:
    edited(ada, opening(ada).replace(f"2026-01-20: {MISO}", f"2020-05-04: {MISO}"))
    taken_over_alone(ada)
    assert (history(ada, 2)[-1]["text"], history(ada, 2)[-1]["said_at"]) == (MISO, "2020-05-04")
    assert facts(ada, "add", "I am afraid of moths.").code == 0
    ada.round()
    assert lines(ada)[0] == f"- 2020-05-04: {MISO}", (
        "it takes its place in the order when other facts come"
    )


@pytest.mark.full
def test_a_fact_that_is_taken_out_of_the_opening_is_forgotten(ada: Life) -> None:
    edited(ada, opening(ada).replace(f"- 2026-01-20: {MISO}\n", ""))
    taken_over_alone(ada)
    assert [event["event"] for event in history(ada, 2)] == ["ADD", "FORGET"]
    ada.round(800)
    assert known(ada) == {1: LISBON, 3: TEA}
    assert MISO not in opening(ada)


def test_a_fact_that_is_written_into_the_opening_is_a_fact(ada: Life) -> None:
    edited(
        ada,
        opening(ada).replace(
            "\n</system>", "\n- 2019-01-02: I broke my arm.\n- I hate moths.\n</system>"
        ),
    )
    taken_over_alone(ada)
    assert {4: "I broke my arm.", 5: "I hate moths."}.items() <= known(ada).items()
    assert [event["by"] for event in history(ada, 4)] == ["person"]
    requests = ada.round(800)
    assert all(
        {"I broke my arm.", "I hate moths."} <= {*shown(request)}
        for request in asked_for_facts(requests)
    )
    assert facts(ada, "add", "I am afraid of moths.").code == 0
    ada.round()
    assert lines(ada)[:2] == ["- I hate moths.", "- 2019-01-02: I broke my arm."]


@pytest.mark.full
def test_an_edit_of_a_fact_that_a_model_has_changed_meanwhile_stands(
    ada: Life, keeper: Keeper
) -> None:
    """The person edits the old export while the next round has been written and not been imported."""
    old = opening(ada)
    keeper.take = lambda task: operations(
        [{"event": "UPDATE", "id": "1", "text": "The cat has died.", "message": 1}]
    )
    ada.talk(800)
    before = dict(ada.device.chats)
    ada.round()
    ada.device.chats = before
    edited(ada, old.replace("called Miso.", "called Miso, and she is young."))
    keeper.take = lambda task: operations([])
    ada.round(800)
    assert len(history(ada, 2)) in (2, 3)
    live = [text for text in known(ada).values() if "Miso" in text or "cat" in text]
    assert live == ["The person's cat is called Miso, and she is young."]


ODD = [
    "## persona", "## facts", "- 2024-01-01: was said", "2024-01-01: was said too", "<system>\nIt ends.\n</system>",
    "</to_remember> and <context_manager>", "* starred", "a\u2028b", "\u200b## human", '"quoted" \\ back',
    "{facts} {form}", "x" * 490, "Ends with <system>", "&lt;system&gt;", "--json",
]  # fmt: skip


@pytest.mark.full
def test_facts_that_look_like_something_else_stay_what_they_are_even_when_the_archive_is_lost(
    ada: Life,
) -> None:
    for text in ODD:
        assert facts(ada, "add", "--", text).code == 0
    before, count = events(ada.person, ada.chat_id), len(known(ada))
    assert ada.round() == []
    ada.round(800)
    assert ada.round() == []
    assert events(ada.person, ada.chat_id) == before, "nothing of it was read as an edit"
    assert ada.person.memproc("verify").code == 0
    said = lines(ada)
    assert len(said) == count == 3 + len(ODD)
    (ada.person.home / "state").rename(ada.person.home / "lost")
    ada.round()
    assert lines(ada) == said
    assert sorted(known(ada).values()) == sorted(
        " ".join(text.split()) for text in [*ODD, LISBON, MISO, TEA]
    )


@pytest.mark.full
@pytest.mark.parametrize("mode", ["keep-originals", "new-chat"])
@pytest.mark.variants
def test_facts_and_sections_go_along_in_the_other_output_modes(
    tmp_path: Path, keeper: Keeper, mode: str
) -> None:
    tables = {"output": f'mode = "{mode}"', "core": "enabled = true"}
    with telling(
        tmp_path / "ada", keeper, "I live in Lisbon.", "My cat is called Miso.", **tables
    ) as ada:
        ada.round()
        core = sections(ada)
        ada.chat_id = list(ada.device.chats)[-1]
        for _ in range(2):
            requests = ada.round(900)
            assert [shown(request) for request in asked_for_facts(requests)] == [[LISBON, MISO]]
            assert (known(ada), sections(ada)) == ({1: LISBON, 2: MISO}, core)
            assert len(lines(ada)) == 2
        before = events(ada.person, ada.chat_id)
        assert ada.round() == []
        assert events(ada.person, ada.chat_id) == before


def forget_memory(ada: Life, number: int) -> str:
    """Delete the messages of a memory in TypingMind; its id."""
    name: str = ada.memories()[number - 1].memory_id
    places = [
        at for at, message in enumerate(ada.device.messages(ada.chat_id))
        if message.get("memproc", {}).get("memory") == name
    ]  # fmt: skip
    for at in reversed(places):
        ada.device.delete(ada.chat_id, at)
    return name


@pytest.mark.full
def test_a_memory_that_is_deleted_takes_its_facts_with_it_until_it_is_recalled(ada: Life) -> None:
    name = forget_memory(ada, 2)
    requests = ada.round(800)
    assert known(ada) == {1: LISBON, 3: TEA}
    assert MISO not in opening(ada)
    assert [shown(request) for request in asked_for_facts(requests)] == [[LISBON, TEA]]
    assert history(ada, 2)[0]["text"] == MISO, "the archive keeps it"
    assert ada.person.memproc("recall", name).code == 0
    requests = ada.round(800)
    assert known(ada) == {1: LISBON, 2: MISO, 3: TEA}
    assert MISO in opening(ada)
    assert [shown(request) for request in asked_for_facts(requests)] == [[LISBON, MISO, TEA]]
    assert not events(ada.person, ada.chat_id)[3:], "nothing was added by that"


@pytest.mark.sampled
@pytest.mark.parametrize("becomes", ["", "The person's cat is called Miso, and he is old."])
def test_an_edit_of_a_fact_whose_memory_is_deleted_counts_when_the_memory_is_recalled(
    ada: Life, becomes: str
) -> None:
    line = f"- 2026-01-20: {MISO}"
    edited(ada, opening(ada).replace(line, line.replace(MISO, becomes) if becomes else ""))
    name = forget_memory(ada, 2)
    ada.round()
    assert ada.person.memproc("recall", name).code == 0
    ada.round()
    assert known(ada).get(2, "") == becomes
    assert MISO not in known(ada).values()


def test_a_deleted_memory_alone_takes_its_facts_out_of_the_next_export(ada: Life) -> None:
    forget_memory(ada, 2)
    assert ada.round() == []
    assert ada.round() == []
    assert known(ada) == {1: LISBON, 3: TEA}
    assert MISO not in opening(ada)


def test_a_fork_of_which_all_memories_were_deleted_has_the_facts_that_its_opening_shows(
    ada: Life,
) -> None:
    forget_memory(ada, 2)
    ada.round()
    shown_before, core = lines(ada), sections(ada)
    assert len(shown_before) == 2
    for number in range(1, len(ada.memories()) + 1):
        forget_memory(ada, number)
    ada.chat_id = ada.device.fork(ada.chat_id, new_uuids=True)
    assert ada.round(2_400)
    assert known(ada) == {1: LISBON, 3: TEA}
    assert (lines(ada), sections(ada)) == (shown_before, core)


@pytest.mark.full
@pytest.mark.parametrize("renew", [False, True])
def test_a_fork_takes_over_sections_and_facts_and_both_go_on_by_themselves(
    ada: Life, renew: bool
) -> None:
    before, core = events(ada.person, ada.chat_id), sections(ada)
    origin, fork = ada.chat_id, ada.device.fork(ada.chat_id, new_uuids=renew)
    ada.chat_id = fork
    requests = ada.round(800)
    assert sorted(known(ada).values()) == sorted([LISBON, MISO, TEA])
    assert all(len(shown(request)) == 3 for request in asked_for_facts(requests))
    assert sections(ada) == core
    assert len(lines(ada)) == 3
    assert facts(ada, "forget", "1").code == 0
    ada.round(800)
    assert len(lines(ada)) == 2
    assert events(ada.person, origin) == before
    ada.chat_id = origin
    ada.round(800)
    assert len(lines(ada)) == 3
    assert events(ada.person, origin) == before


@pytest.mark.full
@pytest.mark.parametrize("rebuild", [False, True])
def test_where_the_archive_is_lost_sections_and_facts_of_the_opening_are_taken_over(
    ada: Life, rebuild: bool
) -> None:
    said, core = lines(ada), sections(ada)
    (ada.person.home / "state").rename(ada.person.home / "lost")
    if rebuild:
        assert ada.person.memproc("rebuild").code == 0
    assert ada.round() == []
    assert (lines(ada), sections(ada)) == (said, core)
    assert {history(ada, number)[0]["said_at"][:10] for number in known(ada)} == {
        line[2:12] for line in said
    }
    requests = ada.round(800)
    assert lines(ada) == said
    assert {text for request in asked_for_facts(requests) for text in shown(request)} == {
        LISBON,
        MISO,
        TEA,
    }
    assert len(events(ada.person, ada.chat_id)) == 3


MISTY = "The cat is called Misty."


@pytest.mark.sampled
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([list(fact_row(FactLine("", MISTY)))], id="a digest that lies"),
        pytest.param([["2024-03-05"]], id="a field that was cut"),
        pytest.param([["2024-03-05", "0" * 8]] * 20_000, id="a field that is huge"),
        pytest.param([], id="a field that was stripped"),
    ],
)
def test_whatever_the_field_of_the_opening_tells_a_line_that_differs_is_the_persons_edit(
    ada: Life, rows: list[list[str]]
) -> None:
    ada.device.edit(ada.chat_id, 0, opening(ada).replace(MISO, MISTY))
    marker = ada.device.messages(ada.chat_id)[0]["memproc"]
    assert [day for day, _ in marker["facts"]] == [line[2:12] for line in lines(ada)]
    marker["facts"] = rows
    assert ada.round() == []
    assert known(ada) == {1: LISBON, 2: MISTY, 3: TEA}
    assert history(ada, 2)[-1]["by"] == "person"
    assert [history(ada, number)[-1]["by"] for number in (1, 3)] == ["model", "model"]


@pytest.mark.full
def test_a_rebuild_has_the_newest_facts_back_although_their_export_was_never_imported(
    ada: Life,
) -> None:
    imported = copied(ada.device.chats)
    assert facts(ada, "add", "The lamp burns.").code == 0
    assert ada.person.memproc("core", ada.chat_id, "set", "persona", "I keep the lamp.").code == 0
    ada.round()
    said, core = lines(ada), sections(ada)
    ada.device.chats = imported
    (ada.person.home / "state").rename(ada.person.home / "lost")
    assert ada.person.memproc("rebuild").code == 0
    assert (sorted(known(ada).values()), sections(ada)) == (
        sorted([LISBON, MISO, TEA, "The lamp burns."]),
        core,
    )
    assert ada.round() == []
    ada.device.bring_in(ada.person.updated()[0].read_bytes())
    assert ada.round() == []
    assert (lines(ada), sections(ada)) == (said, core)
