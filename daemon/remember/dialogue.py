"""The dialogue that makes a memory, question by question, with second chances for answers that cannot be used.

asked                    used, if it is good
cut off                  once more, with room for four times as much
unusable                 once more, in other words that name the reason
still unusable           a Refused with its reason; what comes then is for the dialogue to say

A dialogue: the direct quote, the perspective, the independent analysis, and the refinement with it in view.

The quote is verbatim, whoever has to choose it:

the agent's                 if it stands in one raw message, character for character
the agent's, asked again    with the reason why the first one does not
the nearest passage         to what the agent has said, in the raw message's own characters
the engine's choice         marked so
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.archive.journal import Reply
from daemon.chat.survey import Survey
from daemon.events import Noted
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from primer import prompt
from primer.models import ENGINE, Model, token_factor
from primer.prompt import Texts, Turn, keep_inert, restore
from primer.reply import Answered, Refused, Request, forged, judge, read_reply, repeated
from rules.conversation.history import Entry
from rules.conversation.memory import SHIPPED_QUESTIONS, Memory, Quote, Six, analysis_words
from rules.conversation.quote import Verbatim, find_quote, nearest_passage
from rules.conversation.short_quotes import some_of
from rules.errors import ContextTooLong, TooLong
from rules.extract.sentences import with_closed_fence, within
from rules.plan.work import QUOTE_WORDS, PlannedChunk, largest_part, parts_of

Keep = Callable[[], None]
"""Keeps what a dialogue has come to."""

BEFORE_ALL_CHUNKS = -1
_MORE_ROOM = 4
_PASSAGE_ALONE = ("analysis", "facts")
"""The questions to the context manager, who sees nothing but the passage."""


@dataclass(frozen=True, slots=True)
class ChatWork:
    """The work on a chat: its context and scheduler, its survey, and its memories so far."""

    context: Context
    scheduler: Scheduler
    survey: Survey
    memories: list[Memory]
    """The chat's memories and folds so far."""


class Lane:
    """Dialogues beside those about the chunks, one after the other: at most one of them is under way."""

    def __init__(self, work: ChatWork) -> None:
        self.work = work
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether one has been begun and is not kept."""
        return self._dialogue is not None

    def set_out(self, dialogue: RunningDialogue[Keep]) -> None:
        """Begin one."""
        self._dialogue = dialogue
        self.work.scheduler.begin(dialogue)

    def keep(self) -> None:
        """Keep what has come of it when it is finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None


@dataclass(frozen=True, slots=True)
class Worksheet:
    """The texts that models read in a dialogue, sizes for its errors, and its requests so far."""

    texts: Texts
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory, as these texts word them."""
    about: str = ""
    """The chat and what is written, for an error."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """About how many tokens each part of the agent's requests has."""
    passage: str = ""
    """The part that the context manager sees."""
    requests: list[str] = field(default_factory=list)
    """Their keys, in order."""

    def anew(self) -> "Worksheet":
        """The same before any request."""
        return replace(self, requests=[])

    def ask(self, request: Request) -> Steps[Reply]:
        """The reply to a request. Raises TooLong, with the sizes of its parts, where the model does not take it."""
        self.requests.append(request.key)
        try:
            return (yield request)
        except ContextTooLong as fault:
            sent = (
                {self.passage: self.parts[self.passage]}
                if request.step in _PASSAGE_ALONE
                else self.parts
            )
            raise TooLong(
                f"{self.about}: {fault.message} {largest_part(sent)}", fault.next_step
            ) from fault


def worksheet_of_chunk(survey: Survey, chunk: PlannedChunk, after_tokens: int = 0) -> Worksheet:
    """The worksheet of a chunk's memory, facts or core memory; in hindsight, `after_tokens` came after the chunk."""
    factor = token_factor(survey.roles.agent.name)
    parts = parts_of(chunk, survey.plan.fixed_tokens, factor)
    if after_tokens:
        parts["what came after"] = round(after_tokens * factor)
    about = f'"{survey.plan.title}", chunk {chunk.number}'
    return Worksheet(survey.shown.texts, survey.plan.questions_tokens, about, parts, "the chunk")


def worksheet_of_fold(survey: Survey, members: Sequence[Memory]) -> Worksheet:
    """The worksheet of one fold."""
    factor = token_factor(survey.roles.agent.name)
    parts = {
        "system message and primer": round(survey.plan.fixed_tokens * factor),
        "the memories": round(sum(member.in_prompts.tokens for member in members) * factor),
    }
    about = f'"{survey.plan.title}", a fold of {len(members)} memories'
    return Worksheet(survey.shown.texts, survey.plan.questions_tokens, about, parts, "the memories")


