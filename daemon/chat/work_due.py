"""The work that is due besides new chunks: memories to write again, core memory and facts.

Why a run writes a memory again, all reasons at once:

    changed      raw messages under it were edited or deleted (`due_memories`)
    extracted    the engine made it though its chunk is long enough for a model, which can write it
                 now (`to_write_again`)
    follows      the engine made it, and one before it is written again: its request begins with it
    hindsight    it is among the newest before new chunks: it gets one more edition, which tells
                 what came of it (`hindsight_round` in rules/plan/work)

Never one that the person has pinned (`memproc pin`), edited or forgotten, or a fold whose memories
are lost. One that has a message which is pinned or excluded in TypingMind is `held`: it waits,
unless folds are planned. A fold is not written again but made again, under another id, when a
memory in it has a new edition (`fold_id`).

By hand, a model is asked for any with `memproc retry`, or after an evaluation with `--missed`
(remember/retry).
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from daemon.archive.archive import Archive
from daemon.archive.layers import Layer, due_steps, has_step, last_step
from daemon.chat.opening import ShownChat, facts_now
from daemon.models.roles import Roles
from daemon.models.tokens import count
from rules.conversation.history import Entry
from rules.conversation.memory import WRITTEN, Memory, memories_of_chunks
from rules.conversation.memory_size import is_enough_for_a_model
from rules.layers.core import CoreMemory
from rules.layers.facts import MOST_COMPARED
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import NO_LAYERS, Layers, PlannedChunk, choose_chunks
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.message import Message
from rules.wording import counted

_TOKENS_A_FACT = 40
"""The tokens of a fact as it is shown for comparison, with its number and day."""


def due_memories(
    reading: ChatReading, held: Collection[str], *, engine_alone: bool
) -> frozenset[int]:
    """Return the numbers of the memories whose raw messages were edited or deleted.

    One that a model wrote is left as it is where only the engine is there now. Those in `held`
    wait: the export would go on showing them as they are.
    """
    due = set()
    for memory in _free(reading, held):
        would_lose = engine_alone and memory.in_prompts.made == WRITTEN
        if memory.due and not would_lose:
            due.add(memory.number)
    return frozenset(due)


def as_planned(entries: Sequence[Entry], due: Collection[int]) -> list[Message]:
    """Return each message as its chunk is planned with it: under a due memory, as it is now.

    The memory is written from these words, and the next run plans with them: if this one planned
    with the old ones, the next would ask with other numbers of words, and pay once more.
    """
    messages = []
    for entry in entries:
        newest = entry.newest if entry.memory in due else None
        messages.append(newest or entry.message)
    return messages


def to_write_again(
    reading: ChatReading,
    plan: ChatPlan,
    due: Collection[int],
    can_write: Callable[[PlannedChunk], bool],
    held: Collection[str],
    *,
    engine_alone: bool,
) -> frozenset[int]:
    """Return the numbers of the memories to be written again, for the first three reasons above.

    `due` are those with changed messages. One that the engine extracted counts where its chunk is
    long enough for a model; `can_write` tells that a model's answers so far are not known to be of
    no use, which is not asked of those that follow. None is in `held`.
    """
    free = () if engine_alone else free_memories(reading, plan, held)
    # Those that the engine extracted although their chunk is long enough for a model.
    extracted = [
        (chunk, memory)
        for chunk, memory in free
        if memory.in_prompts.is_extracted
        and is_enough_for_a_model(chunk.tokens, plan.questions_tokens)
    ]
    again = {*due, *(memory.number for chunk, memory in extracted if can_write(chunk))}
    if not again:
        return frozenset()
    first = min(again)
    return frozenset(again.union(memory.number for _, memory in extracted if memory.number > first))


def free_memories(
    reading: ChatReading, plan: ChatPlan, held: Collection[str] = ()
) -> Iterator[tuple[PlannedChunk, Memory]]:
    """Yield each memory that may be written again, with its chunk, if raw messages are left."""
    chunks = {chunk.number: chunk for chunk in plan.made}
    for memory in _free(reading, held):
        yield chunks[memory.number], memory


def explain_held(reading: ChatReading, held: Collection[str]) -> str:
    """Return a sentence if memories in `held` would be written again, were they not held."""
    staying = sum(memory.memory_id in held and bool(memory.due) for memory in _free(reading))
    if not staying:
        return ""
    stay = counted(staying, "memory stays as it is", "memories stay as they are")
    return (
        f"{stay}, though messages under it were edited or deleted: TypingMind has a message of it "
        "pinned, or excluded from the context"
    )


def _free(reading: ChatReading, held: Collection[str] = ()) -> Iterator[Memory]:
    left = {entry.memory for entry in reading.entries if not entry.gone}
    for memory in reading.chunk_memories:
        if memory.number in left and memory.may_be_rewritten and memory.memory_id not in held:
            yield memory


def layers_due(
    archive: Archive, shown: ShownChat, plan: ChatPlan, roles: Roles, core: CoreMemory
) -> Layers:
    """Plan core memory and facts after the memories made now, and what an interrupted run has left.

    The engine has neither.
    """
    config, adopted = shown.config, shown.reading.adopted.memories
    edits: frozenset[int] = frozenset()
    taken: frozenset[int] = frozenset()
    if config.core.enabled and shown.layout.sections and roles.has_agent:
        edits = _due(archive, plan, "core", adopted)
    if config.facts.enabled and roles.takes_facts:
        taken = _due(archive, plan, "facts", adopted)
    if not edits and not taken:
        return NO_LAYERS
    rows = plan.made + plan.chunks
    known = len(facts_now(archive, plan.chat_id)) + len(plan.chunks)
    shown_tokens = min(MOST_COMPARED, known) * _TOKENS_A_FACT
    asked = [shown.texts.core]  # the question about core memory has all sections in it
    for section in core:
        asked += [section.description, section.rendered]
    return Layers(
        core=choose_chunks(rows, edits),
        facts=choose_chunks(rows, taken),
        core_tokens=sum(map(count, asked)) if edits else 0,
        facts_tokens=count(shown.texts.facts) + count(shown.texts.fact_keeper) + shown_tokens,
        shown_tokens=shown_tokens,
        embeds=roles.embedding is not None,
    )


def _due(
    archive: Archive, plan: ChatPlan, layer: Layer, adopted: Sequence[Memory]
) -> frozenset[int]:
    """Return the numbers of the memories after which the layer has a step.

    The agent edits its core memory in the order of what has happened, so memories made before the
    layer was switched on, or by the engine before ones that a model wrote, get no step. Nor do
    those that a fork has adopted, where the chat it came from has had these steps.
    """
    own = memories_of_chunks(adopted)
    followed = [memory.number for memory in own if has_step(archive, memory.origins, layer)]
    last = max([last_step(archive, plan.chat_id, layer), *followed])
    made = (chunk.number for chunk in plan.again + plan.chunks if chunk.number > last)
    return frozenset([*due_steps(archive, plan.chat_id, layer), *made])
