"""Who writes an edition, one after the other, until one fits: a memory of a chunk, or one with hindsight.

agent             its answers, else half as long if they are not clearly smaller than what they stand for
fallback model    the same
engine            only where there must be no hole: shorter and shorter until it fits, down to a word an answer

A memory is written once more, with what came after its chunk in view.

From the raw chunk and never from an earlier summary. The quote is permanent: it is copied, not asked for
again. The analysis is the very request of the as-of edition, so the journal answers it for nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.archive import Archive
from daemon.chat.survey import Passage
from daemon.events import Noted
from daemon.models.ask import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import Steps, rehearse
from daemon.models.tokens import count
from daemon.remember.dialogue import QUOTE_WORDS, Pair, Question, Subject, Transcript, Worksheet, choose_quote, converse
from primer import hindsight, prompt
from primer.prompt import Texts, Turn
from primer.reply import ENGINE, EXTRACTIVE, Model, Refused, Request
from rules.conversation.history import Entry
from rules.conversation.memory import (
    CHUNK_LEVEL,
    EXTRACTED,
    WRITTEN,
    Edition,
    Kind,
    Memory,
    Quote,
    allowance,
    analysis_words,
    is_clearly_smaller,
    is_enough_for_a_model,
    memory_id,
)
from rules.conversation.quote import can_be_quoted
from rules.plan.chat_plan import asks_agent

Count = Callable[[str], int]
_ENGINE_ALONE = Pair(ENGINE, (ENGINE,))


@dataclass(frozen=True, slots=True)
class Assignment:
    """An edition to be written."""

    name: str
    """What it is called where its troubles are counted: memory, hindsight, fold."""
    source: str
    """What it must be clearly smaller than."""
    dialogue: Callable[[Worksheet, Pair, int], Steps[Transcript | Refused]]
    """The dialogue on a sheet, with a pair of models, in about so many words an answer."""
    words: int
    fits: Callable[[int, int], bool]
    """Whether an edition is clearly smaller than its source: by the tokens that were written for it, and by all."""
    count: Count


@dataclass(frozen=True, slots=True)
class FinishedDialogue:
    """A finished dialogue, the requests that it took, and how large its answers and its six texts are."""

    transcript: Transcript
    requests: tuple[str, ...]
    written: int
    """Without our own questions."""
    tokens: int

    def edition(self, number: int, kind: Kind, written_at: str) -> Edition:
        """The edition that it has become."""
        return Edition(
            number=number,
            kind=kind,
            texts=self.transcript.texts,
            quotes=self.transcript.quotes,
            made=EXTRACTED if self.transcript.agent == EXTRACTIVE else WRITTEN,
            agent=self.transcript.agent,
            context_manager=self.transcript.context_manager,
            requests=self.requests,
            tokens=self.tokens,
            written_at=written_at,
        )


def pairs(roles: Roles) -> list[Pair]:
    """Who is asked before the engine's bounded memory, one after the other."""
    fallback = (roles.fallback,) if roles.fallback else ()
    analysts = _each_once(roles.context_manager, *fallback, ENGINE)
    return [Pair(agent, analysts) for agent in _each_once(roles.agent, *fallback)]


def first_good(sheet: Worksheet, work: Assignment, writers: Sequence[Pair]) -> Steps[FinishedDialogue | Refused]:
    """The first dialogue that can be used and fits, else why the last one does not. There is at least one writer."""
    for pair in writers:
        if pair != writers[0]:
            yield Noted(f"{work.name} by the fallback model")
        finished = yield from _fitting(sheet, work, pair)
        if isinstance(finished, FinishedDialogue):
            break
    return finished


def first_analysis(sheet: Worksheet, roles: Roles, alone: tuple[Turn, ...], asked: str, words: int) -> Request | None:
    """The context manager's question, which needs no answer before it; None where the engine is asked."""
    analyst = pairs(roles)[0].context_managers[0]
    if ENGINE in (roles.agent, analyst):
        return None
    return Question(Request("analysis", analyst, alone, words), asked, (), tagged=False).posed(sheet.texts)


