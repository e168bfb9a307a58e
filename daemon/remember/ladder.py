"""The writers of a memory's edition, as of then or with hindsight, tried in turn until one fits.

agent             its edition; if not clearly smaller than its source, another of half the length
fallback model    the same
agent, fallback   if there must be a memory: answers whose only fault, at the second attempt, is
                  their form; marked so
engine            if there must be a memory: half the length each time until it fits, down to one
                  word an answer

With hindsight a memory is written once more, from the raw chunk and never from a summary, with what
came after in view. The quote is permanent: it is copied, not asked for again. The analysis repeats
the request of the as-of edition, so the journal answers it for free.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

from daemon.chat.passage import Passage
from daemon.models.context import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import Noted, Steps
from daemon.models.tokens import count
from daemon.remember.dialogue import (
    AgentQuestion,
    Pair,
    Subject,
    Transcript,
    converse,
    extract,
    is_only_misshapen,
)
from daemon.remember.engine import chunk_material, in_view
from daemon.remember.question import Question, Worksheet
from daemon.remember.quotes import choose_quote, extract_quote, stated_in, with_stated
from primer import prompt
from primer.models import ENGINE, EXTRACTIVE, Model
from primer.prompt import Turn
from primer.reply import Refused, Request
from primer.wording import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import (
    CHUNK_LEVEL,
    EXTRACTED,
    WRITTEN,
    Edition,
    Memory,
    Quote,
    memory_id,
)
from rules.conversation.memory_size import (
    allowance,
    analysis_words,
    extracted_words,
    is_clearly_smaller,
)
from rules.conversation.quote import QUOTE_WORDS, can_be_quoted
from rules.plan.chat_plan import asks_agent

Dialogue = Callable[[Worksheet, Pair, int], Steps[Transcript | Refused]]
"""Begins a dialogue on a sheet, with a pair of models, with about that many words an answer."""
_ENGINE_ALONE = Pair(None, ())


@dataclass(frozen=True, slots=True)
class Assignment:
    """An edition to be written."""

    name: str
    """The name under which its troubles are counted: memory, hindsight, fold."""
    source: str
    """What it must be clearly smaller than, in words: its chunk, its memories."""
    dialogue: Dialogue
    words: int
    """About how many words each of a model's answers may have."""
    extracted_words: int
    """The same for the engine, which leaves most of the room to the last answer."""
    fits: Callable[[int, int], bool]
    """Whether an edition is clearly smaller than its source, by the tokens written for it and by
    all its tokens."""


def list_pairs(roles: Roles) -> list[Pair]:
    """List the pairs of models to ask, in turn, before the engine."""
    fallback = (roles.fallback,) if roles.fallback else ()
    managers = _each_once(roles.context_manager, *fallback)
    analysts = tuple(takewhile(lambda model: model != ENGINE, managers))
    agents = _each_once(roles.agent, *fallback)
    return [Pair(None if agent == ENGINE else agent, analysts) for agent in agents]


def _each_once(*models: Model) -> tuple[Model, ...]:
    return tuple(model for at, model in enumerate(models) if model not in models[:at])


def first_good(
    sheet: Worksheet, work: Assignment, writers: Sequence[Pair]
) -> Steps[Edition | Refused]:
    """Return the first edition that can be used and fits, else why there is none.

    There is at least one writer. A refusal for form alone is returned before any other.
    """
    refusals: list[Refused] = []
    for pair in writers:
        if pair != writers[0]:
            yield Noted(f"{work.name} by the fallback model")
        edition = yield from _by_pair(sheet, work, pair)
        if isinstance(edition, Edition):
            return edition
        refusals.append(edition)
    return next(filter(is_only_misshapen, refusals), refusals[-1])


