"""A question to a model, on the worksheet of its dialogue, with second chances for its answer.

good              used
cut off           asked once more, with four times the room
broken off        asked once more with that room, but never in other words
too slow          never asked in other words: `direct.py` has waited twice
no known end      used if it ends with a whole sentence, else it counts as broken off
unusable          asked once more, in other words that name the reason
still unusable    returned as a Refused with its reason; the dialogue decides what follows
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from daemon.archive.journal import Reply
from daemon.chat.survey import Survey
from daemon.models.scheduler import Noted, Steps
from primer import prompt
from primer.prompt import Turn
from primer.reply import (
    Answered,
    Refused,
    Request,
    judge,
    read_reply,
    refuse_control_mark,
    refuse_repeated,
)
from primer.wording import Texts, fill, without_tag_around
from rules.checks.checks import first_fault
from rules.checks.form import Form
from rules.conversation.memory import Memory
from rules.conversation.memory_size import SHIPPED_QUESTIONS
from rules.errors import ContextTooLong, TooLong
from rules.plan.limits import largest_part, parts_of
from rules.plan.work import PlannedChunk
from rules.wording import cut_title

_MORE_ROOM = 4
_NOT_WHOLE = ("cut off", "broken off")
_PASSAGE_ALONE = ("analysis", "facts")
"""The steps in which the context manager is asked, which sees nothing but the passage."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """What the requests of one dialogue share, and the keys of those that were made."""

    texts: Texts
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory, as these texts word them."""
    about: str = ""
    """Names the chat and what is written, in error messages."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """About how many tokens each part of the agent's requests has, by the part's name."""
    passage: str = ""
    """The name of the part that the context manager sees."""
    keeps_misshapen: bool = False
    """Whether an answer is kept whose only fault, at the second attempt, is its form."""
    zone: tzinfo = UTC
    """The time zone of the person's days."""
    requests: list[str] = field(default_factory=list)
    """The keys of the requests made, in order."""

    def blank(self) -> "Worksheet":
        """Return the same worksheet without any requests."""
        return replace(self, requests=[])

    def ask(self, request: Request) -> Steps[Reply]:
        """Return the reply to a request.

        Raises TooLong, naming the largest part, where it does not fit.
        """
        self.requests.append(request.key)
        try:
            return (yield request)
        except ContextTooLong as fault:
            parts = self.parts
            if request.step in _PASSAGE_ALONE:
                parts = {self.passage: parts[self.passage]}
            sentence = f"{self.about}: {fault.message} {largest_part(parts)}"
            raise TooLong(sentence, fault.next_step) from fault


@dataclass(frozen=True, slots=True)
class Question:
    """A question at the end of a request, and the passage that its answer is judged against."""

    request: Request
    text: str
    """Its words, without a tag."""
    passage: Sequence[str]
    tagged: bool = True
    """Whether it is put into the context manager's tag, as all questions to the agent are."""
    reason: str = ""
    """Why the answer before could not be used; given a reason, the question is put otherwise."""
    otherwise: str = ""
    """The template of those other words; empty: the one for questions to the agent."""
    unfit: Callable[[str], Refused | None] | None = None
    """Returns why an answer cannot be used, in place of the rules for prose."""
    earlier: Sequence[str] = ()
    """Earlier answers in the same memory, none of which may be repeated."""
    given: str = ""
    """The analysis that the question contains."""
    by_person: Sequence[str] = ()
    """The messages of the passage that the person wrote."""
    names: frozenset[str] = frozenset()
    """The names of the person, casefolded."""
    own_names: frozenset[str] = frozenset()
    """The names of the persona, casefolded."""
    repeats_once: bool = False
    """Whether an answer that repeats an earlier one is final, and not asked for in other words."""
    counted_as: str = ""
    """The prefix, with a blank, of the names under which its troubles are counted; a memory's
    questions have none."""

    def posed(self, texts: Texts) -> Request:
        """Return the request with the question as its last turn."""
        wording = self.otherwise or texts.otherwise
        text = fill(wording, question=self.text, reason=self.reason) if self.reason else self.text
        last = prompt.question(text) if self.tagged else Turn("user", text)
        return replace(self.request, turns=(*self.request.turns, last))


