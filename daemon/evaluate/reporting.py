"""Reports of evaluations: from the answers in the archive, or in the cloze form, which is free."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.evaluation import answers_about, questions_about
from daemon.archive.journal import costs_since
from daemon.evaluate.subject import ArmName, EvaluatedChat
from daemon.evaluate.voice import voice_of
from primer.evaluation_questions import STEPS
from rules.conversation.memory import Memory
from rules.evaluate.cloze import Cloze, SearchedText, common_words, make_clozes
from rules.evaluate.questions import NEVER_SAID, EvalAnswer, EvalQuestion
from rules.evaluate.report import (
    LiveTail,
    MarkedQuestion,
    Missed,
    PastEvaluation,
    Report,
    Row,
    group,
    make_row,
)
from rules.evaluate.scoring import known_mark

Questions = Mapping[int, EvalQuestion]
"""Questions by their numbers."""


def asked_questions(archive: Archive, subject: EvaluatedChat) -> Questions:
    """Return the questions that count: those of chunks that the chat still shows."""
    return {
        question.number: question
        for question in questions_about(archive, subject.chat_id)
        if not question.state and question.memory in subject.entries
    }


def counting_answers(archive: Archive, subject: EvaluatedChat) -> list[EvalAnswer]:
    """Return the answers to questions that count, the oldest first."""
    questions = asked_questions(archive, subject)
    answers = answers_about(archive, subject.chat_id)
    return [answer for answer in answers if answer.question in questions]


def asked_report(archive: Archive, subject: EvaluatedChat, number: int = 0) -> Report | None:
    """Return the report of an evaluation and its replicates; None where there is none.

    It is the one of this `number` if there is such a one, else the newest.
    """
    questions, answers = asked_questions(archive, subject), counting_answers(archive, subject)
    if not answers:
        return None
    newest = max(answers, key=lambda answer: (answer.evaluation == number, answer.evaluation))
    same = [answer for answer in answers if is_alike(answer, newest)]
    by_arm = {
        name: [answer for answer in same if answer.arm == name]
        for name in dict.fromkeys(answer.arm for answer in same)
    }
    memories = by_arm.get("memories", [])
    return Report(
        **_in_every_report(archive, subject),
        form="asked",
        model=newest.model,
        evaluation=newest.evaluation,
        replicates=len({answer.evaluation for answer in memories}),
        at=newest.at,
        memories=newest.memories,
        is_present=(newest.version, newest.settings) == (subject.version, subject.settings),
        arms=tuple(_asked_row(questions, *given) for given in by_arm.items()),
        groups=group(_results(questions, memories), _shown_as(subject), guessing=True),
        missed=tuple(
            Missed(
                question.memory,
                question.message,
                question.text,
                question.choices[0],
                question.passage,
            )
            for question in missed(archive, subject, newest.evaluation)
        ),
    )


def is_alike(one: EvalAnswer, other: EvalAnswer) -> bool:
    """Return whether two answers are of the same chat as it was, the same settings and model."""
    return (one.version, one.settings, one.model) == (other.version, other.settings, other.model)


def _in_every_report(archive: Archive, subject: EvaluatedChat) -> dict[str, Any]:
    lacking = tuple(live.key for live in subject.live if live.is_missing)
    costs = costs_since(archive, "")
    return {
        "chat_id": subject.chat_id,
        "title": subject.survey.plan.title,
        "tail": LiveTail(len(subject.live), lacking),
        "voice": voice_of(archive, subject),
        "usd": sum(
            cost.usd for cost in costs if cost.chat_id == subject.chat_id and cost.step in STEPS
        ),
    }


def _shown_as(subject: EvaluatedChat) -> dict[str, str]:
    return {
        chunk.memory_id: subject.shown_as[chunk.memory_id].memory_id for chunk in subject.chunks
    }


def missed(archive: Archive, subject: EvaluatedChat, number: int = 0) -> list[EvalQuestion]:
    """Return what an evaluation of the finished chat did not answer rightly, oldest first.

    It is the one of this `number`, or the newest.
    """
    questions = asked_questions(archive, subject)
    given = [answer for answer in counting_answers(archive, subject) if answer.arm == "memories"]
    last = number or max((answer.evaluation for answer in given), default=0)
    return [
        question
        for answer in sorted(given, key=lambda answer: answer.question)
        if answer.evaluation == last
        and (question := questions[answer.question]).was_said
        and answer.letter not in ("", question.right)
    ]


def past_evaluations(archive: Archive, subject: EvaluatedChat) -> tuple[PastEvaluation, ...]:
    """Return every evaluation of the finished chat, oldest first, by the questions that count."""
    questions = asked_questions(archive, subject)
    by_number: defaultdict[int, list[EvalAnswer]] = defaultdict(list)
    for answer in counting_answers(archive, subject):
        if answer.arm == "memories":
            by_number[answer.evaluation].append(answer)
    return tuple(
        PastEvaluation(
            number,
            given[0].at,
            given[0].model,
            given[0].memories,
            _asked_row(questions, "memories", given),
        )
        for number, given in by_number.items()
    )


def _asked_row(questions: Questions, arm: str, answers: Sequence[EvalAnswer]) -> Row:
    unread = sum(not answer.letter for answer in answers)
    return make_row(arm, _results(questions, answers), unread, guessing=True)


def _results(questions: Questions, answers: Iterable[EvalAnswer]) -> list[MarkedQuestion]:
    """Return a result for each question that was answered; replicates count as one answer."""
    given: defaultdict[int, list[EvalAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.letter:
            given[answer.question].append(answer)
    return [_result(questions[number], own) for number, own in given.items()]


def _result(question: EvalQuestion, answers: Sequence[EvalAnswer]) -> MarkedQuestion:
    newest = answers[-1]
    marks = [
        known_mark(answer.letter) if question.was_said else float(answer.letter != NEVER_SAID)
        for answer in answers
    ]
    is_right = newest.letter == question.right
    return MarkedQuestion(question.memory, newest.level, fmean(marks), is_right, question.was_said)


def free_report(
    archive: Archive, subject: EvaluatedChat, arms: Sequence[ArmName], now: str
) -> Report:
    """Return the report in its cloze form, which asks no model. An arm that searches has none."""
    clozes = _clozes(subject)
    by_arm = {arm: _found(subject, clozes, arm) for arm in arms if arm != "recall"}
    known = by_arm["memories"]
    return Report(
        **_in_every_report(archive, subject),
        form="cloze",
        at=now,
        memories=len(subject.chunks),
        arms=tuple(make_row(arm, results, guessing=False) for arm, results in by_arm.items()),
        groups=group(known, _shown_as(subject), guessing=False),
        missed=tuple(
            Missed(cloze.memory, cloze.message, cloze.asked, cloze.left_out, cloze.sentence)
            for cloze, result in zip(clozes, known, strict=True)
            if not result.is_right
        ),
    )


def _found(subject: EvaluatedChat, clozes: Sequence[Cloze], arm: ArmName) -> list[MarkedQuestion]:
    """Look for what was left out of each sentence in a context, without its system message."""
    turns = [turn for turn in subject.turns(arm) if turn.role != "system"]
    searched = SearchedText(turn.content for turn in turns)
    known = map(searched.knows, clozes)
    return [
        MarkedQuestion(
            cloze.memory, subject.shown_as[cloze.memory].level, float(is_known), is_known
        )
        for cloze, is_known in zip(clozes, known, strict=True)
    ]


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
