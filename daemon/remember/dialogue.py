"""The dialogue that makes a memory: quote, perspective, independent analysis, and refinement.

The refinement has the analysis in view.

converse    a model answers
extract     the engine answers; a model, where there is one, is asked for the analysis alone
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from daemon.models.scheduler import Noted, Steps
from daemon.remember.engine import Material
from daemon.remember.question import Question, Worksheet, ask_question
from primer import prompt
from primer.models import EXTRACTIVE, Model
from primer.prompt import Turn
from primer.reply import MAY_STAY, Answered, Refused, Request, is_forged
from primer.wording import Texts, fill, keep_inert, restore_tags
from rules.conversation.memory import Quote, Six, quotes_answer
from rules.conversation.memory_title import TitlePair, with_shown_title
from rules.conversation.short_quotes import choose_quotes
from rules.extract.frames import spaced
from rules.extract.languages import find_tongue_of
from rules.extract.sentences import sentences_within, with_closed_fence
from rules.extract.words import length
from rules.layers.names import WhoIsWho
from rules.plan.dialogues import Step, words_of

_MOST_EXCESS = 1.2
"""An analysis is cut after its last sentence within this many times the length asked for."""
_UNKNOWN = WhoIsWho()
_NO_QUOTE = "[no quote]"
"""TypingMind takes no empty message."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The models that write a memory."""

    agent: Model | None
    """None where the engine extracts the memory."""
    context_managers: tuple[Model, ...]
    """Those to ask for the analysis, in turn; if all fail, the engine picks sentences."""


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """A question to the agent, without its tag: as the memory keeps it, and as it is asked."""

    kept: str
    asked: str


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a dialogue: a chunk, a chunk in hindsight, or memories that become one."""

    before: tuple[Turn, ...]
    """The agent's context, which all its questions follow."""
    alone: tuple[Turn, ...]
    """The turns that the context manager reads."""
    material: Material
    """What the engine reads."""
    spoken: Sequence[str]
    """The words that the answers are judged against."""
    quote: AgentQuestion
    perspective: AgentQuestion
    analysis: str
    """The context manager's own question."""
    words: int
    """About how long each of the agent's answers may be."""
    guidance: str
    by_person: Sequence[str] = ()
    """The part of `spoken` that the person said."""
    names: frozenset[str] = frozenset()
    """The names of the person, casefolded."""
    who: WhoIsWho = _UNKNOWN
    """The names of the person and the persona."""
    title: TitlePair = ("", "")
    """The title with which its first question begins, and the one that the memory keeps."""

    def posed(self, texts: Texts, step: Step, question: str) -> str:
        """Return a question as it is put to the agent."""
        return prompt.pose_question(
            texts, step, question, self.words, self.guidance, self.who.sentence
        )

    def exchange(
        self, texts: Texts, step: Step, question: AgentQuestion, answer: str
    ) -> tuple[Turn, Turn]:
        """Return a question and its answer as the turns before the next question."""
        return prompt.question(self.posed(texts, step, question.asked)), prompt.answer(answer)

    def request(self, step: Step, agent: Model, turns: tuple[Turn, ...]) -> Request:
        """Return a request to the agent, still without its question."""
        return Request(step, agent, turns, words_of(step, self.words), title=self.title)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The six texts of a finished dialogue, and who wrote them."""

    texts: Six
    quotes: tuple[Quote, ...]
    analysis: str
    """The analysis, which the last question contains."""
    agent: str
    context_manager: str
    form: str = ""
    """The faults of form of answers that were kept for want of better ones; else empty."""


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    """One of the agent's two open questions."""

    step: Step
    question: AgentQuestion
    turns: tuple[Turn, ...]
    earlier: Sequence[str]
    """Earlier answers in the same memory, none of which may be repeated."""
    given: str = ""
    """The analysis that the question contains."""


