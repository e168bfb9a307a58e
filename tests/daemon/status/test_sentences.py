"""What was logged, in words."""

import pytest

from daemon import events
from daemon.events import DaemonIs, Event, FileIs, Trouble
from daemon.status.sentences import is_problem, sentence
from rules.arrival import FINISHED, IN_HAND, UNTAKEN
from tests.daemon.status.filled import ahead

SAID: list[tuple[Event, str]] = [
    (DaemonIs("started", "/home/ada/inbox", version="0.1.0", pid=7), "memproc 0.1.0 watches /home/ada/inbox (process 7)."),
    (DaemonIs("stopped", "It was told to."), "memproc has stopped: It was told to."),
    (DaemonIs("watching", "It lies on nfs.", "poll"),
     "The inbox is watched by looking into it again and again: It lies on nfs."),
    (FileIs(1, "a.json", "copied"), "a.json is complete: there is a copy to work on."),
    (FileIs(1, "a.json", "settling", "JSON not closed at byte 9"), "a.json is waited for: JSON not closed at byte 9."),
    (FileIs(1, "{0}.json", "skipped", "It is not JSON.", "Export it again: memproc run"),
     "{0}.json was skipped: It is not JSON. Export it again: memproc run"),
    (FileIs(1, "a.json", "unheard of"), "a.json is unheard of."),
    (events.Planned("abc", "", 3, 7, "1 memory is written again, 2 get a hindsight edition; 7 calls"),
     "The chat abc: 1 memory is written again, 2 get a hindsight edition; 7 calls."),
    (events.UserEdits("abc", "", "1 forgotten: memproc recall m1"),
     "The chat abc, edited in TypingMind: 1 forgotten: memproc recall m1"),
    (events.UserEdits("abc", "", "1 message of the last time is missing", by_person=False),
     "The chat abc: 1 message of the last time is missing"),
    (events.ModelAnswered("abc", "quote", "claude", 1200, 1000, 0, 50, 0.0123),
     "The chat abc: claude has answered (quote): 1,200 tokens (1,000 from the cache) in, 50 out, for $0.0123."),
    (events.ModelAnswered("abc", "quote", "llama", 12, 0, 0, 50, None),
     "The chat abc: llama has answered (quote): 12 tokens in, 50 out, at a price that is not known."),
    (events.MemoryMade("abc", "", 7, 2, 3), "The chat abc: memory 2 of 3 is kept."),
    (
        events.MemoryMade("abc", "", 3, folded=6, level=2),
        "The chat abc: 6 memories folded into f3.",
    ),
    (events.ChatIs("abc", "", "written", arrival=1, file="a.json", tokens_before=9000, tokens_after=3000, memories=1),
     "The chat abc, of a.json: the updated export is ready: 9,000 tokens are now 3,000, with 1 memory."),
    (events.ChatIs("", "", "skipped", "No money is left.", "Add credit.", arrival=1, file="a.json"),
     "A chat, of a.json, was skipped: No money is left. Add credit."),
    (events.RunDone("prune"), "The timed job prune is done."),
    (events.RunDone("prune", "the disk is full"), "The timed job prune failed: the disk is full."),
    (DaemonIs("paused", ahead(hours=2)), "Paused until 2026-11-21 14:00:00."),
    (DaemonIs("paused"), "Paused until `memproc resume`."),
    (DaemonIs("resumed"), "Resumed."),
    (DaemonIs("configured"), "memproc.toml was read again, and counts from now on."),
    (DaemonIs("configured", "folders.inbox"),
     "memproc.toml was read again, and counts after a restart only, because of folders.inbox."),
    (Trouble("the settings", "line 3: chunk.tokens", "Correct it."),
     "memproc.toml is wrong, so the settings before it still count: line 3: chunk.tokens. Correct it."),
    (Trouble("the worker", "It died."), "Trouble with the worker: It died."),
    (events.Note("A word."), "A word."),
]  # fmt: skip


@pytest.mark.parametrize(("event", "words"), SAID)
def test_every_event_reads_as_a_sentence(event: Event, words: str) -> None:
    assert sentence(event) == words


@pytest.mark.parametrize("state", [*UNTAKEN, *IN_HAND, *FINISHED, "skipped"])
def test_every_state_of_a_file_has_words_of_its_own(state: str) -> None:
    assert sentence(FileIs(1, "a.json", state)) != f"a.json is {state}."
    assert sentence(FileIs(1, "a.json", state, "so it is")).endswith(": so it is.")


def test_a_title_is_shown_where_it_may_be() -> None:
    assert (
        sentence(events.MemoryMade("abc", "", 7, 2, 3), {"abc": "The Garden"})
        == 'The chat "The Garden": memory 2 of 3 is kept.'
    )


def test_what_went_wrong_is_told_apart_from_the_rest() -> None:
    assert {words for event, words in SAID if is_problem(event)} == {
        "{0}.json was skipped: It is not JSON. Export it again: memproc run",
        "A chat, of a.json, was skipped: No money is left. Add credit.",
        "The timed job prune failed: the disk is full.",
        "memproc.toml is wrong, so the settings before it still count: line 3: chunk.tokens. Correct it.",
        "Trouble with the worker: It died.",
    }
    assert is_problem(DaemonIs("watching", mode="none"))
    assert is_problem(FileIs(1, "a.json", "settling", "still growing", "Look at it."))
