"""A chunk becomes a memory: the agent's, else the fallback model's, else the engine's.

What a model refuses, leaves empty or makes too long is asked again, then goes one rung down. On the last
rung stand the persona's own sentences, marked as extracted, so there are no holes.
"""

from collections.abc import Sequence
from functools import partial

from daemon.models.roles import Roles
from daemon.remembering.dialogue import Dialogue, Pair, Passage, Subject, converse
from daemon.remembering.ladder import Count, Held, Work, by_the_engine, first_analysis, first_good, pairs
from daemon.remembering.question import Desk, Question
from daemon.remembering.quoting import QUOTE_WORDS, choose_quote
from primer import prompt
from primer.reply import Refused
from primer.request import ENGINE, Request
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import CHUNK_LEVEL, Memory, allowance, is_clearly_smaller, memory_id
from rules.conversation.quote import can_be_quoted


def make_memory(desk: Desk, passage: Passage, roles: Roles, count: Count, written_at: str, number: int = 1) -> Memory:
    """The memory of a chunk, in edition `number`.

    Where the chunk has no words, no model is asked, and the engine says what was there. Raises ModelError where a
    model cannot be asked.
    """
    words = allowance(passage.tokens)
    work = Work(
        name="memory",
        source="its chunk",
        hold=partial(_dialogue, passage),
        words=words,
        fits=lambda written, tokens: is_clearly_smaller(written, tokens, passage.tokens),
        count=count,
    )
    held = first_good(desk, work, pairs(roles)) if can_be_quoted(passage.chunk) else None
    if isinstance(held, Refused) and roles.agent != ENGINE:
        desk.note("memory extracted by the engine")
    if not isinstance(held, Held):
        held = by_the_engine(desk, work)
    return _memory(passage, held, written_at, number)


def chunk_analysis(texts: Texts, chunk: Sequence[Entry], tokens: int, roles: Roles) -> Request | None:
    """The question about a chunk that needs no answer before it; None where the engine answers it."""
    if not can_be_quoted(chunk):
        return None
    words = allowance(tokens)
    return first_analysis(texts, roles, prompt.passage_alone(texts, chunk), prompt.ask_analysis(texts, words), words)


def _dialogue(passage: Passage, desk: Desk, pair: Pair, words: int) -> Dialogue | Refused:
    """The four calls, one after the other."""
    texts = desk.texts
    subject = Subject(
        before=prompt.context(
            texts, passage.system_message, passage.memories, passage.tail, passage.chunk, passage.breaks
        ),
        alone=prompt.passage_alone(texts, passage.chunk),
        spoken=passage.spoken,
        quote=prompt.ask_quote(texts, QUOTE_WORDS),
        perspective=prompt.ask_perspective(texts, words),
        analysis=prompt.ask_analysis(texts, words),
        words=words,
        guidance=passage.guidance,
    )
    request = Request("quote", pair.agent, subject.before, QUOTE_WORDS)
    asked = prompt.guided(texts, passage.guidance, subject.quote)
    question = Question(request, asked, passage.spoken)
    quote = choose_quote(desk, question, passage.chunk) if can_be_quoted(passage.chunk) else None
    return converse(desk, subject, pair, (quote,) if quote else ())


def _memory(passage: Passage, held: Held, written_at: str, number: int) -> Memory:
    first, last = passage.chunk[0].message, passage.chunk[-1].message
    edition = held.edition(number, "as-of", written_at)
    return Memory(
        memory_id=memory_id(passage.chat_id, passage.number, [entry.message.digest for entry in passage.chunk]),
        number=passage.number,
        level=CHUNK_LEVEL,
        keys=tuple(entry.key for entry in passage.chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=first.created_at,
        ended_at=last.created_at,
        source_tokens=passage.tokens,
        edition=edition,
        told=edition,
    )
