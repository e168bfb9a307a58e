"""No drift: a memory that is written again ten times loses nothing; a rolling summary by the same model does."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

from tests.chats import texts
from tests.server.reply import Answer
from tests.server.request import Request, Turn
from tests.server.scribe import compose
from tests.server.step import read_task
from tests.stories.reports import Record
from tests.stories.rounds import SCRIPTED, Life, life
from tests.stories.wire import exported_texts

pytestmark = pytest.mark.timeout(200)
TIMES = 10
HEAD, CHUNK = 8_000, 2_000
WHAT = [
    "ferry",
    "mail boat",
    "pilot",
    "supply ship",
    "herring fleet",
    "doctor",
    "carrier",
    "coal barge",
]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
]
FACT = re.compile(
    rf"(I recall that )?the ((?:{'|'.join(WHAT)}) leaves on the \d+th of (?:{'|'.join(MONTHS)}))",
    re.I,
)
ROOM = re.compile(r"(\d+) words")


@dataclass(frozen=True)
class Copyist:
    """A model that copies facts, whoever asks and for whatever: it knows nothing but the request.

    It tells what stands in <to_remember>, within the words that it is given. What was said at first hand it
    copies faithfully. Of what is told as a mere recollection, which is how it tells things itself, it drops some at
    each reading, drawn by the request and its seed.
    """

    kept: float = 0.8
    seed: int = 1

    def __call__(self, request: Request) -> Answer:
        """A quote where one is asked for, else the facts, behind a few words that differ each time."""
        task = read_task(request)
        if task.step == "quote":
            return Answer(compose(task))
        room = (
            int(ROOM.findall(request.turns[-1].text)[-1])
            if ROOM.search(request.turns[-1].text)
            else task.words
        )
        told = [f"Once more I look back, at what I will call {request.key[:5]}."]
        for fact in self._facts(request, [said.text for said in task.passage]):
            sentence = f"I recall that the {fact}."
            if sum(len(one.split()) for one in [*told, sentence]) <= room:
                told.append(sentence)
        return Answer(" ".join(told))

    def _facts(self, request: Request, passage: Sequence[str]) -> list[str]:
        found: dict[str, bool] = {}
        for recalled, fact in FACT.findall("\n".join(passage)):
            found[fact] = found.get(fact, False) or not recalled
        return [
            fact
            for fact, at_first_hand in found.items()
            if at_first_hand or self._keeps(request, fact)
        ]

    def _keeps(self, request: Request, fact: str) -> bool:
        digest = hashlib.sha256(f"{self.seed} {request.key} {fact}".encode()).digest()
        return int.from_bytes(digest[:8]) / 2**64 < self.kept


def facts() -> Iterable[str]:
    """Sentences that are all different, in an order that tells nothing."""
    every = list(product(WHAT, range(4, 21), MONTHS))
    Random(7).shuffle(every)
    return (f"The {what} leaves on the {day}th of {month}." for what, day, month in every)


def in_it(told: Iterable[str]) -> set[str]:
    """The facts in some texts."""
    return {fact for text in told for _, fact in FACT.findall(text)}


def plant(aria: Life, tokens: int) -> None:
    """Talk on; every other answer ends with a fact."""
    aria.talk(tokens)
    answers = aria.device.messages(aria.chat_id)[1::4]
    for answer, fact in zip(answers, facts(), strict=False):
        answer["content"][0]["text"] += f" {fact}"


def answers(edition: Record) -> Sequence[str]:
    """What the agent says of it in its own words: the perspective and the refinement."""
    return edition.texts[3], edition.texts[5]


def rolled(model: Copyist, portions: Iterable[Sequence[str]], words: int) -> list[str]:
    """A summary that is extended with one portion of the conversation after the other; each as it was then."""
    summaries = [""]
    for number, portion in enumerate(portions, 1):
        material = "\n".join(
            f"<to_remember>\n{text}\n</to_remember>" for text in (summaries[-1], *portion) if text
        )
        asked = f"Please extend the summary with what is new. About {words} words at most."
        turns = (Turn("system", "You summarise."), Turn("user", f"{material}\n{asked}"))
        request = Request(
            "anthropic", SCRIPTED, turns, max_tokens=4 * words, stream=False, body={}, number=number
        )
        summaries.append(model(request).text)
    return summaries[1:]


@pytest.mark.long
def test_ten_recompressions_lose_no_fact_and_a_rolling_summary_by_the_same_model_does(
    tmp_path: Path,
) -> None:
    model = Copyist()
    with life(tmp_path / "aria", model) as aria:
        aria.person = replace(aria.person, tail=4 * CHUNK, step=800, chunk=CHUNK)
        aria.settings()
        plant(aria, HEAD + 5 * CHUNK)
        said = texts(aria.device.messages(aria.chat_id))
        aria.drop()
        aria.run()
        memories = [memory.memory_id for memory in aria.memories()]
        assert len(memories) >= 3
        for time in range(TIMES):
            for memory in memories:
                ended = aria.person.memproc(
                    "retry", memory, "--say", f"Again, for the {time + 1}th time, please."
                )
                assert (ended.code, ended.err) == (0, "")
        assert aria.round() == []
        exported = in_it(
            text for six in exported_texts(aria.person.chat()).values() for text in six
        )
        editions = [aria.editions(memory) for memory in memories]
    assert {len(each) for each in editions} == {1 + TIMES}
    first, last = ([each[at] for each in editions] for at in (0, -1))
    planted = in_it(said)
    known = in_it(text for edition in first for text in answers(edition))
    after = in_it(text for edition in last for text in answers(edition))
    each = -(-len(said) // TIMES)
    portions = [said[at : at + each] for at in range(0, len(said), each)]
    summaries = rolled(model, portions, words=20 * len(planted))
    remembered = in_it(summaries[-1:]) & known
    outcome = (
        f"of {len(known)} facts in the first editions, {len(known & after)} stand in the {TIMES + 1}th, "
        f"and {len(remembered)} in a rolling summary after {len(summaries)} passes"
    )
    assert len(known) >= 20
    assert len(summaries) == TIMES
    assert known <= after, outcome
    assert known <= exported, outcome
    assert all(
        in_it(answers(one)) <= in_it(answers(ten)) for one, ten in zip(first, last, strict=True)
    ), outcome
    assert len(remembered) < 0.6 * len(known), outcome
    assert known <= in_it(summaries), "each of them once stood in the rolling summary, too"
