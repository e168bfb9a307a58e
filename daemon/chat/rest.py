"""Chats at rest: the last survey found nothing to do, and all that it depends on is the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.archive.archive import Archive
from daemon.archive.chats import (
    Rest,
    has_gone_on,
    keep_rest,
    rest_of,
    seen_again,
    was_seen_before,
)
from daemon.archive.outputs import RESTORED, last_output, restored_clause
from daemon.chat.outcome import Outcome
from daemon.config.keys import FindKey
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.files.packing import sha256_of
from daemon.files.read import Export
from daemon.models.catalogue import ends_soon
from daemon.models.roles import Notice, Who, who
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.plan.work import Layers, PlannedChunk
from rules.typingmind.chat import Chat

if TYPE_CHECKING:  # a chat at rest needs no survey
    from daemon.chat.survey import Survey
    from primer.wording import Texts

_CHUNKS = ("made", "chunks", "again", "hindsight")
_ROWS = ("folds", "most_folds", "warnings", "kept")
_SETTINGS = 16
"""Settings whose digests are remembered: those of an export's chats differ by overrides alone."""
_AT_ONCE = 1000
"""Chats newly at rest that are noted in one transaction: each one waits for the disk."""
_version = cache(version)


@dataclass(frozen=True, slots=True)
class AtRest(Unchanged):
    """The finding of the chat's last survey, which another one would find again."""

    plan: ChatPlan
    who: Who


@dataclass(frozen=True, slots=True)
class NewlyAtRest(Unchanged):
    """The finding of a survey that there is nothing to do; `rest` is to be kept if there is any."""

    rest: Rest | None


class RestingChats:
    """The chats at rest of one export, which the archive notes many at a time.

    One that is not noted, since the run ended before, is surveyed again by the next one.
    """

    def __init__(self, archive: Archive) -> None:
        """Begin with none."""
        self._archive = archive
        self._again: list[str] = []
        self._new: list[NewlyAtRest] = []

    def note(self, outcome: Outcome) -> Outcome:
        """Take note of an outcome, and return it as the run tells it."""
        if not isinstance(outcome, AtRest | NewlyAtRest):
            return outcome
        if isinstance(outcome, AtRest):
            self._again.append(outcome.chat_id)
        else:
            self._new.append(outcome)
        if len(self._new) == _AT_ONCE:
            self._keep_new()
        return Unchanged(outcome.chat_id, outcome.title, outcome.reason, path=outcome.path)

    def keep(self, now: str) -> None:
        """Store what was noted."""
        self._keep_new()
        seen_again(self._archive, self._again, now)

    def _keep_new(self) -> None:
        with self._archive.transaction():
            for chat in self._new:
                keep_at_rest(self._archive, chat.chat_id, chat.rest, chat.reason)
        self._new.clear()


def held_back(archive: Archive, chat: Chat, export: Export) -> Unchanged | None:
    """Hold back a chat that has gone on in a newer export, or was restored since this one.

    An export is newer than a restore if neither it nor this state of the chat was seen before.
    """
    chat_id, last = chat.chat_id, last_output(archive, chat.chat_id)
    modified = export.fingerprint.mtime_ns
    if has_gone_on(archive, chat_id, chat.sha256, export.sha256, modified):
        reason = "already read, and so was a newer export"
        return Unchanged(chat_id, chat.title, reason)
    if last is None or last.messages_sha256 != RESTORED:
        return None
    if not was_seen_before(archive, chat_id, chat.sha256, export.sha256, last.written_at):
        return None
    return Unchanged(chat_id, chat.title, restored_clause(archive, chat_id))


def at_rest(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> AtRest | None:
    """Return the finding of the chat's last survey if all that it depends on is the same.

    `config` is the one that counts for this chat.
    """
    rest = rest_of(archive, chat.chat_id)
    if rest is None or rest.sha256 != chat.sha256:
        return None
    kept, names = rest.found, {field.name for field in fields(ChatPlan)}
    if kept["plan"].keys() != names or rest.settings_sha256 != _settings_digest(config):
        return None
    who = kept["who"]
    models = Who(**{**who, "notices": tuple(Notice(**notice) for notice in who["notices"])})
    if not _is_as_found(kept, models, key, now):
        return None
    path = next(iter(kept["output"]), "")
    return AtRest(chat.chat_id, chat.title, kept["reason"], _plan(kept["plan"]), models, path=path)


def _is_as_found(kept: Mapping[str, Any], models: Who, key: FindKey, now: str) -> bool:
    """Return whether keys, ends of models and the updated export are as the survey found them."""
    if any(repr(key(provider)) != answer for provider, answer in kept["keys"].items()):
        return False
    if _endings(models, now) != kept["endings"]:
        return False
    files = kept["output"].items()
    return all(sha256_of(Path(path)) == sha256 for path, sha256 in files)


def rest_after(survey: "Survey", *, learned: bool) -> Rest | None:
    """Return the rest to keep of this survey; None if anything was done or `learned`.

    A chat whose memories go into a new chat never rests: which id is free depends on other chats.
    """
    reading, edits = survey.reading, survey.reading.edits
    is_edited = edits.is_news or edits.changed or edits.deleted
    if survey.plan.calls or is_edited or reading.adopted.memories or learned:
        return None
    if survey.config.output.mode == "new-chat":
        return None
    models = who(survey.roles)
    found = {
        "plan": asdict(survey.plan),
        "who": asdict(models),
        "keys": {provider: repr(answer) for provider, answer in survey.roles.keys.items()},
        "endings": _endings(models, survey.at),
    }
    return Rest(survey.chat.sha256, _settings_digest(survey.config), found)


def keep_at_rest(
    archive: Archive, chat_id: str, rest: Rest | None, reason: str, output: Path | None = None
) -> None:
    """Keep `rest`, if there is any, as long as the updated export `output` stays as it is."""
    if rest is None:
        return
    written = {} if output is None else {str(output): sha256_of(output)}
    found = {**rest.found, "reason": reason, "output": written}
    keep_rest(archive, chat_id, replace(rest, found=found))


def _settings_digest(config: Config) -> str:
    """Digest all settings, texts and versions that a plan depends on, as SHA-256.

    What [chats] says of the chat is in `config` already; LiteLLM brings the map of models.
    """
    settings = config.model_dump_json(exclude={"chats"})
    return _digest(settings, load_texts(config.texts.path))


@lru_cache(_SETTINGS)
def _digest(settings: str, texts: "Texts") -> str:
    parts = [_version("memproc-daemon"), _version("litellm"), settings, asdict(texts)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _endings(models: Who, now: str) -> list[str | None]:
    names = (models.agent, models.context_manager, models.fallback)
    return [ends_soon(name, date.fromisoformat(now[:10])) for name in names if name]


def _plan(kept: Mapping[str, Any]) -> ChatPlan:
    chunks = {name: tuple(PlannedChunk(**chunk) for chunk in kept[name]) for name in _CHUNKS}
    rows = {name: tuple(kept[name]) for name in _ROWS}
    # Nothing is due after the memories of a chat at rest.
    layers = Layers(**{**kept["layers"], "core": (), "facts": ()})
    return ChatPlan(**{**kept, **chunks, **rows, "layers": layers})
