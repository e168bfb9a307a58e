"""What a trip tells while it goes on."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.journal import Reply
from rules.plan.chat_plan import ChatPlan


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins; `plan` is all that will be done."""

    plan: ChatPlan


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the person should know, and is told once: a retired model, a key that is missing."""

    text: str


@dataclass(frozen=True, slots=True)
class UserEdits:
    """What the person has done in TypingMind since the chat was last seen, in numbers; told once."""

    chat_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A model was asked just now, and this is its reply. What the journal knew already is not told."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer that could not be used, or what helped against it, as a few words that can be counted."""

    what: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """One more chunk has become a memory."""

    plan: ChatPlan
    number: int
    done: int
    """How many of the plan's chunks are done."""
    extracted: bool


@dataclass(frozen=True, slots=True)
class Folded:
    """Some memories have become one of a higher level."""

    plan: ChatPlan
    memories: int
    level: int


@dataclass(frozen=True, slots=True)
class Written:
    """A chat is finished, proved and in its place."""

    plan: ChatPlan
    path: str
    memories: int
    extracted: int
    tokens_before: int
    tokens_after: int
    backup: str
    """Where the version that was replaced went; empty where there was none."""
    over_budget: str = ""
    """That its memories take more than `fold.budget`, and why, as half a sentence; empty where they do not."""

    @property
    def sentence(self) -> str:
        """What was done, without the chat's title and without a full stop."""
        extracted = f", {self.extracted} of them extracted, not written by a model" if self.extracted else ""
        kept = f"; the version before is in {self.backup}" if self.backup else ""
        too_many = f"; {self.over_budget}" if self.over_budget else ""
        return (
            f"{self.tokens_before:,} tokens are now {self.tokens_after:,}, with {self.memories} memories"
            f"{extracted}{kept}{too_many}"
        )


@dataclass(frozen=True, slots=True)
class Waiting:
    """Requests have been sent together, as a batch, and its end is waited for."""

    requests: int
    since: str


Event = Planned | Notice | UserEdits | Answered | Noted | Remembered | Folded | Waiting
Tell = Callable[[Event], None]


def tell_nobody(event: Event) -> None:
    """For work that has no progress to show."""
