"""The first of the four calls: a direct quote that is verbatim, whoever has to choose it.

the agent's                 if it stands in one raw message, character for character
the agent's, asked again    with the reason why the first one does not
the nearest passage         to what the agent has said, in the raw message's own characters
the engine's choice         marked so
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.remember.question import Desk, Question, put
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


def choose_quote(desk: Desk, question: Question, chunk: Sequence[Entry]) -> Quote | None:
    """The quote of a chunk; None where not even the engine finds words that can be quoted."""
    engine = replace(question, request=replace(question.request, model=ENGINE))
    if question.request.model != ENGINE:
        found = _of_the_agent(desk, question, chunk)
        if isinstance(found, Quote):
            return found
        desk.note("quote chosen by the engine")
    answer = put(desk, engine)
    chosen = find_quote(answer.text, chunk) if isinstance(answer, Answered) else None
    return Quote(chosen.text, chosen.source, "engine") if isinstance(chosen, Verbatim) else None


def _of_the_agent(desk: Desk, question: Question, chunk: Sequence[Entry]) -> Quote | NotVerbatim | Refused:
    """What the agent has quoted, at the first or the second try, or what comes nearest to it."""
    first = put(desk, question)
    if isinstance(first, Refused):
        return first
    found = find_quote(restore(first.text), chunk)
    if isinstance(found, Verbatim):
        return Quote(found.text, found.source, "agent")
    desk.note("not verbatim")
    second = put(desk, _once_more(desk, question, first, found))
    if isinstance(second, Refused):
        return _nearest(desk, [first], chunk)
    found = find_quote(restore(second.text), chunk)
    if isinstance(found, Verbatim):
        desk.note("quote verbatim at the second try")
        return Quote(found.text, found.source, "agent")
    desk.note("not verbatim")
    return _nearest(desk, [second, first], chunk)


def _once_more(desk: Desk, question: Question, said: Answered, why: NotVerbatim) -> Question:
    """The question again, behind the answer that is no quote."""
    posed = question.posed(desk.texts)
    turns = (*posed.turns, prompt.answer(said.text))
    return replace(
        question,
        request=replace(question.request, turns=turns),
        text=prompt.ask_quote_again(desk.texts, why.reason),
    )


def _nearest(desk: Desk, answers: Sequence[Answered], chunk: Sequence[Entry]) -> Quote | NotVerbatim:
    for answer in answers:
        found = nearest_passage(restore(answer.text), chunk)
        if isinstance(found, Verbatim):
            desk.note("nearest passage taken as the quote")
            return Quote(found.text, found.source, "aligned")
    return NotVerbatim("No passage comes near to what the agent has quoted.")


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
class Dialogue:
    """The six texts of a finished dialogue, and who held it."""

    texts: Six
    quotes: tuple[Quote, ...]
    analysis: str
    """Which stands within the last question."""
    agent: str
    context_manager: str


def converse(desk: Desk, subject: Subject, pair: Pair, quotes: tuple[Quote, ...]) -> Dialogue | Refused:
    """The dialogue with these quotes as its first answer; each further question stands behind the same beginning.

    Refused where the agent's own answers cannot be had. Raises ModelError where a model cannot be asked.
    """
    quoted = keep_inert("\n\n".join(quote.text for quote in quotes)) or _NO_QUOTE
    dialogue = [*subject.before, *_said(desk, subject, subject.quote, quoted)]
    said = (quoted, *(quote.text for quote in quotes))
    perspective = _answer(desk, subject, pair.agent, dialogue, "perspective", subject.perspective, said)
    if isinstance(perspective, Refused):
        return perspective
    analysed = _analysis(desk, subject, pair.context_managers)
    if isinstance(analysed, Refused):
        return analysed
    dialogue += _said(desk, subject, subject.perspective, perspective.text)
    last = prompt.ask_refinement(desk.texts, analysed.text, subject.words)
    refinement = _answer(
        desk, subject, pair.agent, dialogue, "refinement", last, (*said, perspective.text, analysed.text)
    )
    if isinstance(refinement, Refused) and refinement.kind == "repeated":
        desk.note("repeated refinement kept")
        refinement = Answered(refinement.text)
    if isinstance(refinement, Refused):
        return refinement
    one, two, three = (prompt.question(text).content for text in (subject.quote, subject.perspective, last))
    texts = (one, quoted, two, keep_inert(perspective.text), three, keep_inert(refinement.text))
    return Dialogue(texts, quotes, analysed.text, pair.agent.name, analysed.model)


def _said(desk: Desk, subject: Subject, asked: str, answered: str) -> tuple[Turn, Turn]:
    """A question and its answer, as they stand before the next question."""
    return prompt.question(prompt.guided(desk.texts, subject.guidance, asked)), prompt.answer(answered)


def _answer(
    desk: Desk, subject: Subject, agent: Model, before: Sequence[Turn], step: str, text: str, earlier: Sequence[str]
) -> Answered | Refused:
    """The agent's answer to one of its two open questions, which says more than the `earlier` ones."""
    request = Request(step, agent, tuple(before), subject.words)
    guided = prompt.guided(desk.texts, subject.guidance, text)
    return _noticed(desk, put(desk, Question(request, guided, subject.spoken, earlier=earlier)))


@dataclass(frozen=True, slots=True)
class _Analysed:
    text: str
    model: str


def _analysis(desk: Desk, subject: Subject, models: Sequence[Model]) -> _Analysed | Refused:
    """The first analysis that can be used; the engine's, in the end, is made of the passage's own sentences."""
    first, *others = models
    answer = _analysed(desk, subject, first)
    for model in others:
        if isinstance(answer, _Analysed):
            break
        desk.note("analysis by the engine" if model == ENGINE else "analysis by the fallback model")
        answer = _analysed(desk, subject, model)
    return answer


def _analysed(desk: Desk, subject: Subject, model: Model) -> _Analysed | Refused:
    request = Request("analysis", model, subject.alone, subject.words)
    answer = _noticed(desk, put(desk, Question(request, subject.analysis, subject.spoken, tagged=False)))
    return answer if isinstance(answer, Refused) else _Analysed(answer.text, model.name)


def _noticed(desk: Desk, answer: Answered | Refused) -> Answered | Refused:
    """The same answer with its code closed; tags of ours are counted here, and made inert where the answer is used."""
    if forged(answer.text):
        desk.note("forged tags")
    return replace(answer, text=with_closed_fence(answer.text))
