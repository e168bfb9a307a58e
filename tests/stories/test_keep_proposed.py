"""The persona proposes words to be kept, where memproc.toml lets it; the person decides."""

from pathlib import Path

import pytest

from daemon.recall.toolbox import MOST_WAITING
from tests.stories.cycle import ENGINE, Cycle
from tests.stories.keeping import keep, kept_there, passages, release, states
from tests.stories.recalling import ask, call, text_of

ALLOWED = f"{ENGINE}[recall]\nkeep = true\n"


@pytest.fixture
def ada(tmp_path: Path) -> Cycle:
    """A chat with memories whose persona may propose."""
    chat = Cycle.lived(tmp_path)
    chat.person.settings(ALLOWED)
    return chat


def said(chat: Cycle, place: int) -> str:
    """The beginning of a message that is under a memory."""
    key = chat.bounds()[place][2]
    content = next(one for one in chat.expanded() if one["uuid"] == key)["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    return " ".join(str(text).split()[:14])


def test_without_the_setting_there_is_no_such_tool(ada: Cycle) -> None:
    ada.person.settings(ENGINE)
    refused = call(ada.person, "keep_this", words=said(ada, 0))
    assert refused.is_error
    assert "There is no tool keep_this" in text_of(refused)
    listed = ask(ada.person, lambda client: client.list_tools())
    assert all(tool.annotations.read_only_hint for tool in listed.tools)


def test_a_proposal_waits_for_the_person_and_reaches_no_export_before(ada: Cycle) -> None:
    words = said(ada, 0)
    answer = call(ada.person, "keep_this", words=words, why="She asked me to hold on to it.")
    assert not answer.is_error
    assert "Nothing has been kept yet" in text_of(answer)
    (passage,) = passages(ada)
    assert (passage["state"], passage["by"]) == ("offered", "persona")
    assert passage["reason"] == "She asked me to hold on to it."
    assert "the persona proposes it" in " ".join(ada.person.memproc("status").out.split())
    assert "0 written" in ada.hand_in().out
    keep(ada, "--yes", "1")
    ada.goes_round()
    assert kept_there(ada).endswith(words)


def test_what_was_never_said_proposed_before_or_let_go_is_refused(ada: Cycle) -> None:
    words = said(ada, 0)
    never = call(ada.person, "keep_this", words="I am the moon, and I owe you nothing.")
    assert never.is_error and "character for character" in text_of(never)
    call(ada.person, "keep_this", words=words)
    again = call(ada.person, "keep_this", words=words)
    assert again.is_error and "proposed already" in text_of(again)
    release(ada, 1)
    let_go = call(ada.person, "keep_this", words=words)
    assert let_go.is_error and "let go by the person" in text_of(let_go)
    long = call(ada.person, "keep_this", words=words, why="x" * 501)
    assert long.is_error and "up to 500 characters" in text_of(long)
    assert states(ada) == {}


@pytest.mark.full
def test_at_most_twenty_wait(ada: Cycle) -> None:
    for place in range(MOST_WAITING):
        assert not call(ada.person, "keep_this", words=said(ada, place)).is_error
    more = call(ada.person, "keep_this", words=said(ada, MOST_WAITING))
    assert more.is_error and "20 proposals wait" in text_of(more)
    assert len(states(ada)) == MOST_WAITING
