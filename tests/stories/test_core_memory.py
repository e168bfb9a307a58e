"""The agent tends its core memory after each memory: what it may do, what it sees, and what never happens."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.config.loading import load_layout
from tests.server.editing import APPEND, REPLACE, edit, nothing_to_change
from tests.server.meter import Bill
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.step import Task, read_task
from tests.stories.core import (
    NOTED,
    OFF,
    core,
    core_asked,
    diary,
    editing,
    events,
    files,
    line,
    opening,
    passage,
    values,
)
from tests.stories.rounds import ENGINE, Life, life
from tests.test_core_memory_page import block

pytestmark = pytest.mark.timeout(200)
THREE = 5_600
"""Tokens of a conversation after which there are three memories."""


@pytest.fixture(scope="module")
def aria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Three memories in two rounds, and after each of them a line in the diary."""
    with life(tmp_path_factory.mktemp("aria"), diary, layers=True) as aria:
        aria.round(THREE - 800)
        aria.round(800)
        yield aria


def lines(aria: Life) -> list[str]:
    """What the diary says after each memory, oldest first."""
    return [line(read_task(request)) for request in core_asked(aria.server.requests)]


def test_what_the_agent_writes_stands_in_its_section_in_the_export_and_in_the_history(
    aria: Life,
) -> None:
    assert len(set(lines(aria))) == 3
    assert values(aria) == {"persona": "", "human": "\n".join(lines(aria))}
    assert "\n## human\n" + "\n".join(lines(aria)) + "\n\n## facts\n" in opening(aria)
    assert "## persona" not in opening(aria), "an empty section has no heading"
    assert "\n".join(f"  {line}" for line in lines(aria)) in core(aria).out
    for number, event in enumerate(events(aria), 1):
        assert event == {
            "section": "human", "value": "\n".join(lines(aria)[:number]), "held": False, "by": "agent",
            "function": APPEND, "memory": number, "edition": 1, "number": number, "undoes": 0,
            "held_lines": [],
        }  # fmt: skip
    told = core(aria, "history").out
    assert "human, added to by the persona after memory 3 (edition 1)" in told


def test_each_question_shows_what_the_edit_before_has_left(aria: Life) -> None:
    shown = [
        [line for line in read_task(request).question.splitlines() if line.startswith(NOTED)]
        for request in core_asked(aria.server.requests)
    ]
    assert shown == [lines(aria)[:before] for before in range(3)]


def test_where_nothing_is_new_nothing_is_asked_and_no_byte_changes(aria: Life) -> None:
    before = files(aria)
    assert aria.round() == []
    assert files(aria) == before
    assert aria.person.memproc("verify").code == 0


def test_the_question_stands_on_the_cached_context_of_the_memory(aria: Life) -> None:
    asked = reversed(aria.server.requests)
    refinements = {
        passage(one): one for one in asked if read_task(one).step == "refinement"
    }  # of as-of editions
    shares = []
    for request in core_asked(aria.server.requests):
        refined = refinements[passage(request)]
        assert request.turns[: len(refined.turns)] == refined.turns
        assert request.body["tools"] == refined.body["tools"]
        paid, before = bill(aria, request).usage, bill(aria, refined).usage
        assert (paid.read, paid.written) == (before.read + before.written, 0)
        shares.append(paid.read / paid.prompt)
    assert max(shares) > 0.85


def test_nothing_of_the_layers_stands_in_any_other_request(aria: Life) -> None:
    others = [one for one in aria.server.requests if read_task(one).step != "core"]
    said = "\n".join(turn.text for request in others for turn in request.turns)
    for part in (NOTED, "## human", "## facts", "Beside the memories you carry"):
        assert part not in said


def bill(aria: Life, request: Request) -> Bill:
    return aria.server.meter.bills[request.number]


@pytest.mark.full
def test_the_engine_alone_shows_first_values_and_asks_nobody(tmp_path: Path) -> None:
    persona, promises = 'value = "I keep the light."', 'value = ["To wait.", "To ask."]'
    with life(tmp_path, layers=True) as aria:
        aria.models = ENGINE
        aria.settings(**{"core.sections.persona": persona, "core.sections.promises": promises})
        assert aria.round(THREE) == []
        assert opening(aria).endswith(
            "\n\n## persona\nI keep the light.\n\n## promises\n- To wait.\n- To ask.\n</system>"
        )
        assert "Nothing was written" in core(aria, "history").out
        before = files(aria)
        aria.round()
        assert files(aria) == before


@pytest.fixture
def promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The layout of the documentation's example, as an installer leaves it in a folder on PYTHONPATH; its module."""
    place = tmp_path / "installed"
    about = place / "memproc_promises-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: memproc-promises\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[memproc.core_memory]\npromises = memproc_promises:PromiseLayout\n"
    )
    module = place / "memproc_promises.py"
    module.write_text(block("python"), encoding="utf-8")
    monkeypatch.syspath_prepend(place)
    began_anew()
    yield module
    began_anew()


def began_anew() -> None:
    """What a process does not look for twice is looked for again."""
    load_layout.cache_clear()
    sys.modules.pop("memproc_promises", None)


def promise(request: Request, task: Task) -> Answer:
    """One promise, once."""
    if "- To be true" in task.question:
        return nothing_to_change(request)
    return edit(request, "promise_made", {"promise": "To be true."})


@pytest.mark.full
@pytest.mark.usefixtures("promises")
def test_a_layout_of_one_s_own_is_offered_and_edits_its_list(tmp_path: Path) -> None:
    with life(
        tmp_path / "aria", editing(promise), layers=True, facts=OFF, core='layout = "promises"'
    ) as aria:
        requests = aria.round(THREE)
        tools = (APPEND, REPLACE, "promise_made", "promise_kept")
        assert {one.tools for one in requests if read_task(one).step != "analysis"} == {tools}
        assert values(aria) == {"persona": "", "human": "", "promises": ["To be true."]}
        assert opening(aria).endswith("\n\n## promises\n- To be true.\n</system>")
        assert [event["function"] for event in events(aria)] == ["promise_made"]


@pytest.mark.full
def test_a_layout_that_fails_sets_the_chat_aside_and_once_mended_nothing_is_asked_again(
    tmp_path: Path, promises: Path
) -> None:
    good = promises.read_text(encoding="utf-8")
    promises.write_text(
        good.replace("    promises = editable(memory, PROMISES.name)", "    promises = 1 / 0", 1)
    )
    with life(
        tmp_path / "aria", editing(promise), layers=True, facts=OFF, core='layout = "promises"'
    ) as aria:
        aria.talk(THREE)
        aria.drop()
        ended = aria.person.memproc("run")
        assert ended.code == 1
        assert (
            "The function promise_made of the core memory's layout has failed: ZeroDivisionError."
            in ended.err
        )
        assert (aria.memories() != [], aria.person.updated()) == (True, [])
        promises.write_text(good)
        began_anew()
        aria.run()
        assert values(aria)["promises"] == ["To be true."]
        assert aria.server.meter.finished_and_seen_again == []
