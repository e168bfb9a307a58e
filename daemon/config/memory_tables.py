"""The tables of memproc.toml on tails, chunks, memories, folds, core memory, facts and passages."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, SerializeAsAny

from daemon.config.folder_tables import Text
from daemon.config.tables import AS_WRITTEN, ConfigProblem, Table, checked, gone
from daemon.files.clock import is_zone
from rules.layers.core import Value, render_value

_LEAST_TAIL = 800
_LARGE_ENOUGH = checked(
    lambda tokens: tokens >= 400,
    "must be at least 400, since about 40 tokens of each memory are the questions in it",
)
_KNOWN_ZONE = checked(
    lambda name: not name or is_zone(name),
    'must be a time zone as in "Europe/Berlin", or empty for the one that the archive keeps',
)
_LOOK_AHEAD = 4  # chunks: bounds look that far ahead, so the live tail is at least as long
MOST_TOKENS = 10_000_000
"""More than any model's window; beyond it a number is a slip of the hand."""
_LEAST_BUDGET = 500  # tokens; fewer hold no memory
_MOST_MEMORIES = 100

_MOST_CHARACTERS = 100_000
_RESERVED = "facts"
_NAME = re.compile(r"[a-z0-9_-]+")


class TailSettings(Table, title="Tail and chunks"):
    """What stays as it was said."""

    tokens: int = Field(
        default=30_000,
        ge=_LEAST_TAIL,
        le=MOST_TOKENS,
        title="Newest tokens that stay word for word",
    )
    """How many of the newest tokens of a chat stay word for word. About as many raw messages come before each
    chunk when its memory is written, so that the agent knows where it is in the story. At least four
    times `chunk.tokens`: chunks are cut with that much in view.
    """

    step: int = Field(
        default=24_000, ge=0, le=MOST_TOKENS, title="Tokens between two moves of the tail"
    )
    """The raw messages in front of a chunk move on by about this many tokens at a time: they gather until they are
    half of it more than `tail.tokens`, and go on with half of it less. Between two moves all requests begin
    alike, so that the provider's cache is read, and each move writes it again: with 8,000 a conversation of
    420,000 tokens costs a fifth more. At most twice `tail.tokens`; 0 moves every time.
    """


class ChunkSettings(Table, title="Tail and chunks"):
    """What becomes one memory."""

    tokens: Annotated[int, _LARGE_ENOUGH] = Field(
        default=4_000, le=MOST_TOKENS, title="Tokens that become one memory"
    )
    """About how many tokens become one memory. Turns are never split, so that chunks differ a little.
    Smaller ones keep more detail and cost more calls. At least 400. Where memories would take more than they replace,
    the chat stays as it is.
    """

    bounds: Literal["topics", "embedding", "size"] = Field(
        default="topics", title="Where a chunk ends"
    )
    """Where a chunk ends. "topics": at the end of a turn near that size where the talk turns to something else, by the
    words before and after it, or where there was a pause. "embedding": the same by what they mean, as a small table of
    vectors has it, on this machine alone; for talk in English, and with `pip install '.[embedding]'` (docs/memories.md).
    "size": as near to that size as turns allow. What has a memory keeps its bounds, when you choose another.
    """


