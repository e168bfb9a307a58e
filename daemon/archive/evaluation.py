"""The questions that asked the persona what it still knows, and its answers; all are kept."""

import json
from collections.abc import Collection, Sequence

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row
from daemon.archive.records import list_columns, row_of
from daemon.archive.seals import refuse_damage
from rules.evaluate.questions import NAMED, REPLACED, EvalAnswer, EvalQuestion

_OF_CHAT = "WHERE chat = (SELECT id FROM chat WHERE chat_id = ?) ORDER BY id"


def keep_questions(archive: Archive, chat_id: str, questions: Sequence[EvalQuestion]) -> None:
    """Store new questions about a chat, including those that are not asked, in one transaction.

    They replace those about the same chunks that a rewriting had in view.
    """
    with archive.transaction():
        chat = chat_row(archive, chat_id)
        for memory in {question.memory for question in questions}:
            archive.run(
                "UPDATE question SET state = ? WHERE memory = ? AND state = ?",
                (REPLACED, memory, NAMED),
            )
        for question in questions:
            row = {**row_of(question), "chat": chat}
            del row["number"]
            archive.insert("question", row)


def questions_about(archive: Archive, chat_id: str) -> tuple[EvalQuestion, ...]:
    """Return all questions about a chat, in the order in which they were made.

    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "question")
    sql = (
        f"SELECT memory, message, passage, text, choices, seed, state, id FROM question {_OF_CHAT}"  # noqa: S608
    )
    return archive.rows(EvalQuestion, sql, (chat_id,))


def note_named(archive: Archive, numbers: Collection[int]) -> None:
    """Record that a memory was rewritten with these questions in view: they no longer count."""
    archive.run(
        "UPDATE question SET state = ? WHERE id IN (SELECT value FROM json_each(?))",
        (NAMED, json.dumps(sorted(numbers))),
    )


def keep_answers(archive: Archive, chat_id: str, answers: Sequence[EvalAnswer]) -> None:
    """Store the answers of an evaluation's arms, in one transaction."""
    with archive.transaction():
        chat = chat_row(archive, chat_id)
        for answer in answers:
            archive.insert("answer", {**row_of(answer), "chat": chat})


def answers_about(archive: Archive, chat_id: str) -> tuple[EvalAnswer, ...]:
    """Return the answers of all evaluations of a chat, the oldest first. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "answer")
    sql = f"SELECT {list_columns(EvalAnswer)} FROM answer {_OF_CHAT}"  # noqa: S608
    return archive.rows(EvalAnswer, sql, (chat_id,))
