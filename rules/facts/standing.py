"""Where the facts stand while an answer is carried out: what was known, and what the answer has done so far."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.facts.fact import Event, FactEvent
from rules.facts.known import Known
from rules.facts.wording import normal


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known, and the events of the answer's operations that were judged before."""

    known: Known
    events: Sequence[FactEvent]

    @property
    def texts(self) -> dict[int, str]:
        """What the live facts say now, by their numbers."""
        found = {fact.number: fact.text for fact in self.known.live}
        for event in self.events:
            if event.event == "DELETE":
                found.pop(event.fact, None)
            elif event.text:
                found[event.fact] = event.text
        return found

    @property
    def next_number(self) -> int:
        """Of the next fact that is added."""
        return self.known.next_number + sum(one.event == "ADD" for one in self.events)

    def says(self, text: str) -> int | None:
        """The number of the live fact that says the same."""
        wanted = normal(text)
        return next((number for number, said in self.texts.items() if normal(said) == wanted), None)

    def has(self, number: int, *events: Event) -> bool:
        """Whether the answer has done one of these to a fact; where none is named, whether it has done anything."""
        return any(one.fact == number and (not events or one.event in events) for one in self.events)

    def has_replaced(self, text: str) -> bool:
        """Whether the answer has put something else in the place of this text."""
        wanted = normal(text)
        return any(normal(fact.text) == wanted and self.has(fact.number, "UPDATE") for fact in self.known.live)
