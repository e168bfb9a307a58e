"""Facts through the command line: what is taken, what is refused, what is shown, and from where."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from daemon.models.tokens import count
from tests.server.facts import known_facts, operations
from tests.server.request import Request
from tests.server.setup import KEY
from tests.server.step import Task
from tests.stories.facts import (
    asked_for_facts,
    facts,
    history,
    known,
    lines,
    noted,
    opening,
    shown,
    steps,
)
from tests.stories.rounds import Life
from tests.stories.statements import Keeper, Take, copy_of, take_statements, telling
from tests.typingmind.texts import text_of

pytestmark = pytest.mark.timeout(200)
SAID = ("I live in Lisbon.", "My cat is called Miso.", "I have moved to Porto.")
MISO, LISBON, PORTO = (
    "The person's cat is called Miso.",
    "The person lives in Lisbon.",
    "The person lives in Porto.",
)
NOTHING = operations([])
KEEPER = Keeper()


@pytest.fixture(autouse=True)
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """The context manager of all these lives, who takes statements again after each story."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    yield KEEPER
    KEEPER.take = take_statements


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Life, Sequence[Request]]]:
    """A life after its first round, and what was asked in it; stories look at it and go on with copies."""
    with telling(tmp_path_factory.mktemp("told") / "ada", KEEPER, *SAID) as lived:
        messages = list(lived.device.messages(lived.chat_id))
        requests = lived.round()
        lived.said = [
            message["uuid"] for message in messages if text_of(message["content"]).startswith(SAID)
        ]
        yield lived, requests


