"""The tables of the archive: their versions, and the steps from one to the next."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.seals import hash_of

_SCHEMA = Path(__file__).with_name("schema.sql")


@dataclass(frozen=True, slots=True)
class SchemaStep:
    """A change of the tables."""

    name: str
    script: str
    """SQL, of several statements."""
    seals: tuple[str, ...] = ()
    """The tables whose rows get a new seal after it."""
    undo: str = ""
    """SQL that turns empty tables back into those of before, to take an older archive's rows."""


def _seal_again(table: str, before: str, added: str) -> str:
    """Return SQL that seals sound rows with the columns `added`; damaged ones stay unsound."""
    old, new = hash_of(before.split()), hash_of(f"{before} {added}".split())
    sealed = f"iif(seal IS {old}, {new}, '')"
    return f"UPDATE {table} SET seal = {sealed};"  # noqa: S608  the names are ours


OLDEST = 12
"""The version of the oldest archive that still opens, from just before the first release."""
STEPS = (
    SchemaStep(
        "a seal for messages, missing messages and states of chats; when a doubt was said last",
        """
        ALTER TABLE message ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        ALTER TABLE missing ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        ALTER TABLE chat_state ADD COLUMN said_at TEXT NOT NULL DEFAULT '';
        ALTER TABLE chat_state ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        UPDATE chat_state SET said_at = at WHERE doubt <> '';
        """,
        seals=("message", "missing", "chat_state"),
        undo="""
        ALTER TABLE message DROP COLUMN seal;
        ALTER TABLE missing DROP COLUMN seal;
        ALTER TABLE chat_state DROP COLUMN said_at;
        ALTER TABLE chat_state DROP COLUMN seal;
        """,
    ),
    SchemaStep(
        "where the chats lie in exports is not kept any more",
        "DROP TABLE layout;",
        undo="CREATE TABLE layout (sha256 TEXT PRIMARY KEY) STRICT;",
    ),
    SchemaStep(
        "token counts of providers that cannot be are kept by themselves, and nothing is learned "
        "from them",
        """
        CREATE TABLE odd_usage (request TEXT PRIMARY KEY, said TEXT NOT NULL) STRICT;
        ALTER TABLE calibration ADD COLUMN newest TEXT NOT NULL DEFAULT '';
        DELETE FROM calibration WHERE factor NOT BETWEEN 0.25 AND 5.4;
        UPDATE calibration SET newest = coalesce(
            (SELECT max(answered_at) FROM reply WHERE reply.model = calibration.model), '');
        """,
        undo="""
        DROP TABLE odd_usage;
        ALTER TABLE calibration DROP COLUMN newest;
        """,
    ),
    SchemaStep(
        "the form of an answer that was kept in spite of it; until when answers were judged without forms",
        """
        ALTER TABLE edition ADD COLUMN form TEXT NOT NULL DEFAULT '';
        INSERT OR REPLACE INTO sign (name, value, at)
        SELECT 'former_answers', newest, newest FROM (
            SELECT max(at) AS newest FROM (
                SELECT asked_at AS at FROM reply UNION ALL SELECT began_at FROM batch
            )
        ) WHERE newest IS NOT NULL;
        """,
        undo="ALTER TABLE edition DROP COLUMN form;",
    ),
    SchemaStep(
        "the person's standing wishes in each edition, and what the folds of a chat keep to",
        f"""
        ALTER TABLE edition ADD COLUMN wishes TEXT NOT NULL DEFAULT '[]';
        {
            _seal_again(
                "edition",
                "memory number kind texts quotes made agent context_manager requests tokens "
                "written_at",
                "wishes",
            )
        }
        ALTER TABLE chat ADD COLUMN fold_budget INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE chat ADD COLUMN agent_window INTEGER NOT NULL DEFAULT 0;
        UPDATE chat SET fold_budget = 16000 WHERE id IN (SELECT chat FROM memory WHERE level > 1);
        {
            _seal_again(
                "chat",
                "id chat_id title folder_id head tail first_seen round_to",
                "fold_budget agent_window",
            )
        }
        """,  # noqa: S608  the names are ours
        undo="""
        ALTER TABLE edition DROP COLUMN wishes;
        ALTER TABLE chat DROP COLUMN fold_budget;
        ALTER TABLE chat DROP COLUMN agent_window;
        """,
    ),
    SchemaStep(
        "passages that the person keeps word for word, and the chats whose pins are only offered",
        """
        CREATE TABLE kept_passage (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, number INTEGER NOT NULL,
            message INTEGER REFERENCES message, version INTEGER REFERENCES version, start INTEGER NOT NULL,
            text TEXT NOT NULL, said_at TEXT NOT NULL, speaker TEXT NOT NULL, tokens INTEGER NOT NULL, by TEXT NOT NULL,
            state TEXT NOT NULL, is_pinned INTEGER NOT NULL, asks TEXT NOT NULL, digest TEXT NOT NULL, reason TEXT NOT NULL,
            at TEXT NOT NULL, shown TEXT NOT NULL, shown_at TEXT NOT NULL, changed_at TEXT NOT NULL,
            seal TEXT NOT NULL DEFAULT '', UNIQUE (chat, number)
        ) STRICT;
        CREATE TABLE pins_before (
            chat INTEGER PRIMARY KEY REFERENCES chat, upto TEXT NOT NULL, seal TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE TRIGGER rest_ends_with_insert_of_kept_passage AFTER INSERT ON kept_passage BEGIN
            DELETE FROM rest WHERE chat_id = (SELECT chat_id FROM chat WHERE id = NEW.chat);
        END;
        CREATE TRIGGER rest_ends_with_update_of_kept_passage AFTER UPDATE ON kept_passage BEGIN
            DELETE FROM rest WHERE chat_id = (SELECT chat_id FROM chat WHERE id = NEW.chat);
        END;
        CREATE TRIGGER rest_ends_with_delete_of_kept_passage AFTER DELETE ON kept_passage BEGIN
            DELETE FROM rest WHERE chat_id = (SELECT chat_id FROM chat WHERE id = OLD.chat);
        END;
        INSERT INTO pins_before (chat, upto) SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM chat;
        """,
        seals=("pins_before",),
        undo="""
        DROP TABLE kept_passage;
        DROP TABLE pins_before;
        """,
    ),
    SchemaStep(
        "the questions and answers of memproc eval",
        """
        CREATE TABLE question (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat,
            memory TEXT NOT NULL REFERENCES memory, message TEXT NOT NULL, passage TEXT NOT NULL,
            text TEXT NOT NULL, choices TEXT NOT NULL, seed TEXT NOT NULL, state TEXT NOT NULL,
            made_at TEXT NOT NULL, seal TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE INDEX question_chat ON question (chat);
        CREATE TABLE answer (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat,
            evaluation INTEGER NOT NULL, question INTEGER NOT NULL REFERENCES question,
            arm TEXT NOT NULL, letter TEXT NOT NULL, model TEXT NOT NULL, settings TEXT NOT NULL,
            version TEXT NOT NULL, memories INTEGER NOT NULL, level INTEGER NOT NULL,
            at TEXT NOT NULL, seal TEXT NOT NULL DEFAULT '',
            UNIQUE (chat, evaluation, question, arm)
        ) STRICT;
        """,
        undo="""
        DROP TABLE answer;
        DROP TABLE question;
        """,
    ),
    SchemaStep(
        "the seal of an edition covers the form of its answer",
        _seal_again(
            "edition",
            "memory number kind texts quotes made agent context_manager requests tokens written_at "
            "wishes",
            "form",
        ),
        undo="",
    ),
    SchemaStep(
        "chats and files are unchanged or skipped, in these words",
        """
        UPDATE outcome SET kind = 'unchanged' WHERE kind = 'left alone';
        UPDATE outcome SET kind = 'skipped' WHERE kind = 'set aside';
        UPDATE arrival SET state = 'skipped' WHERE state = 'set aside';
        UPDATE arrival_step SET state = 'skipped' WHERE state = 'set aside';
        """,
        undo="",
    ),
    SchemaStep(
        "the prices of bounds between turns are computed once",
        """
        CREATE TABLE bound_prices (
            window BLOB PRIMARY KEY, prices BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
        undo="DROP TABLE bound_prices;",
    ),
)
"""The changes since then, in order, all in schema.sql too. A released step never changes."""


def newest_version() -> int:
    """Return the version of an archive with today's tables."""
    return OLDEST + len(STEPS)


def steps_from(version: int) -> tuple[SchemaStep, ...]:
    """Return the steps that bring an archive of this version up to date; 0: without tables."""
    if version:
        return STEPS[version - OLDEST :]
    return (SchemaStep("the whole schema", _SCHEMA.read_text("utf-8")),)


def schema_of(version: int) -> Iterator[str]:
    """Yield the statements that make the empty tables of an archive of this version."""
    yield from statements_of(_SCHEMA.read_text("utf-8"))
    for step in reversed(STEPS[version - OLDEST :]):
        yield from statements_of(step.undo)


def statements_of(script: str) -> Iterator[str]:
    """Yield the statements of a script: SQLite's own `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