def converse(
    sheet: Worksheet,
    subject: Subject,
    agent: Model,
    context_managers: Sequence[Model],
    quotes: tuple[Quote, ...],
) -> Steps[Transcript | Refused]:
    """Hold the dialogue, with these quotes as its first answer; all requests begin alike.

    Return a Refused where the agent gives no usable answer. Raises ModelError where a model cannot
    be asked.
    """
    shown = subject.exchange(sheet.texts, "quote", subject.quote, _joined(choose_quotes(quotes)))
    earlier = (_joined(quotes), *(quote.text for quote in quotes))
    turns = (*subject.before, *shown)
    first = _OpenQuestion("perspective", subject.perspective, turns, earlier)
    perspective = yield from _ask_agent(sheet, subject, agent, first)
    if isinstance(perspective, Refused):
        return perspective
    analysis, writer = yield from _analysis(sheet, subject, context_managers)
    last = _last_question(sheet, subject, first, perspective.text, analysis.text)
    refinement = yield from _refinement(sheet, subject, agent, last, analysis)
    if isinstance(refinement, Refused):
        return refinement
    six = _six(subject, last.question.kept, (_framed(quotes), perspective.text, refinement.text))
    form = joined_forms(answer.form for answer in (perspective, analysis, refinement))
    return Transcript(six, quotes, analysis.text, agent.name, writer, form)


