"""A memory is written once more, with what came after its chunk in view.

From the raw chunk and never from an earlier summary. The quote is permanent: it is copied, not asked for
again. The analysis is the very request of the as-of edition, so the journal answers it for nothing.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from daemon.archive.archive import Archive
from daemon.chat.survey import Passage
from daemon.models.ask import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import Steps, rehearse
from daemon.models.tokens import count
from daemon.remember.dialogue import QUOTE_WORDS, Pair, Subject, Transcript, Worksheet, converse
from daemon.remember.ladder import Assignment, Count, first_good, make_memory, pairs
from primer import hindsight, prompt
from primer.reply import ENGINE, Refused
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import (
    EXTRACTED,
    WRITTEN,
    Edition,
    Memory,
    Quote,
    allowance,
    is_clearly_smaller,
    is_enough_for_a_model,
)


def make_hindsight(
    sheet: Worksheet,
    passage: Passage,
    after: Sequence[Entry],
    before: Edition,
    roles: Roles,
    count: Count,
    clock: Clock,
    number: int,
) -> Steps[Edition | Refused]:
    """The hindsight edition `number` of a chunk's memory; `before` is the edition whose quote it keeps.

    `passage` is what the memory was written from, `after` the raw messages that came after its chunk. Refused
    where no model writes one that can be used: the engine has no hindsight. Raises ModelError where a model
    cannot be asked.
    """
    writers = [pair for pair in pairs(roles) if pair.agent != ENGINE]
    if not writers:
        return Refused("refused", "The built-in engine cannot look back.")
    work = Assignment(
        name="hindsight",
        source="its chunk",
        dialogue=partial(_dialogue, passage, after, before.quotes),
        words=allowance(passage.tokens, sheet.questions_tokens),
        fits=lambda written, tokens: is_clearly_smaller(written, tokens, passage.tokens),
        count=count,
    )
    finished = yield from first_good(sheet, work, writers)
    return finished if isinstance(finished, Refused) else finished.edition(number, "hindsight", clock())


def _dialogue(
    passage: Passage, after: Sequence[Entry], quotes: tuple[Quote, ...], sheet: Worksheet, pair: Pair, words: int
) -> Steps[Transcript | Refused]:
    """The three calls that are left when the quote is known."""
    texts = sheet.texts
    lived = (passage.system_message, passage.memories, passage.tail, passage.chunk, after, passage.breaks)
    subject = Subject(
        before=hindsight.context_in_hindsight(texts, *lived),
        alone=prompt.passage_alone(texts, passage.chunk),
        spoken=passage.spoken,
        quote=prompt.ask_quote(texts, QUOTE_WORDS),
        perspective=hindsight.ask_perspective(texts, words),
        analysis=prompt.ask_analysis(texts, words),
        words=words,
        guidance=passage.guidance,
    )
    return (yield from converse(sheet, subject, pair, quotes))


def worth_asking(
    archive: Archive,
    passages: Sequence[Passage],
    memories: Sequence[Memory],
    roles: Roles,
    texts: Texts,
    questions_tokens: int,
) -> Iterator[int]:
    """Numbers of the extracted memories that a model could write now. `passages` are those of `memories`."""
    if roles.agent == ENGINE:
        return
    for passage, memory in zip(passages, memories, strict=True):
        if memory.told.made != EXTRACTED or not is_enough_for_a_model(passage.tokens, questions_tokens):
            continue
        rehearsed = rehearse(
            archive, make_memory(Worksheet(texts, questions_tokens), passage, roles, count, lambda: "")
        )
        if rehearsed is None or rehearsed.told.made == WRITTEN:
            yield memory.number
