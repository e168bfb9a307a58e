"""Count the tokens of a chat: its messages, and what comes on top of them in each request.

All is counted in one go, and what is the same each time is counted once: the tokenizer's tables
take half a second to load.
"""

import json
from collections.abc import Sequence
from itertools import chain

from daemon.archive.archive import Archive
from daemon.chat.opening import ShownChat, canned, opening_text
from daemon.models.roles import Roles
from daemon.models.tokens import Counts, count_once, digest_of
from primer.prompt import question
from primer.wording import Texts
from rules.conversation.memory_size import questions_of_memories
from rules.conversation.memory_title import write_title
from rules.plan.chat_plan import Overhead
from rules.recognize.chat_reading import ChatReading

_TITLE = write_title(1000, 1000, ["2026-12-28", "2027-01-13"])
"""A title of usual length."""


def count_tokens(archive: Archive, shown: ShownChat, roles: Roles) -> tuple[Counts, Overhead]:
    """Count all messages and texts of the chat. Return them, and what comes on top of messages."""
    words, tools, reading = canned(shown.texts), roles.agent.tools, shown.reading
    begins = (shown.chat.system_message, shown.texts.primer, json.dumps(tools) if tools else "")
    opening = words.opening if reading.memories else opening_text(archive, shown)
    around = (words.opening, words.closing, opening)
    dialogues = _dialogues(shown.texts)
    texts = _texts_by_digest((*begins, *around, *chain(*dialogues)), reading)
    counts = count_once(archive, texts)

    def total(texts: Sequence[str]) -> int:
        return sum(counts.all[digest_of(text)] for text in texts)

    # What core memory and facts add to the opening: the engine writes neither.
    has_core = shown.config.core.enabled and roles.has_agent
    has_facts = shown.config.facts.enabled and roles.takes_facts
    overhead = Overhead(
        fixed=total(begins),
        canned=total((opening, words.closing)),
        has_layers=has_core or has_facts,
        by_model=roles.has_agent,
        questions=questions_of_memories(max(map(total, dialogues))),
    )
    return counts, overhead


def _texts_by_digest(fixed: Sequence[str], reading: ChatReading) -> dict[str, str]:
    """Return by digest all texts to count: the `fixed` ones, and each message in its versions."""
    by_digest = {digest_of(text): text for text in fixed}
    for entry in reading.entries:
        for message in (entry.message, entry.newest or entry.message):
            by_digest[message.digest] = message.text
    return by_digest


def _dialogues(texts: Texts) -> list[list[str]]:
    """Return the questions of a memory, of one with hindsight and of a fold, as they are sent."""
    dialogues = (
        (f"{_TITLE} {texts.quote}", texts.perspective, texts.refinement),
        (f"{_TITLE} {texts.quote}", texts.perspective_hindsight, texts.refinement),
        (f"{_TITLE} {texts.fold_quotes}", texts.fold_perspective, texts.refinement),
    )
    return [[question(text).content for text in dialogue] for dialogue in dialogues]
