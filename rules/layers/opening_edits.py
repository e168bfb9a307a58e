"""What the person did in TypingMind to the sections and the facts of an opening.

What it was is read off the opening that stood there, not off the archive: what has happened to the core memory and
to the facts since then is nobody's edit.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rules.layers.opening import FactLine, Opening

_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class OpeningEdits:
    """What the person changed; all of it is empty where they changed nothing. The preface is not compared."""

    sections: Mapping[str, str]
    """The new text of each section that reads otherwise; empty where its heading or its text is gone."""
    changed: tuple[tuple[FactLine, FactLine], ...]
    """Facts with another day or other words: the old line, and the new one."""
    removed: tuple[FactLine, ...]
    added: tuple[FactLine, ...]


NO_EDITS = OpeningEdits({}, (), (), ())
"""Nothing was changed."""


@dataclass(frozen=True, slots=True)
class NotTakenOver:
    """Why nothing of an edited opening is taken over, as half a sentence for the person."""

    reason: str


def edits(base: Opening, theirs: Opening) -> OpeningEdits | NotTakenOver:
    """Compare the opening as it was with the one that stands there now.

    Where every heading is gone, the person has thrown the whole part away or put something else in its place: that is
    no edit of its sections and facts. In what order facts stand says nothing.
    """
    if base.headed and not theirs.headed:
        return NotTakenOver("the opening shows none of the headings of its sections and facts any more")
    gone, new = _without(base.facts, theirs.facts), _without(theirs.facts, base.facts)
    changed = _reworded(gone, new)
    return OpeningEdits(
        sections=_rewritten(base.sections, theirs.sections),
        changed=changed,
        removed=_without(gone, [old for old, _ in changed]),
        added=_without(new, [said for _, said in changed]),
    )


def _rewritten(base: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    names = dict.fromkeys((*base, *theirs))
    return {name: theirs.get(name, "") for name in names if theirs.get(name, "") != base.get(name, "")}


def _without(lines: Iterable[FactLine], others: Iterable[FactLine]) -> tuple[FactLine, ...]:
    """The lines, each of the others taken out once."""
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


def _reworded(gone: Sequence[FactLine], new: Sequence[FactLine]) -> tuple[tuple[FactLine, FactLine], ...]:
    """Pairs of lines that are alike, the most alike first; each line is in one pair at most. In the order of `gone`."""
    likeness = {(i, j): _likeness(old.text, said.text) for i, old in enumerate(gone) for j, said in enumerate(new)}
    pairs: dict[int, int] = {}
    for i, j in sorted(likeness, key=lambda pair: (-likeness[pair], pair)):
        if likeness[i, j] >= _ALIKE and i not in pairs and j not in pairs.values():
            pairs[i] = j
    return tuple((gone[i], new[pairs[i]]) for i in sorted(pairs))


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; what is certainly too little is not reckoned further."""
    matcher = SequenceMatcher(None, one, other)
    rough = matcher.quick_ratio()
    return matcher.ratio() if rough >= _ALIKE else rough
