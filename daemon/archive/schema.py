"""The triggers that end a chat's rest: once anything is written about it, what was found before does not count."""

_CHAT_OF = {
    "core_event": "{row}.chat",
    "fact_event": "{row}.chat",
    "opening": "{row}.chat",
    "layer_step": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "message": "{row}.chat",
    "missing": "(SELECT chat FROM message WHERE id = {row}.message)",
    "version": "(SELECT chat FROM message WHERE id = {row}.message)",
    "memory": "{row}.chat",
    "edition": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "chunk_message": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "fold_member": "(SELECT chat FROM memory WHERE id = {row}.fold)",
}
"""How to come from a row of each table to the number of its chat."""
_EVENTS = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def triggers(*tables: str) -> str:
    """The SQL that makes those of some tables."""
    return "".join(
        _trigger(table, event, f"(SELECT chat_id FROM chat WHERE id = {_CHAT_OF[table].format(row=row)})")  # noqa: S608
        for table in tables
        for event, row in _EVENTS.items()
    )


def triggers_of_chats() -> str:
    """The SQL of two more. Output rows name their chat by its id; of a chat itself, only its round counts."""
    ends = [_trigger("output", event, f"{row}.chat_id") for event, row in _EVENTS.items()]
    ends += [_trigger("chat", "INSERT", "NEW.chat_id"), _trigger("chat", "UPDATE OF round_to", "NEW.chat_id")]
    return "".join(ends)


def _trigger(table: str, event: str, chat_id: str) -> str:
    name = f"rest_ends_with_{event.split()[0].lower()}_of_{table}"
    rest = f"DELETE FROM rest WHERE chat_id = {chat_id};"  # noqa: S608
    return f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {rest} END;\n"


OLDEST_SQLITE = (3, 38)
"""The first with JSON built in; strict tables came one before."""

_SEALED = (
    "chat", "version", "memory", "chunk_message", "fold_member", "edition", "layer_step", "core_event", "fact_event",
    "opening", "output", "rest", "layout", "reply",
)  # fmt: skip

