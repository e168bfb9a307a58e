"""The memory section, with the folds that it still lacks made on the way (D13)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from daemon.archive.memories import keep_fold
from daemon.house import Folded
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for_fold
from daemon.remembering.folding import make_fold
from daemon.survey import Survey
from daemon.wavefront.front import Front
from daemon.wavefront.talk import Talk
from rules.memory.fold import fold_id
from rules.memory.memory import Memory
from rules.plan.fold import View
from rules.plan.foresight import Foresight
from rules.plan.section import Size, section, told_tokens

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
    """The folds that are made beside the chunks, each as soon as its members are there (D16).

    Those that a view of what is made wants, and those that the plan foresees: so it does not depend on the order of
    the answers which folds there are.
    """

    def __init__(self, front: Front, found: Survey, memories: list[Memory]) -> None:
        self._front = front
        self._found = found
        self._memories = memories
        coming = [chunk.tokens for chunk in found.plan.chunks]
        self._foreseen = Foresight(found.plan.chat_id, memories.copy(), coming, found.bounds).missing()
        self._begun: set[str] = set()
        self._talks: list[Talk[Keep]] = []

    @property
    def under_way(self) -> bool:
        """Whether a fold has been begun and is not kept."""
        return bool(self._talks)

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """What stands for the first `upto` memories in a prompt; None where a fold is missing."""
        view = self._view(upto)
        by_id = {memory.memory_id: memory for memory in self._memories}
        return None if view.wanted else tuple(by_id[item.name] for item in view.standing)

    def begin(self, upto: int, *, all_written: bool) -> None:
        """Begin what can be made of the first `upto` memories, which stay as they are.

        What is foreseen waits for the memories that are written again: unless `all_written`, a member may be one.
        """
        for level, members in (*self._wanted(upto), *(self._expected() if all_written else ())):
            name = fold_id(self._found.plan.chat_id, members)
            if name not in self._begun:
                self._begun.add(name)
                self._talks.append(_talk(self._front, self._found, self._memories, members, level))
                self._front.begin(self._talks[-1])

    def keep(self) -> None:
        """Keep what is finished, in the order in which it was begun."""
        while self._talks and (keep := self._talks[0].result):
            keep()
            del self._talks[0]

    def _wanted(self, upto: int) -> Iterator[tuple[int, Sequence[Memory]]]:
        if wanted := self._view(upto).wanted:
            by_id = {memory.memory_id: memory for memory in self._memories}
            yield wanted.level, [by_id[member.name] for member in wanted.members]

    def _expected(self) -> Iterator[tuple[int, Sequence[Memory]]]:
        """The foreseen folds whose members are there by now."""
        number = {memory.number: memory for memory in self._memories if not memory.is_fold}
        there = {memory.memory_id: memory for memory in self._memories}
        names = dict(there)
        names |= {str(at): number[one.number] for at, one in enumerate(self._found.plan.chunks) if one.number in number}
        for wanted in self._foreseen:
            members = [names[member.name] for member in wanted.members if member.name in names]
            if len(members) < len(wanted.members):
                continue
            if fold := there.get(fold_id(self._found.plan.chat_id, members)):
                names[" ".join(wanted.covers)] = fold
            else:
                yield wanted.level, members

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

    return Talk(hold, _BEFORE_ALL_CHUNKS)
