"""The forms in which the six messages of a memory may stand in an export: what is still a memory by its texts.

    whole    1 2 3 4 5 6
    edited   1 2 3 x 5 6    the person has edited one
    left     1 2 4 5 6      one or two are gone

The questions are the same in every memory, so at least two answers (2, 4, 6) are among the texts that fit.
"""

from dataclasses import dataclass
from itertools import combinations

SLOTS = (1, 2, 3, 4, 5, 6)
ANSWERS = frozenset({2, 4, 6})


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of messages that stand in a row, and those of them whose text fits."""

    standing: tuple[int, ...]
    fitting: tuple[int, ...]

    @property
    def edited(self) -> int:
        """The slot that is believed for its place; 0 where every text fits."""
        return next((slot for slot in self.standing if slot not in self.fitting), 0)

    @property
    def anchor(self) -> int:
        """Its first answer that fits: where one stands, the row is looked for (questions are everywhere)."""
        return next(slot for slot in self.fitting if slot in ANSWERS)


_LEFT = [slots for size in (5, 4) for slots in combinations(SLOTS, size) if len(ANSWERS & set(slots)) >= 2]
FITTING = [SLOTS, *_LEFT]
FORMS = [
    Form(SLOTS, SLOTS),
    *(Form(SLOTS, slots) for slots in _LEFT if len(slots) == 5),
    *(Form(slots, slots) for slots in _LEFT),
]
"""The surest first: a memory that stands whole somewhere is not looked for in pieces."""
