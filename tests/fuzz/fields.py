"""Chats in which a field holds a value of another type than TypingMind gives it, and the whole trip of such a chat."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.seals import seal_from_now_on
from daemon.chat.outcome import ExportWritten, Outcome, Skipped
from daemon.config.loading import parse_settings
from daemon.events import ignore_event
from daemon.files.paths import Folders
from daemon.files.private import make_private
from daemon.models.context import Context
from daemon.trip import go_round, run_export
from rules.plan.chat_plan import Unchanged
from tests.chats import Json, assistant, chat, conversation, export_bytes, user, written
from tests.exports.messages import MESSAGES
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel

WHEN = "2026-09-01T00:00:00.000Z"
SETTINGS = "[tail]\ntokens = 2400\nstep = 600\n[chunk]\ntokens = 600\n[core]\nenabled = false\n[facts]\nenabled = false\n"
DEEPEST_FIELD = 8
ATTACHED: tuple[Json, ...] = (
    user(
        "",
        91,
        content=[
            {"type": "tm_image_file", "metadata": {"localBlobID": "b1"}, "sync": {"blobID": "c1"}}
        ],
    ),
    assistant(
        "Painted.",
        92,
        metaBlobs=[{"metadata": {"localBlobID": "b2"}}],
        reasoning_details={"metaBlobID": "b3"},
    ),
    user(
        "Which?",
        93,
        threads=[{"messages": [user("", 94, content=[{"metadata": {"localBlobID": "b4"}}])]}],
    ),
    user("", 95, content=[{"metadata": {"localBlobID": "b5"}}], contextClearedAt=WHEN),
)
"""Every place in which TypingMind names a file of its own store."""
KINDS = (
    "raw, odd messages first",
    "raw, odd messages last",
    "compressed",
    "compressed, odd messages last",
    "of another archive",
    "a fork",
)
MODES = ("replace", "keep-originals", "new-chat")

Place = tuple[str | int, ...]


def _nest(levels: int) -> object:
    found: object = []
    for _ in range(levels):
        found = [found]
    return found


VALUES: dict[str, object] = {
    "null": None, "true": True, "0": 0, "-1": -1, "1e400": written("1e400"), "no text": "", "text": "x", "no list": [],
    "list": [1], "no object": {}, "object": {"a": 1}, "deep nest": _nest(200), "half a pair": "\ud83d",
}  # fmt: skip


@dataclass(frozen=True)
class Seed:
    """A chat in which every field is as it should be, and the archive that knows it."""

    chat: Json
    archive: bytes

    @property
    def places(self) -> list[Place]:
        """Where its fields stand; of messages of one shape, those of the first."""
        found: dict[tuple[str, ...], Place] = {}
        for place in _places(self.chat):
            found.setdefault(_shape(self.chat, place), place)
        return list(found.values())

    def with_values(self, values: dict[Place, object]) -> Json:
        """The same chat with these values. A place that another one has done away with is passed over."""
        found = deepcopy(self.chat)
        for place, value in values.items():
            holder: Any = found
            try:
                for key in place[:-1]:
                    holder = holder[key]
                holder[place[-1]] = deepcopy(value)  # a place may lie inside another
            except (KeyError, IndexError, TypeError):
                continue
        return found


@cache
def seed(kind: str, home: Path) -> Seed:
    """One of the chats to begin with; `home` is for what is written on the way."""
    talk, odd = conversation(14, 400), [*MESSAGES.values(), *ATTACHED]
    messages = (
        [*talk, *odd, *conversation(1, 400, first=20)]
        if "last" in kind
        else [*talk[:4], *odd, *talk[4:]]
    )
    agent = {"id": "a", "title": "Ada", "instruction": "Be Ada."}
    sync = {
        "deletedMessageUUIDs": ["gone"],
        "deletedSyncedBlobIDs": ["b0"],
        "deletedResponseIDs": ["r0"],
    }
    raw = chat(
        *messages, character=agent, folderID="f1", savedControllerState=None, syncMetadata=sync
    )
    with Archive.memory() as archive:
        if kind.startswith("raw"):
            return Seed(raw, _kept(archive))
        (outcome,) = go(home, archive, raw)
        assert isinstance(outcome, ExportWritten), outcome
        (finished,) = json.loads(Path(outcome.path).read_bytes())["data"]["chats"]
        finished["messages"] += conversation(4, 400, first=30)
        if kind == "a fork":
            finished |= {"id": "fork", "chatID": "fork"}  # TypingMind keeps message uuids
        if kind == "of another archive":
            with Archive.memory() as empty:
                return Seed(finished, _kept(empty))
        return Seed(finished, _kept(archive))


def go(home: Path, archive: Archive, content: Json, mode: str = "replace") -> list[Outcome]:
    """One round over an export of that chat, with the built-in engine."""
    make_private(home)
    path = home / "export.json"
    path.write_bytes(export_bytes(content, ascii_only=True))
    folders = Folders(*(home / name for name in ("inbox", "updated", "backups", "state")))
    config = parse_settings(
        f'{SETTINGS}[output]\nmode = "{mode}"\n'.encode(), home / "memproc.toml"
    )
    context = Context(
        config, folders, archive, ScriptedModel(), no_keys, lambda: WHEN, ignore_event
    )
    return list(go_round(context, path, run_export))


def goes_well(home: Path, known: Seed, values: dict[Place, object], mode: str = "replace") -> None:
    """The chat with these values is processed, and a second time with nothing to do; or it is skipped in words."""
    with _archive(known.archive) as archive:
        (outcome,) = go(home, archive, known.with_values(values), mode)
        if isinstance(outcome, Skipped):
            assert outcome.next_step
            assert "the archive keeps of this chat is damaged" not in outcome.reason, outcome
            assert "mistake in memproc" not in outcome.reason + outcome.next_step, outcome
        elif isinstance(outcome, ExportWritten):
            (finished,) = json.loads(Path(outcome.path).read_bytes(), parse_float=written)["data"][
                "chats"
            ]
            (again,) = go(home, archive, finished, mode)
            assert isinstance(again, Unchanged), again


def _archive(kept: bytes) -> Archive:
    """An archive that goes on from these bytes; triggers that were there before them would not see its tables."""
    archive = Archive._connect(":memory:", Path(":memory:"), 1.0)
    archive._connection.deserialize(kept)
    archive.run("PRAGMA foreign_keys = ON")
    seal_from_now_on(archive.run)
    return archive


def _kept(archive: Archive) -> bytes:
    return archive._connection.serialize()


def _places(value: object, before: Place = ()) -> Iterator[Place]:
    if before:
        yield before
    if len(before) < DEEPEST_FIELD and isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*before, key))


def _shape(holder: Any, place: Place) -> tuple[str, ...]:
    """The keys that lead to a place, with the kind of a message for its number."""
    shape: list[str] = []
    for key in place:
        inner = holder[key]
        if isinstance(key, str):
            shape.append(key)
        elif isinstance(inner, dict):
            marker = inner.get("memproc")
            shape.append(str((inner.get("role"), inner.get("type"), marker and marker.get("kind"))))
        else:
            shape.append("")
        holder = inner
    return tuple(shape)
