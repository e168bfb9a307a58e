"""Trials: how well a model on one's own server did on a built-in passage, one for each model."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite

from daemon.archive.archive import Archive
from daemon.archive.signs import Sign, all_signs, set_sign, sign

TRIAL_SIGN = "trial "


@dataclass(frozen=True, slots=True)
class Trial:
    """A model's last trial. Tokens are the model's own."""

    address: str
    """The `api_base` that was asked; empty for the provider's default."""
    window: int
    """Tokens of context."""
    read_a_second: float
    """Tokens of the prompt that it reads in a second."""
    written_a_second: float
    """Tokens of the answer that it writes in a second."""
    copies_a_quote: bool
    """Whether it copied a sentence of the passage character for character."""
    keeps_apart: bool
    """Whether it told its own words from the person's."""
    factor: float = 0.0
    """How many tokens it counted for one of ours; 0 where it reported no counts."""
    at: str = ""
    """When it was asked (UTC)."""

    @property
    def is_missed(self) -> bool:
        """Return whether the model failed at what a memory needs."""
        return not (self.copies_a_quote and self.keeps_apart)

    def seconds(self, prompt: int, answer: int) -> float:
        """Return the seconds of a call that reads and writes that many of the model's tokens."""
        return prompt / self.read_a_second + answer / self.written_a_second


def keep_trial(archive: Archive, model: str, trial: Trial, now: str) -> None:
    """Store a model's trial in place of its last, and end all rest: the model may do more now."""
    values = {name: value for name, value in asdict(trial).items() if name != "at"}
    with archive.transaction():
        set_sign(archive, f"{TRIAL_SIGN}{model}", json.dumps(values), now)
        archive.run("DELETE FROM rest")


def trial_of(archive: Archive, model: str, address: str) -> Trial | None:
    """Return the last trial of a model at an address, or None where there was none."""
    stored = sign(archive, f"{TRIAL_SIGN}{model}")
    trial = _trial_in(stored) if stored else None
    return trial if trial and trial.address == address else None


def trials(archive: Archive) -> Mapping[str, Trial]:
    """Return the last trial of each model, by its name."""
    stored = {
        name.removeprefix(TRIAL_SIGN): _trial_in(entry)
        for name, entry in sorted(all_signs(archive).items())
        if name.startswith(TRIAL_SIGN)
    }
    return {model: trial for model, trial in stored.items() if trial}


def _trial_in(stored: Sign) -> Trial | None:
    """Return the trial in a sign; None where another program wrote something that cannot be one."""
    try:
        trial = Trial(**json.loads(stored.value), at=stored.at)
        speeds = (float(trial.read_a_second), float(trial.written_a_second))
        is_possible = all(isfinite(speed) and speed > 0 for speed in speeds) and trial.window > 0
    except (TypeError, ValueError, RecursionError):
        return None
    return trial if is_possible else None
