"""Fit the weights of `rules/extract/wish_weights.py` to messages of which it is known what they ask for.

    python -m tests.bench.memory.fit_wishes SET.json ... [--none TALK.json ...] [--apart] [--write]

A SET is a list of messages: `text`, `lang` or `language`, and the sentence that is a wish as `sentence` or `wish`, if one
is. A TALK is an export in which no message of the person's is one. With `--apart`, each set is judged by weights that
were fitted without it: so many messages of it are right, so many wishes missed, so many found where none is. With
`--write`, the weights that all give are written.

The weights are those of a logistic regression with a penalty on their sum, so that few are left: a sentence that is a
wish counts twice, one of a TALK less, since of these there are many.
"""

import json
import math
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.extract.languages import TONGUES
from rules.extract.wish_weights import NEVER
from rules.extract.wishes import sentences_with_features

_WEIGHTS = Path("rules/extract/wish_weights.py")
_CODES = {"en": 0, "de": 1, "fr": 2, "es": 3, "pt": 4, "it": 5, "ru": 6, "zh": 12, "ja": 13}
_PENALTY = 0.7
_ROUNDS = 150
_OF_WISH, _OF_TALK = 2.0, 1.0
_LEAST = 4
"""A feature of fewer sentences has no weight."""


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence, as it is learned from."""

    message: tuple[str, int]
    sentence: str
    is_wish: bool
    features: frozenset[str]
    share: float
    """How much it counts."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a logistic regression."""

    base: float
    by_feature: dict[str, float]

    def find(self, features: frozenset[str]) -> bool:
        """Return whether features are those of a wish."""
        known = (self.by_feature.get(feature, 0.0) for feature in features)
        return not features & NEVER and self.base + sum(known) > 0


def rows_of_set(path: Path) -> Iterator[Row]:
    """Yield the sentences of the messages of a set."""
    for number, message in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        language = _CODES[message.get("lang") or message["language"]]
        asked = message.get("sentence") or message.get("wish") or ""
        wish = asked.strip(".!。！ ") if isinstance(asked, str) else ""
        for sentence, found in sentences_with_features(message["text"]):
            bare = sentence.strip(".!。！ ")
            is_wish = bool(wish) and (wish in bare or bare in wish)
            features = found.get(language) or next(iter(found.values()), frozenset())
            yield Row(
                (path.name, number), sentence, is_wish, features, _OF_WISH if is_wish else 1.0
            )


def rows_of_talk(path: Path) -> Iterator[Row]:
    """Yield the sentences of the person in an export in which nothing is asked for good."""
    for chat in json.loads(path.read_text(encoding="utf-8"))["data"]["chats"]:
        for number, message in enumerate(chat["messages"]):
            if message["role"] == "user" and isinstance(message["content"], str):
                for sentence, found in sentences_with_features(message["content"]):
                    for features in found.values():
                        yield Row((path.name, number), sentence, False, features, _OF_TALK)


def fit(rows: Sequence[Row]) -> Weights:
    """Return the weights that tell the wishes of rows best, by accelerated proximal gradient descent."""
    rows = [row for row in rows if not row.features & NEVER]
    counts = Counter(feature for row in rows for feature in row.features)
    names = sorted(feature for feature, times in counts.items() if times >= _LEAST)
    places = {feature: place + 1 for place, feature in enumerate(names)}
    known = [
        [0, *(places[feature] for feature in row.features if feature in places)] for row in rows
    ]
    steepest = [1e-3] * (len(names) + 1)
    for row, features in zip(rows, known, strict=True):
        for place in features:
            steepest[place] += 0.25 * row.share * len(features)
    weights = [0.0] * len(steepest)
    ahead, pace = list(weights), 1.0
    for _ in range(_ROUNDS):
        slopes = _slopes(rows, known, ahead)
        nearer = [
            _shrunk(weight - slope / steep, _PENALTY / steep if place else 0.0)
            for place, (weight, slope, steep) in enumerate(
                zip(ahead, slopes, steepest, strict=True)
            )
        ]
        faster = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = [
            new + (pace - 1) / faster * (new - old)
            for new, old in zip(nearer, weights, strict=True)
        ]
        weights, pace = nearer, faster
    rounded = {feature: round(weights[places[feature]], 1) for feature in names}
    return Weights(
        round(weights[0], 1), {feature: weight for feature, weight in rounded.items() if weight}
    )


def _slopes(
    rows: Sequence[Row], known: Sequence[Sequence[int]], weights: Sequence[float]
) -> list[float]:
    slopes = [0.0] * len(weights)
    for row, features in zip(rows, known, strict=True):
        likelihood = 1 / (1 + math.exp(-max(-30.0, sum(weights[place] for place in features))))
        for place in features:
            slopes[place] += row.share * (likelihood - row.is_wish)
    return slopes


def _shrunk(weight: float, by: float) -> float:
    return math.copysign(max(0.0, abs(weight) - by), weight)


def judge(rows: Iterable[Row], weights: Weights) -> str:
    """Return how many messages are right: the wish is found where there is one, else nothing."""
    by_message: defaultdict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        by_message[row.message].append(row)
    told: Counter[str] = Counter()
    for said in by_message.values():
        found = [row for row in said if weights.find(row.features)]
        if any(row.is_wish for row in said):
            told["right" if any(row.is_wish for row in found) else "missed"] += 1
        else:
            told["false" if found else "right"] += 1
    return (
        f"{told['right']} of {told.total()} right, {told['missed']} missed, {told['false']} false"
    )


def _apart(by_set: dict[str, list[Row]], others: Sequence[Row]) -> Iterator[str]:
    for name, held in by_set.items():
        seen = {row.sentence for row in held}
        learned = [row for rows in by_set.values() for row in rows if row.sentence not in seen]
        yield f"{name}: {judge(held, fit([*learned, *others]))}"


def _module(weights: Weights) -> str:
    lines = "".join(
        f'    "{feature}": {weight},\n' for feature, weight in sorted(weights.by_feature.items())
    )
    text = _WEIGHTS.read_text(encoding="utf-8")
    begin, end = text.index("_BASE: Final = "), text.index("}\n") + 2
    return f"{text[:begin]}_BASE: Final = {weights.base}\n_WEIGHTS: Final = {{\n{lines}}}\n{text[end:]}"


def main() -> None:
    """Fit the weights, and judge or write them."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--none", nargs="*", type=Path, default=[])
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    by_set = {str(path): list(rows_of_set(path)) for path in asked.sets}
    others = [row for path in asked.none for row in rows_of_talk(path)]
    if asked.apart:
        for line in _apart(by_set, others):
            sys.stdout.write(line + "\n")
    weights = fit([*(row for rows in by_set.values() for row in rows), *others])
    for name, rows in by_set.items():
        sys.stdout.write(f"{name}, seen: {judge(rows, weights)}\n")
    sys.stdout.write(f"talks, seen: {judge(others, weights)}\n")
    if asked.write:
        _WEIGHTS.write_text(_module(weights), encoding="utf-8")


if __name__ == "__main__":
    assert len(TONGUES) > max(_CODES.values())
    main()
