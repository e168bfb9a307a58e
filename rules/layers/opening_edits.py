"""What the person changed in an opening that memproc wrote: lines added, taken out, reworded."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rules.layers.opening import FactLine, KeptLine, Opening

_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class OpeningEdits:
    """The person's edits of an opening, but for its preface; empty where they changed nothing."""

    sections: Mapping[str, str]
    """The new text of each section that was changed; empty where its heading or text is gone."""
    changed: tuple[tuple[FactLine, FactLine], ...]
    """Facts with another day or other words: the old line, and the new one."""
    removed: tuple[FactLine, ...]
    added: tuple[FactLine, ...]
    released: tuple[KeptLine, ...] = ()
    """Kept passages that were taken out. One that was only reworded is none of them."""
    kept: tuple[KeptLine, ...] = ()
    """Kept passages that are new in it."""


def edits_of_opening(base: Opening, theirs: Opening) -> OpeningEdits | None:
    """Compare the opening as it was with the present one. The order of facts is ignored.

    None where every heading is gone: then the person has thrown the whole part away or replaced it,
    and that is no edit of its sections and facts.
    """
    if base.headed and not theirs.headed:
        return None
    names = dict.fromkeys((*base.sections, *theirs.sections))
    texts = {name: theirs.sections.get(name, "") for name in names}
    gone, new = _without(base.facts, theirs.facts), _without(theirs.facts, base.facts)
    changed = _reworded(gone, new)
    return OpeningEdits(
        sections={
            name: text for name, text in texts.items() if text != base.sections.get(name, "")
        },
        changed=changed,
        removed=_without(gone, [before for before, _ in changed]),
        added=_without(new, [after for _, after in changed]),
        released=_released(base, theirs),
        kept=_other_passages(theirs, base),
    )


def _released(base: Opening, theirs: Opening) -> tuple[KeptLine, ...]:
    """Return the passages that were taken out: no line of their day and speaker is new instead."""
    reworded = {(line.day, line.speaker) for line in _other_passages(theirs, base)}
    gone = _other_passages(base, theirs)
    return tuple(line for line in gone if (line.day, line.speaker) not in reworded)


def _other_passages(opening: Opening, other: Opening) -> tuple[KeptLine, ...]:
    known = {line.compared for line in other.kept}
    return tuple(line for line in opening.kept if line.compared not in known)


def _without(lines: Iterable[FactLine], others: Iterable[FactLine]) -> tuple[FactLine, ...]:
    """Return the lines, each of the others taken out once."""
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


def _reworded(
    gone: Sequence[FactLine], new: Sequence[FactLine]
) -> tuple[tuple[FactLine, FactLine], ...]:
    """Pair lines that are alike, the most alike first, each once; in the order of `gone`."""
    likeness: dict[tuple[int, int], float] = {}
    for i, before in enumerate(gone):
        for j, after in enumerate(new):
            matcher = SequenceMatcher(None, before.text, after.text)
            rough = matcher.quick_ratio()  # at least the ratio, and quicker
            likeness[i, j] = matcher.ratio() if rough >= _ALIKE else rough
    pairs: dict[int, int] = {}
    for i, j in sorted(likeness, key=lambda pair: (-likeness[pair], pair)):
        if likeness[i, j] >= _ALIKE and i not in pairs and j not in pairs.values():
            pairs[i] = j
    return tuple((gone[i], new[pairs[i]]) for i in sorted(pairs))