STEPS: tuple[tuple[str, str], ...] = (
    (
        "the whole trip of one export",
        """
        -- The steps that this archive has gone through.
        CREATE TABLE migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
        ) STRICT;
        -- A chat as TypingMind knows it; head and tail are its JSON around the messages, newest seen.
        CREATE TABLE chat (
            id INTEGER PRIMARY KEY, chat_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, folder_id TEXT,
            head BLOB NOT NULL, tail BLOB NOT NULL, first_seen TEXT NOT NULL, last_seen TEXT NOT NULL
        ) STRICT;
        -- A raw message of a chat at its place in the history. gone_at: it is in no export and under no memory.
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, key TEXT NOT NULL,
            position INTEGER NOT NULL, left_out TEXT, gone_at TEXT, UNIQUE (chat, key)
        ) STRICT;
        CREATE INDEX message_position ON message (chat, position);
        -- Its own bytes (zlib where packed = 1), in versions; the highest number is the present one.
        CREATE TABLE version (
            id INTEGER PRIMARY KEY, message INTEGER NOT NULL REFERENCES message, number INTEGER NOT NULL,
            raw BLOB NOT NULL, packed INTEGER NOT NULL, sha256 TEXT NOT NULL, digest TEXT NOT NULL,
            uuid TEXT, role TEXT, created_at TEXT, seen_at TEXT NOT NULL, UNIQUE (message, number)
        ) STRICT;
        CREATE INDEX version_digest ON version (digest);
        -- What stands in the place of raw messages: a chunk's memory (level 1), or a fold of memories.
        CREATE TABLE memory (
            id TEXT PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, number INTEGER NOT NULL,
            level INTEGER NOT NULL, first_uuid TEXT NOT NULL, last_uuid TEXT NOT NULL, began_at TEXT,
            ended_at TEXT, source_tokens INTEGER NOT NULL, shown_edition INTEGER NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0, forgotten_at TEXT, UNIQUE (chat, level, number)
        ) STRICT;
        -- The chunk of a level-1 memory, frozen: exactly these versions of these messages, in this order.
        CREATE TABLE chunk_message (
            memory TEXT NOT NULL REFERENCES memory, place INTEGER NOT NULL,
            message INTEGER NOT NULL REFERENCES message, version INTEGER NOT NULL REFERENCES version,
            PRIMARY KEY (memory, place), UNIQUE (message)
        ) STRICT;
        -- The memories that a fold stands for.
        CREATE TABLE fold_member (
            fold TEXT NOT NULL REFERENCES memory, place INTEGER NOT NULL, member TEXT NOT NULL REFERENCES memory,
            PRIMARY KEY (fold, place)
        ) STRICT;
        -- A version of a memory; none is ever changed. texts: JSON list of six; requests: JSON list of hashes.
        CREATE TABLE edition (
            memory TEXT NOT NULL REFERENCES memory, number INTEGER NOT NULL, kind TEXT NOT NULL,
            texts TEXT NOT NULL, quote TEXT NOT NULL, quote_source TEXT NOT NULL, quote_chosen TEXT NOT NULL,
            made TEXT NOT NULL, agent TEXT NOT NULL, context_manager TEXT NOT NULL, requests TEXT NOT NULL,
            tokens INTEGER NOT NULL, written_at TEXT NOT NULL, PRIMARY KEY (memory, number)
        ) STRICT;
        -- The journal: what models answered, by the hash of the request.
        CREATE TABLE reply (
            request TEXT PRIMARY KEY, model TEXT NOT NULL, step TEXT NOT NULL, text TEXT NOT NULL,
            finish TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
            tokens_cached INTEGER NOT NULL, tokens_cache_written INTEGER NOT NULL, usd REAL,
            asked_at TEXT NOT NULL, answered_at TEXT NOT NULL, chat_id TEXT NOT NULL, parameters TEXT NOT NULL
        ) STRICT;
        -- Requests that were refused and are never sent again as they were.
        CREATE TABLE quarantine (request TEXT PRIMARY KEY, reason TEXT NOT NULL, at TEXT NOT NULL) STRICT;
        -- Money reserved before a call leaves, and settled after, in dollars.
        CREATE TABLE spending (
            id INTEGER PRIMARY KEY, request TEXT NOT NULL, reserved_usd REAL NOT NULL, settled_usd REAL,
            at TEXT NOT NULL
        ) STRICT;
        -- Tokens of a text by its content hash, counted once.
        CREATE TABLE token_count (
            encoding TEXT NOT NULL, digest TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (encoding, digest)
        ) STRICT, WITHOUT ROWID;
        -- Exports that were processed, by their content.
        CREATE TABLE file_seen (
            id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL,
            seen_at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX file_seen_sha256 ON file_seen (sha256);
        -- Updated exports that were written.
        CREATE TABLE output (
            id INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL,
            messages_sha256 TEXT NOT NULL, source_sha256 TEXT NOT NULL, written_at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX output_chat ON output (chat_id);
        """,
    ),
    (
        "refusals stay in the journal; notices are given once",
        """
        -- A refused request has its reply in the journal, and so is never sent again as it was.
        DROP TABLE quarantine;
        -- What the person has been told, so that it is told once.
        CREATE TABLE notice (text TEXT PRIMARY KEY, told_at TEXT NOT NULL) STRICT;
        """,
    ),
    (
        "the daemon",
        """
        -- A file in the inbox, with what it was when it was seen; state is one of rules/arrival's words.
        CREATE TABLE arrival (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
            size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT, state TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '', next_step TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0,
            next_look_at TEXT, seen_at TEXT NOT NULL, changed_at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX arrival_path ON arrival (path);
        CREATE INDEX arrival_state ON arrival (state);
        CREATE INDEX arrival_sha256 ON arrival (sha256);
        -- Every change of an arrival's state.
        CREATE TABLE arrival_step (
            id INTEGER PRIMARY KEY, arrival INTEGER NOT NULL REFERENCES arrival, state TEXT NOT NULL,
            reason TEXT NOT NULL, at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX arrival_step_arrival ON arrival_step (arrival);
        -- What became of each chat of a file.
        CREATE TABLE outcome (
            id INTEGER PRIMARY KEY, arrival INTEGER NOT NULL REFERENCES arrival, chat_id TEXT NOT NULL,
            title TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, next_step TEXT NOT NULL,
            path TEXT NOT NULL, at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX outcome_chat ON outcome (chat_id);
        -- Timed jobs, so that what was due while the machine slept or was off is done after it.
        CREATE TABLE job (
            name TEXT PRIMARY KEY, due_at TEXT NOT NULL, began_at TEXT, ended_at TEXT, error TEXT
        ) STRICT;
        -- Money by the day.
        CREATE INDEX reply_asked ON reply (asked_at, usd);
        -- Signs of life of the daemon, and what it has been told to do.
        CREATE TABLE sign (name TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT NOT NULL) STRICT;
        """,
    ),
    (
        "again and again",
        """
        -- The bytes of a raw message (zlib where packed = 1), once, however many chats have it: forks share them.
        CREATE TABLE body (sha256 TEXT PRIMARY KEY, raw BLOB NOT NULL, packed INTEGER NOT NULL) STRICT;
        INSERT OR IGNORE INTO body (sha256, raw, packed) SELECT sha256, raw, packed FROM version;
        ALTER TABLE version DROP COLUMN raw;
        ALTER TABLE version DROP COLUMN packed;
        CREATE INDEX version_sha256 ON version (sha256);
        -- A fold has several quotes. quotes: JSON list of {text, source, chosen}.
        ALTER TABLE edition ADD COLUMN quotes TEXT NOT NULL DEFAULT '[]';
        UPDATE edition
            SET quotes = json_array(json_object('text', quote, 'source', quote_source, 'chosen', quote_chosen));
        ALTER TABLE edition DROP COLUMN quote;
        ALTER TABLE edition DROP COLUMN quote_source;
        ALTER TABLE edition DROP COLUMN quote_chosen;
        -- Which edition the person wants to see (NULL: the one that memory.editions prefers), why a new one is
        -- due, whether it was chosen for a hindsight edition, its id in the chat that it was forked from, and
        -- whether it was recalled after it was forgotten, and has been in no export since (1).
        ALTER TABLE memory ADD COLUMN chosen_edition INTEGER;
        ALTER TABLE memory ADD COLUMN due TEXT NOT NULL DEFAULT '';
        ALTER TABLE memory ADD COLUMN hindsight INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memory ADD COLUMN origin TEXT NOT NULL DEFAULT '';
        ALTER TABLE memory ADD COLUMN recalled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memory DROP COLUMN shown_edition;
        CREATE INDEX memory_origin ON memory (origin);
        -- Of what memproc itself said in the updated export, message by message; empty where nobody knows.
        ALTER TABLE output ADD COLUMN ours_sha256 TEXT NOT NULL DEFAULT '';
        -- The number of the last chunk of the round that was begun: a killed round goes on as it began.
        ALTER TABLE chat ADD COLUMN round_to INTEGER NOT NULL DEFAULT 0;
        """,
    ),
    (
        "agreed before it is spent",
        """
        -- Money of calls, in picodollars: reserved before a call leaves (NULL: nobody knows its price), settled when
        -- its answer is in the journal. What was never settled may have been billed, and counts as it was reserved.
        -- run: one `memproc run`, or the daemon's work on one file. tokens: the prompt's as we count them.
        DROP TABLE spending;
        CREATE TABLE spending (
            id INTEGER PRIMARY KEY, request TEXT NOT NULL, chat_id TEXT NOT NULL, model TEXT NOT NULL,
            run TEXT NOT NULL, tokens INTEGER NOT NULL, reserved INTEGER, settled INTEGER, at TEXT NOT NULL
        ) STRICT;
        INSERT INTO spending (request, chat_id, model, run, tokens, reserved, settled, at)
            SELECT request, chat_id, model, '', 0, iif(usd IS NULL, NULL, 0), cast(round(usd * 1e12) AS INTEGER),
                asked_at
            FROM reply WHERE usd > 0 OR (usd IS NULL AND model <> 'memproc/extractive');
        CREATE INDEX spending_at ON spending (at, settled, reserved);
        CREATE INDEX spending_run ON spending (run);
        -- What LiteLLM itself says that a call has cost, in dollars; `usd` is what our own prices make of it.
        ALTER TABLE reply ADD COLUMN litellm_usd REAL;
        UPDATE reply SET litellm_usd = usd;
        -- How many tokens a model counts for one of ours, as its replies have shown, and how many of them there were.
        CREATE TABLE calibration (model TEXT PRIMARY KEY, factor REAL NOT NULL, replies INTEGER NOT NULL) STRICT;
        """,
    ),
    (
        "batches",
        """
        -- Requests that were sent together. A row stands before the batch is created; name: the provider's, once it
        -- is known; since: when the newest of its batches before was created, by its own clock; ended_at: when all
        -- that came of it was kept.
        CREATE TABLE batch (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '', since TEXT NOT NULL, began_at TEXT NOT NULL,
            ended_at TEXT
        ) STRICT;
        CREATE INDEX batch_open ON batch (id) WHERE ended_at IS NULL;
        -- What is asked in a batch, by the request's hash; spending: what is reserved for it.
        CREATE TABLE batch_request (
            batch INTEGER NOT NULL REFERENCES batch, request TEXT NOT NULL, chat_id TEXT NOT NULL, model TEXT NOT NULL,
            step TEXT NOT NULL, parameters TEXT NOT NULL, tokens INTEGER NOT NULL,
            spending INTEGER REFERENCES spending, PRIMARY KEY (batch, request)
        ) STRICT;
        CREATE INDEX batch_request_request ON batch_request (request);
        -- The batch that a reply came by; empty where it was asked for by itself.
        ALTER TABLE reply ADD COLUMN batch TEXT NOT NULL DEFAULT '';
        """,
    ),
    (
        "chats at rest",
        """
        -- What was found of a chat when there was nothing to be done about it: by the hash of its bytes in the export,
        -- and of the settings, texts and versions that counted. Whatever is written about the chat takes it away.
        CREATE TABLE rest (
            chat_id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, stand TEXT NOT NULL, found TEXT NOT NULL
        ) STRICT;
        -- Where the chats of the last exports stand in their files, by the file's content and memproc's version. parts:
        -- JSON, see layouts.py.
        CREATE TABLE layout (
            number INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, version TEXT NOT NULL, parts TEXT NOT NULL,
            UNIQUE (sha256, version)
        ) STRICT;
        """
        + triggers("message", "version", "memory", "edition", "chunk_message", "fold_member")
        + triggers_of_chats(),
    ),
    (
        "core memory and facts",
        """
        -- Whether a memory has been followed by what is done for a layer (core, facts); done_at: NULL while it is due.
        CREATE TABLE layer_step (
            memory TEXT NOT NULL REFERENCES memory, layer TEXT NOT NULL, edition INTEGER NOT NULL, done_at TEXT,
            PRIMARY KEY (memory, layer)
        ) STRICT;
        -- What was written into a section of the core memory; the newest row of a section counts. value: JSON, a text
        -- or a list of texts. held: 1 where the person has set it. function: what was called or done. undoes: the row
        -- that this one takes back.
        CREATE TABLE core_event (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, section TEXT NOT NULL, value TEXT NOT NULL,
            held INTEGER NOT NULL, by TEXT NOT NULL, function TEXT NOT NULL, memory TEXT REFERENCES memory,
            edition INTEGER NOT NULL, undoes INTEGER REFERENCES core_event, at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX core_event_chat ON core_event (chat);
        -- What happened to a fact: event is ADD, UPDATE, DELETE, CONFIRM or FORGET; source: key of a raw message.
        CREATE TABLE fact_event (
            id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, fact INTEGER NOT NULL, event TEXT NOT NULL,
            text TEXT NOT NULL, said_at TEXT NOT NULL, source TEXT NOT NULL, by TEXT NOT NULL,
            memory TEXT REFERENCES memory, edition INTEGER NOT NULL, why TEXT NOT NULL, at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX fact_event_chat ON fact_event (chat);
        -- Openings that stood in exports: written by memproc, or edited by the person. preface: what stands in it
        -- before the sections. base: digest of the text that memproc wrote, where the person has edited it.
        CREATE TABLE opening (
            chat INTEGER NOT NULL REFERENCES chat, digest TEXT NOT NULL, text TEXT NOT NULL, preface TEXT NOT NULL,
            by TEXT NOT NULL, base TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (chat, digest)
        ) STRICT;
        CREATE INDEX opening_digest ON opening (digest);
        -- Tools that a model called in its answer: JSON list of [id, name, arguments].
        ALTER TABLE reply ADD COLUMN calls TEXT NOT NULL DEFAULT '[]';
        """
        + triggers("layer_step", "core_event", "fact_event", "opening"),
    ),
    (
        "lines of the core memory that the person wrote",
        """
        -- JSON list of lines of the value that the person has written: the agent leaves them as they are.
        ALTER TABLE core_event ADD COLUMN held_lines TEXT NOT NULL DEFAULT '[]';
        """,
    ),
    (
        "true dates of a fork's messages",
        """
        -- When a message was said, where its bytes have the date on which a fork copied it; else empty.
        ALTER TABLE message ADD COLUMN said_at TEXT NOT NULL DEFAULT '';
        """,
    ),
    (
        "what the person means is asked",
        """
        -- Messages that an export lacks, though nothing says that the person deleted them: they stay in `expand`.
        CREATE TABLE missing (message INTEGER PRIMARY KEY REFERENCES message, since TEXT NOT NULL) STRICT;
        -- A chat as an export had it, by the SHA-256 of its bytes there. file: that of the whole export. doubt: why it
        -- was set aside until the person accepts it; empty where it was worked on. accepted_at: when they did.
        -- modified: when the file was written, in nanoseconds of Unix time.
        CREATE TABLE chat_state (
            number INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, sha256 TEXT NOT NULL, file TEXT NOT NULL,
            doubt TEXT NOT NULL, at TEXT NOT NULL, accepted_at TEXT, modified INTEGER NOT NULL DEFAULT 0,
            UNIQUE (chat_id, sha256)
        ) STRICT;
        """
        + triggers("missing"),
    ),
    (
        "a hash for each row",
        # Of the row's values; written by seals.py, which also gives one to what stands here already.
        "".join(f"ALTER TABLE {table} ADD COLUMN seal TEXT NOT NULL DEFAULT '';\n" for table in _SEALED),
    ),
)
