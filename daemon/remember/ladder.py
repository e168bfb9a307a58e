"""Who is asked to write an edition, one after the other, and with how many words.

agent             its answers, else half as long if they are not clearly smaller than what they stand for
fallback model    the same
engine            only where there must be no hole: shorter and shorter until it fits, down to a word an answer
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from daemon.models.roles import Roles
from daemon.remember.dialogue import QUOTE_WORDS, Dialogue, Pair, Passage, Subject, choose_quote, converse
from daemon.remember.question import Desk, Question, recording
from primer import prompt
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import ENGINE, EXTRACTIVE, Model, Request
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import (
    CHUNK_LEVEL,
    EXTRACTED,
    WRITTEN,
    Edition,
    Kind,
    Memory,
    allowance,
    is_clearly_smaller,
    memory_id,
)
from rules.conversation.quote import can_be_quoted
from rules.plan.chat_plan import asks_agent

Count = Callable[[str], int]
_ENGINE_ALONE = Pair(ENGINE, (ENGINE,))


@dataclass(frozen=True, slots=True)
class Work:
    """An edition to be written."""

    name: str
    """What it is called where its troubles are counted: memory, hindsight, fold."""
    source: str
    """What it must be clearly smaller than."""
    hold: Callable[[Desk, Pair, int], Dialogue | Refused]
    """Holds the dialogue at a desk, with a pair of models, in about so many words an answer."""
    words: int
    fits: Callable[[int, int], bool]
    """Whether an edition is clearly smaller than its source: by the tokens that were written for it, and by all."""
    count: Count


@dataclass(frozen=True, slots=True)
class Held:
    """A dialogue that was held, the requests that it took, and how large its answers and its six texts are."""

    dialogue: Dialogue
    requests: tuple[str, ...]
    written: int
    """Without our own questions."""
    tokens: int

    def edition(self, number: int, kind: Kind, written_at: str) -> Edition:
        """The edition that it has become."""
        return Edition(
            number=number,
            kind=kind,
            texts=self.dialogue.texts,
            quotes=self.dialogue.quotes,
            made=EXTRACTED if self.dialogue.agent == EXTRACTIVE else WRITTEN,
            agent=self.dialogue.agent,
            context_manager=self.dialogue.context_manager,
            requests=self.requests,
            tokens=self.tokens,
            written_at=written_at,
        )


def pairs(roles: Roles) -> list[Pair]:
    """Who is asked before the engine's bounded memory, one after the other."""
    fallback = (roles.fallback,) if roles.fallback else ()
    analysts = _each_once(roles.context_manager, *fallback, ENGINE)
    return [Pair(agent, analysts) for agent in _each_once(roles.agent, *fallback)]


def first_good(desk: Desk, work: Work, writers: Sequence[Pair]) -> Held | Refused:
    """The first dialogue that can be used and fits, else why the last one does not. There is at least one writer."""
    first, *others = writers
    found = _fitting(desk, work, first)
    for pair in others:
        if isinstance(found, Held):
            break
        desk.note(f"{work.name} by the fallback model")
        found = _fitting(desk, work, pair)
    return found


def first_analysis(texts: Texts, roles: Roles, alone: tuple[Turn, ...], asked: str, words: int) -> Request | None:
    """The context manager's question, which needs no answer before it; None where the engine is asked."""
    analyst = pairs(roles)[0].context_managers[0]
    if ENGINE in (roles.agent, analyst):
        return None
    return Question(Request("analysis", analyst, alone, words), asked, (), tagged=False).posed(texts)


def hold(desk: Desk, work: Work, pair: Pair, words: int) -> Held | Refused:
    """One dialogue, with what it took."""
    at_desk, asked = recording(desk)
    dialogue = work.hold(at_desk, pair, words)
    if isinstance(dialogue, Refused):
        return dialogue
    written = (*dialogue.texts[1::2], dialogue.analysis)
    return Held(dialogue, tuple(asked), *(sum(map(work.count, texts)) for texts in (written, dialogue.texts)))