def _hold(sheet: Worksheet, work: Assignment, pair: Pair, words: int) -> Steps[FinishedDialogue | Refused]:
    """One dialogue, with what it took."""
    own = sheet.anew()
    transcript = yield from work.dialogue(own, pair, words)
    if isinstance(transcript, Refused):
        return transcript
    written = (*transcript.texts[1::2], transcript.analysis)
    sizes = (sum(map(work.count, texts)) for texts in (written, transcript.texts))
    quotes = tuple(replace(quote, tokens=work.count(quote.text)) for quote in transcript.quotes)
    return FinishedDialogue(replace(transcript, quotes=quotes), tuple(own.requests), *sizes)


def by_the_engine(sheet: Worksheet, work: Assignment) -> Steps[FinishedDialogue]:
    """The engine's, half as long each time until it fits. It has an answer to everything."""
    words = work.words
    while True:
        words = max(1, words // 2)
        finished = yield from _hold(sheet, work, _ENGINE_ALONE, words)
        if isinstance(finished, Refused):
            raise RuntimeError(f"the built-in engine had no answer: {finished.reason}")  # noqa: TRY004
        if work.fits(finished.written, finished.tokens) or words == 1:
            return finished


def _fitting(sheet: Worksheet, work: Assignment, pair: Pair) -> Steps[FinishedDialogue | Refused]:
    for words in (work.words, work.words // 2):
        finished = yield from _hold(sheet, work, pair, words)
        if isinstance(finished, Refused) or work.fits(finished.written, finished.tokens):
            return finished
        yield Noted(f"{work.name} not clearly smaller than {work.source}")
    return Refused("too long", f"The {work.name} is not clearly smaller than {work.source}.")


def _each_once(*models: Model) -> tuple[Model, ...]:
    return tuple(model for at, model in enumerate(models) if model not in models[:at])


def make_memory(
    sheet: Worksheet, passage: Passage, roles: Roles, count: Count, clock: Clock, number: int = 1
) -> Steps[Memory]:
    """The memory of a chunk, in edition `number`.

    Where the chunk has no words, or too few for what a model writes, no model is asked, and the engine says what was
    there. Raises ModelError where a
    model cannot be asked.
    """
    work = Assignment(
        name="memory",
        source="its chunk",
        dialogue=partial(_dialogue, passage),
        words=allowance(passage.tokens, sheet.questions_tokens),
        fits=lambda written, tokens: is_clearly_smaller(written, tokens, passage.tokens),
        count=count,
    )
    finished: FinishedDialogue | Refused | None = None
    if asks_agent(passage.chunk, passage.tokens, sheet.questions_tokens, by_model=roles.agent != ENGINE):
        finished = yield from first_good(sheet, work, pairs(roles))
    if isinstance(finished, Refused) and roles.agent != ENGINE:
        yield Noted("memory extracted by the engine")
    if not isinstance(finished, FinishedDialogue):
        finished = yield from by_the_engine(sheet, work)
    return _memory(passage, finished.edition(number, "as-of", clock()))


def chunk_analysis(sheet: Worksheet, chunk: Sequence[Entry], tokens: int, roles: Roles) -> Request | None:
    """The question about a chunk that needs no answer before it; None where the engine answers it."""
    if not asks_agent(chunk, tokens, sheet.questions_tokens, by_model=roles.agent != ENGINE):
        return None
    words = analysis_words(allowance(tokens, sheet.questions_tokens))
    alone = prompt.passage_alone(sheet.texts, chunk)
    return first_analysis(sheet, roles, alone, prompt.ask_analysis(sheet.texts, words), words)


def _dialogue(passage: Passage, sheet: Worksheet, pair: Pair, words: int) -> Steps[Transcript | Refused]:
    """The four calls, one after the other."""
    texts = sheet.texts
    subject = Subject(
        before=prompt.context(
            texts, passage.system_message, passage.memories, passage.tail, passage.chunk, passage.breaks
        ),
        alone=prompt.passage_alone(texts, passage.chunk),
        spoken=passage.spoken,
        quote=prompt.ask_quote(texts, QUOTE_WORDS, passage.title(extracted=pair.agent == ENGINE)),
        perspective=prompt.ask_perspective(texts, words),
        analysis=prompt.ask_analysis(texts, analysis_words(words)),
        words=words,
        guidance=passage.guidance,
    )
    quote = None
    if can_be_quoted(passage.chunk):
        request = Request("quote", pair.agent, subject.before, QUOTE_WORDS)
        text = prompt.posed(texts, subject.quote, QUOTE_WORDS, passage.guidance)
        quote = yield from choose_quote(sheet, Question(request, text, passage.spoken), passage.chunk)
    return (yield from converse(sheet, subject, pair, (quote,) if quote else ()))


def _memory(passage: Passage, edition: Edition) -> Memory:
    first, last = passage.chunk[0].message, passage.chunk[-1].message
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


def make_hindsight(
    sheet: Worksheet,
    passage: Passage,
    after: Sequence[Entry],
    before: Edition,
    roles: Roles,
    count: Count,
    clock: Clock,
    number: int,
) -> Steps[Edition | Refused]:
    """The hindsight edition `number` of a chunk's memory; `before` is the edition whose quote it keeps.

    `passage` is what the memory was written from, `after` the raw messages that came after its chunk. Refused
    where no model writes one that can be used: the engine has no hindsight. Raises ModelError where a model
    cannot be asked.
    """
    writers = [pair for pair in pairs(roles) if pair.agent != ENGINE]
    if not writers:
        return Refused("refused", "The built-in engine cannot look back.")
    work = Assignment(
        name="hindsight",
        source="its chunk",
        dialogue=partial(_hindsight_dialogue, passage, after, before.quotes),
        words=allowance(passage.tokens, sheet.questions_tokens),
        fits=lambda written, tokens: is_clearly_smaller(written, tokens, passage.tokens),
        count=count,
    )
    finished = yield from first_good(sheet, work, writers)
    return finished if isinstance(finished, Refused) else finished.edition(number, "hindsight", clock())


def _hindsight_dialogue(
    passage: Passage, after: Sequence[Entry], quotes: tuple[Quote, ...], sheet: Worksheet, pair: Pair, words: int
) -> Steps[Transcript | Refused]:
    """The three calls that are left when the quote is known."""
    texts = sheet.texts
    lived = (passage.system_message, passage.memories, passage.tail, passage.chunk, after, passage.breaks)
    subject = Subject(
        before=hindsight.context_in_hindsight(texts, *lived),
        alone=prompt.passage_alone(texts, passage.chunk),
        spoken=passage.spoken,
        quote=prompt.ask_quote(texts, QUOTE_WORDS, passage.title()),
        perspective=hindsight.ask_perspective(texts, words),
        analysis=prompt.ask_analysis(texts, analysis_words(words)),
        words=words,
        guidance=passage.guidance,
    )
    return (yield from converse(sheet, subject, pair, quotes))


def worth_asking(
    archive: Archive,
    passages: Sequence[Passage],
    memories: Sequence[Memory],
    roles: Roles,
    texts: Texts,
    questions_tokens: int,
) -> Iterator[int]:
    """Numbers of the extracted memories that a model could write now. `passages` are those of `memories`."""
    if roles.agent == ENGINE:
        return
    for passage, memory in zip(passages, memories, strict=True):
        if memory.told.made != EXTRACTED or not is_enough_for_a_model(passage.tokens, questions_tokens):
            continue
        rehearsed = rehearse(
            archive, make_memory(Worksheet(texts, questions_tokens), passage, roles, count, lambda: "")
        )
        if rehearsed is None or rehearsed.told.made == WRITTEN:
            yield memory.number
