"""How batches go on a server: how long they take, and what goes wrong with them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batching:
    """How batches go on this server.

    They end at the `polls`th look. `refused` is a status with which none is taken. `lost` names creations, from 1,
    whose answer does not reach the client. `busy` is how many creations, at first, meet too many requests, with the
    seconds to wait. `expired` is the share of requests that are not answered in time.
    """

    polls: int = 1
    refused: int = 0
    lost: Sequence[int] = ()
    busy: tuple[int, int] = (0, 0)
    expired: float = 0.0
