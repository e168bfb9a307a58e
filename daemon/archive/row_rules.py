"""Refuse rows that memproc would not have written, in an archive that somebody else may have made.

Types and seals do not show that. Every integer must be a count, and every time in memproc's own
form, unless a rule says otherwise; what a model or a person wrote may be anything.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, get_args

from daemon.archive.archive import Archive
from daemon.archive.records import explain_misfit
from daemon.events import OutcomeKind
from rules.arrival import State
from rules.conversation.memory import Kind, Quote, Wish
from rules.errors import ArchiveError
from rules.layers import core, kept_passages
from rules.layers import facts as fact_rules
from rules.money.price import MOST_USD, PICO
from rules.money.usage import LARGEST_COUNT, LEARNED_FROM, LEARNED_TO
from rules.typingmind.chat import parse_chat
from rules.typingmind.dates import parse_date
from rules.typingmind.spans import LONGEST_TEXT, BadJson

AGAIN = "Make it again on the old computer, with: memproc export-archive FILE"
_MOST_MONEY = round(MOST_USD) * PICO
_LARGEST_SUM = 9 * 10**18
"""About the largest integer that SQLite can add up."""

_FLAG = "{0} IN (0, 1)"
_COUNT = f"{{0}} BETWEEN 0 AND {LARGEST_COUNT}"
_SIZE = f"{{0}} BETWEEN 0 AND {1 << 53}"
_MONEY = f"{{0}} BETWEEN 0 AND {_MOST_MONEY}"
_DOLLARS = f"{{0}} BETWEEN 0 AND {MOST_USD}"
_FACTOR = f"{{0}} BETWEEN {LEARNED_FROM**2} AND {LEARNED_TO**2}"
_ANY = "true"
_TIME = """
    {0} GLOB '*Z' AND {0} BETWEEN '1970' AND '2200'
    AND strftime('%Y-%m-%dT%H:%M:%S', {0}, '+0 days') = substr({0}, 1, 19)
"""
_TIME_IF_ANY = f"{{0}} = '' OR {_TIME}"
_HASH = "{0} IN ('', 'restored') OR length({0}) = 64 AND {0} NOT GLOB '*[^0-9a-f]*'"
_PATH = "instr({0}, char(0)) = 0"
_FILE = f"""
    {_PATH} AND {{0}} NOT IN ('.', '..')
    AND {{0}} NOT GLOB '*[/\\].' AND {{0}} NOT GLOB '*[/\\]..'
