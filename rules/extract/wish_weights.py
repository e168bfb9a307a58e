"""What each thing that a sentence says weighs for it as a wish that holds for good.

The weights are fitted: `python -m tests.bench.memory.fit_wishes SET.json ... --none TALK.json ... --write` says to what.
"""

from typing import Final

NEVER: Final = frozenset(("told before", "past before", "unreal before", "idle before", "cry"))
"""What rules a wish out: it is somebody else's, past, imagined or a saying, or is cried out."""
_BASE: Final = -7.0
_WEIGHTS: Final = {
    "act bare": 0.6,
    "act opens": -0.5,
    "always": 2.1,
    "ask opens": 2.1,
    "asks": 2.8,
    "asks talk": 0.7,
    "asks talk, lasts": 0.8,
    "asks, lasts": 1.3,
    "bans name": 1.7,
    "bans talk": 1.2,
    "case": 3.2,
    "colon": -4.0,
    "end": 9.3,
    "end opens": 0.6,
    "hide": 8.4,
    "i before": 0.6,
    "later": -1.8,
    "long": 0.8,
    "me": 0.3,
    "name": 7.4,
    "name opens": 2.3,
    "names": -0.2,
    "names, lasts": 1.8,
    "once": -0.8,
    "order": 0.6,
    "order opens": 0.1,
    "other before": -0.7,
    "please": 2.1,
    "question": -3.1,
    "quotes": 1.2,
    "say": 1.7,
    "short": -0.1,
    "style": 2.1,
    "talk": 1.6,
    "talk opens": 1.6,
    "want": -1.2,
    "wants talk": 2.8,
}


def is_wish(features: frozenset[str]) -> bool:
    """Return whether a sentence of these features is a wish: nothing rules it out, and its odds are more than even."""
    return (
        not features & NEVER and _BASE + sum(_WEIGHTS.get(feature, 0.0) for feature in features) > 0
    )
