"""Who is asked to write an edition, one after the other, and with how many words.

agent             its answers, else half as long if they are not clearly smaller than what they stand for
fallback model    the same
engine            only where there must be no hole: shorter and shorter until it fits, down to a word an answer
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.models.roles import Roles
from daemon.remembering.dialogue import Dialogue, Pair
from daemon.remembering.question import Desk, Question, recording
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import ENGINE, EXTRACTIVE, Model, Request
from primer.texts import Texts
from rules.conversation.memory import EXTRACTED, WRITTEN, Edition, Kind

Count = Callable[[str], int]
_ENGINE_ALONE = Pair(ENGINE, (ENGINE,))


@dataclass(frozen=True, slots=True)
class Work:
    """An edition to be written."""

    name: str
    """What it is called where its troubles are counted: memory, hindsight, fold."""
    source: str
    """What it must be clearly smaller than."""
    hold: Callable[[Desk, Pair, int], Dialogue | Refused]
    """Holds the dialogue at a desk, with a pair of models, in about so many words an answer."""
    words: int
    fits: Callable[[int, int], bool]
    """Whether an edition is clearly smaller than its source: by the tokens that were written for it, and by all."""
    count: Count


@dataclass(frozen=True, slots=True)
class Held:
    """A dialogue that was held, the requests that it took, and how large its answers and its six texts are."""

    dialogue: Dialogue
    requests: tuple[str, ...]
    written: int
    """Without our own questions."""
    tokens: int

    def edition(self, number: int, kind: Kind, written_at: str) -> Edition:
        """The edition that it has become."""
        return Edition(
            number=number,
            kind=kind,
            texts=self.dialogue.texts,
            quotes=self.dialogue.quotes,
            made=EXTRACTED if self.dialogue.agent == EXTRACTIVE else WRITTEN,
            agent=self.dialogue.agent,
            context_manager=self.dialogue.context_manager,
            requests=self.requests,
            tokens=self.tokens,
            written_at=written_at,
        )


def pairs(roles: Roles) -> list[Pair]:
    """Who is asked before the engine's bounded memory, one after the other."""
    fallback = (roles.fallback,) if roles.fallback else ()
    analysts = _each_once(roles.context_manager, *fallback, ENGINE)
    return [Pair(agent, analysts) for agent in _each_once(roles.agent, *fallback)]


def first_good(desk: Desk, work: Work, writers: Sequence[Pair]) -> Held | Refused:
    """The first dialogue that can be used and fits, else why the last one does not. There is at least one writer."""
    first, *others = writers
    found = _fitting(desk, work, first)
    for pair in others:
        if isinstance(found, Held):
            break
        desk.note(f"{work.name} by the fallback model")
        found = _fitting(desk, work, pair)
    return found


def first_analysis(texts: Texts, roles: Roles, alone: tuple[Turn, ...], asked: str, words: int) -> Request | None:
    """The context manager's question, which needs no answer before it; None where the engine is asked."""
    analyst = pairs(roles)[0].context_managers[0]
    if ENGINE in (roles.agent, analyst):
        return None
    return Question(Request("analysis", analyst, alone, words), asked, (), tagged=False).posed(texts)


def hold(desk: Desk, work: Work, pair: Pair, words: int) -> Held | Refused:
    """One dialogue, with what it took."""
    at_desk, asked = recording(desk)
    dialogue = work.hold(at_desk, pair, words)
    if isinstance(dialogue, Refused):
        return dialogue
    written = (*dialogue.texts[1::2], dialogue.analysis)
    return Held(dialogue, tuple(asked), *(sum(map(work.count, texts)) for texts in (written, dialogue.texts)))


def by_the_engine(desk: Desk, work: Work) -> Held:
    """The engine's, half as long each time until it fits. It has an answer to everything."""
    words = work.words
    while True:
        words = max(1, words // 2)
        held = hold(desk, work, _ENGINE_ALONE, words)
        if isinstance(held, Refused):
            raise RuntimeError(f"the built-in engine had no answer: {held.reason}")  # noqa: TRY004
        if work.fits(held.written, held.tokens) or words == 1:
            return held


def _fitting(desk: Desk, work: Work, pair: Pair) -> Held | Refused:
    for words in (work.words, work.words // 2):
        held = hold(desk, work, pair, words)
        if isinstance(held, Refused) or work.fits(held.written, held.tokens):
            return held
        desk.note(f"{work.name} not clearly smaller than {work.source}")
    return Refused("too long", f"The {work.name} is not clearly smaller than {work.source}.")


def _each_once(*models: Model) -> tuple[Model, ...]:
    return tuple(model for at, model in enumerate(models) if model not in models[:at])
