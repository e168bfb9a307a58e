"""What a model is expected to make of one of our tokens: as its replies have shown, else as is known beforehand."""

from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.spending import learned
from primer.models import token_factor

ENOUGH = 5
"""So many replies show what a model makes of our tokens."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Tokens that a model counts for one of ours."""

    factor: float
    replies: int
    """How many replies have been seen; fewer than enough of them change nothing."""

    @property
    def is_sure(self) -> bool:
        """It is what replies have shown."""
        return self.replies >= ENOUGH


def expected(archive: Archive, model: str) -> Expected:
    """What a model is expected to make of one of our tokens."""
    shown, replies = learned(archive).get(model, (0.0, 0))
    return Expected(shown if replies >= ENOUGH else token_factor(model), replies)
