"""A dialogue: the direct quote, the perspective, the independent analysis, and the refinement with it in view.

The quote is verbatim, whoever has to choose it:

the agent's                 if it stands in one raw message, character for character
the agent's, asked again    with the reason why the first one does not
the nearest passage         to what the agent has said, in the raw message's own characters
the engine's choice         marked so
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.events import Noted
from daemon.models.scheduler import Steps
from daemon.remember.question import Question, Worksheet, put
from primer import prompt
from primer.prompt import Turn, keep_inert, restore
from primer.reply import Answered, Refused, forged
from primer.request import ENGINE, Model, Request
from rules.conversation.history import Entry
from rules.conversation.memory import Quote, Six
from rules.conversation.quote import NotVerbatim, Verbatim, find_quote, nearest_passage
from rules.extract.sentences import with_closed_fence

QUOTE_WORDS = 60
"""About how long a quote may be."""


def choose_quote(sheet: Worksheet, question: Question, chunk: Sequence[Entry]) -> Steps[Quote | None]:
    """The quote of a chunk; None where not even the engine finds words that can be quoted."""
    if question.request.model != ENGINE:
        quote = yield from _of_the_agent(sheet, question, chunk)
        if quote is not None:
            return quote
        yield Noted("quote chosen by the engine")
    answer = yield from put(sheet, replace(question, request=replace(question.request, model=ENGINE)))
    chosen = find_quote(answer.text, chunk) if isinstance(answer, Answered) else None
    return Quote(chosen.text, chosen.source, "engine") if isinstance(chosen, Verbatim) else None


def _of_the_agent(sheet: Worksheet, question: Question, chunk: Sequence[Entry]) -> Steps[Quote | None]:
    """What the agent has quoted, at the first or the second try, or what comes nearest to it; None where nothing is."""
    first = yield from put(sheet, question)
    if isinstance(first, Refused):
        return None
    quote = find_quote(restore(first.text), chunk)
    if isinstance(quote, Verbatim):
        return Quote(quote.text, quote.source, "agent")
    yield Noted("not verbatim")
    second = yield from put(sheet, _once_more(sheet, question, first, quote))
    if isinstance(second, Refused):
        return (yield from _nearest([first], chunk))
    quote = find_quote(restore(second.text), chunk)
    if isinstance(quote, Verbatim):
        yield Noted("quote verbatim at the second try")
        return Quote(quote.text, quote.source, "agent")
    yield Noted("not verbatim")
    return (yield from _nearest([second, first], chunk))


def _once_more(sheet: Worksheet, question: Question, answer: Answered, why: NotVerbatim) -> Question:
    """The question again, behind the answer that is no quote."""
    turns = (*question.posed(sheet.texts).turns, prompt.answer(answer.text))
    request = replace(question.request, turns=turns)
    return replace(question, request=request, text=prompt.ask_quote_again(sheet.texts, why.reason))


def _nearest(answers: Sequence[Answered], chunk: Sequence[Entry]) -> Steps[Quote | None]:
    """The passage nearest to one of the agent's answers; None where no passage comes near."""
    for answer in answers:
        passage = nearest_passage(restore(answer.text), chunk)
        if isinstance(passage, Verbatim):
            yield Noted("nearest passage taken as the quote")
            return Quote(passage.text, passage.source, "aligned")
    return None


_NO_QUOTE = "[no quote]"
"""TypingMind takes no empty message."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Who writes a memory: an agent, and the context managers to ask for the analysis, one after the other."""

    agent: Model
    context_managers: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a dialogue is about: a chunk, a chunk in hindsight, or memories that become one."""

    before: tuple[Turn, ...]
    """The agent's context, behind which all its questions stand."""
    alone: tuple[Turn, ...]
    """What the context manager reads."""
    spoken: Sequence[str]
    """What the answers are judged against."""
    quote: str
    """The first question, as the following are without its tag."""
    perspective: str
    analysis: str
    """The context manager's own question."""
    words: int
    """About how long each answer may be."""
    guidance: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """The six texts of a finished dialogue, and who wrote them."""

    texts: Six
    quotes: tuple[Quote, ...]
    analysis: str
    """Which stands within the last question."""
    agent: str
    context_manager: str


def converse(sheet: Worksheet, subject: Subject, pair: Pair, quotes: tuple[Quote, ...]) -> Steps[Transcript | Refused]:
    """The dialogue with these quotes as its first answer; each further question stands behind the same beginning.

    Refused where the agent's own answers cannot be had. Raises ModelError where a model cannot be asked.
    """
    quoted = keep_inert("\n\n".join(quote.text for quote in quotes)) or _NO_QUOTE
    turns = [*subject.before, *_exchange(sheet, subject, subject.quote, quoted)]
    earlier = (quoted, *(quote.text for quote in quotes))
    perspective = yield from _answer(sheet, subject, pair.agent, turns, "perspective", subject.perspective, earlier)
    if isinstance(perspective, Refused):
        return perspective
    analysis, analyst = yield from _analysis(sheet, subject, pair.context_managers)
    if isinstance(analysis, Refused):
        return analysis
    turns += _exchange(sheet, subject, subject.perspective, perspective.text)
    earlier = (*earlier, perspective.text, analysis.text)
    last = prompt.ask_refinement(sheet.texts, analysis.text, subject.words)
    refinement = yield from _answer(sheet, subject, pair.agent, turns, "refinement", last, earlier)
    if isinstance(refinement, Refused) and refinement.kind == "repeated":
        yield Noted("repeated refinement kept")
        refinement = Answered(refinement.text)
    if isinstance(refinement, Refused):
        return refinement
    first, second, third = (prompt.question(text).content for text in (subject.quote, subject.perspective, last))
    texts = (first, quoted, second, keep_inert(perspective.text), third, keep_inert(refinement.text))
    return Transcript(texts, quotes, analysis.text, pair.agent.name, analyst.name)


def _exchange(sheet: Worksheet, subject: Subject, question: str, answer: str) -> tuple[Turn, Turn]:
    """A question and its answer, as they stand before the next question."""
    return prompt.question(prompt.guided(sheet.texts, subject.guidance, question)), prompt.answer(answer)


def _answer(
    sheet: Worksheet,
    subject: Subject,
    agent: Model,
    before: Sequence[Turn],
    step: str,
    text: str,
    earlier: Sequence[str],
) -> Steps[Answered | Refused]:
    """The agent's answer to one of its two open questions, which says more than the `earlier` ones."""
    request = Request(step, agent, tuple(before), subject.words)
    guided = prompt.guided(sheet.texts, subject.guidance, text)
    answer = yield from put(sheet, Question(request, guided, subject.spoken, earlier=earlier))
    return (yield from _noticed(answer))


def _analysis(sheet: Worksheet, subject: Subject, models: Sequence[Model]) -> Steps[tuple[Answered | Refused, Model]]:
    """The first analysis that can be used, and whose it is; the engine's, in the end, is of the passage's sentences."""
    for model in models:
        if model != models[0]:
            yield Noted("analysis by the engine" if model == ENGINE else "analysis by the fallback model")
        request = Request("analysis", model, subject.alone, subject.words)
        answer = yield from put(sheet, Question(request, subject.analysis, subject.spoken, tagged=False))
        answer = yield from _noticed(answer)
        if isinstance(answer, Answered):
            break
    return answer, model


def _noticed(answer: Answered | Refused) -> Steps[Answered | Refused]:
    """The same answer with its code closed; tags of ours are counted here, and made inert where the answer is used."""
    if forged(answer.text):
        yield Noted("forged tags")
    return replace(answer, text=with_closed_fence(answer.text))
