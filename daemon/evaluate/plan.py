"""The plan of an evaluation: which questions are asked, of which models, and at what cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.evaluation import answers_about, questions_about
from daemon.archive.journal import find_reply
from daemon.evaluate.reporting import (
    asked_questions,
    circumstances,
    seen_letters,
)
from daemon.evaluate.subject import ArmName, EvaluatedChat
from daemon.models.context import Context
from daemon.models.prices import priced_models
from daemon.models.roles import Roles
from daemon.models.tokens import count_of
from primer.evaluation_questions import (
    LETTER_WORDS,
    WRITE,
    WRITE_WORDS,
    chunk_alone,
    write_questions,
)
from primer.prompt import Turn
from primer.reply import Request
from rules.conversation.memory import Memory
from rules.errors import ChatSkipped
from rules.evaluate.questions import (
    AT_ONCE,
    MOST_QUESTIONS,
    NAMED,
    PASSAGE,
    PER_CHUNK,
    EvalQuestion,
    pick_few,
    spread,
)
from rules.money.estimate import CostEstimate, ModelRole, PlannedCall, estimate_cost
from rules.plan.dialogues import answer_room
from rules.wording import cut_title

PLACES = 3
"""The hits of a search for one question."""
_INSTRUCTIONS, _QUESTION = 110, 65
"""Tokens of the instructions around questions, and of a question with its choices."""
_WRITTEN, _LETTERS = 350, 20
"""Tokens of answers: four questions as JSON, five letters."""
_HEAD, _EXCERPT = 130, 270
"""Tokens of a search's first lines, and of an excerpt of a long message."""


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What an evaluation asks."""

    subject: EvaluatedChat
    roles: Roles
    """The models that are asked: the agent without tools, and never the engine."""
    number: int
    """The number of the evaluation that it begins or continues."""
    arms: tuple[ArmName, ...]
    """The arms that have no answers yet."""
    chunks: tuple[Memory, ...]
    """The memories that are asked about."""
    lacking: tuple[Memory, ...]
    """Those of `chunks` that need new questions: they have none about what was said, or lost some
    to a rewriting."""
    before: tuple[EvalQuestion, ...]
    """All stored questions about the chat, including those that are not asked."""
    questions: tuple[EvalQuestion, ...]
    """The questions that are asked, as far as they are written."""
    own: tuple[EvalQuestion, ...] = ()
    """The person's own questions, if these are asked in place of a model's."""
    calls: int = 0
    cost: CostEstimate | None = None
    """In picodollars; None where a price is not known."""
    batched: bool = False

    @property
    def count(self) -> int:
        """Return about how many questions are asked."""
        lacking = {memory.memory_id for memory in self.lacking}
        written = [question for question in self.questions if question.memory not in lacking]
        return len(written) + PER_CHUNK * len(lacking)

    def chunk(self, memory: Memory) -> tuple[Turn, ...]:
        """Return what the context manager reads of a memory's chunk."""
        entries = self.subject.entries[memory.memory_id]
        return chunk_alone(self.subject.survey.texts, entries)

    def write_request(self, memory: Memory) -> Request:
        """Return the request for questions about a memory's chunk, other than the stored ones."""
        before = [question for question in self.before if question.memory == memory.memory_id]
        turns = write_questions(self.chunk(memory), before)
        return Request(WRITE, self.roles.context_manager, turns, WRITE_WORDS)


