"""The core memory where something goes wrong: wrong calls, refusals, failures, a run that is killed."""

import signal
from pathlib import Path

import pytest

from rules.layers.core import render_value
from tests.server.editing import APPEND
from tests.server.outages import FAILURES
from tests.server.reply import Answer, Hang, Reply
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.spoil import spoil
from tests.server.step import Task, read_task
from tests.stories.core import (
    NOTED,
    OFF,
    InTurn,
    core_asked,
    diary,
    editing,
    events,
    line,
    note,
    opening,
    passage,
    reported,
    values,
)
from tests.stories.rounds import Life, life
from tests.waiting import until

pytestmark = pytest.mark.timeout(200)
THREE, FIVE = 5_600, 6_500
"""Tokens of a conversation after which there are so many memories."""
KINDS = {
    "unknown section": "There is no section of that name",
    "text not found": "does not occur in the section",
    "over the limit": "may have 2000, and would have",
    "unknown function": "There is no function of that name",
    "wrong arguments": "takes name, content, each of them a text",
}
TOO_LONG = FAILURES["context too long"]
COUNTED = sorted({*KINDS, "not found"} - {"text not found"})


@pytest.mark.full
@pytest.mark.parametrize("corrected", [True, False])
def test_a_wrong_call_is_told_and_may_be_corrected_once(tmp_path: Path, corrected: bool) -> None:
    kinds = InTurn(tuple(KINDS))

    def wrong(request: Request, task: Task) -> Answer:
        right = note(request, task)
        return right if task.again and corrected else spoil(kinds.of(task), right, request)

    with life(tmp_path, editing(wrong), layers=True, facts=OFF) as aria:
        report = reported(aria, FIVE)
        asked = core_asked(aria.server.requests)
        assert len(asked) == 2 * len(KINDS), "there is no third try"
        for first, again in zip(asked[::2], asked[1::2], strict=True):
            assert again.turns[: len(first.turns)] == first.turns
            assert [turn.role for turn in again.turns[len(first.turns) :]] == ["call", "result"]
            assert KINDS[kinds.of(read_task(first))] in again.turns[-1].text
        tries = 1 if corrected else 2
        good = {"core edits good at the second try": len(KINDS)} if corrected else {}
        assert report["noted"] == {f"core edit refused: {kind}": tries for kind in COUNTED} | good
        written = [line(read_task(request)) for request in asked[1::2]] if corrected else []
        assert values(aria) == {"persona": "", "human": "\n".join(written)}
        assert ("## human" in opening(aria)) == corrected
        kept = [event["value"] for event in events(aria)]
        assert len(kept) == len(written)
        assert all(len(render_value(value)) <= 2000 for value in kept)


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["json", "ollama"])
def test_a_model_without_tools_edits_in_writing_and_nonsense_changes_nothing(
    tmp_path: Path, how: str
) -> None:
    def sometimes(request: Request, task: Task) -> Answer:
        right = note(request, task)
        return spoil("nonsense", right, request) if task.again or NOTED in task.question else right

    with life(tmp_path, editing(sometimes), layers=True, facts=OFF) as aria:
        if how == "json":
            aria.settings(core='form = "json"')
        else:
            aria.models = "ollama_chat/local-model"
            options = f'api_base = "{aria.server.url}"\nnum_ctx = 16384'
            aria.settings(**{'models.options."ollama*/*"': options})
        report = reported(aria, THREE)
        asked = core_asked(aria.server.requests)
        assert {request.tools for request in aria.server.requests} == {()}
        assert all(
            APPEND in read_task(request).question
            for request in asked
            if not read_task(request).again
        )
        assert values(aria)["human"] == line(read_task(asked[0]))
        assert len(asked) == 1 + 2 * 2
        assert report["noted"] == {"core edit refused: unreadable": 4}


