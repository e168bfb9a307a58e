"""What an agent is shown and asked when it looks back on a chunk: what came after it, too.

system, memories, tail, chunk      the same bytes as when the memory was written
announcement                       in <context_manager>
what came after                    raw messages, as they were
question                           in <context_manager>
"""

from collections.abc import Sequence
from dataclasses import replace

from primer.prompt import Texts, Turn, context, ending_prefix, fill, lived, question
from rules.conversation.history import Entry
from rules.conversation.memory import Memory


def context_in_hindsight(
    texts: Texts,
    system_message: str,
    memories: Sequence[Memory],
    tail: Sequence[Entry],
    chunk: Sequence[Entry],
    after: Sequence[Entry],
    breaks: Sequence[int] = (),
) -> tuple[Turn, ...]:
    """The context in which the memory was written, and behind it what was said after the chunk.

    Its own questions stand behind all of that, so nobody would read a cache that ends with the chunk.
    """
    *before, last = context(texts, system_message, memories, tail, chunk, breaks)
    return (*before, replace(last, ends_prefix=False), question(texts.hindsight), *ending_prefix(lived(after)))


def ask_perspective(texts: Texts, words: int) -> str:
    """The second question, with what came after in view."""
    return fill(texts.perspective_hindsight, words=str(words))
