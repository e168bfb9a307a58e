"""What the person has forgotten is not taken from the same messages again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.facts.fact import FactEvent
from rules.facts.wording import normal, words


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A fact that the person does not want any more."""

    texts: tuple[str, ...]
    """All that it has ever said."""
    sources: frozenset[str]
    """Keys of all raw messages that said so, also of those that said it again."""


def forgotten(events: Iterable[FactEvent]) -> tuple[Forgotten, ...]:
    """The facts that the person has forgotten, in order of their numbers."""
    by_fact: dict[int, list[FactEvent]] = {}
    for event in events:
        by_fact.setdefault(event.fact, []).append(event)
    return tuple(
        _gathered(by_fact[fact]) for fact in sorted(by_fact) if any(one.event == "FORGET" for one in by_fact[fact])
    )


def is_forgotten(text: str, source: str, among: Sequence[Forgotten]) -> bool:
    """Whether a text from that message says what was forgotten: the same, or with half of the words of either."""
    return any(source in one.sources and any(_same(text, said) for said in one.texts) for one in among)


def _gathered(events: Sequence[FactEvent]) -> Forgotten:
    texts = tuple(one.text for one in events if one.event in ("ADD", "UPDATE"))
    return Forgotten(texts, frozenset(one.source for one in events if one.source))


def _same(text: str, said: str) -> bool:
    if normal(text) == normal(said):
        return True
    ours, theirs = words(text), words(said)
    return bool(ours and theirs) and 2 * len(ours & theirs) >= min(len(ours), len(theirs))