@dataclass(frozen=True, slots=True)
class Question:
    """A question at the end of a request, and the passage that its answer is judged against."""

    request: Request
    text: str
    """Its words, without a tag."""
    passage: Sequence[str]
    tagged: bool = True
    """The agent's questions stand in the context manager's tag; the context manager's own does not."""
    reason: str = ""
    """Why an earlier answer could not be used, where the question is put in other words."""
    otherwise: str = ""
    """The text that puts the question in other words; empty: the one for the agent's questions."""
    unfit: Callable[[str], Refused | None] | None = None
    """Why an answer cannot be used, where the rules for prose do not apply to it."""
    earlier: Sequence[str] = ()
    """Answers of the same memory, none of which is to be repeated."""
    given: str = ""
    """The analysis that stands in the question."""
    counted_as: str = ""
    """The name under which its troubles are counted, with a blank; empty for those of a memory's own questions."""

    def posed(self, texts: Texts) -> Request:
        """The request with the question as its last turn."""
        wording = self.otherwise or texts.otherwise
        text = (
            prompt.fill(wording, question=self.text, reason=self.reason)
            if self.reason
            else self.text
        )
        last = prompt.question(text) if self.tagged else Turn("user", text)
        return replace(self.request, turns=(*self.request.turns, last))


def put(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """The answer, or why there is none that could be used. Raises ModelError where the model cannot be asked."""
    answer = yield from _with_room(sheet, question)
    if isinstance(answer, Answered) or question.request.model == ENGINE:
        return answer
    yield Noted(f"{question.counted_as}{answer.kind}")
    answer = yield from _with_room(sheet, replace(question, reason=answer.reason))
    outcome = "good in other words" if isinstance(answer, Answered) else answer.kind
    yield Noted(f"{question.counted_as}{outcome}")
    return answer


def _with_room(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """The judged answer; one that was cut off for want of room is asked for once more with more of it."""
    answer = yield from _judged(sheet, question)
    if (
        isinstance(answer, Refused)
        and answer.kind == "cut off"
        and question.request.model != ENGINE
    ):
        yield Noted(f"{question.counted_as}{answer.kind}")
        more = replace(question.request, room=_MORE_ROOM)
        answer = yield from _judged(sheet, replace(question, request=more))
        if isinstance(answer, Answered):
            yield Noted(f"{question.counted_as}whole with more room")
    return answer


def _judged(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    request = question.posed(sheet.texts)
    reply = yield from sheet.ask(request)
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused) or request.model == ENGINE:
        return read
    if question.unfit:
        return question.unfit(read.text) or read
    refused = judge(
        read.text, request.step, request.turns[-1].content, question.passage, question.given
    )
    return refused or repeated(read.text, question.earlier) or read


def choose_quote(
    sheet: Worksheet, question: Question, chunk: Sequence[Entry]
) -> Steps[Quote | None]:
    """The quote of a chunk; None where not even the engine finds words that can be quoted."""
    if question.request.model != ENGINE:
        quote = yield from _of_the_agent(sheet, question, chunk)
        if quote is not None:
            return quote
        yield Noted("quote chosen by the engine")
    answer = yield from put(
        sheet, replace(question, request=replace(question.request, model=ENGINE))
    )
    chosen = find_quote(answer.text, chunk) if isinstance(answer, Answered) else None
    return Quote(chosen.text, chosen.source, "engine") if isinstance(chosen, Verbatim) else None


def _of_the_agent(
    sheet: Worksheet, question: Question, chunk: Sequence[Entry]
) -> Steps[Quote | None]:
    """The agent's quote, at the first or the second try, or what comes nearest to it; None where nothing is.

    The second try stands behind the answer that is no quote, and says why it is none.
    """
    answers: list[str] = []
    for is_first in (True, False):
        answer = yield from put(sheet, question)
        if isinstance(answer, Refused):
            break
        quote = find_quote(restore(answer.text), chunk)
        if isinstance(quote, Verbatim):
            if not is_first:
                yield Noted("quote verbatim at the second try")
            return Quote(quote.text, quote.source, "agent")
        yield Noted("not verbatim")
        answers.insert(0, restore(answer.text))
        turns = (*question.posed(sheet.texts).turns, prompt.answer(answer.text))
        request = replace(question.request, turns=turns)
        question = replace(
            question,
            request=request,
            text=prompt.fill(sheet.texts.quote_again, reason=quote.reason),
        )
    for text in answers:
        passage = nearest_passage(text, chunk)
        if isinstance(passage, Verbatim):
            yield Noted("nearest passage taken as the quote")
            return Quote(passage.text, passage.source, "aligned")
    return None


_BOUND = 1.2
"""An analysis that is longer than was asked for, by more than this, is cut behind its last sentence within that."""
_NO_QUOTE = "[no quote]"
"""TypingMind takes no empty message."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The writers of a memory: an agent, and the context managers to ask for the analysis, one after the other."""

    agent: Model
    context_managers: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a dialogue: a chunk, a chunk in hindsight, or memories that become one."""

    before: tuple[Turn, ...]
    """The agent's context, behind which all its questions stand."""
    alone: tuple[Turn, ...]
    """The turns that the context manager reads."""
    spoken: Sequence[str]
    """The words against which the answers are judged."""
    quote: str
    """The first question, as the following are without its tag."""
    perspective: str
    analysis: str
    """The context manager's own question."""
    words: int
    """About how long each of the agent's answers may be."""
    guidance: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """The six texts of a finished dialogue, and who wrote them."""

    texts: Six
    quotes: tuple[Quote, ...]
    analysis: str
    """The analysis, which stands within the last question."""
    agent: str
    context_manager: str


def converse(
    sheet: Worksheet, subject: Subject, pair: Pair, quotes: tuple[Quote, ...]
) -> Steps[Transcript | Refused]:
    """The dialogue with these quotes as its first answer; each further question stands behind the same beginning.

    Refused where the agent's own answers cannot be had. Raises ModelError where a model cannot be asked.
    """
    texts = sheet.texts

    def exchange(question: str, words: int, answer: str) -> tuple[Turn, Turn]:
        """A question and its answer, as they stand before the next question."""
        is_quote = question == subject.quote
        posed = prompt.posed(texts, question, words, subject.guidance, is_quote=is_quote)
        return prompt.question(posed), prompt.answer(answer)

    def ask_agent(
        step: str, text: str, earlier: Sequence[str], given: str = ""
    ) -> Steps[Answered | Refused]:
        """The agent's answer to one of its two open questions, which says more than the `earlier` ones."""
        request = Request(step, pair.agent, tuple(turns), subject.words)
        posed = prompt.posed(texts, text, subject.words, subject.guidance)
        answer = yield from put(
            sheet, Question(request, posed, subject.spoken, earlier=earlier, given=given)
        )
        return (yield from _noticed(answer))

    quoted = keep_inert("\n\n".join(quote.text for quote in quotes)) or _NO_QUOTE
    some = keep_inert("\n\n".join(quote.text for quote in some_of(quotes))) or _NO_QUOTE
    turns = [*subject.before, *exchange(subject.quote, QUOTE_WORDS, some)]
    earlier = (quoted, *(quote.text for quote in quotes))
    perspective = yield from ask_agent("perspective", subject.perspective, earlier)
    if isinstance(perspective, Refused):
        return perspective
    analysis, analyst = yield from _analysis(sheet, subject, pair.context_managers)
    if isinstance(analysis, Refused):
        return analysis
    turns += exchange(subject.perspective, subject.words, perspective.text)
    analysis = replace(analysis, text=within(analysis.text, _BOUND * analysis_words(subject.words)))
    given = keep_inert(analysis.text)
    last = prompt.fill(texts.refinement, analysis=given, words=str(subject.words))
    refinement = yield from ask_agent(
        "refinement", last, (*earlier, perspective.text, analysis.text), given
    )
    if isinstance(refinement, Refused) and refinement.kind == "repeated":
        yield Noted("repeated refinement kept")
        refinement = Answered(refinement.text)
    if isinstance(refinement, Refused):
        return refinement
    first, second, third = (
        prompt.question(text).content for text in (subject.quote, subject.perspective, last)
    )
    six = (first, quoted, second, keep_inert(perspective.text), third, keep_inert(refinement.text))
    return Transcript(six, quotes, analysis.text, pair.agent.name, analyst.name)


def _analysis(
    sheet: Worksheet, subject: Subject, models: Sequence[Model]
) -> Steps[tuple[Answered | Refused, Model]]:
    """The first analysis that can be used, and whose it is; the engine's, in the end, is of the passage's sentences."""
    for model in models:
        if model != models[0]:
            yield Noted(
                "analysis by the engine" if model == ENGINE else "analysis by the fallback model"
            )
        request = Request("analysis", model, subject.alone, analysis_words(subject.words))
        answer = yield from put(
            sheet, Question(request, subject.analysis, subject.spoken, tagged=False)
        )
        answer = yield from _noticed(answer)
        if isinstance(answer, Answered):
            break
    return answer, model


def _noticed(answer: Answered | Refused) -> Steps[Answered | Refused]:
    """The same answer with its code closed; tags of ours are counted here, and made inert where the answer is used."""
    if forged(answer.text):
        yield Noted("forged tags")
    return replace(answer, text=with_closed_fence(answer.text))
