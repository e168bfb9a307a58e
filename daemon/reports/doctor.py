"""Report the findings of `memproc doctor`, and what a bug report needs.

A bug report holds nothing private. Of settings with titles, sections, folders, models, hosts or
addresses it only says whether they are at their default; of all others it has the values.
"""

import platform
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, get_args, get_origin

from pydantic import BaseModel

from daemon.archive.chats import KnownChat
from daemon.config.settings import Config
from daemon.files.commit import version_and_commit
from daemon.reports.report import Card, Column, Report, ReportTable, unmarked
from daemon.status.findings import LEVELS, Finding

_PACKAGES = ("litellm", "tiktoken", "watchdog", "apscheduler", "pydantic", "mcp", "wordllama")


def doctor_report(findings: Sequence[Finding], *, shows_all: bool) -> Report:
    """Return the findings, for a person the worst last, and the number of each level.

    A person is shown findings that are in order only with `shows_all`; programs get all of them.
    """
    number = Counter(finding.level for finding in findings)
    shown = [finding for finding in reversed(findings) if shows_all or finding.level != "ok"]
    more = "" if shows_all else " (memproc doctor --all)"
    return Report(
        (
            ReportTable("findings", findings),
            ReportTable("", shown, card=_card),
        ),
        notes=(
            f"errors: {number['error']}, warnings: {number['warning']}, well: {number['ok']}{more}",
        ),
        values={"errors": number["error"]},
    )


def _card(finding: Finding) -> Card:
    if finding.level == "ok":
        return Card(f"ok  {finding.name}: {finding.text}", ())
    return Card(
        f"{finding.level}: {finding.name}", unmarked(f"{finding.text}\n{finding.remedy}".rstrip())
    )


def support_report(
    config: Config | None, chats: Sequence[KnownChat] | None, findings: Sequence[Finding]
) -> Report:
    """Return versions, counts, and the settings; None where settings or archive cannot be read."""
    rows = [
        ("memproc", version_and_commit()),
        ("Python", platform.python_version()),
        ("SQLite", sqlite3.sqlite_version),
        ("system", f"{sys.platform} {platform.release()} {platform.machine()}"),
    ]
    for package in _PACKAGES:
        try:
            rows.append((package, version(package)))
        except PackageNotFoundError:
            rows.append((package, "not installed"))
    rows += _counts(chats, findings)
    rows += _settings(config) if config else [("memproc.toml", "cannot be used")]
    columns: tuple[Column[tuple[str, str]], ...] = (
        Column("What", lambda row: row[0]),
        Column("Value", lambda row: row[1]),
    )
    return Report(
        (
            ReportTable(
                "support",
                rows,
                columns,
                data=lambda row: dict(zip(("name", "value"), row, strict=True)),
            ),
        )
    )


def _counts(
    chats: Sequence[KnownChat] | None, findings: Sequence[Finding]
) -> Iterator[tuple[str, str]]:
    """Yield numbers on the archive, and how many findings `doctor` has of each level."""
    if chats is None:
        yield ("archive", "not read")
    else:
        yield ("chats", f"{len(chats):,}")
        yield ("messages", f"{sum(chat.messages for chat in chats):,}")
        yield ("memories", f"{sum(chat.memories for chat in chats):,}")
        most = max((chat.messages for chat in chats), default=0)
        yield ("messages of the longest chat", f"{most:,}")
    number = Counter(finding.level for finding in findings)
    for level in LEVELS:
        yield (f"findings: {level}", str(number[level]))


def _settings(table: BaseModel, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield each setting not deprecated, by its name in memproc.toml, and what may be shown."""
    for name, value in table:
        field, key = type(table).model_fields[name], f"{before}{name}"
        if field.deprecated:
            continue
        if isinstance(value, BaseModel):
            yield from _settings(value, f"{key}.")
        elif isinstance(value, bool | int | float):
            yield (key, str(value).lower())
        elif isinstance(value, str) and value in _choices(field.annotation):
            yield (key, value)
        elif value == field.get_default(call_default_factory=True):
            yield (key, "default")
        else:
            entries = f" ({len(value)})" if isinstance(value, tuple | dict) else ""
            yield (key, f"their own{entries}")


def _choices(annotation: object) -> tuple[object, ...]:
    """Return the words of a Literal, also within a union of types."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for part in get_args(annotation) for word in _choices(part))
