"""Every context of one conversation, with the share of each answer that stands in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from tests.bench.memory.contexts import END, Context, made_and_tail
from tests.bench.memory.questions import (
    AskedOfChat,
    sentences_by_word,
    share,
    share_of_statements,
)
from tests.bench.memory.recall import made_tail_and_recall
from tests.bench.memory.runs import UNFOLDED, CompressedChat, run_at_once, run_in_rounds
from tests.server.tokens import count

ROUNDS = 10
DEFAULT, WHOLE, AGAIN = "memproc", "memproc, unfolded", f"memproc, after {ROUNDS} rounds"
RECALL, FULL = "memproc and recall", "full context"


@dataclass(frozen=True, slots=True)
class ContextScore:
    """For each question the percentage of its answer's content words that stand in the context, and its tokens."""

    shares: tuple[float, ...]
    statements: float
    """The mean percentage of an answer's neighbouring content words that are in one sentence of the context."""
    tokens: float

    @property
    def mean(self) -> float:
        """Every question counts the same."""
        return fmean(self.shares)


@dataclass(frozen=True, slots=True)
class MeasuredChat:
    """A conversation with its questions, what memproc made of it, and how each context answers, by its name."""

    name: str
    questions: Sequence[AskedOfChat]
    at_once: CompressedChat
    unfolded: CompressedChat
    scores: Mapping[str, ContextScore]


def measure_chat(
    home: Path,
    export: Path,
    questions: Sequence[AskedOfChat],
    rows: Mapping[str, Sequence[Context]],
) -> MeasuredChat:
    """Run memproc on the export in three ways, each below `home`, and score these and the further contexts."""
    at_once = run_at_once(home / "at-once", export)
    unfolded = run_at_once(home / "unfolded", export, UNFOLDED)
    in_rounds = run_in_rounds(home / "in-rounds", export, ROUNDS)
    scores = {name: scored(at_once, questions, of_row) for name, of_row in rows.items()}
    for name, chat in {DEFAULT: at_once, WHOLE: unfolded, AGAIN: in_rounds}.items():
        scores[name] = scored(chat, questions, (made_and_tail,))
    scores[RECALL] = scored(at_once, questions, (made_tail_and_recall,))
    return MeasuredChat(export.stem, questions, at_once, unfolded, scores)


def scored(
    chat: CompressedChat, questions: Sequence[AskedOfChat], of_row: Sequence[Context]
) -> ContextScore:
    """Where a row has several contexts, their mean. A text that comes again is neither read nor counted again."""
    held: dict[str, Mapping[str, set[int]]] = {}
    shares, statements = [], []
    for question in questions:
        texts = [context(chat, question) for context in of_row]
        held |= {text: sentences_by_word(_sentences(text)) for text in texts if text not in held}
        shares.append(fmean(share(question, held[text].keys()) for text in texts))
        if question.statements:
            statements.append(fmean(share_of_statements(question, held[text]) for text in texts))
    return ContextScore(
        tuple(shares), fmean(statements) if statements else 0.0, fmean(map(count, held))
    )


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in END.split(text) if sentence]
