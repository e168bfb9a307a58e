"""How sure a mean over a few conversations is."""

from collections.abc import Sequence
from random import Random
from statistics import fmean, quantiles

_SAMPLES = 10_000


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % percentile interval of the mean of `values`, resampled with replacement; the same each time."""
    if len(values) < 2:
        return values[0], values[0]
    chance = Random(len(values))
    means = [fmean(chance.choices(values, k=len(values))) for _ in range(_SAMPLES)]
    cuts = quantiles(means, n=40)
    return cuts[0], cuts[-1]