"""
_ADDRESS_PART = "{0} NOT GLOB '*[^A-Za-z0-9_./:-]*' AND {0} NOT GLOB '*..*'"


def _one_of(*words: str) -> str:
    listed = ", ".join(f"'{word}'" for word in words)
    return f"{{0}} IN ({listed})"


_RULES: Mapping[str, str] = {
    **dict.fromkeys(("packed", "pinned", "held", "is_pinned", "recalled", "is_missing"), _FLAG),
    **dict.fromkeys(("modified", "mtime_ns", "device", "inode"), _ANY),
    **dict.fromkeys(("reserved", "settled"), _MONEY),
    **dict.fromkeys(("usd", "litellm_usd"), _DOLLARS),
    **dict.fromkeys(("sha256", "file", "messages_sha256", "source_sha256", "ours_sha256"), _HASH),
    **dict.fromkeys(
        (
            *("at", "last_seen", "seen_at", "gone_at", "accepted_at"),
            *("forgotten_at", "written_at", "done_at", "changed_at", "asked_at"),
            *("answered_at", "next_look_at"),
        ),
        _TIME,
    ),
    **dict.fromkeys(("batch.began_at", "batch.ended_at"), _TIME),
    **dict.fromkeys(("arrival.asked_at", "arrival.answered_at"), _TIME_IF_ANY),
    **dict.fromkeys(("chat_state.said_at", "newest"), _TIME_IF_ANY),
    **dict.fromkeys(("chat_began_at", "asked_until"), _TIME_IF_ANY),
    "batch.since": _ANY,  # by the provider's clock
    "batch.name": _ADDRESS_PART,  # it becomes part of the URL of the answers
    "reply.batch": _ADDRESS_PART,
    "size": _SIZE,
    "factor": _FACTOR,
    "level": "{0} BETWEEN 0 AND 100",
    "hindsight": "{0} BETWEEN 0 AND 2",
    "chosen_edition": "EXISTS (SELECT 1 FROM edition WHERE memory = memory.id AND number = {0})",
    "path": _PATH,
    "output.path": _FILE,
    "outcome.path": _FILE,
    "arrival.state": _one_of(*get_args(State)),
    "arrival.by": _one_of("daemon", "hand", "page", "bridge"),
    "outcome.kind": _one_of(*get_args(OutcomeKind)),
    "edition.kind": _one_of(*get_args(Kind)),
    "layer_step.layer": _one_of("core", "facts"),
    "core_event.by": _one_of(*get_args(core.By)),
    "fact_event.by": _one_of(*get_args(fact_rules.By)),
    "fact_event.event": _one_of(*get_args(fact_rules.Event)),
    "opening.by": _one_of("memproc", "person"),
    "kept_passage.by": _one_of(*get_args(kept_passages.MarkedBy)),
    "kept_passage.state": _one_of(*get_args(kept_passages.State)),
    "kept_passage.asks": _one_of(*get_args(kept_passages.Doubt)),
    "kept_passage.speaker": _one_of("user", "assistant"),
    "answer.letter": _one_of("", *"ABCDE"),
}
"""Conditions on values, by table and column, or by the columns of all tables."""


def refuse_odd_rows(archive: Archive, table: str) -> None:
    """Raise ArchiveError, which names table and column, for a row that breaks a rule."""
    for _, column, kind, *_ in archive.run(f"PRAGMA table_info({table})"):
        name = f"{table}.{column}"
        rule = _RULES.get(name) or _RULES.get(column) or (_COUNT if kind == "INTEGER" else _ANY)
        breaks = f"{column} IS NOT NULL AND ({rule.format(column)}) IS NOT 1"
        odd = archive.one(f"SELECT 1 FROM {table} WHERE {breaks} LIMIT 1")  # noqa: S608
        fits = _FITS.get(name)
        values = archive.each(f"SELECT {column} FROM {table}") if fits else ()  # noqa: S608
        if odd or not all(fits is None or fits(value) for (value,) in values):
            raise _never_written(table, column)
    if table == "spending":
        total = archive.value("SELECT total(reserved) + total(settled) FROM spending")
        if total > _LARGEST_SUM:
            reason = "The money in its table spending is more than can be added up."
            raise ArchiveError(reason, AGAIN)
    if table == "chat":
        chats = archive.each("SELECT chat_id, head, tail FROM chat")
        if not all(_is_own_head(*chat) for chat in chats):
            raise _never_written("chat", "head")


def _is_own_head(chat_id: str, head: bytes, tail: bytes) -> bool:
    """Return whether the JSON around a chat's messages is its own, or empty, as after erasing."""
    with suppress(BadJson):
        return not head + tail or parse_chat(head + tail).id_if_any == chat_id
    return False


def _never_written(table: str, column: str) -> ArchiveError:
    reason = f"A row of its table {table} has a value in {column} that memproc never writes."
    return ArchiveError(reason, AGAIN)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _are(kind: type, value: object) -> bool:
    """Return whether a value is a list of objects with the fields of `kind`, numbers as counts."""
    if not isinstance(value, list):
        return False
    for record in value:
        try:
            instance = kind(**record)
        except TypeError:
            return False
        values = [getattr(instance, field.name) for field in fields(kind)]
        numbers = [number for number in values if isinstance(number, int)]
        are_counts = all(0 <= number <= LARGEST_COUNT for number in numbers)
        if explain_misfit(kind, tuple(map(type, values))) or not are_counts:
            return False
    return True


def _are_calls(value: object) -> bool:
    return isinstance(value, list) and all(_are_texts(call) and len(call) == 3 for call in value)


def _in_json(fits: Callable[[Any], bool]) -> Callable[[str], bool]:
    """Return a check that a text is JSON whose value fits, and no longer than a message may be."""

    def is_fitting(text: str) -> bool:
        try:
            return len(text) <= LONGEST_TEXT and fits(json.loads(text))
        except (ValueError, RecursionError):
            return False

    return is_fitting


_FITS: Mapping[str, Callable[[str], bool]] = {
    "edition.texts": _in_json(lambda value: _are_texts(value) and len(value) == 6),
    "edition.quotes": _in_json(lambda value: _are(Quote, value)),
    "edition.wishes": _in_json(lambda value: _are(Wish, value)),
    "edition.requests": _in_json(_are_texts),
    "core_event.value": _in_json(lambda value: isinstance(value, str) or _are_texts(value)),
    "core_event.held_lines": _in_json(_are_texts),
    "question.choices": _in_json(lambda value: _are_texts(value) and len(value) == 4),
    "reply.calls": _in_json(_are_calls),
    "reply.parameters": _in_json(lambda value: isinstance(value, dict)),
    "batch_request.parameters": _in_json(lambda value: isinstance(value, dict)),
    "kept_passage.said_at": lambda value: not value or parse_date(value) is not None,
}
"""Checks that SQL cannot express, by table and column."""
