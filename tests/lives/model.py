"""Stand in for the models in random lives: quick, deterministic for each request, and not always obedient."""

import re
from random import Random

from daemon.models.completion import Completion
from primer.prompt import ToolCall, Turn
from primer.reply import Request
from tests.lives.keeper import edits, operations

REFUSING = "test/refusing"
"""The agent that refuses every memory."""
_PASSAGE = re.compile(r"<to_remember[^>]*>\n(.*?)\n</to_remember>", re.DOTALL)
_QUOTED = re.compile(r"^\d+\. ", re.MULTILINE)
_SENTENCE = re.compile(r"[^.?!\n]{12,}[.?!]")
_LONGEST_SENTENCE_WORDS = 18


class LivelyModel:
    """Stands in for `daemon.models.completion.complete`; `asked` counts its calls."""

    def __init__(self) -> None:
        self.asked = 0
        self.answered: frozenset[str] = frozenset()
        """The keys of the requests whose answers are in the archive; asking one of them again is a fault."""

    def __call__(self, request: Request) -> Completion:
        assert request.key not in self.answered, "something is asked twice"
        self.asked += 1
        if request.model.name == REFUSING and request.step not in ("core", "facts"):
            return _ended("", "content_filter")
        dice = Random(request.key)
        if request.step == "quote":
            return _ended(_chosen(request.turns, dice) or _quote(request.turns, dice))
        if request.step == "core":
            text, calls = edits(request, dice)
            return _ended(
                text, dice.choice(["stop", "tool_calls", "length"]) if calls else "stop", calls
            )
        if request.step == "facts":
            return _ended(operations(request, dice), dice.choice(["stop"] * 9 + ["length"]))
        if dice.random() < 0.03:
            return _ended("", dice.choice(["stop", "length", "content_filter"]))
        return _ended(_retold(request, dice))


def _quote(turns: tuple[Turn, ...], dice: Random) -> str:
    """Return a sentence of the passage, mostly verbatim; now and then one without a word, or an invented one."""
    sentence = dice.choice(_sentences(turns))
    chance = dice.random()
    if chance < 0.8:
        return sentence
    if chance < 0.95:
        words = sentence.split()
        del words[len(words) // 2]
        return " ".join(words)
    return "Nobody has ever said this, and least of all to me."


def _chosen(turns: tuple[Turn, ...], dice: Random) -> str:
    """Return the numbers of the quotes that a fold takes over; "" where the request is for no fold."""
    numbers = range(1, 1 + len(_QUOTED.findall(turns[-1].content)))
    return ", ".join(str(number) for number in sorted(dice.sample(numbers, min(3, len(numbers)))))


def _retold(request: Request, dice: Random) -> str:
    """Return one sentence of the passage, so that the answer is in its language and about it."""
    return dice.choice(_sentences(request.turns))


def _sentences(turns: tuple[Turn, ...]) -> list[str]:
    """Return the sentences of the passage to remember; for a fold, of the memories before it."""
    passage = "\n".join(text for turn in turns for text in _PASSAGE.findall(turn.content))
    passage = passage or "\n".join(turn.content for turn in turns if turn.role == "assistant")
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(passage)]
    return (
        [one for one in sentences if len(one.split()) <= _LONGEST_SENTENCE_WORDS]
        or sentences
        or ["I remember it well."]
    )


def _ended(text: str, finish: str = "stop", calls: tuple[ToolCall, ...] = ()) -> Completion:
    return Completion(
        text,
        finish,
        tokens_in=10,
        tokens_out=5,
        tokens_cached=0,
        tokens_cache_written=0,
        usd=0.0,
        calls=calls,
    )