@pytest.mark.full
def test_an_edit_that_a_run_did_not_come_to_is_made_up_for_in_order(tmp_path: Path) -> None:
    """The key is taken away at the first question about the core memory: as after a kill, memories are kept."""
    broken = [True]

    def until_mended(request: Request, task: Task) -> Reply:
        return FAILURES["wrong key"] if broken else note(request, task)

    with life(tmp_path, editing(until_mended), layers=True, facts=OFF) as aria:
        aria.talk(THREE)
        aria.drop()
        refused = aria.person.memproc("run")
        assert refused.code == 1
        assert "tokens sent" in refused.out, "what was done before is told"
        assert "does not accept the key" in refused.err
        assert aria.memories(), "a memory is kept, and its edit is not"
        assert events(aria) == []
        assert [chunk["number"] for chunk in aria.plan()["layers"]["core"]] == [1, 2, 3]
        broken.clear()
        made_up_for(aria)


@pytest.mark.long
def test_a_run_that_is_killed_at_an_edit_goes_on_with_it(tmp_path: Path) -> None:
    hangs = [True]
    with life(
        tmp_path,
        editing(lambda request, task: Hang() if hangs else note(request, task)),
        layers=True,
        facts=OFF,
    ) as aria:
        aria.talk(THREE)
        aria.drop()
        running = aria.person.start("run")
        until(lambda: bool(core_asked(aria.server.requests)))
        running.kill()
        running.communicate()
        assert running.returncode == -signal.SIGKILL
        assert (len(aria.memories()) >= 1, events(aria)) == (True, [])
        assert [chunk["number"] for chunk in aria.plan()["layers"]["core"]] == [1, 2, 3]
        hangs.clear()
        made_up_for(aria)


def made_up_for(aria: Life) -> None:
    """The next run asks for what is missing, in order, and for nothing that was answered."""
    planned = aria.plan()
    requests = aria.run()
    assert len(requests) <= planned["calls"], (
        "of the chunk that was under way, the journal has answers"
    )
    assert [event["memory"] for event in events(aria)] == [1, 2, 3]
    assert values(aria)["human"].splitlines() == [
        line(read_task(one)) for one in core_asked(requests)
    ]
    assert aria.server.meter.finished_and_seen_again == []


@pytest.mark.full
def test_a_provider_that_takes_no_more_tokens_costs_the_edit_and_not_the_memory(
    tmp_path: Path,
) -> None:
    with life(tmp_path, editing(lambda request, task: TOO_LONG), layers=True, facts=OFF) as aria:
        report = reported(aria, THREE)
        assert report["noted"] == {"core question too long for the window": 3}
        assert (len(aria.memories()), events(aria)) == (3, [])
        assert aria.plan()["layers"]["core"] == []


@pytest.mark.full
def test_a_correction_that_is_too_long_leaves_what_was_done(tmp_path: Path) -> None:
    def half(request: Request, task: Task) -> Reply:
        wrong = spoil("unknown section", note(request, task), request)
        return (
            TOO_LONG if task.again else Answer("", calls=(*note(request, task).calls, *wrong.calls))
        )

    with life(tmp_path, editing(half), layers=True, facts=OFF) as aria:
        report = reported(aria, THREE)
        assert report["noted"] == {
            "core edit refused: unknown section": 3,
            "core correction too long for the window": 3,
        }
        assert [event["memory"] for event in events(aria)] == [1, 2, 3]


@pytest.mark.full
def test_an_extracted_memory_has_no_edit_and_hindsight_asks_for_none_again(tmp_path: Path) -> None:
    second: list[str] = []

    def refuses_the_second(request: Request) -> Reply:
        is_refused = passage(request)[:1] == tuple(second) and read_task(request).step != "analysis"
        return spoil("refused", scribe(request), request) if is_refused else diary(request)

    with life(tmp_path, refuses_the_second, layers=True, facts=OFF) as aria:
        aria.talk(THREE)
        second.append(aria.said[14])  # with which the second chunk begins
        aria.round()
        assert [memory.edition.made for memory in aria.memories()] == [
            "model",
            "extracted",
            "model",
        ]
        assert [event["memory"] for event in events(aria)] == [1, 3]
        requests = aria.round(800)
        assert ["as-of", "hindsight"] in aria.kinds()
        assert len(core_asked(requests)) == 1
        assert [event["memory"] for event in events(aria)] == [1, 3, 4]
