"""The report of an evaluation as data: what is known, by age, fold level and memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rules.evaluate.scoring import Mark, Score, known_score, plain_score, stands_out

AGES = ("oldest third", "middle third", "newest third")


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer about a chunk, and what stands for the chunk now."""

    chunk: str
    memory: str
    """Id of the memory or fold that the chat shows in its place."""
    age: int
    """0 for the oldest third of the chunks, 2 for the newest."""
    level: int
    mark: float
    is_right: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Some of the questions, and how much of them is known."""

    name: str
    score: Score
    stands_out: bool = False
    """Whether fewer are known than of the others, by more than chance."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The questions by the age of their chunks, by fold level, and by memory."""

    ages: tuple[Group, ...]
    levels: tuple[Group, ...]
    memories: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A question that was not answered rightly, and where its answer is."""

    memory: str
    """Id of the chunk's memory, which should have known."""
    message: str
    question: str
    answer: str
    passage: str


@dataclass(frozen=True, slots=True)
class Arm:
    """What is known from one context."""

    name: str
    known: Score | None
    made_up: Score | None
    """Of what was never said, how much was answered all the same; None where that was not asked."""
    unread: int = 0
    """Answers without a letter, which count nowhere."""


@dataclass(frozen=True, slots=True)
class PastEvaluation:
    """An evaluation of the finished chat, for the curve over rounds."""

    evaluation: int
    at: str
    model: str
    memories: int
    arm: Arm


@dataclass(frozen=True, slots=True)
class Voice:
    """How far texts are from what the persona said, by Burrows' Delta; or why that is not told."""

    distances: Mapping[str, float]
    words: int
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What is still known of a chat."""

    chat_id: str
    title: str
    form: str
    """`asked` of a model, or `cloze`, which is free, and a floor."""
    at: str
    memories: int
    arms: tuple[Arm, ...]
    groups: Groups
    missed: tuple[Missed, ...]
    voice: Voice
    usd: float
    """What all evaluations of the chat have cost so far, as far as prices are known."""
    model: str = ""
    evaluation: int = 0
    """The newest evaluation in it; 0 in a cloze report."""
    replicates: int = 1
    is_present: bool = True
    """Whether the chat and its memories are still as they were when it was asked."""


def grouped(results: Sequence[ScoredAnswer], *, guessing: bool) -> Groups:
    """Return how much is known by age, by fold level and by memory."""
    score = known_score if guessing else plain_score
    ages = _groups(results, lambda result: AGES[result.age], AGES, score)
    levels = sorted({result.level for result in results})
    names = [_level_name(level) for level in levels]
    by_level = _groups(results, lambda result: _level_name(result.level), names, score)
    ids = list(dict.fromkeys(result.memory for result in results))
    by_memory = _groups(results, lambda result: result.memory, ids, score)
    return Groups(ages, by_level, by_memory)


def _level_name(level: int) -> str:
    return "memories" if level == 1 else f"folds of level {level}"


def _groups(
    results: Sequence[ScoredAnswer],
    name_of: Callable[[ScoredAnswer], str],
    names: Sequence[str],
    score: Callable[[Sequence[Mark]], Score | None],
) -> tuple[Group, ...]:
    groups = []
    for name in names:
        own = [result for result in results if name_of(result) == name]
        others = [result.is_right for result in results if name_of(result) != name]
        known = score([(result.chunk, result.mark) for result in own])
        if known:
            is_low = stands_out([result.is_right for result in own], others, len(names))
            groups.append(Group(name, known, is_low and bool(others)))
    return tuple(groups)
