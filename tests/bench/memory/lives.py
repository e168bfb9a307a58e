"""Talks of people about their lives with a persona: what a person would expect to be known stands in the memories.

They lie in `lives/`, one JSON file each, written by somebody who has not read the engine's rules: messages, and what
matters in them, with the words that must stand together in one memory.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from rules.extract.phrases import REACTION
from rules.extract.sentences import find_prose_sentences
from tests.bench.measure import Table
from tests.bench.memory.runs import CompressedChat, MemoryTexts, run_at_once
from tests.chats import assistant, chat, conversation, export_bytes, user
from tests.server.tokens import count

TALKS = Path(__file__).with_name("lives")
_SETTINGS = "[tail]\ntokens = 3_600\nstep = 1_800\n[chunk]\ntokens = 900\n"
_TAIL = 24
"""Turns about a lighthouse after the talk, so that all of it is compressed."""
_DRAWS = 20
_LEAD = re.compile(r"^[^:.!?]{0,60}[:：]\s*")


@dataclass(frozen=True, slots=True)
class MeasuredLife:
    """How much of what matters in a talk is kept, beside random sentences of the person's of the same size."""

    name: str
    matters: int
    kept: int
    at_random: float
    tokens: int
    reactions: float
    """The share of the kept sentences that only react, in percent."""


def measure_lives(home: Path) -> list[MeasuredLife]:
    """Compress every talk without a key, each below `home`, and look for what matters in it."""
    return [_measure(home / talk.stem, talk) for talk in sorted(TALKS.glob("*.json"))]


def table(lives: Sequence[MeasuredLife]) -> Table:
    """What is kept of each talk, and of all."""
    rows = [
        (life.name, f"{life.tokens:,}", f"{life.kept} of {life.matters}", f"{life.at_random:.1f}",
         f"{life.reactions:.1f} %") for life in lives
    ]  # fmt: skip
    kept, matters = sum(life.kept for life in lives), sum(life.matters for life in lives)
    chance, tokens = sum(life.at_random for life in lives), sum(life.tokens for life in lives)
    reactions = fmean(life.reactions for life in lives)
    rows.append(
        ("all", f"{tokens:,}", f"{kept} of {matters}", f"{chance:.1f}", f"{reactions:.1f} %")
    )
    notes = (
        "Talks of people with a persona, in chunks of 900 tokens. What a person would expect to be known counts as kept",
        "where its words stand in one memory. `random`: sentences of the person's, drawn up to the size of each memory,",
        f'the mean of {_DRAWS} draws. `reactions`: kept sentences that only react, as "Wow, that\'s great!" does.',
    )
    figures = {"kept": kept, "matters": matters, "random": chance, "tokens": tokens, "reactions": reactions}  # fmt: skip
    headings = ("", "tokens", "kept", "random", "reactions")
    return Table("Lives: what mattered", notes, headings, tuple(rows), figures)


def _measure(home: Path, path: Path) -> MeasuredLife:
    talk = json.loads(path.read_bytes())
    said = [_message(number, message) for number, message in enumerate(talk["messages"])]
    home.mkdir(parents=True)
    export = home / "talk.json"
    last = datetime.fromisoformat(talk["messages"][-1]["at"]).astimezone()
    tail = conversation(_TAIL, 300, start=last, first=1_000)
    export.write_bytes(export_bytes(chat(*said, *tail, chatTitle=talk["title"])))
    compressed = run_at_once(home / "run", export, _SETTINGS)
    texts = ["\n".join(_texts(memory)) for memory in compressed.memories]
    kept = [sentence for text in texts for sentence in find_prose_sentences(text)]
    reactions = sum(REACTION.are_in(_LEAD.sub("", sentence)) for sentence in kept)
    return MeasuredLife(
        talk["title"],
        len(talk["matters"]),
        _known(talk["matters"], texts),
        fmean(
            _known(talk["matters"], drawn) for drawn in _drawn(compressed, list(map(count, texts)))
        ),
        sum(map(count, texts)),
        100 * reactions / max(1, len(kept)),
    )


def _message(number: int, message: Mapping[str, str]) -> dict[str, Any]:
    at = datetime.fromisoformat(message["at"]).astimezone()
    speak = user if message["role"] == "user" else assistant
    return speak(message["text"], number, at=at)


def _texts(memory: MemoryTexts) -> tuple[str, str, str]:
    return memory.quote, memory.perspective, memory.refinement


def _known(matters: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> int:
    """Count what matters of which all words stand in one text."""
    folded = [text.casefold() for text in texts]
    return sum(
        any(all(word.casefold() in text for word in each["words"]) for text in folded)
        for each in matters
    )


def _drawn(compressed: CompressedChat, sizes: Sequence[int]) -> Iterator[list[str]]:
    """Yield texts of random sentences of the person's, as many and as large as the memories are."""
    spoken = [message.text for message in compressed.compressed if message.role == "user"]
    sentences = [sentence for text in spoken for sentence in find_prose_sentences(text)]
    for draw in range(_DRAWS):
        left = iter(Random(draw).sample(sentences, len(sentences)))
        texts = []
        for size in sizes:
            text = ""
            while count(text) < size and (sentence := next(left, "")):
                text += sentence + "\n"
            texts.append(text)
        yield texts
