"""What a person sees on a real terminal of 80 columns and 24 lines."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import pytest

from daemon.config.settings import Config
from tests.chats import export_bytes, long_chat
from tests.foreign import talks, trees
from tests.server.asking import litellm
from tests.server.reply import Answer
from tests.server.request import Request
from tests.stories.cycle import ENGINE, Cycle
from tests.stories.person import Person
from tests.stories.rounds import Life, life, teller
from tests.stories.terminal import COLUMNS, Terminal
from tests.waiting import until

CAP_REACHED = 4
pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="a pseudo-terminal is needed")
LONG_TITLE = (
    "Everything that Aria and I have said to each other about the lighthouse, the sea and the storm"
)
DEAR = (
    '[[budget.price]]\nmodel = "anthropic/*"\nas_of = "2026-11-21"\ninput = 900.0\noutput = 900.0\n'
)


@dataclass
class Pace:
    """A script that takes so many seconds before each answer."""

    seconds: float = 0.15

    def __call__(self, request: Request) -> Answer:
        answer = teller(request)
        assert isinstance(answer, Answer)
        return replace(answer, seconds=self.seconds)


@pytest.fixture
def pace() -> Pace:
    return Pace()


@pytest.fixture
def slow(tmp_path: Path, pace: Pace) -> Iterator[Life]:
    """A chat of which a run takes some seconds, with models that take their time; LiteLLM takes none in a fork."""
    litellm()
    with life(tmp_path / "slow", script=pace) as slow:
        slow.talk(9_000)
        slow.drop()
        yield slow


@pytest.mark.full
def test_the_bar_keeps_count_money_and_time_left_also_beside_a_long_title(ada: Person) -> None:
    ada.drop(export_bytes({**long_chat(4000, tokens_each=200), "chatTitle": LONG_TITLE}))
    terminal = Terminal(ada, ("run", "--yes"))
    assert terminal.ends() == 0
    assert [
        line
        for line in terminal.seen
        if re.match(r"Everything that .*…: \d+ of \d+ memories made .*━", line)
    ]
    assert all(len(line) <= COLUMNS for line in terminal.seen)
    assert all("━" in line for line in terminal.seen if re.search(r" \d+ of \d+ ", line)), (
        "the plain lines are for files and pipes"
    )


@pytest.mark.long
def test_a_run_by_hand_says_what_time_is_left_and_status_shows_it_and_how_it_ended(
    slow: Life,
) -> None:
    terminal = Terminal(slow.person, ("run",))
    terminal.shows(r" [2-9] of \d+ memories made · ")
    going_on = slow.person.memproc("status").out
    assert re.search(
        r"Running\n  The lighthouse: \d+ of \d+ memories made · \$0\.00( · \d+:\d\d left)?, since .*, by hand\n",
        going_on,
    )
    run = json.loads(slow.person.memproc("status", "--json").out)["run"]
    assert (run["title"], run["by"], run["chat_id"]) == ("The lighthouse", "hand", slow.chat_id)
    assert run["done"] < run["of"], "at most a second old"
    assert terminal.ends() == 0
    end, halfway = monotonic(), []
    for line, when in terminal.seen.items():
        match = re.search(r"(\d+) of (\d+) memories made · \$\d+\.\d\d · (\d+):(\d\d) left ", line)
        if match and 0.4 < int(match[1]) / int(match[2]) < 0.6:
            halfway.append((int(match[3]) * 60 + int(match[4]), end - when))
    assert halfway, sorted(terminal.seen)
    assert all(took / 3 - 1 < said < took * 3 + 1 for said, took in halfway), halfway
    ended = slow.person.memproc("status").out
    assert "Running" not in ended
    assert re.search(r"Last run by hand\n  .* ago\): 1 written\n", ended)


@pytest.mark.full
def test_a_run_that_was_killed_is_shown_as_cut_off_and_asks_nothing_twice_that_was_finished(
    slow: Life, pace: Pace
) -> None:
    run = Terminal(slow.person, ("run",))
    run.shows(r" [1-9] of \d+ memories made · ")
    until(
        lambda: bool(
            (json.loads(slow.person.memproc("status", "--json").out)["run"] or {}).get("done")
        )
    )
    run.is_killed()
    status = slow.person.memproc("status").out
    assert "Running" not in status
    assert (
        "the last run by hand: It was cut off in the middle. What is finished is kept.\n" in status
    )
    assert "-> To go on from there: memproc run" in status
    pace.seconds = 0
    slow.run()
    assert "cut off" not in slow.person.memproc("status").out
    again = slow.server.meter.finished_and_seen_again
    assert len(again) <= Config().models.concurrency, (
        "only what was in flight at the kill may be asked again"
    )


def test_status_tells_of_a_run_by_hand_that_skipped_something(ada: Person) -> None:
    ada.drop(
        b'{"data": {"chats": [{"id": "odd", "chatTitle": "Odd", "messages": 7}]}}', "of old.json"
    )
    assert ada.memproc("run").code == 1
    status = ada.memproc("status").out
    assert re.search(r"Needs attention\n  Odd, of old.json: ", status)
    assert re.search(r"Last run by hand\n  .* ago\): 1 skipped\n", status)


@pytest.mark.full
def test_a_memory_takes_one_line_of_the_terminal_and_prose_breaks_between_words(
    tmp_path: Path,
) -> None:
    chat = Cycle.lived(tmp_path, settings=f"{ENGINE}[fold]\nbudget = 700\n")
    listed = Terminal(chat.person, ("memories", "The lighthouse"))
    assert listed.ends() == 0
    _, _, *lines = listed.text().splitlines()
    assert len(lines) == len(chat.everything())
    for line in lines:
        assert re.match(r"f*\d+ +2026-01-14 +[\d,]+ +[\d,]+  \w.*\.\.\.$", line), line
    shown = Terminal(chat.person, ("show", "The lighthouse", "6"))
    assert shown.ends() == 0
    words = shown.text().split()
    for edition in chat.everything()[5]["editions"]:
        for text in edition["texts"][1::2]:
            assert " ".join(text.split()) in " ".join(words), "no word is broken at the edge"


@pytest.mark.full
def test_an_undo_is_agreed_to_on_a_terminal_after_what_it_changes(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    (updated,) = ada.updated()
    compressed = updated.read_bytes()
    refused = Terminal(ada, ("undo", "The lighthouse"), {"PAGER": "cat"})
    refused.shows(r"Put version 1 back\?")
    refused.types("n")
    assert refused.ends() == 0
    assert "Nothing was changed.\nTo do it:" in refused.text()
    assert updated.read_bytes() == compressed
    agreed = Terminal(ada, ("undo", "The lighthouse"), {"PAGER": "cat"})
    agreed.shows(r"Put version 1 back\?")
    agreed.types("y")
    assert agreed.ends() == 0
    assert updated.read_bytes() != compressed


def asked_for_a_key(person: Person, answer: str) -> Terminal:
    """`memproc run` on a terminal, up to this answer to what is asked about the missing key."""
    person.drop(export_bytes(long_chat(4000, tokens_each=200)))
    terminal = Terminal(person, ("run",))
    terminal.shows("There is no key for anthropic")
    terminal.shows("Your choice")
    terminal.types(answer)
    return terminal


def test_without_a_key_a_terminal_asks_and_stop_writes_nothing(ada: Person) -> None:
    terminal = asked_for_a_key(ada, "stop")
    assert terminal.ends() == 0
    assert "Stopped. Nothing was sent or written." in terminal.text()
    assert not ada.updated()


@pytest.mark.sampled
@pytest.mark.parametrize("answers", [("n",), ("y", "stop"), ("y", "key"), ("\x04",), ("y", "\x04")])
def test_all_is_asked_before_anything_is_kept_of_what_is_brought(
    ada: Person, answers: tuple[str, ...]
) -> None:
    (ada.home / "foreign.json").write_bytes(trees.exported(talks.claude("1", 40)))
    ada.settings(DEAR)
    words = ("bring", "foreign.json", "--chat", "1", "--model", "claude-opus-5-5")
    terminal = Terminal(ada, words)
    for question, answer in zip(("Bring it", "Your choice"), answers, strict=False):
        terminal.shows(question)
        terminal.types(answer)
    if answers[-1] == "key":
        terminal.shows("Key for anthropic")
        terminal.types_unseen("sk-ant-this-is-secret")
        terminal.shows("Go on")
        terminal.types("n")
    assert terminal.ends() == (130 if answers[-1] == "\x04" else 0)
    left = [path for path in ada.home.rglob("*") if path.is_file() and path.parent != ada.home]
    assert not [path for path in left if {"backups", "brought"} & set(path.parts)]
    assert "foreign" not in ada.memproc("chats").out
    assert ("is kept" in terminal.text()) == (answers[-1] == "key")
    assert re.search(r"Nothing was (sent or written|changed|brought)", terminal.text())


@pytest.mark.full
def test_without_a_key_the_memories_can_be_extracted_for_free(ada: Person) -> None:
    terminal = asked_for_a_key(ada, "extract")
    assert terminal.ends() == 0
    assert "note: There is no key" not in terminal.text(), "that was asked, and answered"
    assert len(ada.updated()) == 1


def test_a_key_that_is_given_now_is_kept_and_never_shown(ada: Person) -> None:
    ada.settings("[budget]\nrun_usd = 0\n")  # nobody is asked with it
    terminal = asked_for_a_key(ada, "key")
    terminal.shows("Key for anthropic")
    terminal.types_unseen("sk-ant-this-is-secret")
    terminal.shows("The key for anthropic is kept in")
    assert terminal.ends() == CAP_REACHED
    assert "this-is-secret" not in terminal.text()
    assert "was taken out of" in ada.memproc("key", "forget", "anthropic").out


@pytest.mark.full
def test_without_a_terminal_and_with_yes_nothing_is_asked(ada: Person, tmp_path: Path) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert "Your choice" not in ada.memproc("run").out
    assert len(ada.updated()) == 1
    bea = Person(tmp_path / "bea")
    bea.drop(export_bytes(long_chat(4000, tokens_each=200)))
    terminal = Terminal(bea, ("run", "--yes"))
    assert terminal.ends() == 0
    assert "Your choice" not in terminal.text()
    assert len(bea.updated()) == 1


@pytest.mark.full
def test_more_than_a_dollar_is_agreed_to_first_and_yes_answers(slow: Life, pace: Pace) -> None:
    pace.seconds = 0.02
    slow.settings(budget="run_usd = 10000\nday_usd = 10000\nmonth_usd = 10000\n" + DEAR)
    terminal = Terminal(slow.person, ("run",))
    asked = terminal.shows("Go on")
    assert re.search(r"In all: likely \$[\d,.]+\. The caps allow it\. Go on", asked)
    terminal.types("n")
    assert terminal.ends() == 0
    assert not slow.server.requests
    agreed = Terminal(slow.person, ("run", "--yes"))
    assert agreed.ends() == 0
    assert "Go on" not in agreed.text()
    assert slow.server.requests
    assert re.search(r"\$[1-9][\d,]*\.\d\d · ", "\n".join(agreed.seen)), (
        "the money so far stands beside the count"
    )


@pytest.mark.long
def test_quiet_prints_nothing_when_all_is_well(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    ended = subprocess.run(
        [*ada.argv()[:1], "--quiet", *ada.argv("run")[1:]], capture_output=True, check=False, cwd=ada.home,
        env={**os.environ},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