@pytest.fixture
def ada(told: tuple[Life, Sequence[Request]], tmp_path: Path) -> Life:
    return copy_of(told[0], tmp_path / "ada")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A life with one memory and without any fact."""
    with telling(tmp_path_factory.mktemp("empty") / "eve", KEEPER) as lived:
        lived.round()
        assert len(lived.memories()) == 1
        yield lived


def test_the_facts_of_each_chunk_stand_in_the_opening_in_order_of_their_dates(
    told: tuple[Life, Sequence[Request]],
) -> None:
    lived, _ = told
    assert lines(lived) == [f"- 2026-01-20: {MISO}", f"- 2026-01-23: {PORTO}"]
    assert list(known(lived).items()) == [(2, MISO), (1, PORTO)]
    table = facts(lived).out.splitlines()
    assert [line.split()[:2] for line in table[1:]] == [["2", "2026-01-20"], ["1", "2026-01-23"]]


def test_a_history_tells_from_which_message_and_when_and_what_was_replaced(
    told: tuple[Life, Sequence[Request]],
) -> None:
    lived, _ = told
    first, then = history(lived, 1)
    assert (first["event"], first["text"], first["memory"]) == ("ADD", LISBON, 1)
    assert (then["event"], then["text"], then["why"]) == (
        "UPDATE",
        PORTO,
        f'in the place of "{LISBON}"',
    )
    assert [first["source"], history(lived, 2)[0]["source"], then["source"]] == lived.said
    assert [first["said_at"][:10], then["said_at"][:10]] == ["2026-01-17", "2026-01-23"]
    text = facts(lived, "history", "1").out
    for word in (
        LISBON,
        PORTO,
        then["why"],
        first["source"],
        f"the chunk of memory {then['memory']}",
    ):
        assert word in text


def test_a_contradiction_replaces_the_fact_that_it_contradicts_and_no_other(
    told: tuple[Life, Sequence[Request]],
) -> None:
    lived, requests = told
    seen = [shown(request) for request in asked_for_facts(requests)]
    assert seen[:4] == [[], [LISBON], [LISBON, MISO], [PORTO, MISO]]
    assert [LISBON in one or PORTO in one for one in seen[1:]] == [True] * len(seen[1:]), (
        "never both gone"
    )
    assert not any(LISBON in one and PORTO in one for one in seen), "and never both live"
    assert [event["event"] for event in history(lived, 2)] == ["ADD"]


def test_where_nothing_is_new_nobody_is_asked_and_no_byte_changes(ada: Life) -> None:
    stood, before = ada.person.bytes_of_everything(), history(ada, 1)
    ada.drop()
    assert ada.run() == []
    ada.drop()
    assert ada.run() == []
    assert {
        name: content
        for name, content in ada.person.bytes_of_everything().items()
        if "inbox" not in name
    } == {name: content for name, content in stood.items() if "inbox" not in name}
    assert history(ada, 1) == before
    assert ada.person.memproc("verify").code == 0


@pytest.mark.full
def test_a_fact_that_is_said_again_is_confirmed(ada: Life, keeper: Keeper) -> None:
    keeper.take = lambda task: operations(
        [{"event": "NONE", "id": "0", "text": PORTO, "message": 1}]
    )
    ada.round(800)
    assert known(ada) == {2: MISO, 1: PORTO}
    assert [event["event"] for event in history(ada, 1)] == ["ADD", "UPDATE", "CONFIRM"]
    assert json.loads(facts(ada, "--json").out)["facts"][1]["confirmed"] == 1


def invents_ids(task: Task) -> str:
    """Changes of facts that were never shown, and a good addition."""
    beyond = str(len(known_facts(task)))
    return operations(
        [
            {"event": "UPDATE", "id": beyond, "text": "Invented.", "message": 1},
            {"event": "DELETE", "id": "999"},
            {"event": "ADD", "text": "The person owns a bell.", "message": 1},
        ]
    )


def doubles(task: Task) -> str:
    """Everything twice, and a fact updated in two ways."""
    at = [fact["text"] for fact in known_facts(task)].index(PORTO)
    addition = {"event": "ADD", "text": "The person owns a bell.", "message": 1}
    change = {"event": "UPDATE", "id": str(at), "text": "The person lives in Braga.", "message": 2}
    return operations(
        [addition, addition, change, change, change | {"text": "The person lives in Faro."}]
    )


def erases_all(task: Task) -> str:
    """Every fact deleted that is shown, and a good addition."""
    every: list[dict[str, Any]] = [
        {"event": "DELETE", "id": fact["id"]} for fact in known_facts(task)
    ]
    return operations([*every, {"event": "ADD", "text": "The person owns a bell.", "message": 1}])


BELL = "The person owns a bell."
BAD: list[tuple[Take, dict[str, int], set[str]]] = [
    (invents_ids, {"fact refused: unknown id": 2}, {MISO, PORTO, BELL}),
    (doubles, {"fact refused: changed twice": 2}, {MISO, "The person lives in Braga.", BELL}),
    (lambda task: "I would rather talk about the weather.", {"facts unreadable": 2}, {MISO, PORTO}),
    (lambda task: "", {"facts empty": 2}, {MISO, PORTO}),
    (
        lambda task: '{"memory": [{"event": "ALTER"}, 7]}',
        {"fact refused: malformed": 2},
        {MISO, PORTO},
    ),
]


@pytest.mark.full
@pytest.mark.parametrize(("take", "counted", "left"), BAD)
def test_what_is_wrong_with_an_answer_is_counted_and_nothing_is_lost(
    ada: Life, keeper: Keeper, take: Take, counted: dict[str, int], left: set[str]
) -> None:
    before = [history(ada, number) for number in (1, 2)]
    keeper.take = take
    ada.talk(800)
    assert noted(ada) == counted
    assert set(known(ada).values()) == left
    assert [
        history(ada, number)[: len(told)] for number, told in zip((1, 2), before, strict=True)
    ] == before
    assert noted(ada) == {}


@pytest.mark.full
def test_an_answer_that_tries_to_erase_all_facts_erases_none(ada: Life, keeper: Keeper) -> None:
    assert facts(ada, "add", "The lamp has a name.").code == 0
    keeper.take = erases_all
    ada.talk(800)
    assert noted(ada) == {"fact refused: too many deletions": 3}
    assert set(known(ada).values()) == {MISO, PORTO, "The lamp has a name.", BELL}


SEED: list[tuple[list[str], list[dict[str, str]], list[str]]] = [
    (
        ["User is a software engineer"],
        [
            {"id": "0", "text": "User is a software engineer", "event": "NONE"},
            {"id": "1", "text": "Name is John", "event": "ADD"},
        ],
        ["User is a software engineer", "Name is John"],
    ),
    (
        ["I really like cheese pizza", "User is a software engineer", "User likes to play cricket"],
        [
            {
                "id": "0", "text": "Loves cheese and chicken pizza", "event": "UPDATE",
                "old_memory": "I really like cheese pizza",
            },
            {"id": "1", "text": "User is a software engineer", "event": "NONE"},
            {
                "id": "2", "text": "Loves to play cricket with friends", "event": "UPDATE",
                "old_memory": "User likes to play cricket",
            },
        ],
        ["Loves cheese and chicken pizza", "User is a software engineer", "Loves to play cricket with friends"],
    ),
    (
        ["Name is John", "Loves cheese pizza"],
        [
            {"id": "0", "text": "Name is John", "event": "NONE"},
            {"id": "1", "text": "Loves cheese pizza", "event": "DELETE"},
        ],
        ["Name is John"],
    ),
    (
        ["Name is John", "Loves cheese pizza"],
        [
            {"id": "0", "text": "Name is John", "event": "NONE"},
            {"id": "1", "text": "Loves cheese pizza", "event": "NONE"},
        ],
        ["Name is John", "Loves cheese pizza"],
    ),
]  # fmt: skip
"""The worked examples of mem0's prompt: what is known, the answer, and what is known then, by the same numbers."""


