"""Hindsight: the last memories before new ones are written once more, from raw, and only once."""

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.models.tokens import count
from tests.chats import Json, texts
from tests.server.reply import Answer, Failure, Reply
from tests.server.request import Request
from tests.server.setup import KEY
from tests.stories.reports import raw_conversation
from tests.stories.rounds import Asked, Life, announcement, asked, going_on_from, life, teller
from tests.stories.wire import exported_texts
from tests.typingmind.texts import text_of

pytestmark = pytest.mark.timeout(200)
FIRST_ROUND, ROUND = 6_500, 1_600
FOLD = "budget = 600"
AS_OF, BOTH = ["as-of"], ["as-of", "hindsight"]
LOOKS_BACK = [Asked("hindsight", "perspective"), Asked("hindsight", "refinement")]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Five memories as they were written, and two chunks more in the inbox. Nobody may change it."""
    with life(tmp_path_factory.mktemp("begun") / "aria") as aria:
        aria.settings()
        aria.round(FIRST_ROUND)
        assert aria.kinds() == [AS_OF] * 5
        aria.talk(ROUND)
        aria.drop()
        yield aria


@pytest.fixture
def aria(begun: Life, tmp_path: Path) -> Iterator[Life]:
    """The same, to go on from there."""
    with going_on_from(begun, tmp_path / "aria") as aria:
        yield aria


def passage(request: Request) -> tuple[str, ...]:
    """What is to be remembered: one chunk and another never read alike."""
    return tuple(turn.text for turn in request.turns if turn.text.startswith("<to_remember"))


def looking_back(requests: list[Request]) -> list[Request]:
    return [request for request in requests if asked(request).about == "hindsight"]


def first_question(requests: list[Request], chunk: tuple[str, ...]) -> Request:
    """The question for the quote with which the memory of this chunk began."""
    return next(
        one for one in requests if asked(one) == Asked("chunk", "quote") and passage(one) == chunk
    )


def shown_kinds(life: Life) -> list[str]:
    return [memory.edition.kind for memory in life.memories()]


def in_the_export(life: Life) -> list[list[str]]:
    """The six texts of each memory in the updated chat, as it stands on the disk."""
    return list(exported_texts(life.person.chat()).values())


def whole_chat(life: Life) -> Json:
    """The updated chat without its one date that comes from the clock."""
    return life.person.chat() | {"updatedAt": ""}


def test_the_last_two_memories_before_the_new_ones_are_written_once_more(aria: Life) -> None:
    plan = aria.plan()
    assert [chunk["number"] for chunk in plan["hindsight"]] == [4, 5]
    assert plan["calls"] == 2 * 4 + 2 * 2
    requests = aria.run()
    assert len(requests) == plan["calls"]
    assert [asked(request) for request in looking_back(requests)] == LOOKS_BACK * 2
    assert aria.kinds() == [AS_OF] * 3 + [BOTH] * 2 + [AS_OF] * 2
    assert aria.round() == [], "nothing new, nothing asked"


@pytest.mark.full
def test_no_memory_is_written_with_hindsight_twice(tmp_path: Path) -> None:
    with life(tmp_path / "aria", memory="hindsight = 3") as aria:
        aria.round(FIRST_ROUND)
        first = len(aria.memories())
        assert first >= 4
        due = 3
        for _ in range(4):
            before = len(aria.memories())
            requests = aria.round(800)
            new = len(aria.memories()) - before
            assert new < 3, "a round brings fewer memories than look back"
            assert (
                aria.kinds()
                == [AS_OF] * (first - 3) + [BOTH] * (before - first + 3) + [AS_OF] * new
            )
            assert len(looking_back(requests)) == 2 * due
            due = new


@pytest.mark.full
def test_the_wish_for_none_and_for_many(aria: Life) -> None:
    aria.settings(memory="hindsight = 0")
    assert aria.plan()["hindsight"] == []
    assert looking_back(aria.run()) == []
    aria.settings(memory="hindsight = 4")
    assert aria.plan()["calls"] == 0, "hindsight comes with new chunks, never by itself"
    assert aria.round() == []
    assert len(looking_back(aria.round(ROUND))) == 8
    assert [kinds for kinds in aria.kinds() if kinds == BOTH] == aria.kinds()[3:7]


@pytest.mark.full
def test_it_begins_with_the_very_bytes_with_which_the_memory_was_written(aria: Life) -> None:
    aria.run()
    found = looking_back(aria.server.requests)
    assert len(found) == 4
    for request in found:
        first = first_question(aria.server.requests, passage(request))
        before = first.turns[:-1]
        assert request.turns[: len(before)] == before
        assert request.turns[len(before)].text.startswith("<context_manager>")


@pytest.mark.full
def test_it_shows_the_raw_messages_that_came_after_and_no_more_of_them_than_there_is_room_for(
    aria: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.remember.compress.HINDSIGHT_TOKENS", 1500)
    aria.run()
    for request in looking_back(aria.server.requests):
        turns = [turn.text for turn in request.turns]
        begin = next(at for at, text in enumerate(turns) if announcement() in text) + 1
        end = next(
            at
            for at, text in enumerate(turns)
            if at >= begin and text.startswith("<context_manager>")
        )
        last = passage(request)[-1]
        at = next(at for at, text in enumerate(aria.said) if text in last) + 1
        assert turns[begin:end] == aria.said[at : at + end - begin]
        tokens = [count(text) for text in aria.said[at : at + end - begin + 1]]
        assert sum(tokens[:-1]) <= 1500 < sum(tokens)


@pytest.mark.full
def test_no_earlier_summary_of_the_chunk_is_in_view(aria: Life) -> None:
    before = {memory.memory_id: memory.edition for memory in aria.memories()}
    requests = looking_back(aria.run())
    looked_back = [memory for memory in aria.memories() if memory.edition.kind == "hindsight"]
    assert len(looked_back) == 2
    for memory in looked_back:
        as_of = before[memory.memory_id]
        for request in requests:
            text = json.dumps(request.body, ensure_ascii=False)
            assert as_of.texts[3] not in text
            assert as_of.texts[5] not in text
        assert aria.editions(memory.memory_id)[0] == as_of, "the first one stays as it was"
        assert memory.edition.quotes == as_of.quotes, "quotes are permanent"
        assert memory.edition.texts[1] == as_of.texts[1]
        assert memory.edition.texts[3] != as_of.texts[3]
        assert memory.in_prompts == as_of


@pytest.mark.full
def test_memory_editions_chooses_what_is_shown_and_switching_costs_nothing(aria: Life) -> None:
    aria.run()
    as_of = [memory.in_prompts.texts for memory in aria.memories()]
    newest = [memory.edition.texts for memory in aria.memories()]
    assert as_of != newest
    assert in_the_export(aria) == [list(six) for six in newest]
    said, live = texts(aria.device.messages(aria.chat_id)), len(aria.server.requests)
    for wanted, wanted_texts in (
        ("as-of", as_of),
        ("hindsight", newest),
        ("as-of", as_of),
        ("hindsight", newest),
    ):
        aria.settings(memory=f'editions = "{wanted}"')
        assert aria.round() == []
        assert in_the_export(aria) == [list(six) for six in wanted_texts]
        before = aria.person.bytes_of_everything()
        assert aria.person.memproc("run").code == 0
        assert aria.person.bytes_of_everything() == before
    assert texts(aria.person.chat()["messages"]) == said
    assert len(aria.server.requests) == live
    assert aria.person.memproc("verify").code == 0


def test_search_finds_the_edition_that_the_chat_shows(aria: Life) -> None:
    aria.run()
    for kind in ("hindsight", "as-of", "hindsight"):
        aria.settings(memory=f'editions = "{kind}"')
        shown = aria.memories()[3].edition
        assert shown.kind == kind
        words = " ".join(shown.texts[3].split()[-8:])
        ended = aria.person.memproc("search", words, "--in", "memories", "--json")
        assert any(shown.texts[3] in hit["text"] for hit in json.loads(ended.out)["hits"])


@pytest.mark.full
def test_what_is_switched_back_stands_as_before_though_the_same_export_lies_there(
    aria: Life,
) -> None:
    aria.run()
    aria.device.bring_in(aria.person.updated()[0].read_bytes())
    aria.drop()
    assert aria.run() == []
    said = texts(aria.person.chat()["messages"])
    for wanted, is_as_before in (("as-of", False), ("hindsight", True), ("as-of", False)):
        aria.settings(memory=f'editions = "{wanted}"')
        assert aria.run() == []
        assert (texts(aria.person.chat()["messages"]) == said) is is_as_before
        before = aria.person.bytes_of_everything()
        assert aria.run() == []
        assert aria.person.bytes_of_everything() == before


@pytest.mark.long
def test_later_memories_are_told_of_the_first_editions_alone(tmp_path: Path) -> None:
    chunks = {}
    for wish in ("hindsight = 2", "hindsight = 0"):
        with life(tmp_path / wish[-1], memory=wish) as aria:
            for tokens in (FIRST_ROUND, ROUND, ROUND, 2 * ROUND):
                aria.round(tokens)
            chunks[wish] = [one.body for one in aria.server.requests if asked(one).about == "chunk"]
            memories = aria.memories()
    assert json.dumps(chunks["hindsight = 2"]) == json.dumps(chunks["hindsight = 0"])
    told = json.dumps(chunks["hindsight = 2"], ensure_ascii=False)
    assert memories[3].edition.texts[3] in told, "a memory that got hindsight is told of"


@pytest.mark.full
def test_the_built_in_engine_has_no_hindsight(tmp_path: Path) -> None:
    with life(tmp_path / "aria") as aria:
        aria.models = "memproc/extractive"
        aria.settings()
        aria.round(FIRST_ROUND)
        aria.talk(ROUND)
        aria.drop()
        assert aria.plan()["hindsight"] == []
        aria.run()
        assert aria.kinds() == [AS_OF] * 7


@pytest.mark.full
def test_what_the_person_has_edited_or_deleted_is_not_written_again(aria: Life) -> None:
    aria.run()
    pinned, forgotten = aria.memories()[5:]
    ours = aria.device.messages(aria.chat_id)
    edited = next(at for at, one in enumerate(ours) if memory_of(one) == pinned.memory_id)
    aria.device.edit(
        aria.chat_id, edited + 3, "I went to the harbour with Mira, and so I want to remember it."
    )
    for _ in range(6):
        delete_message_of(aria, forgotten.memory_id)
    aria.talk(ROUND)
    aria.drop()
    assert aria.plan()["hindsight"] == []
    assert looking_back(aria.run()) == []
    assert aria.kinds()[5:] == [["as-of", "person"], AS_OF, AS_OF, AS_OF]
    assert len(looking_back(aria.round(ROUND))) == 4, "those after them have their turn"


@pytest.mark.full
def test_what_is_pinned_is_not_written_again(aria: Life) -> None:
    assert aria.person.memproc("pin", aria.memories()[4].memory_id).code == 0
    assert [chunk["number"] for chunk in aria.plan()["hindsight"]] == [4]
    assert len(looking_back(aria.run())) == 2
    assert aria.kinds() == [AS_OF] * 3 + [BOTH] + [AS_OF] * 3


@pytest.mark.full
def test_what_was_forgotten_is_not_seen_in_hindsight_either(aria: Life) -> None:
    forgotten = aria.memories()[4]
    for _ in range(6):
        delete_message_of(aria, forgotten.memory_id)
    aria.drop()
    requests = looking_back(aria.run())
    assert aria.kinds() == [AS_OF] * 3 + [BOTH, AS_OF] + [AS_OF] * 2
    said = [
        text_of(message["content"])
        for message in raw_conversation(aria.person, aria.chat_id)
        if message["uuid"] in forgotten.keys
    ]
    assert len(said) == len(forgotten.keys) > 0
    for request in requests:
        turns = {turn.text for turn in request.turns}
        assert turns.isdisjoint(said)
        assert turns & set(aria.said[len(said) :]), "what came after that is in view"


def delete_message_of(life: Life, memory_id: str) -> None:
    """Delete the first message of a memory in TypingMind."""
    ours = life.device.messages(life.chat_id)
    life.device.delete(
        life.chat_id, next(at for at, one in enumerate(ours) if memory_of(one) == memory_id)
    )


def memory_of(message: Json) -> str:
    return str(message.get("memproc", {}).get("memory", ""))


@pytest.mark.full
@pytest.mark.parametrize(
    ("window", "written", "questions"),
    [(10_000, 2, 4), (32_000, 0, 2)],
    ids=["as its server's", "larger than its server's"],
)
def test_where_what_came_after_does_not_fit_the_window_the_work_goes_on(
    tmp_path: Path, window: int, written: int, questions: int
) -> None:
    """A window said as it is shows as much as it holds; one said too large, the server refuses."""
    with life(tmp_path / "olu") as olu, pytest.MonkeyPatch.context() as environment:
        environment.setenv("OPENAI_API_KEY", KEY)
        olu.person = replace(olu.person, tail=2800, step=0, chunk=700)
        olu.person.settings(
            f'[models]\nagent = "openai/local-10k"\n[models.options."openai/*"]\n'
            f'api_base = "{olu.server.url}/v1"\nwindow = {window}\n'
        )
        for tokens in (FIRST_ROUND, ROUND):
            requests = olu.round(tokens)
        assert olu.plan()["calls"] == 0
        looked_back = [kinds for kinds in olu.kinds() if kinds == BOTH]
        assert (len(looked_back), len(looking_back(requests))) == (written, questions)
        assert olu.round() == []


@pytest.mark.full
def test_what_the_engine_made_is_not_written_with_hindsight(tmp_path: Path) -> None:
    chunks: list[tuple[str, ...]] = []

    def refuses_the_last_of_five(request: Request) -> Reply:
        chunk = passage(request)
        if chunk not in chunks and asked(request).step == "quote":
            chunks.append(chunk)
        if chunks[4:5] == [chunk] and asked(request).about == "chunk":
            return Answer("", "refused")
        return teller(request)

    with life(tmp_path / "aria", refuses_the_last_of_five) as aria:
        aria.round(FIRST_ROUND)
        assert [memory.edition.made for memory in aria.memories()] == ["model"] * 4 + ["extracted"]
        aria.talk(ROUND)
        aria.drop()
        assert [chunk["number"] for chunk in aria.plan()["hindsight"]] == [4]
        assert {passage(request) for request in looking_back(aria.run())} == {chunks[3]}
        assert aria.kinds() == [AS_OF] * 3 + [BOTH, AS_OF] + [AS_OF] * 2


@pytest.mark.full
def test_a_refused_hindsight_leaves_the_first_edition_and_is_not_asked_for_again(
    tmp_path: Path,
) -> None:
    def refuses_to_look_back(request: Request) -> Reply:
        return Answer("", "refused") if asked(request).about == "hindsight" else teller(request)

    with life(tmp_path / "aria", refuses_to_look_back) as aria:
        aria.round(FIRST_ROUND)
        requests = looking_back(aria.round(ROUND))
        assert [asked(request) for request in requests] == [Asked("hindsight", "perspective")] * 4
        assert len({request.key for request in requests}) == 4, (
            "each in other words, none as it was"
        )
        assert aria.kinds() == [AS_OF] * 7
        assert in_the_export(aria) == [list(memory.in_prompts.texts) for memory in aria.memories()]
        assert aria.plan()["calls"] == 0
        assert aria.round() == []
        later = looking_back(aria.round(ROUND))
        assert {passage(one) for one in later} & {passage(one) for one in requests} == set(), (
            "their turn is over"
        )


@pytest.mark.full
def test_hindsight_that_could_not_be_asked_for_comes_with_the_next_run(tmp_path: Path) -> None:
    down: list[str] = []

    def is_down_at_times(request: Request) -> Reply:
        if down and asked(request).about == "hindsight":
            return Failure(401, "authentication_error", "This key is not valid.")
        return teller(request)

    with life(tmp_path / "aria", is_down_at_times) as aria:
        aria.round(FIRST_ROUND)
        aria.talk(ROUND)
        aria.drop()
        planned = aria.plan()["calls"]
        down.append("for now")
        before = aria.person.bytes_of_everything()
        assert aria.person.memproc("run").code == 1
        assert aria.person.bytes_of_everything() == before
        down.clear()
        assert aria.plan()["calls"] == planned
        requests = aria.run()
        assert len(requests) == planned
        assert aria.kinds() == [AS_OF] * 3 + [BOTH] * 2 + [AS_OF] * 2


@pytest.mark.long
@pytest.mark.parametrize(
    "kills",
    [
        pytest.param([2, 16], id="in the middle"),
        pytest.param(
            list(range(1, 30, 2)),
            id="at each question",
            marks=[pytest.mark.long, pytest.mark.timeout(600)],
        ),
    ],
)
def test_a_run_that_is_killed_while_it_looks_back_or_folds_ends_as_an_undisturbed_one(
    tmp_path: Path, kills: list[int]
) -> None:
    exports, questions, expected = undisturbed(tmp_path / "undisturbed")
    running: list[Any] = []
    times = len(kills)

    def kills_at_times(request: Request) -> Reply:
        """The nth request of the second round is its last one, for these n."""
        if running and kills and len(second) + 1 >= kills[0]:
            kills.pop(0)
            running[-1].send_signal(signal.SIGKILL)
            running[-1].wait()
        second.append(request)
        return teller(request)

    second: list[Request] = []
    with life(tmp_path / "aria", kills_at_times, fold=FOLD) as aria:
        person = aria.person
        person.drop(exports[0])
        assert person.memproc("run").code == 0
        second.clear()
        person.drop(exports[1])
        while kills:
            running.append(person.start("run"))
            running[-1].communicate()
            assert running[-1].returncode == -signal.SIGKILL
        aria.run()
        assert {request.key for request in second} == questions, "nobody asked for anything else"
        assert len(second) == len(questions) + times, (
            "of what was asked for, only what was cut short was asked again"
        )
        assert story(aria) == expected
        assert person.memproc("verify").code == 0


def undisturbed(folder: Path) -> tuple[list[bytes], set[str], Any]:
    """The exports of two rounds, what the second asks, and what comes of them in the end."""
    exports = []
    with life(folder, fold=FOLD) as aria:
        for tokens in (FIRST_ROUND, ROUND):
            aria.talk(tokens)
            exports.append(aria.device.export(aria.chat_id))
            requests = aria.round()
        assert {asked(request).about for request in requests} == {"chunk", "hindsight", "fold"}
        return exports, {request.key for request in requests}, story(aria)


def story(life: Life) -> Any:
    """All editions of all memories without the times at which they were written, and the updated chat."""
    told = [
        vars(edition) | {"written_at": ""} for memory in life.all() for edition in memory.editions
    ]
    return told, whole_chat(life)