def ask_question(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """Ask a question, with one retry in other words. Return the answer or a Refused.

    Raises ModelError as the scheduler does.
    """
    answer = yield from _with_room(sheet, question)
    if isinstance(answer, Answered):
        return answer
    yield Noted(f"{question.counted_as}{answer.kind}")
    if answer.kind in ("broken off", "too slow") or (
        answer.kind == "repeated" and question.repeats_once
    ):
        return answer
    answer = yield from _with_room(sheet, replace(question, reason=answer.reason))
    outcome = "good in other words" if isinstance(answer, Answered) else answer.kind
    yield Noted(f"{question.counted_as}{outcome}")
    return answer


def _with_room(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    """Return the judged answer. If it is not whole, ask once more, with more room."""
    answer = yield from _judged(sheet, question)
    if isinstance(answer, Refused) and answer.kind in _NOT_WHOLE:
        yield Noted(f"{question.counted_as}{answer.kind}")
        more = replace(question.request, room=_MORE_ROOM)
        answer = yield from _judged(sheet, replace(question, request=more))
        if isinstance(answer, Answered):
            yield Noted(f"{question.counted_as}whole with more room")
    return answer


def _judged(sheet: Worksheet, question: Question) -> Steps[Answered | Refused]:
    request = question.posed(sheet.texts)
    reply = yield from sheet.ask(request)
    read = read_reply(reply.text, reply.finish, question.passage, is_prose=question.unfit is None)
    if isinstance(read, Refused):
        return read
    if read.ended_by:
        yield Noted(f"{question.counted_as}whole without a known end")
    if request.step == "quote":
        read = replace(read, text=without_tag_around(read.text))
    # What the question itself shows, such as the known facts, may be in the answer too.
    contents = [turn.content for turn in request.turns]
    if refused := refuse_control_mark(read.text, (*question.passage, contents[-1])):
        return refused
    if question.unfit:
        return question.unfit(read.text) or read
    refused = judge(read.text, request.step, contents[-1], question.passage, question.given)
    if refused := refused or refuse_repeated(read.text, question.earlier):
        return refused
    form = Form(
        read.text,
        request.step,
        question.passage,
        question.by_person,
        sheet.texts.primer,
        question.names,
        question.own_names,
        contents,
    )
    fault = first_fault(form)
    return Refused(fault.name, fault.reason, read.text) if fault else read


def worksheet_of_chunk(survey: Survey, chunk: PlannedChunk, after_tokens: int = 0) -> Worksheet:
    """Return the worksheet of a chunk's memory, facts or core memory.

    `after_tokens` is the size of what came after the chunk, for a hindsight edition.
    """
    factor = survey.roles.factor_beforehand
    parts = parts_of(chunk, survey.plan.fixed_tokens, factor)
    if after_tokens:
        parts["what came after"] = round(after_tokens * factor)
    about = f'"{cut_title(survey.plan.title)}", chunk {chunk.number}'
    return _worksheet(survey, about, parts, "the chunk")


def worksheet_of_fold(survey: Survey, members: Sequence[Memory]) -> Worksheet:
    """Return the worksheet of one fold."""
    factor = survey.roles.factor_beforehand
    parts = {
        "system message and primer": round(survey.plan.fixed_tokens * factor),
        "the memories": round(sum(member.in_prompts.tokens for member in members) * factor),
    }
    about = f'"{cut_title(survey.plan.title)}", a fold of {len(members)} memories'
    return _worksheet(survey, about, parts, "the memories")


def _worksheet(survey: Survey, about: str, parts: Mapping[str, int], passage: str) -> Worksheet:
    texts, questions = survey.texts, survey.plan.questions_tokens
    return Worksheet(texts, questions, about, parts, passage, zone=survey.zone)