def _by_pair(sheet: Worksheet, work: Assignment, pair: Pair) -> Steps[Edition | Refused]:
    """Return the edition of a pair, at half the length where the first one is too long."""
    most = work.words if pair.agent else work.extracted_words
    for words in (most, most // 2):
        edition_or_refusal = yield from _hold(sheet, work, pair, words)
        if isinstance(edition_or_refusal, Refused):
            return edition_or_refusal
        edition, fits = edition_or_refusal
        if fits:
            return edition
        yield Noted(f"{work.name} not clearly smaller than {work.source}")
    return Refused("too long", f"The {work.name} is not clearly smaller than {work.source}.")


def without_hole(
    sheet: Worksheet, work: Assignment, roles: Roles, *, by_model: bool = True
) -> Steps[Edition]:
    """Write the first good edition, else the engine's, at half the length each time until it fits.

    There always is one, since the engine always answers. Without `by_model` no model is asked.
    """
    if by_model:
        edition = yield from _by_models(sheet, work, list_pairs(roles))
        if isinstance(edition, Edition):
            return edition
        if roles.has_agent:
            yield Noted(f"{work.name} extracted by the engine")
    words = work.extracted_words
    while True:
        edition_or_refusal = yield from _hold(sheet, work, _ENGINE_ALONE, words)
        if isinstance(edition_or_refusal, Refused):
            raise RuntimeError(f"the built-in engine had no answer: {edition_or_refusal.reason}")  # noqa: TRY004
        edition, fits = edition_or_refusal
        if fits or words == 1:
            return edition
        words = max(1, words // 2)


def _by_models(
    sheet: Worksheet, work: Assignment, writers: Sequence[Pair]
) -> Steps[Edition | Refused]:
    """Return the first good edition, else the first that is only misshapen, else why there is none.

    The second pass costs nothing: what the first one asked is in the journal by then.
    """
    keeping = replace(sheet, keeps_misshapen=True)
    if len(writers) == 1:
        return (yield from first_good(keeping, work, writers))
    edition = yield from first_good(sheet, work, writers)
    if isinstance(edition, Refused) and is_only_misshapen(edition):
        return (yield from first_good(keeping, work, writers))
    return edition


def _hold(
    sheet: Worksheet, work: Assignment, pair: Pair, words: int
) -> Steps[tuple[Edition, bool] | Refused]:
    """Hold one dialogue. Return the edition, still without its date, and whether it fits."""
    own_sheet = sheet.blank()
    transcript = yield from work.dialogue(own_sheet, pair, words)
    if isinstance(transcript, Refused):
        return transcript
    written = sum(map(count, (*transcript.texts[1::2], transcript.analysis)))
    edition = Edition(
        number=1,
        kind="as-of",
        texts=transcript.texts,
        quotes=tuple(replace(quote, tokens=count(quote.framed)) for quote in transcript.quotes),
        made=EXTRACTED if transcript.agent == EXTRACTIVE else WRITTEN,
        agent=transcript.agent,
        context_manager=transcript.context_manager,
        requests=tuple(own_sheet.requests),
        tokens=sum(map(count, transcript.texts)),
        written_at="",
        form=transcript.form,
    )
    return edition, work.fits(written, edition.tokens)


def first_analysis(
    sheet: Worksheet, roles: Roles, alone: tuple[Turn, ...], text: str, words: int
) -> Request | None:
    """Return the request for the analysis, which needs no earlier answer; None if none is made."""
    if not (roles.has_agent and roles.has_manager):
        return None
    request = Request("analysis", roles.context_manager, alone, words)
    return Question(request, prompt.fill_length(text, words), (), tagged=False).posed(sheet.texts)


def make_memory(sheet: Worksheet, passage: Passage, roles: Roles, clock: Clock) -> Steps[Memory]:
    """Write the memory of a chunk.

    If the chunk has no words, or too few for a model's memory to be smaller, no model is asked and
    the engine extracts one. Raises ModelError where a model cannot be asked.
    """
    work = _about_chunk("memory", sheet, passage, partial(_dialogue, passage))
    by_model = _asks_agent(sheet, passage.chunk, passage.tokens, roles)
    edition = yield from without_hole(sheet, work, roles, by_model=by_model)
    edition = replace(edition, written_at=clock())
    edition = with_stated(edition, stated_in(passage.chunk, passage.zone), passage.spoken)
    first, last = passage.chunk[0].message, passage.chunk[-1].message
    return Memory(
        memory_id=memory_id(
            passage.chat_id, passage.number, [entry.message.digest for entry in passage.chunk]
        ),
        number=passage.number,
        level=CHUNK_LEVEL,
        keys=tuple(entry.key for entry in passage.chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=passage.date(passage.chunk[0]),
        ended_at=passage.date(passage.chunk[-1]),
        source_tokens=passage.tokens,
        edition=edition,
        in_prompts=edition,
    )


def is_written(sheet: Worksheet, passage: Passage, roles: Roles) -> Steps[bool]:
    """Ask for the memory of a chunk. Return whether a model has written it."""
    if not _asks_agent(sheet, passage.chunk, passage.tokens, roles):
        return False
    work = _about_chunk("memory", sheet, passage, partial(_dialogue, passage))
    edition = yield from _by_models(sheet, work, list_pairs(roles))
    return isinstance(edition, Edition) and edition.made == WRITTEN


def _asks_agent(sheet: Worksheet, chunk: Sequence[Entry], tokens: int, roles: Roles) -> bool:
    return asks_agent(chunk, tokens, sheet.questions_tokens, by_model=roles.has_agent)


def _about_chunk(name: str, sheet: Worksheet, passage: Passage, dialogue: Dialogue) -> Assignment:
    words = allowance(passage.tokens, sheet.questions_tokens)
    extracted = extracted_words(passage.tokens)

    def fits(written: int, tokens: int) -> bool:
        return is_clearly_smaller(written, tokens, passage.tokens)

    return Assignment(name, "its chunk", dialogue, words, extracted, fits)


def chunk_analysis(
    sheet: Worksheet, chunk: Sequence[Entry], tokens: int, roles: Roles
) -> Request | None:
    """Return the request about a chunk that depends on no earlier answer; None if there is none."""
    if not _asks_agent(sheet, chunk, tokens, roles):
        return None
    words = analysis_words(allowance(tokens, sheet.questions_tokens))
    alone = prompt.passage_alone(sheet.texts, chunk)
    return first_analysis(sheet, roles, alone, sheet.texts.analysis, words)


def _dialogue(
    passage: Passage,
    sheet: Worksheet,
    pair: Pair,
    words: int,
    after: Sequence[Entry] = (),
    quotes: tuple[Quote, ...] | None = None,
) -> Steps[Transcript | Refused]:
    """Make the four calls in turn, or three with hindsight, whose `quotes` are known.

    `after` are the raw messages that came after the chunk, for hindsight.
    """
    texts, managers = sheet.texts, pair.context_managers
    if pair.agent is None:
        subject = _for_engine(texts, passage, words)
        quote = extract_quote(subject.material, passage.chunk)
        return (yield from extract(sheet, subject, managers, (quote,) if quote else ()))
    before = passage.context(texts)
    if quotes is not None:
        before = prompt.add_hindsight(texts, before, after)
        subject = _subject(texts, passage, words, before, in_hindsight=True)
        return (yield from converse(sheet, subject, pair.agent, managers, quotes))
    subject = _subject(texts, passage, words, before, in_hindsight=False)
    quote = None
    if can_be_quoted(passage.chunk):
        request = subject.request("quote", pair.agent, subject.before)
        posed = subject.posed(texts, "quote", subject.quote.asked)
        question = Question(request, posed, subject.spoken)
        quote = yield from choose_quote(sheet, question, passage)
    return (yield from converse(sheet, subject, pair.agent, managers, (quote,) if quote else ()))


def _subject(
    texts: Texts,
    passage: Passage,
    words: int,
    before: tuple[Turn, ...],
    *,
    in_hindsight: bool = False,
) -> Subject:
    """Return the subject of a dialogue about a chunk."""
    perspective = (texts.perspective, texts.perspective_asked)
    if in_hindsight:
        perspective = (texts.perspective_hindsight, texts.perspective_hindsight_asked)
    kept, asked = (prompt.fill_length(text, words) for text in perspective)
    quote, quote_asked = (
        prompt.fill_length(text, QUOTE_WORDS) for text in (texts.quote, texts.quote_asked)
    )
    return Subject(
        before=before,
        alone=prompt.passage_alone(texts, passage.chunk),
        material=chunk_material(passage),
        spoken=passage.spoken,
        quote=AgentQuestion(
            f"{passage.title()} {quote}", f"{passage.title(with_subject=False)} {quote_asked}"
        ),
        perspective=AgentQuestion(kept, asked),
        analysis=prompt.fill_length(texts.analysis, analysis_words(words)),
        words=words,
        guidance=passage.guidance,
        by_person=passage.by_person,
        names=passage.names,
        who=passage.who,
        title=passage.titles,
    )


def _for_engine(texts: Texts, passage: Passage, words: int) -> Subject:
    """Return the subject of an extracted memory; its context manager also sees what came before."""
    before = in_view(passage).context(texts)
    title, asked = passage.title(extracted=True), prompt.fill_length(texts.quote, QUOTE_WORDS)
    quote = f"{title} {asked}"
    return replace(
        _subject(texts, passage, words, ()),
        alone=before,
        material=chunk_material(passage, before),
        quote=AgentQuestion(quote, quote),
    )


def make_hindsight(
    sheet: Worksheet,
    passage: Passage,
    after: Sequence[Entry],
    as_of: Edition,
    roles: Roles,
    clock: Clock,
) -> Steps[Edition | Refused]:
    """Write a chunk's memory with hindsight; `as_of` is the edition whose quote it keeps.

    `passage` is what the memory was written from, `after` the raw messages that came after its
    chunk. Return a Refused where no model writes a usable one, since the engine has no hindsight.
    Raises ModelError where a model cannot be asked.
    """
    writers = [pair for pair in list_pairs(roles) if pair.agent]
    if not writers:
        return Refused("refused", "The built-in engine cannot look back.")
    dialogue = partial(_dialogue, passage, after=after, quotes=as_of.quotes)
    work = _about_chunk("hindsight", sheet, passage, dialogue)
    edition = yield from first_good(sheet, work, writers)
    if isinstance(edition, Refused):
        return edition
    edition = with_stated(edition, stated_in(passage.chunk, passage.zone), passage.spoken)
    return replace(edition, kind="hindsight", written_at=clock())
