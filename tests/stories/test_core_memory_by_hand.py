"""The person's own hand in the core memory: on the command line, in TypingMind's opening, and in memproc.toml."""

import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.config.loading import load_texts
from primer.prompt import opening as canned_opening
from tests.chats import Json, texts
from tests.server.editing import APPEND, REPLACE, edit
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.step import Task
from tests.stories.core import (
    NOTED,
    OFF,
    core,
    core_asked,
    diary,
    editing,
    events,
    files,
    held,
    kinds_of,
    note,
    opening,
    opening_at,
    own_lines,
    reported,
    values,
)
from tests.stories.rounds import Life, going_on_from, life

pytestmark = pytest.mark.timeout(200)
TWO = 4_800
"""Tokens of a conversation after which there are two memories."""
PROMISES = {"core.sections.promises": 'limit = 100\nvalue = ["To wait."]'}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Two memories, a line in the diary after each, and a list with one promise; imported. Nobody may change it."""
    with life(tmp_path_factory.mktemp("begun") / "aria", diary, layers=True, facts=OFF) as aria:
        aria.settings(**PROMISES)
        aria.round(TWO)
        yield aria


@pytest.fixture
def aria(begun: Life, tmp_path: Path) -> Iterator[Life]:
    """The same, to go on from there."""
    with going_on_from(begun, tmp_path / "aria", diary) as aria:
        yield aria


def says(aria: Life, change: Callable[[str], str]) -> str:
    """Edit the opening in TypingMind, export, run; what the run printed. It takes no call and writes no file."""
    aria.device.edit(aria.chat_id, opening_at(aria), change(opening(aria)))
    before, calls = files(aria), len(aria.server.requests)
    aria.drop()
    ended = aria.person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert (files(aria), len(aria.server.requests)) == (before, calls)
    return ended.out


def changed(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def test_what_the_person_sets_is_shown_and_stays_until_they_release_it(
    aria: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = core(aria, "set", "human", "By me.\nAnd <system> by me.")
    assert (ended.code, ended.err) == (0, "")
    assert f"memproc core {aria.chat_id} release human" in ended.out
    monkeypatch.setattr("sys.stdin", io.StringIO("- To ask.\n\n- To sing.\n"))
    assert core(aria, "set", "promises").code == 0
    assert (values(aria)["promises"], held(aria)) == (
        ["To ask.", "To sing."],
        {"human", "promises"},
    )
    assert core(aria, "set", "promises", "- To listen.").code == 0
    assert "promises, 12 of 100 characters, set by you\n  - To listen.\n" in core(aria).out

    report = reported(aria, 800)
    assert report["noted"] == {"core edit refused: kept by the person": 2}
    first, again = core_asked(aria.server.requests)[-2:]
    assert "The person keeps this section themselves" in first.turns[-1].text
    assert 'Not done. The person keeps the section "human" themselves' in again.turns[-1].text
    assert values(aria)["human"] == "By me.\nAnd <system> by me."
    assert (
        "\n\n## human\nBy me.\nAnd <\u2060system> by me.\n\n## promises\n- To listen.\n"
        in opening(aria)
    )

    assert '"human" is released.' in core(aria, "release", "human").out
    assert "nothing to do" in core(aria, "release", "human").out
    assert "nothing to do" in core(aria, "release", "persona").out
    assert held(aria) == {"promises"}
    assert reported(aria, 800)["noted"] == {}
    assert values(aria)["human"].startswith("By me.\nAnd <system> by me.\n" + NOTED)


@pytest.mark.full
def test_everything_is_taken_back_one_by_one_and_all_of_it_stays_in_the_history(aria: Life) -> None:
    both = values(aria)["human"]
    for command in (
        ["set", "human", "By me."],
        ["set", "human", "By me, too."],
        ["release", "human"],
    ):
        assert core(aria, *command).code == 0
    seen = []
    for _ in range(5):
        assert 'Taken back: "human"' in core(aria, "undo").out
        seen.append((values(aria)["human"], held(aria)))
    assert seen == [
        ("By me, too.", {"human"}),
        ("By me.", {"human"}),
        (both, set()),
        (both.splitlines()[0], set()),
        ("", set()),
    ]
    assert "Nothing to do" in core(aria, "undo").out
    told = core(aria, "history").out
    assert [event["undoes"] for event in events(aria)] == [0] * 5 + [5, 4, 3, 2, 1]
    assert "human, undo by you, taking back number 5" in told
    assert "human, set by you" in told
    assert aria.round() == [], "what was taken back is not asked for again"
    assert opening(aria).endswith("\n\n## promises\n- To wait.\n</system>")


def test_what_cannot_be_is_said_and_changes_nothing(aria: Life) -> None:
    before = events(aria)
    for command, code, said in (
        (
            ["set", "weather", "x"],
            2,
            'The core memory has no section "weather".\nIt has persona, human, promises.',
        ),
        (["release", "weather"], 2, 'has no section "weather"'),
        (
            ["set", "human", "x" * 2001],
            2,
            'The section "human" would have 2001 of 2000 characters.',
        ),
        (
            ["set", "promises", "x" * 98 + "\ny"],
            2,
            'The section "promises" would have 104 of 100 characters.',
        ),
        (["set"], 2, "Missing argument 'SECTION'"),
        (["shout"], 2, "There is no command 'shout'"),
        (["--loud"], 2, "No such option"),
    ):
        ended = core(aria, *command)
        assert (ended.code, ended.out) == (code, "")
        assert said in ended.err
    nobody = aria.person.memproc("core", "nobody")
    assert (nobody.code, 'knows no chat "nobody"' in nobody.err) == (2, True)
    assert events(aria) == before
    for wish in ("-h", "--help"):
        assert "release" in core(aria, wish).out
    assert core(aria, "set", "persona", "caf\udce9").code == 0, "what the terminal could not read"
    assert reported(aria)["outcomes"][0]["outcome"] == "written"


@pytest.mark.full
def test_a_limit_that_was_lowered_sets_the_chat_aside_until_the_section_is_set(aria: Life) -> None:
    size = len(values(aria)["human"])
    core(aria, "set", "human", "Short.")
    core(aria, "undo")
    aria.settings(**{"core.sections.human": "limit = 20"})
    before = files(aria)
    aria.talk(800)
    aria.drop()
    ended = aria.person.memproc("run")
    assert (ended.code, files(aria)) == (1, before)
    said = f'The section "human" would have {size} of 20 characters. It was written when the limit was higher.'
    for told in (
        ended.err,
        core(aria).err,
        aria.person.memproc("plan").err + aria.person.memproc("plan").out,
    ):
        assert said in told
    aria.settings(core=OFF)
    assert aria.person.memproc("plan").code == 0, "switched off, its limits are nobody's trouble"
    aria.settings(core="")
    assert core(aria, "set", "human", "Short.").code == 0
    refused = core(aria, "undo")
    assert (refused.code, f"would have {size} of 20 characters" in refused.err) == (2, True)
    aria.round()
    assert "\n## human\nShort.\n" in opening(aria)


@pytest.mark.full
def test_edits_of_the_opening_in_typingmind_are_the_person_s_own_and_change_no_file(
    aria: Life,
) -> None:
    first, was = aria.device.export(aria.chat_id), values(aria)["human"]
    says(aria, changed(NOTED, "They say: "))
    said = was.replace(NOTED, "They say: ")
    assert (values(aria)["human"], own_lines(aria)) == (said, {"human": said.splitlines()})
    says(aria, changed("- To wait.", "- To wait.\n- To <b>ask</b>."))
    says(aria, changed("\n</system>", "\n\n## persona\nDry humour.  \n</system>"))
    assert (values(aria)["persona"], values(aria)["promises"]) == (
        "Dry humour.",
        ["To wait.", "To <b>ask</b>."],
    )
    says(aria, changed("<system>\nWhat follows", "<system>\nDear Aria, what follows"))
    says(aria, changed("They say: ", NOTED))
    assert values(aria)["human"] == was, "they have taken it back, among other edits"
    says(aria, changed("- To wait.\n- To <b>ask</b>.", ""))
    theirs = {"human": was.splitlines(), "persona": ["Dry humour."]}
    assert (values(aria)["promises"], own_lines(aria), held(aria)) == ([], theirs, set())
    assert [(event["function"], event["by"], event["memory"]) for event in events(aria)[2:]] == [
        ("edited in TypingMind", "person", 0)
    ] * 5

    known, before = events(aria), files(aria)
    assert aria.round() == [], "the same export once more"
    assert (events(aria), files(aria)) == (known, before)
    aria.person.drop(first)
    assert aria.person.memproc("run").code == 0
    assert events(aria) == known, "an older export brings nothing back"

    assert reported(aria, 800)["noted"] == {}, "the persona goes on writing beside what is theirs"
    assert opening(aria).startswith("<system>\nDear Aria, what follows")
    assert "Dry humour." in opening(aria)
    assert f"\n## human\n{was}\n{NOTED}" in opening(aria)
    assert '"human" is released' in core(aria, "release", "human").out
    assert own_lines(aria) == {"persona": ["Dry humour."]}
    assert core(aria, "undo").code == 0
    assert own_lines(aria) == theirs


@pytest.mark.full
def test_a_corrected_line_is_protected_and_the_persona_goes_on_editing_beside_it(
    tmp_path: Path,
) -> None:
    wishes: list[tuple[str, dict[str, str]]] = []

    def as_wished(request: Request, task: Task) -> Answer:
        return edit(request, *wishes.pop(0)) if wishes else note(request, task)

    with life(tmp_path, editing(as_wished), layers=True, facts=OFF) as aria:
        aria.round(TWO)
        first, second = values(aria)["human"].splitlines()
        says(aria, changed(first, "Her name is Nessa."))
        assert own_lines(aria) == {"human": ["Her name is Nessa."]}
        assert f"  Her name is Nessa.  (yours)\n  {second}\n" in core(aria).out

        wishes += [(APPEND, {"name": "human", "content": "Nessa keeps bees."})]
        assert reported(aria, 800)["noted"] == {}
        wishes += [
            (REPLACE, {"name": "human", "old_content": second, "new_content": "Nessa likes fog."})
        ]
        assert reported(aria, 800)["noted"] == {}
        wishes += [(REPLACE, {"name": "human", "old_content": "Nessa", "new_content": "Agnes"})]
        wishes += [
            (REPLACE, {"name": "human", "old_content": "Nessa likes", "new_content": "Agnes likes"})
        ]
        before = len(aria.server.requests)
        report = reported(aria, 800)
        assert report["noted"] == {
            "core edit refused: kept by the person": 1,
            "core edits good at the second try": 1,
        }
        asked, again = core_asked(aria.server.requests[before:])[:2]
        assert "The person wrote line 1 of it themselves" in asked.turns[-1].text
        assert 'this line of the section "human" themselves' in again.turns[-1].text
        assert values(aria)["human"].splitlines()[:3] == [
            "Her name is Nessa.",
            "Agnes likes fog.",
            "Nessa keeps bees.",
        ]
        assert own_lines(aria) == {"human": ["Her name is Nessa."]}
        assert '"human" is released' in core(aria, "release", "human").out
        assert own_lines(aria) == {}


def test_an_edit_counts_once_whatever_has_happened_since(aria: Life) -> None:
    says(aria, changed(NOTED, "They say: "))
    assert core(aria, "set", "human", "By me.").code == 0
    aria.device.edit(
        aria.chat_id, opening_at(aria), opening(aria).replace("- To wait.", "- To go.")
    )
    assert aria.round() == []
    assert (values(aria)["human"], values(aria)["promises"]) == ("By me.", ["To go."])
    assert "\n## human\nBy me.\n\n## promises\n- To go.\n" in opening(aria)


@pytest.mark.full
def test_what_the_person_wrote_stays_theirs_in_a_fork_of_which_all_memories_were_deleted(
    aria: Life,
) -> None:
    says(aria, changed(NOTED, "They say: "))
    assert core(aria, "set", "persona", "I keep the light.").code == 0
    aria.round()
    before = values(aria), own_lines(aria), held(aria), list(map(what, events(aria)))
    messages = aria.device.messages(aria.chat_id)
    for at in reversed(range(len(messages))):
        if messages[at].get("memproc", {}).get("kind") == "memory":
            aria.device.delete(aria.chat_id, at)
    aria.device.edit(
        aria.chat_id, opening_at(aria), changed("- To wait.", "- To go.")(opening(aria))
    )
    aria.chat_id = aria.device.fork(aria.chat_id, new_uuids=True)

    aria.round(1_600)

    edited = ("promises", ["To go."], "person", "edited in TypingMind")
    assert list(map(what, events(aria)))[: len(before[3]) + 1] == [*before[3], edited]
    assert (own_lines(aria), held(aria)) == (before[1] | {"promises": ["To go."]}, before[2])
    human = values(aria)["human"]
    assert human.startswith(f"{before[0]['human']}\n{NOTED}"), "the persona goes on from there"
    assert f"\n## human\n{human}\n" in opening(aria)


def what(event: Json) -> tuple[str, Any, str, str]:
    """What was written into which section, by whom and how."""
    return event["section"], event["value"], event["by"], event["function"]


def test_a_value_over_its_limit_in_the_opening_sets_the_chat_aside_and_nothing_is_lost(
    aria: Life,
) -> None:
    was, before, at = events(aria), files(aria), opening_at(aria)
    text = opening(aria)
    aria.device.edit(aria.chat_id, at, text.replace("- To wait.", "- " + "x" * 99))
    for _ in range(2):
        aria.drop()
        ended = aria.person.memproc("run")
        assert ended.code == 1
        assert (
            'The section "promises" would have 101 of 100 characters. It stands so in the opening'
            in ended.err
        )
        assert "core.sections.promises.limit" in ended.err
        assert (events(aria), files(aria)) == (was, before)
    says(aria, changed("x" * 99, "To go."))
    assert values(aria)["promises"] == ["To go."]


@pytest.mark.full
def test_an_opening_without_any_heading_is_not_taken_over_and_that_is_told_once(aria: Life) -> None:
    was = events(aria)
    aria.device.edit(
        aria.chat_id, opening_at(aria), "<system>\nThese are your memories.\n</system>"
    )
    aria.drop()
    ended = aria.person.memproc("run")
    assert (ended.code, events(aria)) == (0, was)
    assert (
        "none of the headings of its sections and facts any more, so nothing of it was taken over"
        in ended.out
    )
    aria.drop()
    assert "headings" not in aria.person.memproc("run").out
    report = reported(aria, 800)
    assert report["outcomes"][0]["outcome"] == "written"
    assert opening(aria).startswith(
        "<system>\nThese are your memories.\n\nBeside the memories you carry"
    )
    assert "\n## human\n" + NOTED in opening(aria)


@pytest.mark.full
def test_headings_that_are_back_are_compared_with_what_was_taken_over_last(aria: Life) -> None:
    was, text, at = events(aria), opening(aria), opening_at(aria)
    for words in ("<system>\nThese are your memories.\n</system>", text.replace("wait", "go")):
        aria.device.edit(aria.chat_id, at, words)
        aria.drop()
        assert aria.person.memproc("run").code == 0
    assert [event["section"] for event in events(aria)[len(was) :]] == ["promises"]
    assert values(aria)["promises"] == ["To go."]


@pytest.mark.full
def test_opening_and_closing_that_were_edited_before_the_archive_was_lost_are_taken_over(
    aria: Life,
) -> None:
    text = opening(aria)
    aria.device.edit(aria.chat_id, opening_at(aria), text.replace("wait", "go"))
    aria.device.edit(aria.chat_id, kinds_of(aria).index("closing"), "Here the memories end.")
    for name in ("state", "backups", "updated"):
        shutil.rmtree(aria.person.home / name)
    report = reported(aria, 800)
    assert report["outcomes"][0]["outcome"] == "written"
    kinds = kinds_of(aria)
    assert [kinds.count("opening"), kinds.count("closing")] == [1, 1]
    assert values(aria)["promises"] == ["To go."]
    assert "\n## human\n" + NOTED in opening(aria)
    closing = aria.device.messages(aria.chat_id)[kinds.index("closing")]
    assert texts([closing]) == ["Here the memories end."]


@pytest.mark.full
def test_switched_off_the_layers_leave_nothing_but_the_canned_opening(tmp_path: Path) -> None:
    canned = canned_opening(load_texts(None))
    with (
        life(tmp_path / "with", diary, layers=True) as lived,
        life(tmp_path / "without", diary, layers=True, core=OFF, facts=OFF) as plain,
    ):
        for one in (lived, plain):
            one.round(TWO)
        assert {request.tools for request in plain.server.requests} == {()}
        assert core_asked(plain.server.requests) == []
        assert (opening(plain), opening_at(plain)) == (canned, opening_at(lived))
        others = [
            [
                message
                for at, message in enumerate(one.device.messages(one.chat_id))
                if at != opening_at(one)
            ]
            for one in (lived, plain)
        ]
        assert others[0] == others[1]

        known, said = events(lived), opening(lived)
        lived.settings(core=OFF, facts=OFF)
        lived.round()
        assert lived.device.messages(lived.chat_id) == plain.device.messages(plain.chat_id)
        lived.settings(core="", facts="")
        assert lived.round() == []
        assert (opening(lived), events(lived)) == (said, known)


@pytest.mark.full
@pytest.mark.parametrize("core_is", ["", OFF])
def test_the_preface_is_that_of_the_texts_until_the_person_rewords_it(
    tmp_path: Path, core_is: str
) -> None:
    own = tmp_path / "texts" / "opening.md"
    own.parent.mkdir()
    with life(tmp_path / "aria", diary, layers=True, facts=OFF, core=core_is) as aria:
        aria.round(TWO)
        own.write_text("Other words.\n")
        aria.settings(texts=f'folder = "{own.parent}"')
        assert aria.round() == []
        assert opening(aria).startswith("<system>\nOther words.\n")
        aria.device.edit(
            aria.chat_id, opening_at(aria), opening(aria).replace("Other words.", "My words.")
        )
        own.write_text("Yet other words.\n")
        aria.round(800)
        assert opening(aria).startswith("<system>\nMy words.\n")
        assert opening(aria).count("Beside the memories") == (core_is != OFF)


def test_other_first_values_show_in_sections_that_nobody_has_written_into(aria: Life) -> None:
    aria.settings(
        **{"core.sections.promises": "limit = 0", "core.sections.persona": 'value = "Quiet."'}
    )
    assert aria.round() == []
    assert opening(aria).endswith(
        "\n\n## persona\nQuiet.\n\n## human\n" + values(aria)["human"] + "\n</system>"
    )


def test_a_section_is_emptied_only_where_that_is_said(
    aria: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert core(aria, "set", "human", "By me.").code == 0
    for typed in ("", "\n", "  \n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        ended = core(aria, "set", "human")
        assert (ended.code, "--empty" in ended.err) == (2, True)
    assert core(aria, "set", "human", "More.", "--empty").code == 2
    assert values(aria)["human"] == "By me."
    assert core(aria, "set", "human", "--empty").code == 0
    assert (values(aria)["human"], held(aria)) == ("", {"human"})
