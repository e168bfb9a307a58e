"""Report an evaluation from the answers in the archive."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar

from daemon.archive.archive import Archive
from daemon.archive.evaluation import answers_about, questions_about
from daemon.archive.journal import costs_since
from daemon.evaluate.subject import EvaluatedChat
from daemon.evaluate.voice import voice_of
from primer.evaluation_questions import STEPS
from rules.evaluate.questions import NEVER_SAID, PASSAGE, EvalAnswer, EvalQuestion
from rules.evaluate.report import (
    Evaluation,
    LiveTail,
    MarkedQuestion,
    Missed,
    PastEvaluation,
    Row,
    group,
    make_row,
)
from rules.evaluate.scoring import known_mark

K = TypeVar("K")

Questions = Mapping[int, EvalQuestion]
"""Questions by their numbers."""


def asked_questions(
    archive: Archive, subject: EvaluatedChat, *, own: bool | None = None
) -> Questions:
    """Return the questions that count: asked ones about chunks that the chat still shows.

    With `own` True only the person's own, with False only the others.
    """
    asked = {}
    for question in questions_about(archive, subject.chat_id):
        is_wanted = own is None or question.is_own == own
        if is_wanted and not question.state and question.memory in subject.entries:
            asked[question.number] = question
    return asked


def _counting(archive: Archive, subject: EvaluatedChat) -> tuple[Questions, list[EvalAnswer]]:
    """Return the questions that count, and the answers to them, oldest first."""
    questions = asked_questions(archive, subject)
    answers = answers_about(archive, subject.chat_id)
    return questions, [answer for answer in answers if answer.question in questions]


def seen_letters(answers: Iterable[EvalAnswer], model: str) -> Mapping[int, str]:
    """Return by question's number the letters that a model chose with the passages in view."""
    return {
        answer.question: answer.letter
        for answer in answers
        if answer.arm == PASSAGE and answer.model == model
    }


def _answerable(
    questions: Questions, given: Sequence[EvalAnswer], all_given: Sequence[EvalAnswer]
) -> list[EvalAnswer]:
    """Return the answers to questions that their model answers rightly with the passage in view.

    Answers stay where the model was not asked with the passage in view.
    """
    answerable = []
    for answer in given:
        seen = seen_letters(all_given, answer.model).get(answer.question)
        question = questions[answer.question]
        if seen is None or not question.was_said or seen == question.right:
            answerable.append(answer)
    return answerable


def asked_report(archive: Archive, subject: EvaluatedChat, number: int = 0) -> Evaluation | None:
    """Return the report of an evaluation and its replicates; None where there is none.

    It is the evaluation of this `number` if it exists, else the newest.
    """
    questions, answers = _counting(archive, subject)
    if not answers:
        return None
    newest = max(answers, key=lambda answer: (answer.evaluation == number, answer.evaluation))
    by_arm = _by_arm(questions, answers, newest)
    memories = by_arm.get("memories", [])
    not_known = find_missed(archive, subject, newest.evaluation)
    return Evaluation(
        **in_every_report(archive, subject),
        form="asked",
        model=newest.model,
        evaluation=newest.evaluation,
        has_passages=PASSAGE in by_arm,
        replicates=len({answer.evaluation for answer in memories}),
        at=newest.at,
        memories=newest.memories,
        is_present=(newest.version, newest.settings) == (subject.version, subject.settings),
        arms=tuple(_asked_row(questions, arm, given) for arm, given in by_arm.items()),
        groups=group(_results(questions, memories), names_shown(subject), guessing=True),
        missed=tuple(
            # The right choice is written first.
            Missed(
                question.memory,
                question.message,
                question.text,
                question.choices[0],
                question.passage,
            )
            for question in not_known
        ),
    )


def _by_arm(
    questions: Questions, answers: Sequence[EvalAnswer], newest: EvalAnswer
) -> Mapping[str, Sequence[EvalAnswer]]:
    """Return the answers that are reported together with the newest, by their arm."""
    is_own = questions[newest.question].is_own
    same = [
        answer
        for answer in answers
        if circumstances(answer) == circumstances(newest)
        and questions[answer.question].is_own == is_own
    ]
    asked = {answer.question for answer in same}
    by_arm: dict[str, Sequence[EvalAnswer]] = {
        arm: _answerable(questions, given, answers)
        for arm, given in _grouped(same, lambda answer: answer.arm).items()
        if arm != PASSAGE
    }
    with_passages = [
        answer
        for answer in answers
        if (answer.arm, answer.model) == (PASSAGE, newest.model) and answer.question in asked
    ]
    return {**by_arm, PASSAGE: with_passages} if with_passages else by_arm


