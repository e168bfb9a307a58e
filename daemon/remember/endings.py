"""Chats whose model is about to end: memories that others wrote, and the cost of its writing them.

All of it is planned from the archive alone: nothing is sent or written. Status asks about each
chat, so planning is imported only for a chat whose model ends.
"""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.models.catalogue import end_of, ends_soon
from daemon.models.hosts import is_ones_own
from daemon.models.roles import CHAT, chat_model
from primer.models import own_model, takes_batches
from primer.retirement import find_successor
from rules.errors import UnknownPrice
from rules.money.price import in_words
from rules.plan.selection import why_excluded
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message
from rules.wording import counted

if TYPE_CHECKING:
    from daemon.chat.survey import Survey
    from daemon.config.keys import FindKey
    from daemon.config.model_tables import ModelSettings, WhenToBatch
    from daemon.config.settings import Config
    from rules.money.estimate import CostEstimate

_INSTEAD = (
    "For what comes after, choose another model for the chat in TypingMind, or name one in "
    "memproc.toml, [models]."
)


@dataclass(frozen=True, slots=True)
class EndingChat:
    """A chat whose memories are written by a model that ends soon."""

    chat_id: str
    title: str
    model: str
    end: str
    """When the model ends and by which source, as a sentence."""
    memories: int
    """The chat's memories of chunks that are neither forgotten nor the person's own words."""
    by_others: int
    """How many of them another model or the built-in engine has written."""
    to_write: int
    """How many of them a run would have this model write."""
    direct: "CostEstimate | None"
    """What those cost; None if the price is not known."""
    batched: "CostEstimate | None"
    """The same in batches; None if the model takes none, or the price is not known."""
    lacks_key: str
    """The provider whose key is missing; empty where none is."""

    @property
    def reason(self) -> str:
        """Return sentences on the end, the memories not written by this model, and their cost."""
        if not self.memories:
            return f"{self.end} The chat has no memories yet."
        if not self.by_others:
            all_written = (
                "the one memory" if self.memories == 1 else f"all {self.memories:,} memories"
            )
            return f"{self.end} It has written {all_written} of this chat itself."
        all_of_them = counted(self.memories, "memory", "memories")
        reason = (
            f"{self.end} It has not written {self.by_others:,} of the chat's {all_of_them} itself."
        )
        if not self.to_write:
            return reason
        return f"{reason} To have it write {self.to_write:,} of them now {self._cost}."

    @property
    def next_step(self) -> str:
        """Return what the person can do about it."""
        if not self.to_write:
            others = (
                "To have it write one of them: memproc retry MEMORY. " if self.by_others else ""
            )
            return f"{others}{_INSTEAD}"
        run = "memproc run, with the chat's export in the inbox"
        step = (
            f"Set its key first: memproc key set {self.lacks_key}. Then: {run}"
            if self.lacks_key
            else f"To do it: {run}"
        )
        by_batch = ' (in batches: batch = "always" in [models])' if self.batched else ""
        left = self.by_others - self.to_write
        on_others = (
            f" A run leaves {left:,} of them as they are; for one of these: memproc retry MEMORY."
            if left
            else ""
        )
        return f"{step}{by_batch}; it pauses at the caps of [budget].{on_others} {_INSTEAD}"

    @property
    def _cost(self) -> str:
        if self.direct is None:
            return "costs what nobody knows: its price is not known"
        in_batches = f"; in batches {_likely(self.batched)}" if self.batched else ""
        return f"costs {_likely(self.direct)}{in_batches}"


def ending_chat(
    archive: Archive, chat_id: str, config: "Config", key: "FindKey", now: str
) -> EndingChat | None:
    """Return what is due to a known chat whose model ends soon.

    None where its model does not end, or no model writes. Raises DamagedChat, ChatSkipped where no
    model can be asked as it is configured, and ModelError.
    """
    chat = known_chat(archive, chat_id)
    chat_config = config.of(chat)
    if why_excluded(chat, chat_config.chats.include, chat_config.chats.exclude):
        return None
    model = _writer(archive, chat, chat_config)
    end = _sentence(model, chat_config.models, date.fromisoformat(now[:10]))
    if end is None:
        return None
    from daemon.config.keys import as_if_kept
    from daemon.remember.extracted import survey_known

    missing: list[str] = []
    surveyed = survey_known(archive, chat, chat_config, as_if_kept(key, missing), now)
    memories = [
        memory for memory in surveyed.reading.chunk_memories
        if not memory.forgotten and memory.in_prompts.kind != "person"
    ]  # fmt: skip
    return EndingChat(
        chat_id,
        surveyed.plan.title,
        model,
        end,
        memories=len(memories),
        by_others=sum(memory.in_prompts.agent != model for memory in memories),
        to_write=len(surveyed.plan.again),
        direct=_cost(archive, surveyed, "never", now),
        batched=_cost(archive, surveyed, "always", now) if takes_batches(model) else None,
        lacks_key=missing[0] if missing else "",
    )


def _writer(archive: Archive, chat: Chat, config: "Config") -> str:
    """Return the model that would write the chat's memories if it had a key; empty for none."""
    name = config.models.agent
    if name == CHAT:
        messages: list[Message] = []
        if own_model(chat.model_names[:1]) is None:
            from daemon.archive.messages import past

            messages = [old.message for old in past(archive, chat.chat_id)]
        name, _ = chat_model(chat, messages, config.models)
    newer = find_successor(name)
    return newer.name if newer else name


def _sentence(model: str, settings: "ModelSettings", today: date) -> str | None:
    """Return a sentence on when a model ends; None where that is far off, not known or past.

    A model that has ended writes nothing any more.
    """
    if not model or is_ones_own(settings.options_for(model)):
        return None
    end = end_of(model)
    return ends_soon(model, today) if end and today <= date.fromisoformat(end.last) else None


def _cost(
    archive: Archive, surveyed: "Survey", batch: "WhenToBatch", now: str
) -> "CostEstimate | None":
    from daemon.models.prices import plan_cost

    models = surveyed.config.models.model_copy(update={"batch": batch})
    config = surveyed.config.model_copy(update={"models": models})
    try:
        return plan_cost(archive, surveyed.plan, surveyed.roles, config, now).cost
    except UnknownPrice:
        return None


def _likely(cost: "CostEstimate") -> str:
    return f"likely {in_words(cost.likely)}"
