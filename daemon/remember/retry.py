"""Ask for a memory or a fold once more, with a word of guidance from the person; nothing before is lost."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from daemon.archive.chats import known_chat
from daemon.archive.memories import editions, find_memory, keep_edition, next_edition
from daemon.chat.reading import read_archive
from daemon.chat.survey import Survey, survey_read
from daemon.context import Answered, Event, House, Tell
from daemon.models.scheduler import Front, Talk
from daemon.models.tokens import count
from daemon.remember.asking import desk_for, desk_for_fold
from daemon.remember.folds import make_fold, stand_before
from daemon.remember.ladder import make_memory
from primer.request import ENGINE
from rules.conversation.memory import EXTRACTED, Edition, Memory
from rules.plan.folds import told_tokens


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
    found = _surveyed(house, chat_id)
    if found.roles.agent == ENGINE:
        told = " ".join(found.roles.notices) or "The built-in engine is the agent in memproc.toml."
        return Kept(before.memory_id, told, "It would answer as it did. Choose a model, then try again.")
    if not before.keys:
        reason = "The archive has none of the raw messages that it stands for."
        return Kept(before.memory_id, reason, "Bring them back with: memproc rebuild")
    fresh: list[Answered] = []
    asking = replace(house, tell=_counting(house, fresh))
    edition = _written(asking, found, before, guidance.strip())
    known = {one.texts for one in editions(house.archive, before.memory_id)}
    if edition.texts in known or edition.made == EXTRACTED:
        asked = f"{len(fresh)} new questions were asked" if fresh else "All this has been asked before"
        return Kept(
            before.memory_id,
            f"{asked}, and no new memory came of it.",
            'Say something about it: memproc retry MEMORY --say "..."; or set models.fallback in memproc.toml.',
        )
    keep_edition(house.archive, before.memory_id, edition, chosen=True)
    return find_memory(house.archive, before.memory_id)[1]


def _surveyed(house: House, chat_id: str) -> Survey:
    """The chat as the archive knows it: all that stands under memories comes from there."""
    chat = known_chat(house.archive, chat_id)
    config = house.config.of(chat)
    reading = read_archive(house.archive, chat_id, config.memory.editions)
    return survey_read(house.archive, chat, reading, config, house.key, house.today())


def _written(house: House, found: Survey, before: Memory, guidance: str) -> Edition:
    number = next_edition(house.archive, before.memory_id)
    with Front(house, found.plan.chat_id, house.config.of(found.chat).models.concurrency) as front:
        write = _fold(front, found, before, guidance) if before.is_fold else _memory(front, found, before, guidance)
        edition = front.finish(Talk(write)).edition
    return replace(edition, number=number)


def _memory(front: Front, found: Survey, before: Memory, guidance: str) -> Callable[[], Memory]:
    chunk = next(chunk for chunk in found.plan.made if chunk.number == before.number)
    told = stand_before(front, found, list(found.reading.memories), chunk.memories_before, told_tokens)
    passage = replace(found.passage(chunk, told), guidance=guidance)
    return lambda: make_memory(desk_for(front, found, chunk), passage, found.roles, count, front.house.clock())


def _fold(front: Front, found: Survey, before: Memory, guidance: str) -> Callable[[], Memory]:
    by_id = {memory.memory_id: memory for memory in found.reading.memories}
    members = [by_id[name] for name in before.members]
    return lambda: make_fold(
        desk_for_fold(front, found, members),
        found.plan.chat_id,
        found.chat.system_message,
        members,
        before.level,
        found.roles,
        count,
        front.house.clock(),
        guidance,
    )


def _counting(house: House, fresh: list[Answered]) -> Tell:
    """Tell as the house does, and gather the replies that models gave just now."""

    def tell(event: Event) -> None:
        if isinstance(event, Answered) and event.reply.model != ENGINE.name:
            fresh.append(event)
        house.tell(event)

    return tell