def _grouped(
    answers: Iterable[EvalAnswer], key_of: Callable[[EvalAnswer], K]
) -> Mapping[K, list[EvalAnswer]]:
    """Group answers by a key, keeping the order of both."""
    groups: defaultdict[K, list[EvalAnswer]] = defaultdict(list)
    for answer in answers:
        groups[key_of(answer)].append(answer)
    return groups


def circumstances(answer: EvalAnswer) -> tuple[str, str, str]:
    """Return the circumstances of an answer: version and settings of the chat, and the model."""
    return answer.version, answer.settings, answer.model


def in_every_report(archive: Archive, subject: EvaluatedChat) -> dict[str, Any]:
    """Return the fields that reports of both forms share, by their names."""
    lacking = tuple(live.key for live in subject.live if live.is_missing)
    chat_costs = [cost for cost in costs_since(archive, "") if cost.chat_id == subject.chat_id]
    return {
        "chat_id": subject.chat_id,
        "title": subject.survey.plan.title,
        "tail": LiveTail(len(subject.live), lacking),
        "voice": voice_of(archive, subject),
        "usd": sum(cost.usd for cost in chat_costs if cost.step in STEPS),
    }


def names_shown(subject: EvaluatedChat) -> dict[str, str]:
    """Map each chunk's memory id to that of the memory or fold that the chat shows for it."""
    names = [chunk.memory_id for chunk in subject.chunks]
    return {name: subject.shown_as[name].memory_id for name in names}


def find_missed(archive: Archive, subject: EvaluatedChat, number: int = 0) -> list[EvalQuestion]:
    """Return the questions that an evaluation of the finished chat answered wrongly, oldest first.

    It is the evaluation of this `number`, or the newest. Answers without a letter are ignored.
    """
    questions, answers = _counting(archive, subject)
    given = [answer for answer in answers if answer.arm == "memories"]
    last = number or max((answer.evaluation for answer in given), default=0)
    answerable = _answerable(questions, given, answers)
    not_known = []
    for answer in sorted(given, key=lambda answer: answer.question):
        question = questions[answer.question]
        is_wrong = answer in answerable and answer.letter not in ("", question.right)
        if answer.evaluation == last and question.was_said and is_wrong:
            not_known.append(question)
    return not_known


def past_evaluations(archive: Archive, subject: EvaluatedChat) -> tuple[PastEvaluation, ...]:
    """Return every evaluation of the finished chat, oldest first, by the questions that count."""
    questions, all_given = _counting(archive, subject)
    given = [answer for answer in all_given if answer.arm == "memories"]
    past = []
    for number, answers in _grouped(given, lambda answer: answer.evaluation).items():
        first = answers[0]
        row = _asked_row(questions, "memories", _answerable(questions, answers, all_given))
        seen = seen_letters(all_given, first.model)
        has_passages = all(
            answer.question in seen for answer in answers if questions[answer.question].was_said
        )
        is_own = questions[first.question].is_own
        past.append(
            PastEvaluation(number, first.at, first.model, first.memories, row, has_passages, is_own)
        )
    return tuple(past)


def _asked_row(questions: Questions, arm: str, answers: Sequence[EvalAnswer]) -> Row:
    """Return the report's row on a context: what is known in it, how many answers had no letter."""
    unread = [answer for answer in answers if not answer.letter]
    return make_row(arm, _results(questions, answers), len(unread), guessing=True)


def _results(questions: Questions, answers: Iterable[EvalAnswer]) -> list[MarkedQuestion]:
    """Return a result for each question that was answered: the mean mark of its replicates.

    For a question about what was never said, the mark is 1 if the answer was made up, else 0.
    Whether a question counts as right is decided by its newest answer.
    """
    lettered = [answer for answer in answers if answer.letter]
    by_question = _grouped(lettered, lambda answer: answer.question)
    results = []
    for number, given in by_question.items():
        question, newest = questions[number], given[-1]
        mean = fmean(
            known_mark(answer.letter) if question.was_said else float(answer.letter != NEVER_SAID)
            for answer in given
        )
        is_right = newest.letter == question.right
        results.append(
            MarkedQuestion(question.memory, newest.level, mean, is_right, question.was_said)
        )
    return results
