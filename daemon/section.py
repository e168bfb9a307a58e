"""The memory section, with the folds that it still lacks made on the way."""

from collections.abc import Callable, Sequence
from functools import partial

from daemon.archive.memories import keep_fold
from daemon.house import Folded
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for_fold
from daemon.remembering.folding import fold_analysis, make_fold
from daemon.survey import Survey
from daemon.wavefront.front import Front
from daemon.wavefront.talk import Talk
from rules.conversation.memory import Memory
from rules.plan.folds import Size, View, section, told_tokens

Keep = Callable[[], None]
"""Keeps what a dialogue has come to."""

_BEFORE_ALL_CHUNKS = -1


def stand_before(front: Front, found: Survey, memories: list[Memory], upto: int, size: Size) -> tuple[Memory, ...]:
    """What stands for the first `upto` of a chat's memories, oldest first; `size` says in which edition.

    A fold that is missing is made, kept, and added to `memories`. Raises ModelError where a model cannot be asked,
    and ChatSetAside where the fold does not fit into its window.
    """
    while True:
        by_id = {memory.memory_id: memory for memory in memories}
        view = section(found.plan.chat_id, memories, upto, found.bounds, size)
        if view.wanted is None:
            return tuple(by_id[item.name] for item in view.standing)
        members = [by_id[member.name] for member in view.wanted.members]
        front.finish(_talk(front, found, memories, members, view.wanted.level))()


class Folds:
    """The folds that prompts will need, each made beside the chunks as soon as it is wanted."""

    def __init__(self, front: Front, found: Survey, memories: list[Memory]) -> None:
        self._front = front
        self._found = found
        self._memories = memories
        self._talk: Talk[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether one has been begun and is not kept."""
        return self._talk is not None

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """What stands for the first `upto` memories in a prompt; None where a fold is missing."""
        by_id = {memory.memory_id: memory for memory in self._memories}
        view = self._view(upto)
        return None if view.wanted else tuple(by_id[item.name] for item in view.standing)

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        wanted = self._view(upto).wanted
        if wanted and self._talk is None:
            by_id = {memory.memory_id: memory for memory in self._memories}
            members = [by_id[member.name] for member in wanted.members]
            self._talk = _talk(self._front, self._found, self._memories, members, wanted.level)
            self._front.begin(self._talk)

    def keep(self) -> None:
        """Keep it when it is finished."""
        if self._talk and self._talk.result:
            self._talk.result()
            self._talk = None

    def _view(self, upto: int) -> View:
        return section(self._found.plan.chat_id, self._memories, upto, self._found.bounds, told_tokens)


def _talk(front: Front, found: Survey, memories: list[Memory], members: Sequence[Memory], level: int) -> Talk[Keep]:
    def hold() -> Keep:
        fold = make_fold(
            desk_for_fold(front, found, members),
            found.plan.chat_id,
            found.chat.system_message,
            members,
            level,
            found.roles,
            count,
            front.house.clock(),
        )
        return partial(keep, fold)

    def keep(fold: Memory) -> None:
        kept = keep_fold(front.house.archive, found.plan.chat_id, fold)
        memories.append(kept)
        front.house.tell(Folded(found.plan, len(members), kept.level))

    return Talk(hold, _BEFORE_ALL_CHUNKS, ahead=fold_analysis(found.texts, members, found.roles, count))
