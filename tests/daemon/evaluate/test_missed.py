"""A memory that is written again with what was missed of it, and its questions, change together."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from daemon.archive.archive import Archive
from rules.evaluate.questions import NAMED
from tests.chats import CHAT_ID
from tests.server.examined import Examined
from tests.stories.examining import evaluated, serving
from tests.stories.person import Person
from tests.stories.reports import memories


def ending_at(begin: str) -> Callable[..., Any]:
    """Archive.run that is interrupted before the statement that begins so."""
    run = Archive.run

    def interrupted(archive: Archive, sql: str, values: tuple[object, ...] = ()) -> Any:
        if sql.startswith(begin):
            raise KeyboardInterrupt
        return run(archive, sql, values)

    return interrupted


@pytest.mark.full
def test_a_memory_that_is_written_again_and_its_questions_change_together_or_not_at_all(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        every = evaluated(eve)["missed"]
        memory = every[0]["memory"]
        missed = sum(question["memory"] == memory for question in every)
        with monkeypatch.context() as interrupted:
            interrupted.setattr(Archive, "run", ending_at("UPDATE question"))
            assert eve.memproc("retry", memory, "--missed").code == 130
        assert len(editions(eve, memory)) == 1, "else its questions would be about an older edition"
        assert eve.memproc("retry", memory, "--missed").code == 0
        assert len(editions(eve, memory)) == 2
        with Archive.read(eve.home / "state") as archive:
            assert Counter(archive.column("SELECT state FROM question"))[NAMED] == missed
        evaluated(eve)  # other questions are written, and those that were named are asked no more
        with Archive.read(eve.home / "state") as archive:
            asked = archive.value(
                "SELECT count(*) FROM question WHERE memory = ? AND state = '' AND passage <> ''",
                (memory,),
            )
        assert asked == 6 - missed
        assert server.meter.finished_and_seen_again == []


def editions(person: Person, memory_id: str) -> list[Any]:
    (memory,) = (memory for memory in memories(person, CHAT_ID) if memory.memory_id == memory_id)
    kept: list[Any] = memory.editions
    return kept
