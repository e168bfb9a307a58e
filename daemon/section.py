"""The memory section, with the folds that it still lacks made on the way (D13)."""

from daemon.archive.memories import keep_fold
from daemon.house import Folded, House
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for_fold
from daemon.remembering.folding import make_fold
from daemon.survey import Survey
from rules.memory.memory import Memory
from rules.plan.fold import Wanted
from rules.plan.section import Size, section


def stand_before(house: House, found: Survey, memories: list[Memory], upto: int, size: Size) -> tuple[Memory, ...]:
    """What stands for the first `upto` of a chat's memories, oldest first; `size` says in which edition.

    A fold that is missing is made, kept, and added to `memories`. Raises ModelError where a model cannot be asked,
    and ChatSetAside where the fold does not fit into its window.
    """
    while True:
        by_id = {memory.memory_id: memory for memory in memories}
        view = section(found.plan.chat_id, memories, upto, found.bounds, size)
        if view.wanted is None:
            return tuple(by_id[item.name] for item in view.standing)
        memories.append(_folded(house, found, by_id, view.wanted))


def _folded(house: House, found: Survey, by_id: dict[str, Memory], wanted: Wanted) -> Memory:
    members = [by_id[member.name] for member in wanted.members]
    fold = make_fold(
        desk_for_fold(house, found, members),
        found.plan.chat_id,
        found.chat.system_message,
        members,
        wanted.level,
        found.roles,
        count,
        house.clock(),
    )
    kept = keep_fold(house.archive, found.plan.chat_id, fold)
    house.tell(Folded(found.plan, len(members), kept.level))
    return kept