def token_clashes(tail: TailSettings, chunk: ChunkSettings) -> Iterator[ConfigProblem]:
    """Yield the contradictions between the numbers of tokens."""
    if tail.tokens < _LOOK_AHEAD * chunk.tokens:
        yield ConfigProblem(
            (("tail", "tokens"), ("chunk", "tokens")),
            f"must be at least {_LOOK_AHEAD * chunk.tokens}, "
            f"{_LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > 2 * tail.tokens:
        yield ConfigProblem(
            (("tail", "step"), ("tail", "tokens")),
            f"must be at most {2 * tail.tokens}, twice tail.tokens (is {tail.step})",
        )


class EditionSettings(Table):
    """`[memory]`, as far as chats may differ."""

    hindsight: int = Field(default=2, ge=0, le=_MOST_MEMORIES)
    """How many of the newest memories are written once more, from their raw messages, when newer ones come: with the 8000
    tokens that were said afterwards in view. Each memory gets one such hindsight edition; the first one stays. 0: none.
    """

    editions: Literal["hindsight", "as-of"] = "hindsight"
    """Which edition is in the export where there are both: "hindsight", or "as-of", the one that was written
    with nothing later in sight. `memproc use MEMORY EDITION` chooses for one memory.
    """

    hindsight_tokens: object = gone(8_000, "Hindsight sees 8,000 tokens")


class MemorySettings(EditionSettings):
    """What a memory shows."""

    zone: Annotated[str, _KNOWN_ZONE] = ""
    """The time zone of the days in titles, of facts and on the page, as in "Europe/Berlin": at half past nine in the
    evening in Los Angeles it is the next day in UTC already. Empty: the one that the computer had when the archive was
    made, which the archive keeps. Memories that there are keep the days in their titles.
    """


def _number_or_auto(value: object) -> int | Literal["auto"]:
    """Check for both types with one error; pydantic would report one for each type."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and value is not True and _LEAST_BUDGET <= value <= MOST_TOKENS:
        return value
    raise ValueError(f'must be "auto" or a whole number from {_LEAST_BUDGET} to {MOST_TOKENS}')


class FoldSettings(Table, title="Folds"):
    """How much all memories together take."""

    budget: Annotated[int | Literal["auto"], PlainValidator(_number_or_auto)] = Field(
        default="auto", title="Tokens of all memories, or auto"
    )
    """How many tokens all memories together may take, without their quotes and wishes. Where they are more, up to six
    of the oldest become one fold, with the quote of each, word for word. Beyond 8000 tokens the quotes of the oldest
    folds shrink to one sentence each; none is ever dropped. The archive keeps every memory, and with a larger budget
    they come back. A memory that you have edited or pinned is never folded; where these alone take more than the
    budget, `memproc plan` and `memproc run` say so.

    "auto": a tenth of the tokens that they were made of, at least 16000, and never more than a fifth of what the agent's
    window holds. So a long conversation keeps more; each message sends it, mostly from the provider's cache. A number, as
    16000, is kept to however long a chat becomes.
    """

    wishes: int = Field(default=1_500, ge=0, le=MOST_TOKENS, title="Tokens of all standing wishes")
    """How many tokens all standing wishes together may take: what you asked to hold from now on ("Always format dates as
    ...", "Call me ..."). Each is word for word in its memory, and goes through every fold. Where they are more, those
    leave folds first that a later wish on the same matter has replaced, then the oldest: `memproc plan`, `memproc status`
    and the page name them, and the archive keeps them all. What is promised or to be done once has 500 tokens of its own.
    """

    group: object = gone(6, "Six memories become a fold")
    quotes: object = gone(8_000, "Quotes of folds shrink beyond 8,000 tokens")


def _named(sections: dict[str, "SectionSettings"]) -> dict[str, "SectionSettings"]:
    for name in sections:
        if not _NAME.fullmatch(name):
            raise ValueError(f'"{name[:40]}" must be in small letters, digits, - and _ alone')
        if name == _RESERVED:
            raise ValueError(f'"{name}" is what the list of facts is called')
    return sections


def _text_or_texts(value: object) -> Value:
    """Check for both shapes with one error; pydantic would report one for each shape."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(
        isinstance(entry, str) and entry.strip() for entry in value
    ):
        return tuple(value)
    raise ValueError('must be a text in quotes, or a list of texts, like ["one", "two"]')


class SectionSettings(Table):
    """What is left out is the layout's, or in a new section as here."""

    description: str = ""
    limit: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
    value: Annotated[Value, PlainValidator(_text_or_texts), SerializeAsAny()] = ""


class CoreSettings(Table):
    """The core memory: sections that the agent edits itself after each memory, in the message before the memories."""

    enabled: bool = True
    """Whether there is one. It takes one more call of the agent for each memory, nearly all of which the provider's cache
    answers. These edits follow one another, so that a long chat takes longer than without, above all in batches.
    """

    layout: Text = "chat"
    """Which sections there are at first, and what the agent may do with them. "chat": `persona` and `human`, to append
    and to replace. Other layouts are Python classes that you install (docs/core-memory.md).
    """

    form: Literal["auto", "tools", "json"] = "auto"
    """How edits are offered. "auto": as tools, where LiteLLM knows that the model calls tools, else as JSON in the answer.
    "tools" and "json" choose one of the two, for a model about which LiteLLM is wrong.
    """

    sections: Annotated[dict[str, SectionSettings], AfterValidator(_named), AS_WRITTEN] = Field(
        default_factory=dict
    )
    """Further sections, or other words for the layout's own: what it is for, how many characters it holds at most, and its
    first value, a text or a list of texts. A section whose limit is 0 is left out.

        [core.sections.promises]
        description = "What we have promised one another, and what became of it."
        limit = 1000
        value = ["To read the logbook together in March."]
    """

    def overridden(self, by: Self) -> Self:
        """Return this table with what an override says; the sections are combined one by one."""
        sections = {**self.sections, **by.sections}
        return super().overridden(by).model_copy(update={"sections": sections})


def section_clashes(core: CoreSettings) -> Iterator[ConfigProblem]:
    """Yield first values that are longer than their sections may be.

    Where somebody else's layout sets the limit, that shows only when the layout is loaded.
    """
    ours = core.layout == CoreSettings().layout
    for name, section in core.sections.items():
        length = len(render_value(section.value))
        if (ours or "limit" in section.model_fields_set) and 0 < section.limit < length:
            place = ("core", "sections", name)
            yield ConfigProblem(
                ((*place, "value"), (*place, "limit")),
                f"must have at most {section.limit} characters, "
                f"the limit of its section (has {length})",
            )


class FactSettings(Table):
    """Facts: short statements, each with its day, in the message before the memories."""

    enabled: bool = True
    """Whether the context manager takes facts from each chunk, one call for each. What is contradicted gives way to what
    holds now.
    """

    budget: int = Field(default=1_500, ge=100, le=_MOST_CHARACTERS)
    """How many tokens of facts are in the export: the newest and those that were said most often. The others stay in the
    archive.
    """

    embedding: str = ""
    """A model that turns texts into vectors, as LiteLLM spells it ("openai/text-embedding-3-small"), so that a fact that
    is said again in other words is noticed. Empty: only the same words are noticed.
    """

    compare: object = gone(40, "A chunk is compared with 40 facts")


class KeepSettings(Table):
    """What is kept word for word."""

    budget: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
    """How many tokens of passages are kept word for word: messages that you pin in TypingMind, and what `memproc keep` and
    the page mark. They are in the message before the memories, as they were said, until you release them. What comes when
    they are full waits until there is room; what is kept already stays, also where you write a smaller number here.
    """
