"""A machine on which all is well, and a house in which nothing has happened yet; a test changes what it is about."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.message_versions import remember
from daemon.config.keys import Key, NoKey
from daemon.config.settings import Config
from daemon.files.paths import Folders
from daemon.files.read import chats_in
from daemon.status.findings import Finding, Machine, Setup
from rules.recognize.recognize import recognize
from rules.typingmind.chat import Chat, read_messages
from service.unit import ServiceState
from tests.chats import export_bytes
from tests.entries import reading_of

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SEEN_AT = "2026-11-21T11:59:00.000Z"


def machine(home: Path, **changes: Any) -> Machine:
    sound = Machine(
        now=NOW,
        system="linux",
        user=home.stat().st_uid,
        litellm="1.109.3",
        untested=(),
        tokenizers=home,
        service=ServiceState("running", ("The service runs.",)),
    )
    return replace(sound, **changes)


def place(home: Path, settings: dict[str, Any] | None = None, **changes: Any) -> Setup:
    folders = Folders(*(home / name for name in ("inbox", "updated", "backups", "state")))
    for folder in (folders.inbox, folders.updated, folders.backups, folders.state):
        folder.mkdir(mode=0o700, exist_ok=True)
    sound = Setup(
        machine=machine(home),
        toml=home / "memproc.toml",
        config=Config.model_validate(settings or {}),
        folders=folders,
        key=a_key,
        credentials=home / "credentials",
        free=lambda folder: 5_000_000_000,
        is_thorough=False,
    )
    return replace(sound, **changes)


def a_key(provider: str) -> Key | NoKey:
    return Key("k-secret", "keyring")


def levels(findings: Sequence[Finding]) -> list[str]:
    return [finding.level for finding in findings]


def one(findings: Sequence[Finding]) -> Finding:
    """The only finding; what is not well says what mends it."""
    (found,) = findings
    assert found.text
    assert bool(found.remedy) == (found.level != "ok")
    return found


def read_chat(chat: dict[str, Any]) -> Chat:
    (found,) = chats_in("export.json", export_bytes(chat))
    return found


def archived(at: Setup, chat: dict[str, Any], when: str = SEEN_AT) -> None:
    """Let the house's archive know a chat, as after a round over its export."""
    found = read_chat(chat)
    with Archive.open(at.folders.state) as archive:
        remember(archive, found, reading_of(recognize(read_messages(found), {})), when)
