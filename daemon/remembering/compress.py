"""A chunk becomes a memory (requirement 9, D8): the agent's, else the fallback model's, else the engine's.

What a model refuses, leaves empty or makes too long is asked again, then goes one rung down. On the last
rung stand the persona's own sentences, marked as extracted, so there are no holes.
"""

from collections.abc import Callable

from daemon.models.roles import Roles
from daemon.remembering.dialogue import Dialogue, Pair, Passage, hold_dialogue
from daemon.remembering.question import Desk
from primer.reply import Refused
from primer.request import ENGINE, EXTRACTIVE, Model
from rules.errors import ChatSetAside
from rules.memory.memory import EXTRACTED, WRITTEN, Edition, Memory, allowance, is_clearly_smaller, memory_id

_AS_OF = "as-of"

Count = Callable[[str], int]


def make_memory(desk: Desk, passage: Passage, roles: Roles, count: Count, written_at: str, number: int = 1) -> Memory:
    """The memory of a chunk, in edition `number`.

    Raises ModelError where a model cannot be asked, ChatSetAside where the chunk has no words at all.
    """
    words = allowance(passage.tokens)
    for rung, pair in enumerate(_ladder(roles)):
        if rung:
            desk.note("memory by the fallback model")
        for attempt in (words, words // 2):
            dialogue = hold_dialogue(desk, passage, pair, attempt)
            if isinstance(dialogue, Refused):
                break
            tokens = sum(count(text) for text in dialogue.texts)
            if is_clearly_smaller(tokens, passage.tokens):
                return _memory(passage, dialogue, tokens, written_at, number)
            desk.note("memory not clearly smaller than its chunk")
    if roles.agent != ENGINE:
        desk.note("memory extracted by the engine")
    dialogue = hold_dialogue(desk, passage, Pair(ENGINE, (ENGINE,)), words // 2)
    if isinstance(dialogue, Refused):
        raise ChatSetAside(
            f"Chunk {passage.number} of the chat has no words that a memory could be made of.",
            "Exclude the chat in memproc.toml (chats.exclude).",
        )
    return _memory(passage, dialogue, sum(count(text) for text in dialogue.texts), written_at, number)


def _ladder(roles: Roles) -> list[Pair]:
    """Who is asked before the engine's bounded memory, one after the other (D8)."""
    fallback = (roles.fallback,) if roles.fallback else ()
    analysts = _each_once(roles.context_manager, *fallback, ENGINE)
    return [Pair(agent, analysts) for agent in _each_once(roles.agent, *fallback)]


def _each_once(*models: Model) -> tuple[Model, ...]:
    return tuple(model for at, model in enumerate(models) if model not in models[:at])


def _memory(passage: Passage, dialogue: Dialogue, tokens: int, written_at: str, number: int) -> Memory:
    first, last = passage.chunk[0].message, passage.chunk[-1].message
    return Memory(
        memory_id=memory_id(passage.chat_id, passage.number, [entry.message.digest for entry in passage.chunk]),
        number=passage.number,
        level=1,
        keys=tuple(entry.key for entry in passage.chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=first.created_at,
        ended_at=last.created_at,
        source_tokens=passage.tokens,
        edition=Edition(
            number=number,
            kind=_AS_OF,
            texts=dialogue.texts,
            quote=dialogue.quote,
            made=EXTRACTED if dialogue.agent == EXTRACTIVE else WRITTEN,
            agent=dialogue.agent,
            context_manager=dialogue.context_manager,
            requests=dialogue.requests,
            tokens=tokens,
            written_at=written_at,
        ),
    )
