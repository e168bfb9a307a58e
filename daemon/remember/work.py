"""The work on one chat while models are asked: what is under way, and the worksheet of each dialogue.

A worksheet has the texts that models read, sizes for its errors, and the dialogue's requests so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.archive.journal import FormerAnswers, Reply
from daemon.chat.survey import Survey
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from primer.models import token_factor
from primer.reply import Request
from primer.wording import Texts
from rules.conversation.memory import Memory
from rules.conversation.memory_size import SHIPPED_QUESTIONS
from rules.errors import ContextTooLong, TooLong
from rules.plan.limits import largest_part, parts_of
from rules.plan.work import PlannedChunk

_PASSAGE_ALONE = ("analysis", "facts")
"""The questions to the context manager, which sees nothing but the passage."""

BEFORE_ALL_CHUNKS = -1

Keep = Callable[[], None]
"""Stores the result of a dialogue."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """What a dialogue is written on."""

    texts: Texts
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory, as these texts word them."""
    about: str = ""
    """The chat and what is written, for an error."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """About how many tokens each part of the agent's requests has."""
    passage: str = ""
    """The part that the context manager sees."""
    former: FormerAnswers | None = None
    """The answers that older versions of memproc were given."""
    keeps_misshapen: bool = False
    """Whether an answer is kept whose only fault, the second time, is its form."""
    requests: list[str] = field(default_factory=list)
    """The keys of its requests, in order."""

    @property
    def former_until(self) -> str:
        """Return the time until which answers are judged as older versions did; empty for never."""
        return self.former.until if self.former else ""

    def was_asked(self, request: Request) -> bool:
        """Return whether an older version has asked this."""
        return self.former is not None and self.former.has(request.key)

    def blank(self) -> "Worksheet":
        """Return the same worksheet before any request."""
        return replace(self, requests=[])

    def ask(self, request: Request) -> Steps[Reply]:
        """Return the reply to a request. Raises TooLong, with the sizes of its parts, where it does not fit."""
        self.requests.append(request.key)
        try:
            return (yield request)
        except ContextTooLong as fault:
            parts = self.parts
            if request.step in _PASSAGE_ALONE:
                parts = {self.passage: parts[self.passage]}
            sentence = f"{self.about}: {fault.message} {largest_part(parts)}"
            raise TooLong(sentence, fault.next_step) from fault


@dataclass(frozen=True, slots=True)
class ChatWork:
    """The work on a chat: its context and scheduler, its survey, and its memories so far."""

    context: Context
    scheduler: Scheduler
    survey: Survey
    memories: list[Memory]
    """The chat's memories and folds so far."""


class Lane:
    """Dialogues that go on while chunks are written, one after the other: at most one is under way."""

    def __init__(self, work: ChatWork) -> None:
        self.work = work
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Return whether a dialogue has been begun and is not kept yet."""
        return self._dialogue is not None

    def set_out(self, dialogue: RunningDialogue[Keep]) -> None:
        """Begin a dialogue."""
        self._dialogue = dialogue
        self.work.scheduler.begin(dialogue)

    def keep(self) -> None:
        """Store the result of the dialogue if it is finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None


def worksheet_of_chunk(survey: Survey, chunk: PlannedChunk, after_tokens: int = 0) -> Worksheet:
    """Return the worksheet of a chunk's memory, facts or core memory.

    In hindsight, `after_tokens` are those of what came after the chunk.
    """
    factor = token_factor(survey.roles.agent.name)
    parts = parts_of(chunk, survey.plan.fixed_tokens, factor)
    if after_tokens:
        parts["what came after"] = round(after_tokens * factor)
    about = f'"{survey.plan.title}", chunk {chunk.number}'
    return _worksheet(survey, about, parts, "the chunk")


def worksheet_of_fold(survey: Survey, members: Sequence[Memory]) -> Worksheet:
    """Return the worksheet of one fold."""
    factor = token_factor(survey.roles.agent.name)
    parts = {
        "system message and primer": round(survey.plan.fixed_tokens * factor),
        "the memories": round(sum(member.in_prompts.tokens for member in members) * factor),
    }
    about = f'"{survey.plan.title}", a fold of {len(members)} memories'
    return _worksheet(survey, about, parts, "the memories")


def _worksheet(survey: Survey, about: str, parts: Mapping[str, int], passage: str) -> Worksheet:
    texts, questions = survey.shown.texts, survey.plan.questions_tokens
    return Worksheet(texts, questions, about, parts, passage, survey.former)


def chunk_memory(memories: list[Memory], chunk: PlannedChunk) -> Memory:
    """Return the memory of a chunk."""
    return next(
        memory for memory in memories if not memory.is_fold and memory.number == chunk.number
    )
