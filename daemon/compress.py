"""A chunk becomes a memory: four calls, each answer checked before the next question (requirement 9, D8).

    quote         agent             verbatim, or asked once more, or the engine's choice
    perspective   agent
    analysis      context manager   on its own, from the chunk alone
    refinement    agent             one round, with the analysis in view

What a model refuses, leaves empty or makes too long becomes a memory in the persona's own sentences
instead, marked as extracted. There are no holes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.archive.journal import Reply
from primer import prompt
from primer.inert import keep_inert, restore
from primer.prompt import Turn
from primer.reply import Refused, read_reply
from primer.request import EXTRACTIVE, Request
from primer.texts import Texts
from rules.errors import ChatSetAside
from rules.history.entries import Entry
from rules.memory.memory import EXTRACTED, WRITTEN, Edition, Memory, Quote, allowance, is_clearly_smaller, memory_id
from rules.memory.quote import NotVerbatim, find_quote

_QUOTE_WORDS = 60
_AS_OF = "as-of"

Ask = Callable[[Request], Reply]
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Roles:
    """The two model roles (requirement 4), as LiteLLM names."""

    agent: str
    context_manager: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with all that its memory is written from."""

    chat_id: str
    number: int
    system_message: str
    memories: Sequence[Memory]
    """Those whose chunks end before the tail (requirement 10.2)."""
    tail: Sequence[Entry]
    chunk: Sequence[Entry]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """The six texts of a finished dialogue, and the requests that it took."""

    texts: tuple[str, str, str, str, str, str]
    quote: Quote
    requests: tuple[str, ...]


def make_memory(passage: Passage, roles: Roles, texts: Texts, ask: Ask, count: Count, written_at: str) -> Memory:
    """The memory of a chunk. Raises ModelError where a model cannot be asked, ChatSetAside without any words."""
    words = allowance(passage.tokens)
    for attempt in (words, words // 2):
        dialogue = _hold_dialogue(passage, roles, texts, ask, attempt)
        if isinstance(dialogue, Refused):
            break
        tokens = sum(count(text) for text in dialogue.texts)
        if is_clearly_smaller(tokens, passage.tokens):
            return _memory(passage, roles, dialogue, tokens, written_at)
    engine = Roles(EXTRACTIVE, EXTRACTIVE)
    dialogue = _hold_dialogue(passage, engine, texts, ask, words // 2)
    if isinstance(dialogue, Refused):
        raise ChatSetAside(
            f"Chunk {passage.number} of the chat has no words that a memory could be made of.",
            "Exclude the chat in memproc.toml (chats.exclude).",
        )
    return _memory(passage, engine, dialogue, sum(count(text) for text in dialogue.texts), written_at)


def _hold_dialogue(passage: Passage, roles: Roles, texts: Texts, ask: Ask, words: int) -> _Dialogue | Refused:
    """The four calls, one after the other; each further question stands behind the same beginning."""
    asked: list[str] = []

    def answer(step: str, model: str, turns: Sequence[Turn], length: int) -> str:
        request = Request(step, model, tuple(turns), length)
        reply = ask(request)
        asked.append(request.key)
        read = read_reply(reply.text, reply.finish)
        if isinstance(read, Refused):
            raise _Stopped(read)
        return read.text

    try:
        turns = [
            *prompt.context(texts, passage.system_message, passage.memories, passage.tail, passage.chunk),
            prompt.ask_quote(texts, _QUOTE_WORDS),
        ]
        first = turns[-1]
        quote = _quote(passage, roles.agent, texts, turns, answer)
        turns += [prompt.answer(quote.text), second := prompt.ask_perspective(texts, words)]
        perspective = answer("perspective", roles.agent, turns, words)
        analysing = prompt.ask_analysis(texts, passage.chunk, words)
        analysis = answer("analysis", roles.context_manager, analysing, words)
        turns += [prompt.answer(perspective), third := prompt.ask_refinement(texts, analysis, words)]
        refinement = answer("refinement", roles.agent, turns, words)
    except _Stopped as stopped:
        return stopped.refused
    said = (first.content, quote.text, second.content, keep_inert(perspective), third.content, keep_inert(refinement))
    return _Dialogue(said, quote, tuple(asked))


class _Stopped(Exception):
    """An answer came that cannot be used, so the dialogue ends here."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.reason)
        self.refused = refused


_Answer = Callable[[str, str, Sequence[Turn], int], str]


def _quote(passage: Passage, agent: str, texts: Texts, turns: Sequence[Turn], answer: _Answer) -> Quote:
    """The agent's quote if it is verbatim, at the first or the second try; else the engine's choice."""
    said = answer("quote", agent, turns, _QUOTE_WORDS)
    found = find_quote(restore(said), passage.chunk)
    if isinstance(found, NotVerbatim) and agent != EXTRACTIVE:
        again = [*turns, prompt.answer(said), prompt.ask_quote_again(texts, found.reason)]
        found = find_quote(restore(answer("quote", agent, again, _QUOTE_WORDS)), passage.chunk)
    if not isinstance(found, NotVerbatim):
        return Quote(found.text, found.source, "engine" if agent == EXTRACTIVE else "agent")
    chosen = find_quote(answer("quote", EXTRACTIVE, turns, _QUOTE_WORDS), passage.chunk)
    if isinstance(chosen, NotVerbatim):
        raise _Stopped(Refused(chosen.reason))
    return Quote(chosen.text, chosen.source, "engine")


def _memory(passage: Passage, roles: Roles, dialogue: _Dialogue, tokens: int, written_at: str) -> Memory:
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
            number=1,
            kind=_AS_OF,
            texts=dialogue.texts,
            quote=dialogue.quote,
            made=EXTRACTED if roles.agent == EXTRACTIVE else WRITTEN,
            agent=roles.agent,
            context_manager=roles.context_manager,
            requests=dialogue.requests,
            tokens=tokens,
            written_at=written_at,
        ),
    )
