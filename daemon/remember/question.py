"""A question to a model, with second chances for an answer that cannot be used.

asked                    used, if it is good and has the form of an answer
cut off                  once more, with room for four times as much
unusable                 once more, in other words that name the reason
still unusable           a Refused with its reason; what comes then is for the dialogue to say
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from daemon.events import Noted
from daemon.models.scheduler import Steps
from daemon.remember.work import Worksheet
from primer import prompt
from primer.form import Form, misshapen
from primer.models import ENGINE
from primer.prompt import Turn
from primer.reply import Answered, Refused, Request, judge, read_reply, repeated
from primer.wording import Texts, fill

_MORE_ROOM = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A question at the end of a request, and the passage that its answer is judged against."""

    request: Request
    text: str
    """Its words, without a tag."""
    passage: Sequence[str]
    tagged: bool = True
    """The agent's questions are in the context manager's tag; the context manager's own is not."""
    reason: str = ""
    """Why an earlier answer could not be used, where the question is put in other words."""
    otherwise: str = ""
    """The text that puts the question in other words; empty: the one for the agent's questions."""
    unfit: Callable[[str], Refused | None] | None = None
    """Why an answer cannot be used, where the rules for prose do not apply to it."""
    earlier: Sequence[str] = ()
    """Answers of the same memory, none of which is to be repeated."""
    given: str = ""
    """The analysis within the question."""
    by_person: Sequence[str] = ()
    """The messages of the passage that the person wrote."""
    names: frozenset[str] = frozenset()
    """The names of the person, casefolded."""
    counted_as: str = ""
    """The name under which its troubles are counted, with a blank; empty for those of a memory's own questions."""

    def posed(self, texts: Texts) -> Request:
        """Return the request with the question as its last turn."""
        wording = self.otherwise or texts.otherwise
        text = fill(wording, question=self.text, reason=self.reason) if self.reason else self.text
        last = prompt.question(text) if self.tagged else Turn("user", text)
        return replace(self.request, turns=(*self.request.turns, last))


def put(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """Ask, with one retry in other words. Return the answer or a Refused. Raises ModelError as the scheduler does."""
    answer = yield from _with_room(sheet, question)
    if isinstance(answer, Answered) or question.request.model == ENGINE:
        return answer
    yield Noted(f"{question.counted_as}{answer.kind}")
    answer = yield from _with_room(sheet, replace(question, reason=answer.reason))
    outcome = "good in other words" if isinstance(answer, Answered) else answer.kind
    yield Noted(f"{question.counted_as}{outcome}")
    return answer


def _with_room(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """Return the judged answer; one that was cut off for want of room is asked for once more with more of it."""
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
    answer = replace(read, is_former=reply.asked_at <= sheet.former_until)
    refused = judge(
        answer.text, request.step, request.turns[-1].content, question.passage, question.given
    )
    refused = refused or repeated(answer.text, question.earlier)
    if refused or answer.is_former or request.step == "quote":
        return refused or answer
    return misshapen(_form(sheet, question, answer.text)) or answer


def _form(sheet: Worksheet, question: Question, answer: str) -> Form:
    """Return the answer with all that its form is judged by."""
    return Form(
        answer,
        question.request.step,
        question.passage,
        question.by_person,
        sheet.texts.primer,
        question.names,
    )
