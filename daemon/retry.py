"""Ask for a memory once more, with a word of guidance from the person; the edition before is kept (D8, D12)."""

from dataclasses import dataclass, replace

from daemon.archive.memories import find_memory, keep_edition, next_edition
from daemon.archive.messages import whole
from daemon.deliver import chat_container
from daemon.house import Answered, Event, House, Tell
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for
from daemon.remembering.compress import make_memory
from daemon.survey import survey
from primer.request import ENGINE
from rules.export.document import read_document
from rules.memory.memory import EXTRACTED, Memory


@dataclass(frozen=True, slots=True)
class Kept:
    """The memory stays as it was, and why."""

    memory_id: str
    reason: str
    next_step: str


def retry(house: House, wanted: str, guidance: str) -> Memory | Kept:
    """The memory in a new edition, which is the one that is shown from now on, or why it has none.

    Raises NotFound, ModelError where the model cannot be asked, and ChatSetAside where it does not fit.
    """
    chat_id, before = find_memory(house.archive, wanted)
    kept = whole(house.archive, chat_id)
    # The chat without its live messages: all that stands under memories comes from the archive.
    (chat,) = read_document("the archive", chat_container(kept.head + kept.tail)).chats
    found = survey(house.archive, chat, house.config.of(chat), house.key, house.today())
    if found.roles.agent == ENGINE:
        told = " ".join(found.roles.notices) or "The built-in engine is the agent in memproc.toml."
        return Kept(before.memory_id, told, "It would answer as it did. Choose a model, then try again.")
    fresh: list[Answered] = []
    chunk = found.plan.made[before.number - 1]
    passage = replace(found.passage(chunk, found.memories), guidance=guidance.strip())
    memory = make_memory(
        desk_for(replace(house, tell=_counting(house, fresh)), found, chunk),
        passage,
        found.roles,
        count,
        house.clock(),
        next_edition(house.archive, before.memory_id),
    )
    if memory.edition.texts == before.edition.texts or memory.edition.made == EXTRACTED:
        asked = f"{len(fresh)} new questions were asked" if fresh else "All this has been asked before"
        return Kept(
            before.memory_id,
            f"{asked}, and no new memory came of it.",
            'Say something about it: memproc retry MEMORY --say "..."; or set models.fallback in memproc.toml.',
        )
    keep_edition(house.archive, memory)
    return memory


def _counting(house: House, fresh: list[Answered]) -> Tell:
    """Tell as the house does, and gather the replies that models gave just now."""

    def tell(event: Event) -> None:
        if isinstance(event, Answered) and event.reply.model != ENGINE.name:
            fresh.append(event)
        house.tell(event)

    return tell
