"""Whether settings that are fine by themselves also agree with each other."""

from collections.abc import Iterator
from dataclasses import dataclass

from daemon.config.settings import LOOK_AHEAD, Config
from daemon.paths import Folders, settle


@dataclass(frozen=True, slots=True)
class Clash:
    """Settings that do not agree: their dotted keys, the one to change first, and what it must be."""

    keys: tuple[str, ...]
    reason: str


def clashes(config: Config) -> Iterator[Clash]:
    """Everything in `config` that does not agree: token counts (D5, D6) and folders (D2)."""
    tail, chunk = config.tail, config.chunk
    if tail.tokens < LOOK_AHEAD * chunk.tokens:
        yield Clash(
            ("tail.tokens", "chunk.tokens"),
            f"must be at least {LOOK_AHEAD * chunk.tokens}, {LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > tail.tokens:
        yield Clash(
            ("tail.step", "tail.tokens"),
            f"must be at most {tail.tokens}, as tail.tokens is (is {tail.step})",
        )
    settled = settle(config.folders.model_dump())
    if not isinstance(settled, Folders):
        for refused in settled:
            yield Clash(tuple(f"folders.{name}" for name in refused.names), refused.reason)
