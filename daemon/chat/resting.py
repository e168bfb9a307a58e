"""What the archive holds of one chat's memories, with the settings that count for this chat."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.chats import Rest, keep_rest, known_chat, rest_of
from daemon.archive.memories import editions, find_memory, memories
from daemon.archive.messages import MessageCounts
from daemon.chat.reading import TAG
from daemon.chat.survey import Survey
from daemon.config import Config
from daemon.context import load_texts
from daemon.files.packed import sha256_of
from daemon.keys import Key, NoKey
from daemon.models.catalogue import ends_soon
from daemon.models.roles import FindKey, Who, who
from rules.conversation.memory import Edition, Memory
from rules.plan.chat_plan import ChatPlan
from rules.plan.hindsight import State, states
from rules.plan.work import Estimate, Layers, PlannedChunk
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class Holding:
    """A chat's memories, oldest first, and then its folds; with the state and all editions of each, by id."""

    chat_id: str
    memories: tuple[Memory, ...]
    states: Mapping[str, State]
    editions: Mapping[str, tuple[Edition, ...]]

    def memory(self, memory_id: str) -> Memory:
        """The memory of that id, which is one of these."""
        return next(memory for memory in self.memories if memory.memory_id == memory_id)


def holding(archive: Archive, config: Config, chat_id: str) -> Holding:
    """All that there is of a chat that the archive knows. Raises ChatSetAside where its settings clash."""
    own = config.of(known_chat(archive, chat_id))
    found = memories(archive, chat_id, own.memory.editions)
    every = {memory.memory_id: editions(archive, memory.memory_id) for memory in found}
    return Holding(chat_id, found, states(chat_id, found, own.limits.fold), every)


def holding_of(archive: Archive, config: Config, wanted: str) -> tuple[Holding, Memory]:
    """The memory of that id, or whose id begins so, and all of its chat. Raises NotFound and ChatSetAside."""
    chat_id, found = find_memory(archive, wanted)
    whole = holding(archive, config, chat_id)
    return whole, whole.memory(found.memory_id)


_CHUNKS = ("made", "chunks", "again", "hindsight")
_NOTHING_NEW = MessageCounts(0, 0, 0)


@dataclass(frozen=True, slots=True)
class AtRest:
    """What was found of the chat, and would be found again."""

    reason: str
    """Why it is left alone."""
    plan: ChatPlan
    who: Who


def noting(key: FindKey, noted: dict[str, str]) -> FindKey:
    """Finds keys, and notes for which providers they were looked for, and how that ended."""

    def find(provider: str) -> Key | NoKey:
        found = key(provider)
        noted[provider] = _ended(found)
        return found

    return find


def at_rest(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> AtRest | None:
    """What was found of the chat the last time, if nothing that it depends on has changed; `config` is the chat's."""
    rest = rest_of(archive, chat.chat_id)
    if rest is None or rest.sha256 != chat.sha256 or rest.stand != _stand(config):
        return None
    found = rest.found
    models = Who(**found["who"] | {"notices": tuple(found["who"]["notices"])})
    is_same = (
        all(_ended(key(provider)) == ended for provider, ended in found["keys"].items())
        and _endings(models, now) == found["endings"]
        and all(sha256_of(Path(path)) == sha256 for path, sha256 in found["output"].items())
    )
    return AtRest(found["reason"], _plan(found["plan"]), models) if is_same else None


def rest_after(
    found: Survey, config: Config, keys: Mapping[str, str], now: str, remembered: MessageCounts = _NOTHING_NEW
) -> Rest | None:
    """The chat's rest, if nothing was to be done and the archive learned nothing new of it; else None.

    With `output.container = "export"` every chat is written whenever one is. A new chat's place, and messages that
    look like memories of another chat, depend on other chats of the archive.
    """
    reading, hand = found.reading, found.reading.hand
    done = found.plan.calls or hand.is_news or hand.changed or hand.deleted or reading.adopted.memories
    whole = config.output.container != "chat" or config.output.mode == "new-chat"
    strange = not reading.memories and TAG in found.chat.slice(found.chat.span)
    if done or whole or strange or remembered != _NOTHING_NEW:
        return None
    models = who(found.roles)
    noted = {
        "plan": asdict(found.plan), "who": asdict(models), "keys": dict(keys), "endings": _endings(models, now),
    }  # fmt: skip
    return Rest(found.chat.sha256, _stand(config), noted)


def keep_at_rest(archive: Archive, chat_id: str, rest: Rest | None, reason: str, output: Path | None = None) -> None:
    """Keep it, if there is any. `output` is the updated export that has to stand where it stands, as it is."""
    if rest is not None:
        standing = {} if output is None else {str(output): sha256_of(output)}
        keep_rest(archive, chat_id, replace(rest, found={**rest.found, "reason": reason, "output": standing}))


def _stand(config: Config) -> str:
    """By what the chat was planned. What [chats] says is in `config` already; LiteLLM brings the map of models."""
    texts = asdict(load_texts(config.texts.path))
    counts = [*_versions(), config.model_dump_json(exclude={"chats"}), texts]
    return hashlib.sha256(json.dumps(counts).encode()).hexdigest()


@cache
def _versions() -> tuple[str, ...]:
    return version("memproc-daemon"), version("litellm")


def _ended(found: Key | NoKey) -> str:
    """How the search for a key ended; nothing of the key itself."""
    return "there is one" if isinstance(found, Key) else repr(found)


def _endings(models: Who, now: str) -> list[str | None]:
    names = (models.agent, models.context_manager, models.fallback)
    return [ends_soon(name, date.fromisoformat(now[:10])) for name in names if name]


def _plan(found: Mapping[str, Any]) -> ChatPlan:
    chunks = {name: tuple(PlannedChunk(**chunk) for chunk in found[name]) for name in _CHUNKS}
    rows = {name: tuple(found[name]) for name in ("folds", "most_folds", "warnings")}
    # A chat at rest has no chunks after whose memories anything is due.
    layers = Layers(**{**found["layers"], "core": (), "facts": ()})
    return ChatPlan(**{**found, **chunks, **rows, "estimate": Estimate(**found["estimate"]), "layers": layers})
