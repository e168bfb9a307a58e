"""The report of an evaluation as data: rows of what is known, and what was missed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.evaluate.scoring import Score, known_score, plain_score, stands_out

AGES = ("oldest third", "middle third", "newest third")
CONTEXTS = {
    "memories": "finished chat",
    "tail": "live tail alone",
    "full": "full conversation",
    "recall": "finished chat and recall",
    "passage": "each passage itself",
}
"""What each arm has in its context, in words."""


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """A question about a chunk, with the mark of its answers from one context."""

    chunk: str
    """The id of the chunk's memory."""
    level: int
    """The level of the memory or fold that the chat shows for it."""
    mark: float
    """What the answers are worth, from 0 to 1; for a question on what was never said, 1 for an
    answer that is made up."""
    is_right: bool
    was_said: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """How much of a group of questions is known, or from one context."""

    name: str
    known: Score | None
    made_up: Score | None = None
    """How often a question on what was never said was answered; None where there was none."""
    unread: int = 0
    """Answers without a letter, which do not count."""
    stands_out: bool = False
    """Whether significantly fewer are known than of the other groups."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The questions by the age of their chunks, by fold level, and by memory."""

    ages: tuple[Row, ...]
    levels: tuple[Row, ...]
    memories: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A question that was not answered correctly, with its answer and where that was said."""

    memory: str
    """The id of the chunk's memory, which should have the answer."""
    message: str
    question: str
    answer: str
    passage: str


@dataclass(frozen=True, slots=True)
class PastEvaluation:
    """An evaluation of the finished chat, for the curve over rounds."""

    evaluation: int
    at: str
    model: str
    memories: int
    row: Row
    has_passages: bool = False
    """Whether the score is a share of what the model answers with the passage in view."""
    is_own: bool = False
    """Whether the person wrote the questions."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How far texts are from the persona's, by Burrows' Delta; or why that is not measured."""

    distances: Mapping[str, float]
    words: int
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class LiveTail:
    """The messages after the memories; being unchanged, they are compared, not asked about."""

    messages: int
    """How many the archive has."""
    lacking: tuple[str, ...]
    """The keys of those that the chat lacks, though the person has not deleted them."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is still known of a chat."""

    chat_id: str
    title: str
    form: str
    """`asked` of a model, or `cloze`, which is free, and a lower bound."""
    at: str
    memories: int
    arms: tuple[Row, ...]
    """What is known from each context; the finished chat is the first."""
    groups: Groups
    missed: tuple[Missed, ...]
    tail: LiveTail
    voice: Voice
    usd: float
    """What all evaluations of the chat have cost so far, as far as prices are known."""
    model: str = ""
    evaluation: int = 0
    """The number of the newest evaluation; 0 in a cloze report."""
    has_passages: bool = False
    """Whether the scores are shares of what the model answers with the passage in view."""
    chosen_alike: bool = False
    """Whether, in a cloze report, the engine wrote memories.

    The engine chooses sentences by similar criteria.
    """
    replicates: int = 1
    is_present: bool = True
    """Whether the chat and its memories are still as they were when it was asked."""


def make_row(
    name: str, results: Sequence[MarkedQuestion], unread: int = 0, *, guessing: bool
) -> Row:
    """Return how much of these questions is known.

    With `guessing`, for letters, it is corrected for guessing.
    """
    score = known_score if guessing else plain_score
    return Row(
        name,
        score([(result.chunk, result.mark) for result in results if result.was_said]),
        plain_score([(result.chunk, result.mark) for result in results if not result.was_said]),
        unread,
    )


def group(
    results: Sequence[MarkedQuestion], shown_as: Mapping[str, str], *, guessing: bool
) -> Groups:
    """Return how much is known by age, by fold level and by memory.

    `shown_as` maps all chunks, oldest first, to the memory or fold that the chat shows for each.
    """
    said = [result for result in results if result.was_said]
    ages = {chunk: AGES[at * len(AGES) // len(shown_as)] for at, chunk in enumerate(shown_as)}
    levels = [_level_name(level) for level in sorted({result.level for result in said})]
    memories = list(dict.fromkeys(shown_as.values()))
    return Groups(
        _rows(said, AGES, lambda result: ages[result.chunk], guessing=guessing),
        _rows(said, levels, lambda result: _level_name(result.level), guessing=guessing),
        _rows(said, memories, lambda result: shown_as[result.chunk], guessing=guessing),
    )


def _level_name(level: int) -> str:
    return "memories" if level == 1 else f"folds of level {level}"


def _rows(
    results: Sequence[MarkedQuestion],
    names: Sequence[str],
    name_of: Callable[[MarkedQuestion], str],
    *,
    guessing: bool,
) -> tuple[Row, ...]:
    """Return a row for each name that has results, compared with those of all other names."""
    by_name = {name: [result for result in results if name_of(result) == name] for name in names}
    compared = [name for name, own in by_name.items() if own]
    rows = []
    for name in compared:
        own = [result.is_right for result in by_name[name]]
        others = [result.is_right for result in results if name_of(result) != name]
        is_low = bool(others) and stands_out(own, others, len(compared))
        rows.append(replace(make_row(name, by_name[name], guessing=guessing), stands_out=is_low))
    return tuple(rows)