def by_the_engine(desk: Desk, work: Work) -> Held:
    """The engine's, half as long each time until it fits. It has an answer to everything."""
    words = work.words
    while True:
        words = max(1, words // 2)
        held = hold(desk, work, _ENGINE_ALONE, words)
        if isinstance(held, Refused):
            raise RuntimeError(f"the built-in engine had no answer: {held.reason}")  # noqa: TRY004
        if work.fits(held.written, held.tokens) or words == 1:
            return held


def _fitting(desk: Desk, work: Work, pair: Pair) -> Held | Refused:
    for words in (work.words, work.words // 2):
        held = hold(desk, work, pair, words)
        if isinstance(held, Refused) or work.fits(held.written, held.tokens):
            return held
        desk.note(f"{work.name} not clearly smaller than {work.source}")
    return Refused("too long", f"The {work.name} is not clearly smaller than {work.source}.")


def _each_once(*models: Model) -> tuple[Model, ...]:
    return tuple(model for at, model in enumerate(models) if model not in models[:at])


def make_memory(desk: Desk, passage: Passage, roles: Roles, count: Count, written_at: str, number: int = 1) -> Memory:
    """The memory of a chunk, in edition `number`.

    Where the chunk has no words, or too few for what a model writes, no model is asked, and the engine says what was
    there. Raises ModelError where a model cannot be asked.
    """
    words = allowance(passage.tokens, desk.questions_tokens)
    asked = asks_agent(passage.chunk, passage.tokens, desk.questions_tokens, by_model=roles.agent != ENGINE)
    work = Work(
        name="memory",
        source="its chunk",
        hold=partial(_dialogue, passage),
        words=words,
        fits=lambda written, tokens: is_clearly_smaller(written, tokens, passage.tokens),
        count=count,
    )
    held = first_good(desk, work, pairs(roles)) if asked else None
    if isinstance(held, Refused) and roles.agent != ENGINE:
        desk.note("memory extracted by the engine")
    if not isinstance(held, Held):
        held = by_the_engine(desk, work)
    return _memory(passage, held, written_at, number)


def chunk_analysis(
    texts: Texts, chunk: Sequence[Entry], tokens: int, roles: Roles, questions_tokens: int
) -> Request | None:
    """The question about a chunk that needs no answer before it; None where the engine answers it."""
    if not asks_agent(chunk, tokens, questions_tokens, by_model=roles.agent != ENGINE):
        return None
    words = allowance(tokens, questions_tokens)
    return first_analysis(texts, roles, prompt.passage_alone(texts, chunk), prompt.ask_analysis(texts, words), words)


def _dialogue(passage: Passage, desk: Desk, pair: Pair, words: int) -> Dialogue | Refused:
    """The four calls, one after the other."""
    texts = desk.texts
    subject = Subject(
        before=prompt.context(
            texts, passage.system_message, passage.memories, passage.tail, passage.chunk, passage.breaks
        ),
        alone=prompt.passage_alone(texts, passage.chunk),
        spoken=passage.spoken,
        quote=prompt.ask_quote(texts, QUOTE_WORDS),
        perspective=prompt.ask_perspective(texts, words),
        analysis=prompt.ask_analysis(texts, words),
        words=words,
        guidance=passage.guidance,
    )
    request = Request("quote", pair.agent, subject.before, QUOTE_WORDS)
    asked = prompt.guided(texts, passage.guidance, subject.quote)
    question = Question(request, asked, passage.spoken)
    quote = choose_quote(desk, question, passage.chunk) if can_be_quoted(passage.chunk) else None
    return converse(desk, subject, pair, (quote,) if quote else ())


def _memory(passage: Passage, held: Held, written_at: str, number: int) -> Memory:
    first, last = passage.chunk[0].message, passage.chunk[-1].message
    edition = held.edition(number, "as-of", written_at)
    return Memory(
        memory_id=memory_id(passage.chat_id, passage.number, [entry.message.digest for entry in passage.chunk]),
        number=passage.number,
        level=CHUNK_LEVEL,
        keys=tuple(entry.key for entry in passage.chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=first.created_at,
        ended_at=last.created_at,
        source_tokens=passage.tokens,
        edition=edition,
        told=edition,
    )
