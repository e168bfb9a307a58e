"""Questions and answers of evaluations, kept and found again."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.evaluation import (
    answers_about,
    keep_answers,
    keep_questions,
    note_named,
    questions_about,
)
from daemon.archive.memories import keep_memory
from daemon.archive.seals import refuse_damage
from daemon.files.paths import archive_path
from rules.errors import DamagedChat
from rules.evaluate.questions import NAMED, EvalAnswer, EvalQuestion
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, see
from tests.entries import entries, memory_of

QUESTION = EvalQuestion(
    "m1", "k1", "Tea at five.", "When is tea?", ("At five.", "At four.", "At six.", "Never."), "s"
)
ANSWER = EvalAnswer(1, 1, "memories", "A", "anthropic/some", "s", "v", 2, 1, LATER)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    with Archive.open(tmp_path) as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, memory_of(1, entries(TALK)[:2]))
        keep_questions(archive, CHAT, [QUESTION, replace(QUESTION, text="And coffee?")])
        keep_answers(archive, CHAT, [ANSWER])
    return tmp_path


def test_questions_and_answers_are_found_as_they_were_kept(state: Path) -> None:
    with Archive.read(state) as archive:
        first, second = questions_about(archive, CHAT)
        assert first == replace(QUESTION, number=1)
        assert second.text == "And coffee?"
        assert answers_about(archive, CHAT) == (ANSWER,)


def test_a_question_that_was_named_to_a_rewriting_says_so(state: Path) -> None:
    with Archive.open(state) as archive:
        note_named(archive, [2])
        assert [question.state for question in questions_about(archive, CHAT)] == ["", NAMED]


def test_a_damaged_question_stops_its_evaluation_and_no_other_work(state: Path) -> None:
    with closing(sqlite3.connect(archive_path(state))) as database:
        database.execute("UPDATE question SET text = 'another'")
        database.commit()
    with Archive.read(state) as archive:
        refuse_damage(archive.run, CHAT)
        with pytest.raises(DamagedChat, match="row 1 of question"):
            questions_about(archive, CHAT)
