"""A scripted model: answers by step, notes what it was asked, and costs nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from threading import Lock
from typing import TypeVar

from daemon.archive.journal import Reply
from daemon.models.completion import Completion
from daemon.models.scheduler import Noted, Steps
from primer.reply import Request

T = TypeVar("T")


@dataclass
class ScriptedModel:
    """Stands in for `daemon.models.completion.complete`: same call, scripted answers.

    `answers` are by step, used up in order, the last one for ever; a step without any gets a plain one.
    """

    answers: Mapping[str, list[str | Completion]] = field(default_factory=dict)
    answers_of: dict[str, Mapping[str, list[str | Completion]]] = field(default_factory=dict)
    """Answers of single models, by name, which go before `answers`."""
    asked: list[Request] = field(default_factory=list)
    _one_by_one: Lock = field(default_factory=Lock, repr=False)

    def __call__(self, request: Request) -> Completion:
        with self._one_by_one:
            return self._answer(request)

    def steps(self) -> list[str]:
        """Which questions were asked, in order."""
        return [request.step for request in self.asked]

    def _answer(self, request: Request) -> Completion:
        self.asked.append(request)
        answers = self.answers_of.get(request.model.name, self.answers)
        script = answers.get(request.step, [plain(request.step)])
        times = sum(
            (before.step, before.model) == (request.step, request.model) for before in self.asked
        )
        answer = script[min(times, len(script)) - 1]
        return answer if isinstance(answer, Completion) else ended(answer)


def plain(step: str) -> str:
    """The answer to a step without a script; its words are those of the tests' passages."""
    return f"My {step}, in my own words: the ferry and Tomas, the stairs and the piano."


def long_answer(words: int) -> str:
    """A long answer in the first person, no two sentences of which are the same."""
    days = (ascii_lowercase[at // 26] + ascii_lowercase[at % 26] for at in range(words // 9 + 1))
    return " ".join(f"On day {day} I asked Tomas of the ferry." for day in days)


def held(steps: Steps[T], ask: Callable[[Request], Reply], noted: list[str]) -> T:
    """What a dialogue comes to whose requests `ask` answers, without a journal; `noted` gathers what it notes."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Request):
                step = steps.send(ask(step))
            else:
                noted += [step.what] if isinstance(step, Noted) else []
                step = next(steps)
    except StopIteration as end:
        result: T = end.value
        return result


def ended(text: str, finish: str = "stop") -> Completion:
    """An answer that ended so; by itself, unless said otherwise."""
    return Completion(
        text, finish, tokens_in=10, tokens_out=5, tokens_cached=0, tokens_cache_written=0, usd=0.0
    )