def plan_evaluation(
    context: Context,
    subject: EvaluatedChat,
    arms: Sequence[ArmName],
    *,
    again: bool,
    own: Sequence[EvalQuestion] = (),
) -> EvaluationPlan:
    """Plan to ask what was not asked yet about the chat as it is; with `again`, all once more.

    The person's `own` questions are asked in place of those that a model writes. Raises ChatSkipped
    where a context does not fit the model, UnknownPrice where a price is not known, unless
    `budget.unpriced` allows that.
    """
    roles = subject.survey.roles
    agent = replace(roles.agent, tools=())
    # The agent also takes the place of a context manager that is the engine.
    manager = roles.context_manager if roles.has_manager else agent
    roles = replace(roles, agent=agent, context_manager=manager, fallback=None, embedding=None)
    number, due = _due(context, subject, roles, arms, again=again, own=own)
    before = questions_about(context.archive, subject.chat_id)
    known = {question.memory for question in before}
    preferred = [memory for memory in subject.chunks if memory.memory_id in known]
    most = MOST_QUESTIONS // PER_CHUNK
    chunks = tuple(spread(subject.chunks, most, preferred)) if due and not own else ()
    questions = own or chosen_questions(context.archive, subject, chunks)
    plan = EvaluationPlan(
        subject=subject,
        roles=roles,
        number=number,
        arms=due,
        chunks=chunks,
        lacking=_lacking(chunks, before, questions),
        before=before,
        questions=tuple(questions),
        own=tuple(own),
    )
    return _with_cost(context, plan)


def unseen_by(
    archive: Archive, subject: EvaluatedChat, model: str, questions: Sequence[EvalQuestion]
) -> Mapping[str, tuple[EvalQuestion, ...]]:
    """Return by memory's id the questions not yet asked of a model with the passage in view."""
    seen = seen_letters(answers_about(archive, subject.chat_id), model)
    unseen: dict[str, tuple[EvalQuestion, ...]] = {}
    for question in questions:
        if question.was_said and question.number not in seen:
            unseen[question.memory] = (*unseen.get(question.memory, ()), question)
    return unseen


def _lacking(
    chunks: Sequence[Memory], before: Sequence[EvalQuestion], questions: Sequence[EvalQuestion]
) -> tuple[Memory, ...]:
    """Return the memories that lack questions.

    They have none about what was said in their chunk, or some that a rewriting had in view, which
    no longer count.
    """
    asked_about = {question.memory for question in questions if question.was_said}
    named = {question.memory for question in before if question.state == NAMED}
    served = asked_about - named
    return tuple(memory for memory in chunks if memory.memory_id not in served)


def chosen_questions(
    archive: Archive, subject: EvaluatedChat, chunks: Sequence[Memory]
) -> tuple[EvalQuestion, ...]:
    """Return the questions that are asked about these chunks, as far as they are written."""
    counting = asked_questions(archive, subject, own=False).values()
    names = [memory.memory_id for memory in chunks]
    return pick_few(counting, names)


def _due(
    context: Context,
    subject: EvaluatedChat,
    roles: Roles,
    arms: Sequence[ArmName],
    *,
    again: bool,
    own: Sequence[EvalQuestion],
) -> tuple[int, tuple[ArmName, ...]]:
    """Return the number of the evaluation, and the arms for which it has no answers."""
    seeds = {question.seed for question in own}
    asked = {
        question.number
        for question in asked_questions(context.archive, subject, own=bool(own)).values()
        if not own or question.seed in seeds
    }
    now = (subject.version, subject.settings, roles.agent.name)
    answers = answers_about(context.archive, subject.chat_id)
    same = [
        answer
        for answer in answers
        if circumstances(answer) == now and answer.question in asked and answer.arm != PASSAGE
    ]
    if again or not same:
        last = max((answer.evaluation for answer in answers), default=0)
        return last + 1, tuple(arms)
    number = max(answer.evaluation for answer in same)
    answered = {answer.arm for answer in same}
    return number, tuple(arm for arm in arms if arm not in answered)


def _with_cost(context: Context, plan: EvaluationPlan) -> EvaluationPlan:
    """Return the plan with its calls counted and priced; one without arms makes no calls."""
    calls: list[PlannedCall] = []
    if plan.arms:
        calls += _calls_to_write(context, plan)
        calls += _calls_with_passages(context, plan)
        calls += _calls_to_ask(plan)
    config, now = plan.subject.survey.config, context.clock()
    models, batched = priced_models(context.archive, plan.roles, config, now)
    cost = estimate_cost(calls, calls, models)
    return replace(plan, calls=len(calls), cost=cost, batched=batched)


