"""Chats at rest: the last survey found nothing to do, and all that it depends on is the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.archive.archive import Archive
from daemon.archive.chats import Rest, has_gone_on, keep_rest, rest_of, was_seen_before
from daemon.archive.outputs import RESTORED, last_output
from daemon.config.keys import FindKey, Key, NoKey
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.files.packing import sha256_of
from daemon.files.read import Export
from daemon.models.catalogue import ends_soon
from daemon.models.roles import Who, who
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.plan.work import Layers, PlannedChunk
from rules.typingmind.chat import Chat

if TYPE_CHECKING:  # a chat at rest needs no survey
    from daemon.chat.survey import Survey

_CHUNKS = ("made", "chunks", "again", "hindsight")
_ROWS = ("folds", "most_folds", "warnings", "kept")
_version = cache(version)


@dataclass(frozen=True, slots=True)
class AtRest(Unchanged):
    """The finding of the chat's last survey, which another one would find again."""

    plan: ChatPlan
    who: Who


def held_back(archive: Archive, chat: Chat, export: Export) -> Unchanged | None:
    """Hold back a chat that has gone on in a newer export, or was restored since this one.

    An export is newer than a restore if neither it nor this state of the chat was seen before.
    """
    chat_id, last = chat.chat_id, last_output(archive, chat.chat_id)
    if has_gone_on(archive, chat_id, chat.sha256, export.fingerprint.mtime_ns):
        reason = "it was processed already, and has gone on in a newer export since"
        return Unchanged(chat_id, chat.title, reason)
    if last is None or last.messages_sha256 != RESTORED:
        return None
    if not was_seen_before(archive, chat_id, chat.sha256, export.sha256, last.written_at):
        return None
    reason = (
        f"it was restored on {last.written_at[:10]}, and this export is from before that; "
        f"to go on from this one: memproc accept {chat_id}"
    )
    return Unchanged(chat_id, chat.title, reason)


def at_rest(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> AtRest | None:
    """Return the finding of the chat's last survey if all that it depends on is the same.

    `config` is the one that counts for this chat.
    """
    rest = rest_of(archive, chat.chat_id)
    if rest is None or rest.found["plan"].keys() != {field.name for field in fields(ChatPlan)}:
        return None
    if rest.sha256 != chat.sha256 or rest.settings_sha256 != _settings_digest(config):
        return None
    kept = rest.found
    models = Who(**kept["who"] | {"notices": tuple(kept["who"]["notices"])})
    if not _is_as_found(kept, models, key, now):
        return None
    path = next(iter(kept["output"]), "")
    return AtRest(chat.chat_id, chat.title, kept["reason"], _plan(kept["plan"]), models, path=path)


def _is_as_found(kept: Mapping[str, Any], models: Who, key: FindKey, now: str) -> bool:
    """Return whether keys, ends of models and the updated export are as the survey found them."""
    keys, files = kept["keys"].items(), kept["output"].items()
    return (
        all(search_outcome(key(provider)) == before for provider, before in keys)
        and _endings(models, now) == kept["endings"]
        and all(sha256_of(Path(path)) == sha256 for path, sha256 in files)
    )


def rest_after(survey: "Survey", now: str, *, learned: bool) -> Rest | None:
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
        "keys": dict(survey.keys),
        "endings": _endings(models, now),
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
    parts = [
        _version("memproc-daemon"),
        _version("litellm"),
        config.model_dump_json(exclude={"chats"}),
        asdict(load_texts(config.texts.path)),
    ]
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


def noting(key: FindKey, noted: dict[str, str]) -> FindKey:
    """Find keys, and note for which providers they were looked for, and how that ended."""

    def find(provider: str) -> Key | NoKey:
        answer = key(provider)
        noted[provider] = search_outcome(answer)
        return answer

    return find


def search_outcome(answer: Key | NoKey) -> str:
    """Return the outcome of the search for a key, without the key itself."""
    return "there is one" if isinstance(answer, Key) else repr(answer)
