"""Reports of evaluations: from the answers in the archive, or in the cloze form, which is free."""

from collections.abc import Iterable, Sequence
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.evaluation import answers_about, questions_about
from daemon.archive.journal import costs_since
from daemon.evaluate.steps import STEPS
from daemon.evaluate.subject import ArmName, EvaluatedChat
from daemon.evaluate.voice import voice_of
from rules.conversation.memory import Memory
from rules.evaluate.cloze import Cloze, SearchedText, common_words, make_clozes
from rules.evaluate.questions import NEVER_SAID, EvalAnswer, EvalQuestion
from rules.evaluate.report import AGES, Arm, Missed, PastEvaluation, Report, ScoredAnswer, grouped
from rules.evaluate.scoring import Mark, known_mark, known_score, plain_score


def asked_report(archive: Archive, subject: EvaluatedChat) -> Report | None:
    """Return the report of the newest evaluation and its replicates; None where there is none."""
    questions = asked_questions(archive, subject)
    answers = [
        kept for kept in answers_about(archive, subject.chat_id) if kept.question in questions
    ]
    if not answers:
        return None
    newest = max(answers, key=lambda answer: answer.evaluation)
    same = [answer for answer in answers if _is_alike(answer, newest)]
    memories = [answer for answer in same if answer.arm == "memories"]
    last = [answer for answer in memories if answer.evaluation == newest.evaluation]
    return Report(
        **_in_every_report(archive, subject),
        form="asked",
        model=newest.model,
        evaluation=newest.evaluation,
        replicates=len({answer.evaluation for answer in memories}),
        at=newest.at,
        memories=newest.memories,
        is_present=(newest.version, newest.settings) == (subject.version, subject.settings),
        arms=tuple(_arm(name, questions, same) for name in _arms(same)),
        groups=grouped(_results(subject, questions, memories), guessing=True),
        missed=tuple(map(_missed, missed(questions, last))),
    )


def _in_every_report(archive: Archive, subject: EvaluatedChat) -> dict[str, Any]:
    return {
        "chat_id": subject.chat_id,
        "title": subject.survey.plan.title,
        "voice": voice_of(archive, subject),
        "usd": _spent_on_evaluations(archive, subject.chat_id),
    }


def asked_questions(archive: Archive, subject: EvaluatedChat) -> dict[int, EvalQuestion]:
    """Return the questions that count, by number: of chunks that the chat still shows."""
    return {
        question.number: question
        for question in questions_about(archive, subject.chat_id)
        if not question.state and question.memory in subject.entries
    }


def _is_alike(one: EvalAnswer, other: EvalAnswer) -> bool:
    """Return whether two answers are of the same chat as it was, the same settings and model."""
    return (one.version, one.settings, one.model) == (other.version, other.settings, other.model)


def missed(questions: dict[int, EvalQuestion], answers: Iterable[EvalAnswer]) -> list[EvalQuestion]:
    """Return the questions about what was said whose answers are not right, oldest first."""
    return [
        question
        for answer in sorted(answers, key=lambda answer: answer.question)
        if (question := questions[answer.question]).was_said and answer.letter != question.right
    ]


def past_evaluations(archive: Archive, subject: EvaluatedChat) -> tuple[PastEvaluation, ...]:
    """Return every evaluation of the finished chat, oldest first, by the questions that count."""
    questions = asked_questions(archive, subject)
    by_number: dict[int, list[EvalAnswer]] = {}
    for answer in answers_about(archive, subject.chat_id):
        if answer.arm == "memories" and answer.question in questions:
            by_number.setdefault(answer.evaluation, []).append(answer)
    return tuple(
        PastEvaluation(
            number,
            given[0].at,
            given[0].model,
            given[0].memories,
            _arm("memories", questions, given),
        )
        for number, given in by_number.items()
    )


def _spent_on_evaluations(archive: Archive, chat_id: str) -> float:
    """Return the dollars that all evaluations of a chat have cost."""
    costs = costs_since(archive, "")
    return sum(cost.usd for cost in costs if cost.chat_id == chat_id and cost.step in STEPS)


def _arms(answers: Sequence[EvalAnswer]) -> list[str]:
    return list(dict.fromkeys(answer.arm for answer in answers))


