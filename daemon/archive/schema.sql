-- The whole archive: one SQLite file in the state folder, made from this. Times are UTC with milliseconds and `Z`, unless
-- a line says otherwise.
-- seal: a hash of the row's other columns, which shows when anything but memproc has changed it (seals.py).

-- How many rows of a table memproc has stored, which shows that one is gone. owner: the number or the id of their chat;
-- empty for rows that are the archive's own.
CREATE TABLE row_count (
    name TEXT NOT NULL, owner TEXT NOT NULL, rows INTEGER NOT NULL, PRIMARY KEY (name, owner)
) STRICT, WITHOUT ROWID;


-- What was said -----------------------------------------------------------------------------------------------------

-- A chat as TypingMind knows it; head and tail are its JSON around the messages, newest seen. round_to: the number of
-- the last chunk of the hindsight round that was begun, so that a killed round goes on as it began.
-- agent_window: the agent's window when the chat was planned last, in tokens as memories are counted; 0: not known.
-- closing: what the message after the memories says, where the person has edited it; empty where they have not.
CREATE TABLE chat (
    id INTEGER PRIMARY KEY, chat_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
    head BLOB NOT NULL, tail BLOB NOT NULL, last_seen TEXT NOT NULL,
    round_to INTEGER NOT NULL DEFAULT 0, agent_window INTEGER NOT NULL DEFAULT 0,
    closing TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT ''
) STRICT;
-- A raw message of a chat at its place in the history. left_out: why no memory is made of it. gone_at: it is in no
-- export and under no memory. is_missing: exports lack it, though nothing says that the person deleted it: it stays in
-- `expand`. said_at: when it was said, where its bytes have the date on which a fork copied it.
CREATE TABLE message (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, key TEXT NOT NULL,
    position INTEGER NOT NULL, left_out TEXT, gone_at TEXT, is_missing INTEGER NOT NULL DEFAULT 0,
    said_at TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT '', UNIQUE (chat, key)
) STRICT;
CREATE INDEX message_position ON message (chat, position);
-- What a message said, in versions; the highest number is the present one.
CREATE TABLE version (
    id INTEGER PRIMARY KEY, message INTEGER NOT NULL REFERENCES message, number INTEGER NOT NULL,
    sha256 TEXT NOT NULL, digest TEXT NOT NULL, uuid TEXT, role TEXT, created_at TEXT, seen_at TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT '', UNIQUE (message, number)
) STRICT;
CREATE INDEX version_digest ON version (digest);
CREATE INDEX version_sha256 ON version (sha256);
-- The bytes of a version (zlib where packed = 1), once, however many chats have them: forks share them.
CREATE TABLE body (sha256 TEXT PRIMARY KEY, raw BLOB NOT NULL, packed INTEGER NOT NULL) STRICT;
-- What each raw message says now. is_present: the person has not deleted it.
CREATE VIEW said AS
    SELECT chat_id, message.chat, message.id AS message, key, position, left_out, gone_at, is_missing, message.said_at,
        version.id AS version, number, version.sha256, digest, uuid, role, created_at,
        gone_at IS NULL OR is_missing AS is_present, CAST(raw AS BLOB) AS raw, packed
    FROM chat JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
    LEFT JOIN body ON body.sha256 = version.sha256
    WHERE number = (SELECT max(number) FROM version AS other WHERE other.message = message.id);
-- A chat as an export had it, by the SHA-256 of its bytes there. file: that of the whole export. doubt: why the chat
-- is skipped until the person accepts it, empty where it was processed; at: when that was first so; said_at: when the
-- doubt was said last; accepted_at: when they did. modified: when the file was written, in nanoseconds of Unix time.
CREATE TABLE chat_state (
    number INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, sha256 TEXT NOT NULL, file TEXT NOT NULL,
    doubt TEXT NOT NULL, at TEXT NOT NULL, accepted_at TEXT, modified INTEGER NOT NULL DEFAULT 0,
    said_at TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT '', UNIQUE (chat_id, sha256)
) STRICT;


