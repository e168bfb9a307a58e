"""What is known of a chat before the work on it; and chats at rest, which are not surveyed again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.chats import (
    Rest,
    find_chat,
    has_gone_on,
    keep_rest,
    known_chat,
    rest_of,
    was_seen_before,
)
from daemon.archive.memories import editions, find_memory, memories
from daemon.archive.outputs import RESTORED, last_output
from daemon.chat.opening import ShownChat
from daemon.config.keys import FindKey, Key, NoKey
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.files.read import Export
from daemon.files.write import sha256_of
from daemon.models.catalogue import ends_soon
from daemon.models.roles import Roles, Who, who
from daemon.models.tokens import Counts
from primer.prompt import Texts, Turn, closing, context, opening
from rules.conversation.history import Entry
from rules.conversation.memory import Edition, Memory, counted_on, write_title
from rules.output.assemble import Canned
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.plan.folds import Bounds, State, as_told, section, states
from rules.plan.work import Layers, Limit, PlannedChunk, Round, TooLarge
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with all that its memory is written from."""

    chat_id: str
    number: int
    system_message: str
    memories: Sequence[Memory]
    """The memories whose chunks end before the tail, the older ones folded."""
    tail: Sequence[Entry]
    chunk: Sequence[Entry]
    tokens: int
    guidance: str = ""
    """The person's words about this memory (`memproc retry --say`)."""
    breaks: Sequence[int] = ()
    """Behind how many messages of the tail a provider's cache may break off."""
    ahead: int = 0
    """The distance by which titles run ahead of the archive's numbers."""
    dates: Sequence[str | None] = ()
    """The dates of the messages of the chunk, also of those that the person has deleted since."""

    def title(self, *, extracted: bool = False) -> str:
        """The name of the memory in its first question."""
        number = self.number + self.ahead
        return write_title(number, number, self.dates, extracted=extracted)

    def context(self, texts: Texts) -> tuple[Turn, ...]:
        """The turns that the agent reads before it is asked about the chunk."""
        return context(
            texts, self.system_message, self.memories, self.tail, self.chunk, self.breaks
        )

    @property
    def spoken(self) -> list[str]:
        """The words of the chunk, message by message."""
        return [entry.message.words for entry in self.chunk]


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it stands before the work on it, and who does that work."""

    chat: Chat
    config: Config
    """The one that counts for this chat."""
    reading: ChatReading
    counts: Counts
    """Tokens of the history's messages, by content digest, and of the texts that are always the same."""
    shown: ShownChat
    """Its texts and settings, and the export as core memory and facts see it."""
    roles: Roles
    plan: ChatPlan
    round: Round
    keys: Mapping[str, str]
    """The outcome of the search for each provider's key."""
    limit: Limit | None
    """The limit of the agent's requests."""
    too_large: TooLarge | None
    """The first planned chunk that does not fit into the limit."""

    @property
    def bounds(self) -> Bounds:
        """The bounds of the memory section's size."""
        return self.config.limits.fold

    def passage(
        self, chunk: PlannedChunk, memories_before: Sequence[Memory], breaks: Sequence[int] = ()
    ) -> Passage:
        """The passage that the memory of a chunk is written from; `memories_before` stand before its tail.

        A provider's cache may break off before the entries that `breaks` names.

        What the person has forgotten is left out, raw messages too. What they have edited or deleted since its
        memory was made is as it is now.
        """
        forgotten = {memory.number for memory in self.reading.chunk_memories if memory.forgotten}
        entries = self.reading.entries
        tail = [
            entry
            for entry in entries[chunk.tail_start : chunk.start]
            if entry.memory not in forgotten
        ]
        before = [entries[chunk.tail_start : end] for end in breaks]
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=memories_before,
            tail=as_they_are(tail),
            chunk=as_they_are(entries[chunk.start : chunk.stop]),
            tokens=chunk.tokens,
            breaks=[sum(entry.memory not in forgotten for entry in part) for part in before],
            ahead=counted_on(self.reading.memories),
            dates=[entry.message.created_at for entry in entries[chunk.start : chunk.stop]],
        )