def _arm(name: str, questions: dict[int, EvalQuestion], answers: Sequence[EvalAnswer]) -> Arm:
    """Return what is known from one context; replicates of a question count as one answer."""
    own = [answer for answer in answers if answer.arm == name]
    read = [answer for answer in own if answer.letter]
    said = [answer for answer in read if questions[answer.question].was_said]
    unsaid = [answer for answer in read if not questions[answer.question].was_said]
    known = _means((answer.question, known_mark(answer.letter)) for answer in said)
    made_up = _means((answer.question, float(answer.letter != NEVER_SAID)) for answer in unsaid)
    return Arm(
        name,
        known_score([(questions[number].memory, mark) for number, mark in known]),
        plain_score([(questions[number].memory, mark) for number, mark in made_up]),
        len(own) - len(read),
    )


def _means(marks: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    by_question: dict[int, list[float]] = {}
    for number, mark in marks:
        by_question.setdefault(number, []).append(mark)
    return [(number, sum(given) / len(given)) for number, given in by_question.items()]


def _results(
    subject: EvaluatedChat, questions: dict[int, EvalQuestion], answers: Sequence[EvalAnswer]
) -> list[ScoredAnswer]:
    said = [answer for answer in answers if answer.letter and questions[answer.question].was_said]
    marks = _means((answer.question, known_mark(answer.letter)) for answer in said)
    newest = {answer.question: answer for answer in said}
    results = [
        _result(
            subject,
            questions[number].memory,
            mark,
            is_right=newest[number].letter == questions[number].right,
            level=newest[number].level,
        )
        for number, mark in marks
    ]
    order = [memory.memory_id for memory in subject.chunks]
    return sorted(results, key=lambda result: order.index(result.chunk))


def _result(
    subject: EvaluatedChat, chunk: str, mark: float, *, is_right: bool, level: int = 0
) -> ScoredAnswer:
    """Return an answer about a chunk; `level` is that of its memory when it was asked, if not now."""
    ids = [memory.memory_id for memory in subject.chunks]
    shown = subject.shown_as[chunk]
    age = ids.index(chunk) * len(AGES) // len(ids)
    return ScoredAnswer(chunk, shown.memory_id, age, level or shown.level, mark, is_right)


def _missed(question: EvalQuestion) -> Missed:
    return Missed(
        question.memory, question.message, question.text, question.choices[0], question.passage
    )


def free_report(
    archive: Archive, subject: EvaluatedChat, arms: Sequence[ArmName], now: str
) -> Report:
    """Return the report in its cloze form, which asks no model. An arm that searches has none."""
    clozes = _clozes(subject)
    known = {
        arm: list(map(SearchedText(turn.content for turn in subject.turns(arm)[1:]).knows, clozes))
        for arm in arms
        if arm != "recall"
    }
    results = [
        _result(subject, cloze.memory, float(is_known), is_right=is_known)
        for cloze, is_known in zip(clozes, known["memories"], strict=True)
    ]
    return Report(
        **_in_every_report(archive, subject),
        form="cloze",
        at=now,
        memories=len(subject.chunks),
        arms=tuple(_free_arm(arm, clozes, marks) for arm, marks in known.items()),
        groups=grouped(results, guessing=False),
        missed=tuple(
            Missed(cloze.memory, cloze.message, cloze.asked, cloze.left_out, cloze.sentence)
            for cloze, is_known in zip(clozes, known["memories"], strict=True)
            if not is_known
        ),
    )


def _free_arm(name: str, clozes: Sequence[Cloze], known: Sequence[bool]) -> Arm:
    marks: list[Mark] = [
        (cloze.memory, float(mark)) for cloze, mark in zip(clozes, known, strict=True)
    ]
    return Arm(name, plain_score(marks), None)


def _clozes(subject: EvaluatedChat) -> list[Cloze]:
    said = {memory.memory_id: _by_person(subject, memory) for memory in subject.chunks}
    common = common_words([text for messages in said.values() for _, text in messages])
    return [
        cloze for name, messages in said.items() for cloze in make_clozes(name, messages, common)
    ]


def _by_person(subject: EvaluatedChat, memory: Memory) -> list[tuple[str, str]]:
    entries = subject.entries[memory.memory_id]
    return [
        (entry.key, entry.message.words) for entry in entries if entry.message.speaker == "user"
    ]
