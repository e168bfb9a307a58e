"""Carry out an evaluation: have questions written and tested, ask the persona, store its letters.

All calls go through the scheduler and the journal, as any others: after a kill or a cap the same
requests are made again, and no answer is paid for twice. An evaluation's answers are stored all at
once. A memory may be written again afterwards, with the points in view that it was found to lack.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from daemon.archive.evaluation import (
    answers_about,
    keep_answers,
    keep_questions,
    questions_about,
)
from daemon.archive.memories import find_memory
from daemon.evaluate.plan import (
    PLACES,
    EvaluationPlan,
    chosen_questions,
    plan_evaluation,
    unseen_by,
)
from daemon.evaluate.reporting import find_missed, seen_letters
from daemon.evaluate.subject import ArmName, EvaluatedChat, find_subject
from daemon.events import Note
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from daemon.recall.finding import Wanted, find_text
from daemon.recall.library import Library
from daemon.remember.retry import UnchangedMemory, retry
from primer.evaluation_questions import (
    ASK,
    BLIND,
    CHECK,
    LETTER_WORDS,
    LETTERS_ALONE,
    PLAIN_JSON,
    SEEN,
    ask_questions,
    describe_missed_points,
    read_questions,
)
from primer.models import Model
from primer.prompt import Turn
from primer.reply import Answered, Request, read_reply, refuse_control_mark
from rules.conversation.memory import Memory, with_members
from rules.errors import ChatSkipped, ModelError
from rules.evaluate.questions import (
    AT_ONCE,
    GUESSED,
    NEVER_SAID,
    PASSAGE,
    SAID_ELSEWHERE,
    UNCLEAR,
    EvalAnswer,
    EvalQuestion,
    draw,
    own_letter,
    pose,
    read_letters,
    says_never_to_all,
)
from rules.wording import counted, cut_title

FEWEST_QUESTIONS = 5
_FOUND = "A search of the archive finds this about the questions below:"

T = TypeVar("T")


def ask_persona(
    context: Context,
    chat: str,
    arms: Sequence[ArmName],
    *,
    again: bool,
    own: Sequence[EvalQuestion] = (),
) -> None:
    """Have a chat's missing questions written, ask all, and store the answers.

    The person's `own` questions are asked in place of a model's.

    Raises ChatSkipped where there are too few questions, OverBudget at a cap, and ModelError where
    a model cannot be asked, or most of its answers have no letters.
    """
    plan = plan_evaluation(context, find_subject(context, chat), arms, again=again, own=own)
    chat_id, models = plan.subject.chat_id, plan.subject.survey.config.models
    at_most = plan.cost.at_most if plan.cost else 0
    context = replace(context, plan_at_most=at_most)
    answers: list[EvalAnswer] = []
    with Scheduler(context, chat_id, models.concurrency, models.batch) as scheduler:
        if plan.lacking:
            _make_questions(context, plan, scheduler)
        asked = _kept_own(context, plan) if own else _chosen(context, plan)
        with_passages = _ask_with_passages(context, plan, scheduler, asked)
        questions = counted(len(asked), "question")
        context.tell(Note(f"{questions} are asked of {plan.roles.agent.name}"))
        for arm in plan.arms:
            answers += _ask(context, plan, scheduler, arm, asked)
    _refuse_unread(plan, answers)
    keep_answers(context.archive, chat_id, [*with_passages, *answers])


def _make_questions(context: Context, plan: EvaluationPlan, scheduler: Scheduler) -> None:
    """Have questions about all chunks that lack them written and tested, and store them."""
    chunks = counted(len(plan.lacking), "chunk")
    context.tell(Note(f"questions about {chunks} are written and tried"))
    written = _hold_all(scheduler, [_write(plan, memory) for memory in plan.lacking])
    new = [question for questions in written for question in questions]
    keep_questions(context.archive, plan.subject.chat_id, new)


def _chosen(context: Context, plan: EvaluationPlan) -> Sequence[EvalQuestion]:
    """Return the questions of this evaluation. Raises ChatSkipped where there are too few."""
    asked = chosen_questions(context.archive, plan.subject, plan.chunks)
    answerable = sum(question.was_said for question in asked)
    if answerable < FEWEST_QUESTIONS:
        raise ChatSkipped(
            f'"{cut_title(plan.subject.survey.plan.title)}" has {counted(answerable, "question")} '
            f"that can be asked, and {FEWEST_QUESTIONS} are needed.",
            "Talk on, and evaluate it when it has more memories; or set another context_manager "
            "in [models], who writes the questions.",
        )
    return asked


def _kept_own(context: Context, plan: EvaluationPlan) -> Sequence[EvalQuestion]:
    """Store those of the person's own questions that are new.

    Return all of them as they are stored.
    """
    archive, chat_id = context.archive, plan.subject.chat_id
    known = {question.seed for question in plan.before}
    new = [question for question in plan.own if question.seed not in known]
    keep_questions(archive, chat_id, new)
    seeds = {question.seed for question in plan.own}
    return [question for question in questions_about(archive, chat_id) if question.seed in seeds]


def _ask_with_passages(
    context: Context,
    plan: EvaluationPlan,
    scheduler: Scheduler,
    questions: Sequence[EvalQuestion],
) -> list[EvalAnswer]:
    """Ask the questions that the agent was not asked yet with the passage in view.

    Raises ModelError where it answers "never said" to nearly all: such a model says nothing about
    memories.
    """
    subject, agent = plan.subject, plan.roles.agent
    unseen = unseen_by(context.archive, subject, agent.name, questions)
    chunks = {memory.memory_id: memory for memory in subject.chunks}
    asked = [question for group in unseen.values() for question in group]
    steps = [
        _letters(SEEN, agent, plan.chunk(chunks[name]), group, SEEN)
        for name, group in unseen.items()
    ]
    letters = list(chain.from_iterable(_hold_all(scheduler, steps)))
    known = seen_letters(answers_about(context.archive, subject.chat_id), agent.name)
    earlier_letters = [known[question.number] for question in questions if question.number in known]
    all_letters = [*earlier_letters, *letters]
    if says_never_to_all(all_letters):
        never = all_letters.count(NEVER_SAID)
        raise ModelError(
            f'{agent.name} answers "never said" to {never} of {len(all_letters)} '
            "questions with the passage itself in view, so that it cannot tell what memories hold.",
            "Evaluate with another model: agent in [models].",
        )
    return _answers(context, plan, PASSAGE, asked, letters)


def _answers(
    context: Context,
    plan: EvaluationPlan,
    arm: str,
    questions: Sequence[EvalQuestion],
    letters: Iterable[str],
) -> list[EvalAnswer]:
    """Return the answers to questions, by their letters."""
    subject = plan.subject
    return [
        EvalAnswer(
            evaluation=plan.number,
            question=question.number,
            arm=arm,
            letter=letter,
            model=plan.roles.agent.name,
            settings=subject.settings,
            version=subject.version,
            memories=len(subject.chunks),
            level=subject.shown_as[question.memory].level,
            at=context.clock(),
        )
        for question, letter in zip(questions, letters, strict=True)
    ]


def _write(plan: EvaluationPlan, memory: Memory) -> Steps[tuple[EvalQuestion, ...]]:
    """Have questions about a chunk written, then tested with the chunk in view, and without."""
    subject, roles = plan.subject, plan.roles
    entries = subject.entries[memory.memory_id]
    request = plan.write_request(memory)
    for turns in (request.turns, (*request.turns, Turn("user", PLAIN_JSON))):
        reply = yield replace(request, turns=turns)
        read = read_reply(reply.text, reply.finish)
        answer = read.text if isinstance(read, Answered) else ""
        if not refuse_control_mark(answer, [entry.message.words for entry in entries]):
            break
    else:
        answer = ""  # both answers have a control mark of a model's format
    questions = read_questions(answer, memory.memory_id, entries)
    if not questions:
        return ()
    chunk = plan.chunk(memory)
    with_chunk_letters = yield from _letters(CHECK, roles.context_manager, chunk, questions, CHECK)
    without_letters = yield from _letters(BLIND, roles.agent, subject.alone, questions, BLIND)
    tried = []
    for question, with_chunk, without in zip(
        questions, with_chunk_letters, without_letters, strict=True
    ):
        state = _why_not_asked(subject, question, with_chunk, without)
        tried.append(replace(question, state=state))
    return tuple(tried)


def _why_not_asked(subject: EvaluatedChat, question: EvalQuestion, seen: str, blind: str) -> str:
    """Return why a question is not asked, by the letters with and without its chunk; or ""."""
    if seen != question.right:
        return UNCLEAR
    if question.was_said:
        return GUESSED if blind == question.right else ""
    choices = [choice.casefold().rstrip(".!? ") for choice in question.choices]
    outside = [live.message for live in subject.live]
    for name, entries in subject.entries.items():
        if name != question.memory:
            outside += (entry.message for entry in entries)
    all_words = (message.words.casefold() for message in outside)
    is_said = any(choice in words for words in all_words for choice in choices)
    return SAID_ELSEWHERE if is_said else ""


def _ask(
    context: Context,
    plan: EvaluationPlan,
    scheduler: Scheduler,
    arm: ArmName,
    questions: Sequence[EvalQuestion],
) -> list[EvalAnswer]:
    """Ask all questions from one context, a few at a time, in an order drawn for this asking."""
    subject, agent = plan.subject, plan.roles.agent
    asking = f"{plan.number} {arm}"
    drawn = draw(questions, f"{subject.chat_id} {asking}")
    turns = subject.turns(arm)
    library = Library(context.config, context.folders.state, subject.chat_id)
    steps = []
    for at in range(0, len(drawn), AT_ONCE):
        group, hits = drawn[at : at + AT_ONCE], ""
        if arm == "recall":
            searches = [Wanted(question.text, limit=PLACES) for question in group]
            hits = "\n\n".join((_FOUND, *(find_text(library, each).text for each in searches)))
        steps.append(_letters(ASK, agent, turns, group, asking, hits))
    letters = chain.from_iterable(_hold_all(scheduler, steps))
    return _answers(context, plan, arm, drawn, letters)


def _letters(
    step: str,
    model: Model,
    turns: Sequence[Turn],
    questions: Sequence[EvalQuestion],
    asking: str,
    found: str = "",
) -> Steps[tuple[str, ...]]:
    """Return the letters chosen for questions, asking once more in other words if some lack."""
    posed = pose(questions, asking)
    letters = [""] * len(questions)
    for text in (posed, posed + LETTERS_ALONE):
        reply = yield Request(step, model, ask_questions(turns, text, found), LETTER_WORDS)
        read = read_reply(reply.text, reply.finish, is_prose=False)
        is_plain = isinstance(read, Answered) and not refuse_control_mark(read.text, [posed])
        new = read_letters(read.text, len(questions)) if is_plain else ()
        for at, letter in enumerate(new):
            letters[at] = letters[at] or letter
        if all(letters):
            break
    answered = zip(questions, letters, strict=True)
    return tuple(own_letter(question, asking, letter) for question, letter in answered)


def _hold_all(scheduler: Scheduler, steps: Sequence[Steps[T]]) -> list[T]:
    """Hold dialogues at the same time, of which the first leads. Return their results in order."""
    dialogues: list[RunningDialogue[T]] = []
    for rank, dialogue in enumerate(steps):
        first = dialogues[0] if dialogues else None
        running = RunningDialogue(dialogue, rank, first)
        dialogues.append(running)
        scheduler.begin(running)
    while not all(dialogue.is_over for dialogue in dialogues):
        scheduler.go_on()
    return [dialogue.result for dialogue in dialogues]  # type: ignore[misc]  # each is over


def _refuse_unread(plan: EvaluationPlan, answers: Sequence[EvalAnswer]) -> None:
    """Raise ModelError where more than half of the answers have no letter."""
    unread = sum(not answer.letter for answer in answers)
    if 2 * unread > len(answers):
        raise ModelError(
            f"{plan.roles.agent.name} answered {unread} of {len(answers)} questions in no letters, "
            "so that nothing can be said of what it knows.",
            "Evaluate with another model: agent in [models].",
        )


def retry_missed(context: Context, name: str) -> Memory | UnchangedMemory:
    """Have the memory of this name written again, with the points missed in the newest evaluation.

    The questions about these points no longer count. Raises as `retry` does.
    """
    chat_id, memory = find_memory(context.archive, name)
    subject = find_subject(context, chat_id)
    chunks = with_members([memory.memory_id], subject.survey.reading.memories)
    all_missed = find_missed(context.archive, subject)
    lacking = [question for question in all_missed if question.memory in chunks]
    if not lacking:
        return UnchangedMemory(
            memory.memory_id,
            "The newest evaluation has missed no question about it.",
            f"To evaluate the chat as it is now: memproc eval {chat_id}",
        )
    numbers = [question.number for question in lacking]
    return retry(context, memory.memory_id, describe_missed_points(lacking), numbers)
