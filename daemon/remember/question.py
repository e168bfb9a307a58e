"""One question, with its second chances: more room for an answer that was cut off, then other words.

asked                    used, if it is good
cut off       once more, with room for four times as much
unusable      once more, in other words that name the reason
still         a Refused with its reason; what comes then is for the dialogue to say
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from daemon.archive.journal import Reply
from primer import prompt
from primer.prompt import Turn
from primer.reply import Answered, Refused, judge, read_reply, repeated
from primer.request import ENGINE, Request
from primer.texts import Texts
from rules.conversation.memory import SHIPPED_QUESTIONS

_MORE_ROOM = 4


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are asked: `ask` answers a request, `note` hears each kind of trouble and each remedy."""

    ask: Callable[[Request], Reply]
    note: Callable[[str], None]
    texts: Texts
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory, as these texts word them."""


def recording(desk: Desk) -> tuple[Desk, list[str]]:
    """The same desk, and the keys of all requests that go over it from now on, in order."""
    asked: list[str] = []

    def ask(request: Request) -> Reply:
        asked.append(request.key)
        return desk.ask(request)

    return replace(desk, ask=ask), asked


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

    def posed(self, texts: Texts) -> Request:
        """The request with the question as its last turn."""
        wording = self.otherwise or texts.otherwise
        text = prompt.in_other_words(wording, self.text, self.reason) if self.reason else self.text
        last = prompt.question(text) if self.tagged else Turn("user", text)
        return replace(self.request, turns=(*self.request.turns, last))


def put(desk: Desk, question: Question) -> Answered | Refused:
    """The answer, or why there is none that could be used. Raises ModelError where the model cannot be asked."""
    answer = _with_room(desk, question)
    if isinstance(answer, Answered) or question.request.model == ENGINE:
        return answer
    desk.note(answer.kind)
    answer = _with_room(desk, replace(question, reason=answer.reason))
    if isinstance(answer, Answered):
        desk.note("good in other words")
    else:
        desk.note(answer.kind)
    return answer


def _with_room(desk: Desk, question: Question) -> Answered | Refused:
    """The judged answer; one that was cut off for want of room is asked for once more with more of it."""
    answer = _judged(desk, question)
    if isinstance(answer, Refused) and answer.kind == "cut off" and question.request.model != ENGINE:
        desk.note(answer.kind)
        answer = _judged(desk, replace(question, request=replace(question.request, room=_MORE_ROOM)))
        if isinstance(answer, Answered):
            desk.note("whole with more room")
    return answer


def _judged(desk: Desk, question: Question) -> Answered | Refused:
    request = question.posed(desk.texts)
    reply = desk.ask(request)
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused) or request.model == ENGINE:
        return read
    if question.unfit:
        return question.unfit(read.text) or read
    refused = judge(read.text, request.step, request.turns[-1].content, question.passage)
    return refused or repeated(read.text, question.earlier) or read