def extract(
    sheet: Worksheet,
    subject: Subject,
    context_managers: Sequence[Model],
    quotes: tuple[Quote, ...],
) -> Steps[Transcript]:
    """Answer with sentences that both sides have said, and that the memory does not have yet.

    The engine reads no questions, so the memory's questions are the subject's kept wordings.
    """
    material, words = subject.material, subject.words
    quoted = restore_tags(_joined(quotes))
    perspective = yield from _close_code(material.perspective(words, (quoted,)))
    analysis, writer = yield from _analysis(sheet, subject, context_managers, (quoted, perspective))
    last = fill(sheet.texts.refinement, analysis=keep_inert(analysis.text), words=str(words))
    words_left = words - length(f"{perspective}\n{analysis.text}")
    besides = (quoted, perspective, analysis.text)
    refinement = yield from _close_code(
        material.refinement(max(words // 2, int(words_left)), besides)
    )
    six = _six(subject, last, (_framed(quotes), perspective, refinement))
    return Transcript(six, quotes, analysis.text, EXTRACTIVE, writer, analysis.form)


def joined_forms(forms: Iterable[str]) -> str:
    """Return the faults of form of several answers, each once, with commas."""
    return ", ".join(filter(None, dict.fromkeys(forms)))


def _last_question(
    sheet: Worksheet, subject: Subject, first: _OpenQuestion, perspective: str, analysis: str
) -> _OpenQuestion:
    """Return the question for the refinement, which follows the answer to the `first` one."""
    given = keep_inert(analysis)
    kept, asked = (
        fill(text, analysis=given, words=str(subject.words))
        for text in (sheet.texts.refinement, sheet.texts.refinement_asked)
    )
    return _OpenQuestion(
        "refinement",
        AgentQuestion(kept, asked),
        (
            *first.turns,
            *subject.exchange(sheet.texts, "perspective", subject.perspective, perspective),
        ),
        (*first.earlier, perspective, analysis),
        given,
    )


def _framed(quotes: Sequence[Quote]) -> str:
    """Return the quotes framed, as in the memory; the agent is shown them bare, as it gave them."""
    return keep_inert(quotes_answer(quotes)) or _NO_QUOTE


def _joined(quotes: Sequence[Quote]) -> str:
    return keep_inert("\n\n".join(quote.text for quote in quotes)) or _NO_QUOTE


def _six(subject: Subject, last: str, answers: tuple[str, str, str]) -> Six:
    """Return the six texts of a memory: its three questions, each with its answer."""
    quote, perspective, refinement = (
        with_shown_title(prompt.question(text).content, subject.title)
        for text in (subject.quote.kept, subject.perspective.kept, last)
    )
    quote_answer, perspective_answer, refinement_answer = answers
    return (
        quote,
        quote_answer,
        perspective,
        keep_inert(perspective_answer),
        refinement,
        keep_inert(refinement_answer),
    )


def _ask_agent(
    sheet: Worksheet, subject: Subject, agent: Model, question: _OpenQuestion
) -> Steps[Answered | Refused]:
    """Ask the agent an open question, whose answer must not repeat the earlier ones."""
    answer = yield from ask_question(
        sheet,
        Question(
            subject.request(question.step, agent, question.turns),
            subject.posed(sheet.texts, question.step, question.question.asked),
            subject.spoken,
            earlier=question.earlier,
            given=question.given,
            by_person=subject.by_person,
            names=subject.names,
            own_names=subject.who.own_names,
            repeats_once=question.step == "refinement",
        ),
    )
    if sheet.keeps_misshapen and isinstance(answer, Refused) and is_only_misshapen(answer):
        yield Noted(f"kept in spite of its form: {answer.kind}")
        answer = Answered(answer.text, form=answer.kind)
    return (yield from _close_answer(answer))


def is_only_misshapen(refused: Refused) -> bool:
    """Return whether the answer could be kept for want of a better one: only its form is wrong."""
    return refused.kind in MAY_STAY


def _refinement(
    sheet: Worksheet, subject: Subject, agent: Model, question: _OpenQuestion, analysis: Answered
) -> Steps[Answered | Refused]:
    """Ask for the refinement.

    Where it repeats an earlier answer, keep the analysis instead, marked as hearsay. Asked once
    more, a small model would tell the person's part of it as its own.
    """
    refinement = yield from _ask_agent(sheet, subject, agent, question)
    if isinstance(refinement, Refused) and refinement.kind == "repeated":
        yield Noted("analysis kept as told")
        frames = find_tongue_of([analysis.text]).frames
        return Answered(spaced(frames.heard) + analysis.text)
    return refinement


def _analysis(
    sheet: Worksheet, subject: Subject, context_managers: Sequence[Model], told: Sequence[str] = ()
) -> Steps[tuple[Answered, str]]:
    """Return the analysis, without the sentences beyond its length, and the name of its writer.

    If the engine writes it, it repeats nothing of `told`.
    """
    words = words_of("analysis", subject.words)
    analysis, writer = yield from _whole_analysis(sheet, subject, context_managers, words, told)
    return replace(analysis, text=sentences_within(analysis.text, _MOST_EXCESS * words)), writer


def _whole_analysis(
    sheet: Worksheet,
    subject: Subject,
    context_managers: Sequence[Model],
    words: int,
    told: Sequence[str],
) -> Steps[tuple[Answered, str]]:
    """Return the first usable analysis, at any length, and the name of its writer.

    One that fails by its form alone is kept rather than have the engine pick sentences.
    """
    misshapen: list[tuple[Refused, Model]] = []
    for model in context_managers:
        if model != context_managers[0]:
            yield Noted("analysis by the fallback model")
        request = Request("analysis", model, subject.alone, words)
        question = Question(request, subject.analysis, subject.spoken, tagged=False)
        answer = yield from ask_question(sheet, question)
        answer = yield from _close_answer(answer)
        if isinstance(answer, Answered):
            return answer, model.name
        if is_only_misshapen(answer):
            misshapen.append((answer, model))
    for refused, model in misshapen:
        yield Noted(f"kept in spite of its form: {refused.kind}")
        return Answered(refused.text, form=refused.kind), model.name
    if context_managers:
        yield Noted("analysis by the engine")
    text = yield from _close_code(subject.material.analysis(words, told))
    return Answered(text), EXTRACTIVE


def _close_answer(answer: Answered | Refused) -> Steps[Answered | Refused]:
    """Return the answer with its code fences closed."""
    return replace(answer, text=(yield from _close_code(answer.text)))


def _close_code(text: str) -> Steps[str]:
    """Return the text with its code fences closed; count forged tags, made inert later."""
    if is_forged(text):
        yield Noted("forged tags")
    return with_closed_fence(text)