def _calls_to_write(context: Context, plan: EvaluationPlan) -> Iterator[PlannedCall]:
    """Yield the calls that make questions: write, check, and try them without the conversation.

    The first call writes its chunk to the cache, and the second reads it from there.
    """
    questions = _INSTRUCTIONS + PER_CHUNK * _QUESTION
    blind = _tokens(plan.subject.alone) + questions
    for memory in plan.lacking:
        request = plan.write_request(memory)
        if find_reply(context.archive, request.key):
            continue
        chunk = _tokens(plan.chunk(memory))
        instructions = _tokens(request.turns[-1:])
        prompt = chunk + instructions
        yield _call("context manager", prompt, _WRITTEN, WRITE_WORDS, written=chunk)
        yield _call("context manager", chunk + questions, _LETTERS, LETTER_WORDS, read=chunk)
        yield _call("agent", blind, _LETTERS, LETTER_WORDS)


def _calls_with_passages(context: Context, plan: EvaluationPlan) -> Iterator[PlannedCall]:
    """Yield the calls that ask the agent with each passage in view, once for each question.

    If the agent has just written the questions itself, its cache has the passage.
    """
    agent = plan.roles.agent.name
    is_writer = agent == plan.roles.context_manager.name
    unseen = unseen_by(context.archive, plan.subject, agent, plan.questions)
    lacking = {memory.memory_id for memory in plan.lacking}
    for name in {**unseen, **dict.fromkeys(lacking)}:
        memory = next(chunk for chunk in plan.subject.chunks if chunk.memory_id == name)
        questions = PER_CHUNK - 1 if name in lacking else len(unseen[name])
        chunk = _tokens(plan.chunk(memory))
        prompt = chunk + _INSTRUCTIONS + questions * _QUESTION
        read = chunk if is_writer and name in lacking else 0
        yield _call("agent", prompt, _LETTERS, LETTER_WORDS, read=read)


def _calls_to_ask(plan: EvaluationPlan) -> Iterator[PlannedCall]:
    """Yield the calls that ask the persona. The first one writes the context to the cache."""
    for arm in plan.arms:
        searches = arm == "recall"
        turns = plan.subject.turns(arm)
        context = _tokens(turns)
        _refuse_too_large(plan, arm, context)
        tokens_each = _QUESTION
        if searches:  # about the size of the hits for one question
            of_chunks = plan.subject.entries.values()
            sizes = [count_of(entry.message.text) for chunk in of_chunks for entry in chunk]
            tokens_each += _HEAD + PLACES * min(_EXCERPT, sum(sizes) // len(sizes))
        is_read = searches and "memories" in plan.arms
        for asked in range(0, plan.count, AT_ONCE):
            questions = min(AT_ONCE, plan.count - asked)
            prompt = context + _INSTRUCTIONS + questions * tokens_each
            read, written = (context, 0) if is_read else (0, context)
            yield _call("agent", prompt, _LETTERS, LETTER_WORDS, len(turns), read, written)
            is_read = True


def _call(
    role: ModelRole,
    prompt: int,
    answer: int,
    words: int,
    turns: int = 2,
    read: int = 0,
    written: int = 0,
) -> PlannedCall:
    """Return a call, planned by the tokens of prompt and answer, with room for `words` words.

    Of the prompt, `read` tokens come from the cache, or `written` go to it.
    """
    return PlannedCall(role, prompt, read, written, answer, answer_room(words), turns)


def _refuse_too_large(plan: EvaluationPlan, arm: str, tokens: int) -> None:
    """Raise ChatSkipped where a context has more tokens than the agent can be sent."""
    survey = plan.subject.survey
    expected, limit = tokens * survey.roles.factor, survey.roles.limit
    if limit is None or expected <= limit.tokens:
        return
    raise ChatSkipped(
        f'"{cut_title(survey.plan.title)}": {arm} has about {round(expected):,} tokens, and '
        f"{plan.roles.agent.name} can be asked with {limit.tokens:,} at most.",
        "Lower fold.budget or tail.tokens." if arm == "memories" else "Leave it out of --against.",
    )


def _tokens(turns: Sequence[Turn]) -> int:
    """Return the tokens of several turns."""
    return sum(count_of(turn.content) for turn in turns)