@pytest.mark.full
@pytest.mark.parametrize(("before", "answer", "after"), SEED)
def test_the_worked_examples_end_as_they_say(
    empty: Life,
    tmp_path: Path,
    keeper: Keeper,
    before: list[str],
    answer: list[dict[str, str]],
    after: list[str],
) -> None:
    eve = copy_of(empty, tmp_path / "eve")
    for text in before:
        assert facts(eve, "add", text).code == 0
    keeper.take = lambda task: operations(answer)
    eve.talk(800)
    assert noted(eve) == {}
    assert dict(sorted(known(eve).items())) == dict(enumerate(after, 1))
    assert [one["confirmed"] for one in json.loads(facts(eve, "--json").out)["facts"]] == [0] * len(
        after
    ), "NONE is no change"


@pytest.mark.full
def test_the_prompt_shows_no_more_facts_than_it_may(
    empty: Life, tmp_path: Path, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rules.layers.facts.MOST_COMPARED", 3)
    eve = copy_of(empty, tmp_path / "eve")
    for number in range(9):
        assert facts(eve, "add", f"Nothing of it, number {number}.").code == 0
    keeper.take = lambda task: NOTHING
    (request,) = asked_for_facts(eve.round(800))
    assert len(shown(request)) == 3
    assert len(known(eve)) == 9


@pytest.mark.full
def test_the_export_shows_as_many_facts_as_the_budget_holds(empty: Life, tmp_path: Path) -> None:
    eve = copy_of(empty, tmp_path / "eve", facts="budget = 100")
    for number in range(20):
        assert (
            facts(eve, "add", f"This is something worth keeping, and its number is {number}.").code
            == 0
        )
    eve.round()
    assert 0 < count("\n".join(lines(eve))) <= 100
    assert "number is 19." in lines(eve)[-1]
    assert len(known(eve)) == 20
    eve.settings(facts="budget = 1500")
    assert eve.round() == []
    assert len(lines(eve)) == 20, "what did not fit is there all the same"


def test_memories_are_never_a_source_of_facts(told: tuple[Life, Sequence[Request]]) -> None:
    lived, requests = told
    asked = asked_for_facts(requests)
    written = [
        text
        for memory in lived.memories()
        for text in (memory.edition.texts[3], memory.edition.texts[5])
    ]
    assert len(asked) == len(lived.memories()) == len(written) // 2
    assert not any(
        text in turn.text for text in written for request in asked for turn in request.turns
    )
    assert not any(
        "What I want to remember" in turn.text for request in asked for turn in request.turns
    )
    assert any(
        text in turn.text for text in written for request in requests for turn in request.turns
    )


@pytest.mark.full
def test_switched_off_nothing_of_it_is_asked_or_shown(ada: Life) -> None:
    ada.settings(facts="enabled = false")
    requests = ada.round(800)
    assert sorted(set(steps(requests))) == ["analysis", "perspective", "quote", "refinement"]
    assert "##" not in opening(ada)
    assert known(ada) == {2: MISO, 1: PORTO}
    ada.settings(facts="enabled = true")
    ada.round()
    assert lines(ada) == [f"- 2026-01-20: {MISO}", f"- 2026-01-23: {PORTO}"]


def in_other_words(task: Task) -> str:
    """Ada's dog, as it is told in one chunk and in the next."""
    texts = [fact["text"] for fact in known_facts(task)]
    longer = "Ada has a small brown dog with white paws, which sleeps by the lamp every single night, called Bruno."
    same = longer.removesuffix("Bruno.") + "old Bruno."
    said = [longer] if not texts else [same, "The sea was cold."] if len(texts) == 1 else []
    return operations([{"event": "ADD", "text": text, "message": 1} for text in said])


@pytest.mark.full
def test_with_an_embedding_model_the_same_fact_in_other_words_is_one(
    empty: Life, tmp_path: Path, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    address = {'models.options."openai/*"': f'api_base = "{empty.server.url}/v1"'}
    eve = copy_of(
        empty, tmp_path / "eve", facts='embedding = "openai/text-embedding-3-small"', **address
    )
    keeper.take = in_other_words
    eve.talk(1_700)
    eve.drop()
    calls = eve.plan()["calls"]
    before = eve.server.meter.embeddings.calls
    requests = eve.run()
    assert (len(eve.memories()), calls) == (3, len(requests) + 2)
    assert eve.server.meter.embeddings.calls - before == 1, (
        "it is not asked where there is nothing to compare"
    )
    assert sorted(known(eve).values()) == [
        "Ada has a small brown dog with white paws, which sleeps by the lamp every single night, called old Bruno.",
        "The sea was cold.",
    ]
    assert history(eve, 1)[-1]["why"] == "merged with another wording"
