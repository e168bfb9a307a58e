"""Trials: how a model on a server of one's own did on a built-in passage, kept for each model."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite

from daemon.archive.archive import Archive
from daemon.archive.signs import Sign, all_signs, set_sign, sign

TRIAL_SIGN = "trial "


@dataclass(frozen=True, slots=True)
class Trial:
    """A model's last trial; its tokens are the model's own."""

    address: str
    """The `api_base` that was asked; empty where the provider's own default was."""
    window: int
    """Tokens of context."""
    read_a_second: float
    """Tokens of the prompt."""
    written_a_second: float
    """Tokens of the answer."""
    copies_a_quote: bool
    """Whether it copied a sentence of the passage character for character."""
    keeps_apart: bool
    """Whether it kept apart what it had said itself, and what the person had."""
    factor: float = 0.0
    """Tokens that it counted for one of ours; 0 where it did not count."""
    at: str = ""
    """When it was asked; UTC."""

    @property
    def is_missed(self) -> bool:
        """Return whether the model did not do what a memory needs."""
        return not (self.copies_a_quote and self.keeps_apart)

    def seconds(self, prompt: int, answer: int) -> float:
        """Return how long a call takes that reads and writes so many of the model's tokens."""
        return prompt / self.read_a_second + answer / self.written_a_second


def keep_trial(archive: Archive, model: str, trial: Trial, now: str) -> None:
    """Store a model's trial in the place of the one before; what the model does may be more now."""
    kept = {name: value for name, value in asdict(trial).items() if name != "at"}
    with archive.transaction():
        set_sign(archive, f"{TRIAL_SIGN}{model}", json.dumps(kept), now)
        archive.run("DELETE FROM rest")


def trial_of(archive: Archive, model: str, address: str) -> Trial | None:
    """Return the last trial of a model at an address, or None where there was none."""
    kept = sign(archive, f"{TRIAL_SIGN}{model}")
    trial = _trial_in(kept) if kept else None
    return trial if trial and trial.address == address else None


def trials(archive: Archive) -> Mapping[str, Trial]:
    """Return the last trial of each model, by its name."""
    kept = {
        name.removeprefix(TRIAL_SIGN): _trial_in(entry)
        for name, entry in sorted(all_signs(archive).items())
        if name.startswith(TRIAL_SIGN)
    }
    return {model: trial for model, trial in kept.items() if trial}


def _trial_in(kept: Sign) -> Trial | None:
    """Return the trial in a sign; None where another program has written what cannot be one."""
    try:
        trial = Trial(**json.loads(kept.value), at=kept.at)
        speeds = (float(trial.read_a_second), float(trial.written_a_second))
        is_one = all(isfinite(speed) and speed > 0 for speed in speeds) and trial.window > 0
    except (TypeError, ValueError, RecursionError):
        return None
    return trial if is_one else None
