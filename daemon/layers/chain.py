"""The steps of one layer: one after the other, in the order of the chunks, beside the wavefront.

Step k sees what step k - 1 has left, and begins when the memory of its own chunk is kept. So what comes of them is the
same whatever the concurrency, and in however many rounds the chunks came.
"""

from collections.abc import Callable, Collection, Sequence

from daemon.wavefront.front import Front
from daemon.wavefront.talk import Talk
from rules.plan.work import PlannedChunk

Keep = Callable[[], None]
"""Keeps what a step has come to."""
Hold = Callable[[PlannedChunk], Keep]
"""Holds the dialogue of one step, as far as its answers are known."""

_BEFORE_ALL_CHUNKS = -1


class Chain:
    """The steps of a layer that are left; at most one of them is under way."""

    def __init__(self, front: Front, steps: Sequence[PlannedChunk], hold: Hold) -> None:
        self._front = front
        self._left = list(steps)
        self._hold = hold
        self._talk: Talk[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether a step has been begun and is not kept."""
        return self._talk is not None

    def begin(self, waiting: Collection[int]) -> None:
        """Begin the next step, unless its memory is among those, by number, that are still to be made."""
        if self._talk is None and self._left and self._left[0].number not in waiting:
            chunk = self._left.pop(0)
            self._talk = Talk(lambda: self._hold(chunk), _BEFORE_ALL_CHUNKS)
            self._front.begin(self._talk)

    def keep(self) -> None:
        """Keep the step when it is finished."""
        if self._talk and self._talk.result:
            self._talk.result()
            self._talk = None
