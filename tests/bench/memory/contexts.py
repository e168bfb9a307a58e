"""What an assistant could be shown instead of a whole conversation: memories, or something else of the same size.

A context is a function from the chat and a question about it to the text. Most ignore the question.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from rules.extract.prose import PERSONA, Said
from tests.bench.memory.questions import AskedOfChat
from tests.bench.memory.runs import CompressedChat

Context = Callable[[CompressedChat, AskedOfChat], str]
DRAWS = 10
_BLOCK = 17_000
"""Characters: about 4,000 tokens of English, the size of a chunk."""
END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
"""What ends a sentence of any context."""
_DRIVER = Path(__file__).with_name("textrank_driver.py")


@dataclass(frozen=True, slots=True)
class _Offered:
    """A sentence of the compressed messages, and who said it."""

    role: str
    text: str


_Block = Sequence[_Offered]
Ranking = Callable[[Sequence[_Block]], Sequence[Sequence[int]]]
"""The places of the sentences of each block, the best one first."""


def contexts(textrank: Path | None) -> Mapping[str, Sequence[Context]]:
    """Everything that is compared with memproc; where there are several, their mean counts.

    `textrank` is the interpreter of an environment that has sumy; None leaves TextRank out.
    """
    rows: dict[str, Sequence[Context]] = {
        "full context": (_everything,),
        "tail alone": (_tail,),
        "tail extended": (_longer_tail,),
        "random sentences": tuple(_first_of(_shuffled(seed)) for seed in range(DRAWS)),
    }
    if textrank is not None:
        rows["TextRank"] = (_first_of(_by_textrank(textrank)),)
    return rows | {"the person's sentences first": (_first_of(_person_first),)}


def made_and_tail(chat: CompressedChat, _: AskedOfChat) -> str:
    """What the person goes on with: everything that memproc wrote, and the live tail."""
    return f"{chat.made}\n{_texts(chat.live)}"


def _everything(chat: CompressedChat, _: AskedOfChat) -> str:
    return _texts([*chat.compressed, *chat.live])


def _tail(chat: CompressedChat, _: AskedOfChat) -> str:
    return _texts(chat.live)


def _longer_tail(chat: CompressedChat, _: AskedOfChat) -> str:
    """As many characters more of the messages before the tail as memproc's output takes."""
    return f"{_texts(chat.compressed)[-len(chat.made) :]}\n{_texts(chat.live)}"


def _texts(messages: Sequence[Said]) -> str:
    return "\n".join(said.text for said in messages)


def _first_of(rank: Ranking) -> Context:
    """The best sentences of each block, in their order, of the same size as memproc's output; and the live tail."""

    @cache
    def chosen(chat: CompressedChat) -> str:
        share = len(chat.made) / max(1, len(_texts(chat.compressed)))
        blocks = [_offered(messages) for messages in _blocks(chat.compressed)]
        rooms = [
            share * sum(len(said.text) for said in messages)
            for messages in _blocks(chat.compressed)
        ]
        ranked = zip(blocks, rank(blocks), rooms, strict=True)
        return "\n".join(
            text for block, places, room in ranked for text in _fitting(block, places, room)
        )

    return lambda chat, _: f"{chosen(chat)}\n{_texts(chat.live)}"


def _blocks(messages: Sequence[Said]) -> Iterator[Sequence[Said]]:
    """Whole messages of about so many tokens as a chunk has, so that no part of the conversation is left out."""
    begin = held = 0
    for stop, said in enumerate(messages, 1):
        held += len(said.text)
        if held >= _BLOCK:
            yield messages[begin:stop]
            begin, held = stop, 0
    if held:
        yield messages[begin:]


def _offered(messages: Sequence[Said]) -> _Block:
    return [
        _Offered(said.role, text)
        for said in messages
        for text in END.split(said.text)
        if text and text.strip()
    ]


def _fitting(block: _Block, places: Sequence[int], room: float) -> Iterator[str]:
    """Each of the best sentences for which there still is room."""
    kept = []
    for at in places:
        if len(block[at].text) <= room:
            kept.append(at)
            room -= len(block[at].text)
    return (block[at].text for at in sorted(kept))


def _shuffled(seed: int) -> Ranking:
    def rank(blocks: Sequence[_Block]) -> Sequence[Sequence[int]]:
        chance = Random(seed)
        return [chance.sample(range(len(block)), len(block)) for block in blocks]

    return rank


def _person_first(blocks: Sequence[_Block]) -> Sequence[Sequence[int]]:
    return [
        sorted(range(len(block)), key=[said.role == PERSONA for said in block].__getitem__)
        for block in blocks
    ]


def _by_textrank(python: Path) -> Ranking:
    """As sumy ranks them, in a process of its own."""

    def rank(blocks: Sequence[_Block]) -> Sequence[Sequence[int]]:
        told = json.dumps([[sentence.text for sentence in block] for block in blocks])
        ended = subprocess.run(
            [python, _DRIVER], input=told, capture_output=True, text=True, check=True
        )
        ratings: list[list[float]] = json.loads(ended.stdout)
        return [
            sorted(range(len(rated)), key=[-rating for rating in rated].__getitem__)
            for rated in ratings
        ]

    return rank
