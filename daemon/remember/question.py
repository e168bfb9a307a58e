"""One question to a model, with its second chances: more room for an answer that was cut off, then other words.

asked                    used, if it is good
cut off                  once more, with room for four times as much
unusable                 once more, in other words that name the reason
still unusable           a Refused with its reason; what comes then is for the dialogue to say
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.archive.journal import Reply
from daemon.chat.survey import Survey
from daemon.events import Noted
from daemon.models.scheduler import Steps
from primer import prompt
from primer.models import token_factor
from primer.prompt import Turn
from primer.reply import Answered, Refused, judge, read_reply, repeated
from primer.request import ENGINE, Request
from primer.texts import Texts
from rules.conversation.memory import SHIPPED_QUESTIONS, Memory
from rules.errors import ContextTooLong, TooLong
from rules.plan.window import largest_part, parts_of
from rules.plan.work import PlannedChunk

_MORE_ROOM = 4
_PASSAGE_ALONE = ("analysis", "facts")
"""The questions to the context manager, who sees nothing but the passage."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """What a dialogue works with: the texts that models read, sizes for its errors, and its requests so far."""

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
            sent = {self.passage: self.parts[self.passage]} if request.step in _PASSAGE_ALONE else self.parts
            raise TooLong(f"{self.about}: {fault.message} {largest_part(sent)}", fault.next_step) from fault


def worksheet_of_chunk(survey: Survey, chunk: PlannedChunk, after_tokens: int = 0) -> Worksheet:
    """The worksheet of a chunk's memory, facts or core memory; in hindsight, `after_tokens` came after the chunk."""
    factor = token_factor(survey.roles.agent.name)
    parts = parts_of(chunk, survey.plan.fixed_tokens, factor)
    if after_tokens:
        parts["what came after"] = round(after_tokens * factor)
    about = f'"{survey.plan.title}", chunk {chunk.number}'
    return Worksheet(survey.texts, survey.plan.questions_tokens, about, parts, "the chunk")


def worksheet_of_fold(survey: Survey, members: Sequence[Memory]) -> Worksheet:
    """The worksheet of one fold."""
    factor = token_factor(survey.roles.agent.name)
    parts = {
        "system message and primer": round(survey.plan.fixed_tokens * factor),
        "the memories": round(sum(member.told.tokens for member in members) * factor),
    }
    about = f'"{survey.plan.title}", a fold of {len(members)} memories'
    return Worksheet(survey.texts, survey.plan.questions_tokens, about, parts, "the memories")


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
    """Those other words, where they are not the ones that ask the agent for a memory."""
    unfit: Callable[[str], Refused | None] | None = None
    """Why an answer cannot be used, where the rules for prose do not apply to it."""
    earlier: Sequence[str] = ()
    """Answers of the same memory, none of which is to be repeated."""
    counted_as: str = ""
    """What its troubles are counted under, with a blank; empty for those of a memory's own questions."""

    def posed(self, texts: Texts) -> Request:
        """The request with the question as its last turn."""
        wording = self.otherwise or texts.otherwise
        text = prompt.in_other_words(wording, self.text, self.reason) if self.reason else self.text
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
    if isinstance(answer, Refused) and answer.kind == "cut off" and question.request.model != ENGINE:
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
    refused = judge(read.text, request.step, request.turns[-1].content, question.passage)
    return refused or repeated(read.text, question.earlier) or read
