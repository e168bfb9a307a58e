"""The dialogue that makes a memory: four calls, each answer checked before the next question (requirement 9, D8).

quote         agent             verbatim, or asked once more, or the nearest passage, or the engine's choice
perspective   agent
analysis      context manager   on its own, from the chunk alone; else the fallback's, else the engine's
refinement    agent             one round, with the analysis in view
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.journal import Reply
from daemon.remembering.question import Desk, Question, put
from daemon.remembering.quoting import choose_quote
from primer import prompt
from primer.inert import keep_inert
from primer.prompt import Turn
from primer.reply import Answered, Refused, forged
from primer.request import ENGINE, Model, Request
from rules.history.entries import Entry
from rules.memory.memory import Memory, Quote

_QUOTE_WORDS = 60


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with all that its memory is written from."""

    chat_id: str
    number: int
    system_message: str
    memories: Sequence[Memory]
    """Those whose chunks end before the tail (requirement 10.2)."""
    tail: Sequence[Entry]
    chunk: Sequence[Entry]
    tokens: int
    guidance: str = ""
    """What the person says about this memory (`memproc retry --say`)."""

    @property
    def spoken(self) -> list[str]:
        """What was said in the chunk, message by message."""
        return [entry.message.words for entry in self.chunk]


@dataclass(frozen=True, slots=True)
class Pair:
    """Who writes a memory: an agent, and the context managers to ask for the analysis, one after the other."""

    agent: Model
    context_managers: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The six texts of a finished dialogue, who held it, and the requests that it took."""

    texts: tuple[str, str, str, str, str, str]
    quote: Quote
    agent: str
    context_manager: str
    requests: tuple[str, ...]


def hold_dialogue(desk: Desk, passage: Passage, pair: Pair, words: int) -> Dialogue | Refused:
    """The four calls, one after the other; each further question stands behind the same beginning.

    Refused where the agent's own answers cannot be had. Raises ModelError where a model cannot be asked.
    """
    desk, asked = _recording(desk)
    texts = desk.texts
    said = partial(prompt.guided, texts, passage.guidance)
    before = prompt.context(texts, passage.system_message, passage.memories, passage.tail, passage.chunk)

    first = prompt.ask_quote(texts, _QUOTE_WORDS)
    request = Request("quote", pair.agent, before, _QUOTE_WORDS)
    quote = choose_quote(desk, Question(request, said(first), passage.spoken), passage.chunk)
    if isinstance(quote, Refused):
        return quote
    dialogue = [*before, prompt.question(said(first)), prompt.answer(quote.text)]

    second = prompt.ask_perspective(texts, words)
    perspective = _answer(desk, passage, pair.agent, dialogue, "perspective", said(second), words)
    if isinstance(perspective, Refused):
        return perspective
    analysed = _analysis(desk, passage, pair.context_managers, words)
    if isinstance(analysed, Refused):
        return analysed
    dialogue += [prompt.question(said(second)), prompt.answer(perspective.text)]

    third = prompt.ask_refinement(texts, analysed.text, words)
    refinement = _answer(desk, passage, pair.agent, dialogue, "refinement", said(third), words)
    if isinstance(refinement, Refused):
        return refinement
    answers = (keep_inert(quote.text), keep_inert(perspective.text), keep_inert(refinement.text))
    questions = (prompt.question(text).content for text in (first, second, third))
    pairs = [text for both in zip(questions, answers, strict=True) for text in both]
    return Dialogue(_six(pairs), quote, pair.agent.name, analysed.model, tuple(asked))


def _answer(
    desk: Desk, passage: Passage, agent: Model, before: Sequence[Turn], step: str, text: str, words: int
) -> Answered | Refused:
    """The agent's answer to one of its two open questions."""
    answer = put(desk, Question(Request(step, agent, tuple(before), words), text, passage.spoken))
    return _noticed(desk, answer)


@dataclass(frozen=True, slots=True)
class _Analysed:
    text: str
    model: str


def _analysis(desk: Desk, passage: Passage, models: Sequence[Model], words: int) -> _Analysed | Refused:
    """The first analysis that can be used; the engine's, in the end, is made of the passage's own sentences."""
    before = prompt.passage_alone(desk.texts, passage.chunk)
    text = prompt.ask_analysis(desk.texts, words)
    first, *others = models
    answer = _analysed(desk, Question(Request("analysis", first, before, words), text, passage.spoken, tagged=False))
    for model in others:
        if isinstance(answer, _Analysed):
            break
        desk.note("analysis by the engine" if model == ENGINE else "analysis by the fallback model")
        request = Request("analysis", model, before, words)
        answer = _analysed(desk, Question(request, text, passage.spoken, tagged=False))
    return answer


def _analysed(desk: Desk, question: Question) -> _Analysed | Refused:
    answer = _noticed(desk, put(desk, question))
    return answer if isinstance(answer, Refused) else _Analysed(answer.text, question.request.model.name)


def _noticed(desk: Desk, answer: Answered | Refused) -> Answered | Refused:
    """The same answer; tags of ours in it are counted here, and made inert where the answer is used."""
    if isinstance(answer, Answered) and forged(answer.text):
        desk.note("forged tags")
    return answer


def _recording(desk: Desk) -> tuple[Desk, list[str]]:
    """The same desk, and the keys of all requests that go over it from now on, in order."""
    asked: list[str] = []

    def ask(request: Request) -> Reply:
        asked.append(request.key)
        return desk.ask(request)

    return replace(desk, ask=ask), asked


def _six(texts: Sequence[str]) -> tuple[str, str, str, str, str, str]:
    one, two, three, four, five, six = texts
    return one, two, three, four, five, six