-- What is remembered of it -------------------------------------------------------------------------------------------

-- What stands in the place of raw messages: a chunk's memory (level 1), or a fold of memories. chosen_edition: the one
-- that the person wants to see (NULL: the one that memory.editions prefers). pinned: it is never rewritten or
-- folded, since the person has pinned or edited it. due: why a new edition is due. hindsight: 1 where it was
-- chosen for a hindsight edition, 2 where its turn is over. origin: its id in the chat that this one was forked from.
-- recalled: 1 where it was recalled after it was forgotten, and has been in no export since.
CREATE TABLE memory (
    id TEXT PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, number INTEGER NOT NULL,
    level INTEGER NOT NULL, first_uuid TEXT NOT NULL, last_uuid TEXT NOT NULL, began_at TEXT,
    ended_at TEXT, source_tokens INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, forgotten_at TEXT,
    chosen_edition INTEGER, due TEXT NOT NULL DEFAULT '', hindsight INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT '', recalled INTEGER NOT NULL DEFAULT 0, seal TEXT NOT NULL DEFAULT '',
    UNIQUE (chat, level, number)
) STRICT;
CREATE INDEX memory_origin ON memory (origin);
-- The chunk of a level-1 memory, frozen: exactly these versions of these messages, in this order.
CREATE TABLE chunk_message (
    memory TEXT NOT NULL REFERENCES memory, place INTEGER NOT NULL,
    message INTEGER NOT NULL REFERENCES message, version INTEGER NOT NULL REFERENCES version,
    seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (memory, place), UNIQUE (message)
) STRICT;
-- The memories that a fold stands for.
CREATE TABLE fold_member (
    fold TEXT NOT NULL REFERENCES memory, place INTEGER NOT NULL, member TEXT NOT NULL REFERENCES memory,
    seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (fold, place)
) STRICT;
-- A version of a memory; none is ever changed. texts: JSON list of six. quotes: JSON list of {text, source, chosen,
-- tokens, lead}. requests: JSON list of hashes. form: why its answers have not the form that was asked for; else
-- empty. wishes: JSON list of {text, source, tokens}.
CREATE TABLE edition (
    memory TEXT NOT NULL REFERENCES memory, number INTEGER NOT NULL, kind TEXT NOT NULL, texts TEXT NOT NULL,
    made TEXT NOT NULL, agent TEXT NOT NULL, context_manager TEXT NOT NULL, requests TEXT NOT NULL,
    tokens INTEGER NOT NULL, written_at TEXT NOT NULL, quotes TEXT NOT NULL DEFAULT '[]',
    form TEXT NOT NULL DEFAULT '', wishes TEXT NOT NULL DEFAULT '[]', seal TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (memory, number)
) STRICT;
-- What a layer (core, facts) does after a memory; done_at: NULL while it is due.
CREATE TABLE layer_step (
    memory TEXT NOT NULL REFERENCES memory, layer TEXT NOT NULL, edition INTEGER NOT NULL, done_at TEXT,
    seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (memory, layer)
) STRICT;
-- What was written into a section of the core memory; the newest row of a section counts. value: JSON, a text or a list
-- of texts. held: 1 where the person has set it; held_lines: JSON list of the lines of it that they have written, which
-- the agent leaves as they are. function: what was called or done. undoes: the row that this one takes back.
CREATE TABLE core_event (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, section TEXT NOT NULL, value TEXT NOT NULL,
    held INTEGER NOT NULL, by TEXT NOT NULL, function TEXT NOT NULL, memory TEXT REFERENCES memory,
    edition INTEGER NOT NULL, undoes INTEGER REFERENCES core_event, at TEXT NOT NULL,
    held_lines TEXT NOT NULL DEFAULT '[]', seal TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX core_event_chat ON core_event (chat);
-- What happened to a fact: event is ADD, UPDATE, DELETE, CONFIRM or FORGET; source: key of a raw message.
CREATE TABLE fact_event (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, fact INTEGER NOT NULL, event TEXT NOT NULL,
    text TEXT NOT NULL, said_at TEXT NOT NULL, source TEXT NOT NULL, by TEXT NOT NULL,
    memory TEXT REFERENCES memory, edition INTEGER NOT NULL, why TEXT NOT NULL, at TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX fact_event_chat ON fact_event (chat);
-- Passages that the person keeps word for word; none is ever taken out. message, version: the raw message whose words
-- from the character `start` on are `text`; NULL where it is lost. by: pin, person, persona or opening. state: kept,
-- waiting, offered or released. asks: what the person is asked, unpinned or edited. digest: of what the message said when
-- it was last compared. shown: when the newest message was said of the last export with the pin; shown_at: when that was.
CREATE TABLE kept_passage (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, number INTEGER NOT NULL,
    message INTEGER REFERENCES message, version INTEGER REFERENCES version, start INTEGER NOT NULL,
    text TEXT NOT NULL, said_at TEXT NOT NULL, speaker TEXT NOT NULL, tokens INTEGER NOT NULL, by TEXT NOT NULL,
    state TEXT NOT NULL, is_pinned INTEGER NOT NULL, asks TEXT NOT NULL, digest TEXT NOT NULL, reason TEXT NOT NULL,
    at TEXT NOT NULL, shown TEXT NOT NULL, shown_at TEXT NOT NULL, changed_at TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT '', UNIQUE (chat, number)
) STRICT;
-- Openings that stood in exports: written by memproc, or edited by the person. preface: what stands in it before the
-- sections. base: digest of the text that memproc wrote, where the person has edited it.
CREATE TABLE opening (
    chat INTEGER NOT NULL REFERENCES chat, digest TEXT NOT NULL, text TEXT NOT NULL, preface TEXT NOT NULL,
    by TEXT NOT NULL, base TEXT NOT NULL, at TEXT NOT NULL, seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (chat, digest, base)
) STRICT;
CREATE INDEX opening_digest ON opening (digest);


-- What the persona was asked about what it still knows (memproc eval) ------------------------------------------------

-- A question about a memory's chunk. message, passage: the words that answer it, and the raw message that has them;
-- empty where the answer was never said. choices: JSON list of four, of which the first is right. seed: what the order
-- of the choices is drawn from. state: empty while it is asked; else why it is not.
CREATE TABLE question (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, memory TEXT NOT NULL REFERENCES memory,
    message TEXT NOT NULL, passage TEXT NOT NULL, text TEXT NOT NULL, choices TEXT NOT NULL, seed TEXT NOT NULL,
    state TEXT NOT NULL, seal TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX question_chat ON question (chat);
-- An answer in the chat's evaluation of that number. arm: what stood in the context. letter: in the order of `choices`,
-- so that A is right; E for "it was never said", empty where no letter could be read. settings, version: hashes of
-- the settings and of the context. memories: how many the chat had; level: that of the memory that should have known.
CREATE TABLE answer (
    id INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat, evaluation INTEGER NOT NULL,
    question INTEGER NOT NULL REFERENCES question, arm TEXT NOT NULL, letter TEXT NOT NULL, model TEXT NOT NULL,
    settings TEXT NOT NULL, version TEXT NOT NULL, memories INTEGER NOT NULL, level INTEGER NOT NULL, at TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT '', UNIQUE (chat, evaluation, question, arm)
) STRICT;


-- What models answered, and what that cost ---------------------------------------------------------------------------

-- The journal: what models answered, by the hash of the request. usd: by our own prices; litellm_usd: what LiteLLM
-- says. batch: the provider's name of the batch that it came by, empty where it was asked for by itself. calls: JSON
-- list of [id, name, arguments], the tools that the model called.
CREATE TABLE reply (
    request TEXT PRIMARY KEY, model TEXT NOT NULL, step TEXT NOT NULL, text TEXT NOT NULL,
    finish TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    tokens_cached INTEGER NOT NULL, tokens_cache_written INTEGER NOT NULL, usd REAL,
    asked_at TEXT NOT NULL, answered_at TEXT NOT NULL, chat_id TEXT NOT NULL, parameters TEXT NOT NULL,
    litellm_usd REAL, batch TEXT NOT NULL DEFAULT '', calls TEXT NOT NULL DEFAULT '[]',
    tries INTEGER NOT NULL DEFAULT 1, seal TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX reply_asked ON reply (asked_at, usd);
-- Money of calls, in picodollars: reserved before a call leaves (NULL: nobody knows its price), settled when its answer
-- is in the journal. What was never settled may have been billed, and counts as it was reserved. run: one
-- `memproc run`, or the daemon's work on one file. tokens: the prompt's as we count them.
CREATE TABLE spending (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, chat_id TEXT NOT NULL, model TEXT NOT NULL,
    run TEXT NOT NULL, tokens INTEGER NOT NULL, reserved INTEGER, settled INTEGER, at TEXT NOT NULL
) STRICT;
CREATE INDEX spending_at ON spending (at, settled, reserved);
CREATE INDEX spending_run ON spending (run);
-- What a provider said of the tokens of a reply, where that cannot be: the call counts as it was reserved.
CREATE TABLE odd_usage (request TEXT PRIMARY KEY, said TEXT NOT NULL) STRICT;
-- How many tokens a model counts for one of ours, as its replies have shown, how many of them there were, and when the
-- newest of them came.
CREATE TABLE calibration (
    model TEXT PRIMARY KEY, factor REAL NOT NULL, replies INTEGER NOT NULL, newest TEXT NOT NULL DEFAULT ''
) STRICT;
-- Requests that were sent together. A row stands before the batch is created; name: the provider's, once it is known;
-- since: when the newest of its batches before was created, by its own clock; ended_at: when all that came of it was
-- kept.
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
-- Tokens of a text by its content hash, counted once.
CREATE TABLE token_count (
    encoding TEXT NOT NULL, digest TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (encoding, digest)
) STRICT, WITHOUT ROWID;
-- The prices of the bounds between the units of a window, a byte each, by the hash of its texts, its minutes and the
-- rule that prices them.
CREATE TABLE bound_prices (window BLOB PRIMARY KEY, prices BLOB NOT NULL) STRICT, WITHOUT ROWID;


-- Files that came and went -------------------------------------------------------------------------------------------

-- Exports that were read, by their content.
CREATE TABLE file_seen (
    id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, seen_at TEXT NOT NULL
) STRICT;
CREATE INDEX file_seen_sha256 ON file_seen (sha256);
-- Updated exports that were written. ours_sha256: of what memproc itself said in it, empty where nobody knows.
CREATE TABLE output (
    id INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL,
    messages_sha256 TEXT NOT NULL, source_sha256 TEXT NOT NULL, written_at TEXT NOT NULL,
    ours_sha256 TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX output_chat ON output (chat_id);
-- What was found of a chat when there was nothing to be done about it: by the hash of its bytes in the export, and of
-- the settings, texts and versions that counted. Whatever is written about the chat removes the row, by triggers.
CREATE TABLE rest (
    chat_id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, settings_sha256 TEXT NOT NULL, found TEXT NOT NULL,
    seal TEXT NOT NULL DEFAULT ''
) STRICT;


-- The daemon ---------------------------------------------------------------------------------------------------------

-- A file that anybody works on, as it was when seen last; state is one of rules/arrival's words. by: the daemon, or a
-- run by hand. run: when the newest run on it began, one time for all its files; ended: how that run ended. chat_id,
-- title: the chat in hand, with done of total memories. unusable: how many got no usable answer.
CREATE TABLE arrival (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT, state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', next_step TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0,
    next_look_at TEXT, seen_at TEXT NOT NULL, changed_at TEXT NOT NULL, by TEXT NOT NULL DEFAULT 'daemon',
    run TEXT NOT NULL DEFAULT '', ended TEXT NOT NULL DEFAULT '', chat_id TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', chat_began_at TEXT NOT NULL DEFAULT '',
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, answered INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0, usd REAL NOT NULL DEFAULT 0, unusable INTEGER NOT NULL DEFAULT 0,
    retries INTEGER NOT NULL DEFAULT 0, waits TEXT NOT NULL DEFAULT '', answered_at TEXT NOT NULL DEFAULT '',
    asked TEXT NOT NULL DEFAULT '', asked_at TEXT NOT NULL DEFAULT '', asked_until TEXT NOT NULL DEFAULT '',
    limited TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX arrival_path ON arrival (path);
CREATE INDEX arrival_state ON arrival (state);
CREATE INDEX arrival_sha256 ON arrival (sha256);
CREATE INDEX arrival_run ON arrival (run);
-- The newest of all that was told: every change of an arrival's state, what became of chats, and more. event: as JSON;
-- chat_id and arrival (0: none) are its own.
CREATE TABLE log (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, chat_id TEXT NOT NULL, arrival INTEGER NOT NULL, event TEXT NOT NULL
) STRICT;
-- What the newest run on a file made of each of its chats. The numbers are those of an updated export.
CREATE TABLE outcome (
    id INTEGER PRIMARY KEY, arrival INTEGER NOT NULL REFERENCES arrival, chat_id TEXT NOT NULL,
    title TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, next_step TEXT NOT NULL, path TEXT NOT NULL,
    tokens_before INTEGER NOT NULL DEFAULT 0, tokens_after INTEGER NOT NULL DEFAULT 0,
    memories INTEGER NOT NULL DEFAULT 0, extracted INTEGER NOT NULL DEFAULT 0, is_kept INTEGER NOT NULL DEFAULT 0,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX outcome_chat ON outcome (chat_id);
-- What was pressed or typed while a run worked, to be done at its end. asked: the change's values as JSON, emptied then.
CREATE TABLE pressed (
    id INTEGER PRIMARY KEY, change TEXT NOT NULL, chat_id TEXT NOT NULL, asked TEXT NOT NULL, at TEXT NOT NULL,
    done_at TEXT, is_refused INTEGER NOT NULL DEFAULT 0, says TEXT NOT NULL DEFAULT ''
) STRICT;
-- A chat that a paired browser has sent, and where it was put in the inbox. after: arrivals up to this number are older.
-- starts: how often the page has started a run for it, for want of a daemon.
CREATE TABLE sent (
    id TEXT PRIMARY KEY, device TEXT NOT NULL, chat_id TEXT NOT NULL, sha256 TEXT NOT NULL, path TEXT NOT NULL,
    at TEXT NOT NULL, after INTEGER NOT NULL, starts INTEGER NOT NULL, started_at TEXT NOT NULL
) STRICT;
-- Timed jobs, so that what was due while the machine slept or was off is done after it.
CREATE TABLE job (
    name TEXT PRIMARY KEY, due_at TEXT NOT NULL, began_at TEXT, ended_at TEXT, error TEXT
) STRICT;
-- Signs of life of the daemon, and what it has been told to do.
CREATE TABLE sign (name TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT NOT NULL) STRICT;
-- What the person has been told, so that it is told once.
CREATE TABLE notice (text TEXT PRIMARY KEY) STRICT;


-- The end of a chat's rest: once anything is written about it, what was found before does not count. The triggers of all
-- other tables are made in seals.py -----------------------------------------------------------------------------------

CREATE TRIGGER rest_ends_with_insert_of_chat AFTER INSERT ON chat BEGIN
    DELETE FROM rest WHERE chat_id = NEW.chat_id;
END;
CREATE TRIGGER rest_ends_with_update_of_chat AFTER UPDATE OF round_to ON chat BEGIN
    DELETE FROM rest WHERE chat_id = NEW.chat_id;
END;
