"""Facts taken from a chunk: the context manager is asked once what to add to the known ones.

asked         about the chunk's raw messages, never memories, with the nearest known facts beside
unusable      asked once more, with more room or in other words, as every question; then it is
              counted, and no fact changes
answered      its operations become events; with an embedding model, texts that say the same are
              found first
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.archive.layers import rank_texts
from daemon.models.scheduler import Noted, Steps
from daemon.remember.question import Question, Worksheet, ask_question
from primer.fact_questions import ask_facts, numbered_passage, read_operations
from primer.models import Model
from primer.prompt import Turn
from primer.reply import EMBEDDING, Refused, Request, read_reply
from rules.conversation.history import Entry
from rules.layers.facts import (
    Fact,
    FactEvent,
    Operation,
    Source,
    find_alike,
    live_facts,
    nearest_facts,
    normalize,
)
from rules.plan.work import FACT_WORDS
from rules.typingmind.dates import in_zone


@dataclass(frozen=True, slots=True)
class KnownBefore:
    """What is known of a chat's facts before a chunk."""

    events: Sequence[FactEvent]
    """All events of them so far."""
    next_number: int


def take_facts(
    sheet: Worksheet,
    manager: Model,
    chunk: Sequence[Entry],
    known: KnownBefore,
    embedding: Model | None = None,
) -> Steps[tuple[FactEvent, ...]]:
    """Return the events of facts that a chunk, which is not empty, brings about.

    The caller adds the memory and the edition. Raises ModelError where a model cannot be asked.
    """
    from rules.layers.fact_operations import (
        KnownFacts,
        carry_out,
        forgotten_facts,
    )  # late: rarely used

    facts = live_facts(known.events)
    words = "\n".join(entry.message.words for entry in chunk)
    shown = nearest_facts(facts, rank_texts([fact.text for fact in facts], words))
    operations = yield from _operations(sheet, manager, chunk, shown)
    same = {} if embedding is None else (yield from _likeness(sheet, embedding, operations, shown))
    gone_facts = forgotten_facts(known.events)
    sources = tuple(
        Source(entry.key, entry.message.words, in_zone(entry.message.created_at, sheet.zone))
        for entry in chunk
    )
    all_known = KnownFacts(shown, facts, gone_facts, sources, known.next_number, same)
    outcome = carry_out(operations, all_known)
    for reason in outcome.refused:
        yield Noted(f"fact refused: {reason}")
    return outcome.events


def _operations(
    sheet: Worksheet, manager: Model, chunk: Sequence[Entry], shown: Sequence[Fact]
) -> Steps[tuple[Operation, ...]]:
    """Return the operations of the first readable answer; none where no answer is."""
    request = Request("facts", manager, numbered_passage(sheet.texts, chunk), FACT_WORDS)
    question = Question(
        request,
        ask_facts(sheet.texts, shown),
        [entry.message.words for entry in chunk],
        tagged=False,
        otherwise=sheet.texts.facts_again,
        unfit=_unfit,
        counted_as="facts ",
    )
    answer = yield from ask_question(sheet, question)
    read = None if isinstance(answer, Refused) else read_operations(answer.text)
    if read is None:
        return ()
    for _ in range(read.malformed):
        yield Noted("fact refused: malformed")
    return read.read


def _unfit(answer: str) -> Refused | None:
    reason = 'The answer holds no JSON object with a list "memory".'
    return Refused("unreadable", reason) if read_operations(answer) is None else None


def _likeness(
    sheet: Worksheet, embedding: Model, operations: Sequence[Operation], shown: Sequence[Fact]
) -> Steps[dict[str, tuple[str, ...]]]:
    """Return which texts say the same as each new one, by the embedding model.

    It is asked only if a fact is added.
    """
    if all(operation.event != "ADD" for operation in operations):
        return {}
    said = [item.text for item in operations if item.event in ("ADD", "UPDATE")]
    new = [text for text in said if normalize(text)]
    texts = list(dict.fromkeys([*new, *(fact.text for fact in shown)]))
    if len(texts) < 2:
        return {}
    turns = tuple(Turn("user", text) for text in texts)
    reply = yield from sheet.ask(Request(EMBEDDING, embedding, turns, 0))
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused):
        yield Noted(f"likeness of facts {read.kind}")
        return {}
    return find_alike(texts, json.loads(read.text))
