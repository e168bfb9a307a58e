"""After a memory, the context manager is asked once what the chunk says that is to be known.

asked         the chunk's raw messages, never memories, and the known facts that are nearest to them
unusable      once more, with more room or in other words, as every question; then nothing changes, and it is counted
answered      its operations become events; with an embedding model, wordings that say the same are found first
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from daemon.archive.core_events import end_step
from daemon.archive.fact_events import fact_events, keep_fact_events, next_fact, ranked
from daemon.archive.memories import editions
from daemon.chat.survey import Survey
from daemon.context import Context
from daemon.events import Noted
from daemon.models.scheduler import Scheduler, Steps
from daemon.remember.core_memory import Chain, Keep, chunk_memory
from daemon.remember.question import Question, Worksheet, put, worksheet_of_chunk
from primer.facts import Operations, Unreadable, ask_facts, numbered_passage, read_operations
from primer.prompt import Turn
from primer.reply import Refused, read_reply
from primer.request import EMBEDDING, ENGINE, Model, Request
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.errors import TooLong
from rules.layers.fact_operations import KnownFacts, Operation, carry_out, forgotten
from rules.layers.facts import Fact, FactEvent, Source, alike, live, nearest, normal
from rules.plan.work import PlannedChunk
from rules.typingmind.dates import parse_date

WORDS = 400
"""About how long an answer may be."""


def take_facts(
    sheet: Worksheet,
    manager: Model,
    chunk: Sequence[Entry],
    events: Sequence[FactEvent],
    *,
    next_number: int,
    compare: int,
    embedding: Model | None = None,
) -> Steps[tuple[FactEvent, ...]]:
    """What happens to the facts by this chunk, which is not empty; nothing where the engine is the context manager.

    `events` are all that happened to the chat's facts so far, `next_number` is the number of the next one, and
    `compare` says how many are shown at most. What is returned bears no memory and no edition yet. Raises ModelError
    where a model cannot be asked.
    """
    if manager == ENGINE:
        return ()
    facts = live(events)
    words = "\n".join(entry.message.words for entry in chunk)
    shown = nearest(facts, ranked([fact.text for fact in facts], words), compare)
    operations = yield from _operations(sheet, manager, chunk, shown)
    known = KnownFacts(shown, facts, forgotten(events), tuple(map(_source, chunk)), next_number)
    if embedding is not None:
        same = yield from _likeness(sheet, embedding, operations, shown)
        known = replace(known, alike=same)
    outcome = carry_out(operations, known)
    for reason in outcome.refused:
        yield Noted(f"fact refused: {reason}")
    return outcome.events


def _operations(
    sheet: Worksheet, manager: Model, chunk: Sequence[Entry], shown: Sequence[Fact]
) -> Steps[tuple[Operation, ...]]:
    """The operations of the first answer that can be read; none where there is no such answer."""
    request = Request("facts", manager, numbered_passage(sheet.texts, chunk), WORDS)
    question = Question(
        request,
        ask_facts(sheet.texts, shown),
        (),
        tagged=False,
        otherwise=sheet.texts.facts_again,
        unfit=_unfit,
        counted_as="facts ",
    )
    answer = yield from put(sheet, question)
    read = None if isinstance(answer, Refused) else read_operations(answer.text)
    if not isinstance(read, Operations):
        return ()
    for _ in range(read.malformed):
        yield Noted("fact refused: malformed")
    return read.read


def _unfit(answer: str) -> Refused | None:
    read = read_operations(answer)
    return Refused("unreadable", read.reason) if isinstance(read, Unreadable) else None


def _source(entry: Entry) -> Source:
    said_at = entry.message.created_at or ""
    return Source(entry.key, entry.message.words, said_at if parse_date(said_at) else "")


def _likeness(
    sheet: Worksheet, embedding: Model, operations: Sequence[Operation], shown: Sequence[Fact]
) -> Steps[dict[str, tuple[str, ...]]]:
    """Which new texts say the same as others, by the embedding model; it is not asked where nothing is added."""
    if not any(operation.event == "ADD" for operation in operations):
        return {}
    new = [item.text for item in operations if item.event in ("ADD", "UPDATE") and normal(item.text)]
    texts = list(dict.fromkeys([*new, *(fact.text for fact in shown)]))
    if len(texts) < 2:
        return {}
    reply = yield from sheet.ask(Request(EMBEDDING, embedding, tuple(Turn("user", text) for text in texts), 0))
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused):
        yield Noted(f"likeness of facts {read.kind}")
        return {}
    return alike(texts, json.loads(read.text))


def facts_chain(context: Context, scheduler: Scheduler, survey: Survey, memories: Sequence[Memory]) -> Chain:
    """The facts that are planned; `memories` are those of the chat as they are by then."""
    archive, chat_id = context.archive, survey.plan.chat_id

    def step(chunk: PlannedChunk) -> Steps[Keep]:
        memory = chunk_memory(memories, chunk)
        if memory.forgotten:
            return partial(keep, memory, ())
        edition = max(edition.number for edition in editions(archive, memory.memory_id) if edition.kind == "as-of")
        try:
            events = yield from take_facts(
                worksheet_of_chunk(survey, chunk),
                survey.roles.context_manager,
                survey.passage(chunk, ()).chunk,
                fact_events(archive, chat_id),
                next_number=next_fact(archive, chat_id),
                compare=survey.facts.compare,
                embedding=survey.roles.embedding,
            )
        except TooLong:
            yield Noted("facts question too long for the window")  # the memory itself stands, and the work goes on
            return partial(keep, memory, ())
        events = tuple(replace(event, memory=memory.number, edition=edition) for event in events)
        return partial(keep, memory, events)

    def keep(memory: Memory, events: tuple[FactEvent, ...]) -> None:
        now = context.clock()
        with archive.transaction():
            keep_fact_events(archive, chat_id, events, now, memory.memory_id)
            end_step(archive, memory.memory_id, "facts", now)

    return Chain(scheduler, survey.plan.layers.facts, step)
