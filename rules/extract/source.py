"""What the built-in engine reads of a chunk or a fold, and its four answers to that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rules.extract import answers
from rules.extract.prose import PERSONA, Said
from rules.extract.wishes import find_wishes


@dataclass(frozen=True, slots=True)
class Source:
    """A passage, and what was said before it.

    `besides` are the other texts of the same memory: what they say is not said again, unless
    nothing else is left. The person's standing wishes, which a memory has apart, are among them.
    """

    stretches: tuple[tuple[Said, ...], ...]
    """The messages of the passage, those of each memory apart."""
    before: tuple[Said, ...] = ()

    @property
    def passage(self) -> tuple[Said, ...]:
        """Return all messages of the passage."""
        return tuple(chain.from_iterable(self.stretches))

    def quote(self, words: int) -> str:
        """Return what the passage is best quoted by; empty where nothing can be quoted."""
        return answers.quote(self.passage, words, self.before)

    def perspective(self, words: int, besides: Sequence[str]) -> str:
        """Return what the persona says of itself, or the next best."""
        return answers.perspective(self.passage, words, (*besides, *self._wishes()), self.before)

    def analysis(self, words: int) -> str:
        """Return what the person asked, or what both sides said."""
        return answers.analysis(self.passage, words, tuple(self._wishes()), self.before)

    def refinement(self, words: int, besides: Sequence[str]) -> str:
        """Return what both sides said, in paragraphs where there are several stretches."""
        all_besides = (*besides, *self._wishes())
        return answers.in_paragraphs(self.stretches, words, all_besides, self.before)

    def _wishes(self) -> Iterator[str]:
        for message in self.passage:
            if message.role != PERSONA:
                yield from find_wishes(message.text)