def as_they_are(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The messages as they read now, without those that the person has deleted since their memory was made."""
    return tuple(
        entry if entry.newest is None else replace(entry, message=entry.newest)
        for entry in entries
        if not entry.gone
    )


def told_before(survey: Survey, memories: Sequence[Memory], upto: int) -> tuple[Memory, ...]:
    """The memories and folds that stand for the first `upto` memories in a prompt, as far as folds are made."""
    by_id = {memory.memory_id: memory for memory in memories}
    view = section(survey.plan.chat_id, memories, upto, survey.bounds, as_told)
    return tuple(by_id[item.name] for item in view.standing)


def canned(texts: Texts) -> Canned:
    """The two canned messages as they stand in an export."""
    return Canned(opening(texts), closing(texts))


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
    """All that there is of a chat that the archive knows. Raises ChatSkipped where its settings clash."""
    own = config.of(known_chat(archive, chat_id))
    made = memories(archive, chat_id, own.memory.editions)
    all_editions = {memory.memory_id: editions(archive, memory.memory_id) for memory in made}
    return Holding(chat_id, made, states(chat_id, made, own.limits.fold), all_editions)


def holding_of(
    archive: Archive, config: Config, name: str, chat: str = ""
) -> tuple[Holding, Memory]:
    """The memory that is called so, in the chat of that id or title if one is named, and all of its chat.

    Raises NotFound and ChatSkipped.
    """
    chat_id, memory = find_memory(
        archive, name, chat_id=find_chat(archive, chat).chat_id if chat else ""
    )
    whole = holding(archive, config, chat_id)
    return whole, whole.memory(memory.memory_id)


def held_back(archive: Archive, chat: Chat, export: Export) -> Unchanged | None:
    """Hold back a chat that has gone on in a newer export, or was restored since this export was written.

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
    reason = f"it was restored on {last.written_at[:10]}, and this export is from before that"
    return Unchanged(
        chat_id, chat.title, f"{reason}; to go on from this one: memproc accept {chat_id}"
    )


@dataclass(frozen=True, slots=True)
class AtRest(Unchanged):
    """The finding of the chat's last survey, which another one would find again."""

    plan: ChatPlan
    who: Who


def noting(key: FindKey, noted: dict[str, str]) -> FindKey:
    """Find keys, and note for which providers they were looked for, and how that ended."""

    def find(provider: str) -> Key | NoKey:
        answer = key(provider)
        noted[provider] = _ended(answer)
        return answer

    return find


def at_rest(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> AtRest | None:
    """The finding of the chat's last survey, if nothing that it depends on has changed; `config` is the chat's."""
    rest = rest_of(archive, chat.chat_id)
    if rest is None or rest.found["plan"].keys() != {field.name for field in fields(ChatPlan)}:
        return None
    if rest.sha256 != chat.sha256 or rest.stand != _fingerprint(config):
        return None
    kept = rest.found
    models = Who(**kept["who"] | {"notices": tuple(kept["who"]["notices"])})
    is_same = (
        all(_ended(key(provider)) == ended for provider, ended in kept["keys"].items())
        and _endings(models, now) == kept["endings"]
        and all(sha256_of(Path(path)) == sha256 for path, sha256 in kept["output"].items())
    )
    if not is_same:
        return None
    path = next(iter(kept["output"]), "")
    return AtRest(chat.chat_id, chat.title, kept["reason"], _plan(kept["plan"]), models, path=path)


def rest_after(survey: Survey, now: str, *, learned: bool) -> Rest | None:
    """The rest to keep of this survey, if nothing was to be done and the archive has `learned` nothing; else None.

    A chat whose memories go into a new chat never rests: which id is free depends on other chats of the archive.
    """
    reading, edits = survey.reading, survey.reading.edits
    done = (
        survey.plan.calls
        or edits.is_news
        or edits.changed
        or edits.deleted
        or reading.adopted.memories
    )
    if done or learned or survey.config.output.mode == "new-chat":
        return None
    models = who(survey.roles)
    noted = {
        "plan": asdict(survey.plan), "who": asdict(models), "keys": dict(survey.keys), "endings": _endings(models, now),
    }  # fmt: skip
    return Rest(survey.chat.sha256, _fingerprint(survey.config), noted)


def keep_at_rest(
    archive: Archive, chat_id: str, rest: Rest | None, reason: str, output: Path | None = None
) -> None:
    """Keep `rest`, if there is any, as long as the updated export `output` stays as it is."""
    if rest is not None:
        standing = {} if output is None else {str(output): sha256_of(output)}
        keep_rest(
            archive,
            chat_id,
            replace(rest, found={**rest.found, "reason": reason, "output": standing}),
        )


def _fingerprint(config: Config) -> str:
    """Fingerprint of all settings, texts and versions that a plan depends on.

    What [chats] says of the chat is in `config` already; LiteLLM brings the map of models.
    """
    versions = [_version("memproc-daemon"), _version("litellm")]
    counts = [
        *versions,
        config.model_dump_json(exclude={"chats"}),
        asdict(load_texts(config.texts.path)),
    ]
    return hashlib.sha256(json.dumps(counts).encode()).hexdigest()


_version = cache(version)


def _ended(answer: Key | NoKey) -> str:
    """The outcome of the search for a key, without the key itself."""
    return "there is one" if isinstance(answer, Key) else repr(answer)


def _endings(models: Who, now: str) -> list[str | None]:
    names = (models.agent, models.context_manager, models.fallback)
    return [ends_soon(name, date.fromisoformat(now[:10])) for name in names if name]


def _plan(kept: Mapping[str, Any]) -> ChatPlan:
    chunks = {
        name: tuple(PlannedChunk(**chunk) for chunk in kept[name])
        for name in ("made", "chunks", "again", "hindsight")
    }
    rows = {name: tuple(kept[name]) for name in ("folds", "most_folds", "warnings")}
    # A chat at rest has no chunks after whose memories anything is due.
    layers = Layers(**{**kept["layers"], "core": (), "facts": ()})
    return ChatPlan(**{**kept, **chunks, **rows, "layers": layers})
