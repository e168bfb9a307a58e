"""Makes the requests in `docs/requests.md`: what reached a server when the real command asked about one chunk.

    python -m tests.requests_page        writes them anew; the words between them stay

The conversation is the sample, in sizes small enough for a page on which every part of a request stands.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.requests_answers import SHOWN, answer
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import read_task
from tests.stories.person import Person

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "docs" / "requests.md"
TAIL, STEP, CHUNK = 4800, 1200, 1200
_STEPS = ["quote", "perspective", "analysis", "refinement", "core", "facts"]
_FENCED = re.compile(r"~~~~~text\n.*?~~~~~\n", re.DOTALL)
_BREAK = "=== here a provider's cache may break off"


@dataclass(frozen=True, slots=True)
class Part:
    """One block of text in a request: who says it, what it is, and whether a cache breakpoint stands behind it."""

    role: str
    what: str
    text: str
    marked: bool

    def __str__(self) -> str:
        return f"=== {self.role}: {self.what}\n{self.text}" + (
            f"\n\n{_BREAK}" if self.marked else ""
        )


def renewed(page: str) -> str:
    """The page with the six requests as the code makes them now."""
    blocks = iter(_blocks(_requests()))
    made, number = _FENCED.subn(lambda _: next(blocks), page)
    if number != len(_STEPS):
        raise ValueError(
            f"{PLACE.name} has {number} places for requests, and there are {len(_STEPS)}"
        )
    return made


def _requests() -> list[Request]:
    """The six requests for the chunk that is shown, in the order in which one call after the other sends them."""
    with TemporaryDirectory() as folder, ModelServer(Setup(script=answer)) as server:
        person = Person(Path(folder) / "home", TAIL, STEP, CHUNK, layers=True)
        person.settings("[models]\nconcurrency = 1\n")
        person.drop((ROOT / "daemon" / "files" / "sample.json").read_bytes())
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("ANTHROPIC_API_KEY", KEY)
            environment.setenv("ANTHROPIC_API_BASE", server.url)
            ended = person.memproc("run")
        found = [
            request
            for request in server.requests
            if read_task(request).passage[0].text.startswith(SHOWN)
        ]
    if ended.code or [read_task(request).step for request in found] != _STEPS:
        raise ValueError(f"not every answer was good at once:\n{ended.out}{ended.err}")
    return found


def _blocks(requests: Sequence[Request]) -> Iterator[str]:
    """Each request as it stands on the page, in the order in which they were sent."""
    quote, perspective, analysis, refinement, core, facts = (
        _parts(request) for request in requests
    )
    shown = [
        _shortened(quote),
        _behind(quote, perspective),
        _each(analysis),
        _behind(perspective, refinement),
    ]
    shown += [_behind(refinement, core), _each(facts)]
    for request, parts in zip(requests, shown, strict=True):
        known = {
            name: value
            for name, value in request.body.items()
            if name not in ("messages", "system")
        }
        parameters = [f"{name}: {json.dumps(value)}" for name, value in known.items()]
        yield "\n".join(["~~~~~text", *parameters, "", "\n\n".join(parts), "~~~~~", ""])


def _parts(request: Request) -> list[Part]:
    said = [("system", block) for block in request.body["system"]]
    said += [
        (message["role"], block)
        for message in request.body["messages"]
        for block in message["content"]
    ]
    names = _names([block["text"] for _, block in said])
    return [
        Part(role, name, block["text"], "cache_control" in block)
        for (role, block), name in zip(said, names, strict=True)
    ]


def _names(texts: Sequence[str]) -> list[str]:
    """What each block is, told by our tags, which stand alive in nobody else's text, and by its place among them."""
    canned = [at for at, text in enumerate(texts) if text.startswith("<system>")]
    end = canned[-1] if canned else 0
    last = max(at for at, text in enumerate(texts) if text.startswith("<to_remember"))
    names = ["the tail"] * len(texts)
    names[0] = "the system message"
    for at in range(1, end):
        memory, slot = divmod(at - canned[0] - 1, 6)
        names[at] = f"memory {memory + 1}, {'an answer' if slot % 2 else 'a question'}"
    for at, name in zip(canned, ("the opening", "the closing"), strict=False):
        names[at] = name
    for at in range(last + 1, len(texts)):
        names[at] = "the answer that came" if (at - last) % 2 == 0 else "the question"
    return [
        "to remember" if text.startswith("<to_remember") else name
        for text, name in zip(texts, names, strict=True)
    ]


def _each(parts: Sequence[Part]) -> list[str]:
    return [str(part) for part in parts]


def _shortened(parts: Sequence[Part]) -> list[str]:
    """Every part in full, but of the tail its first and its last message alone."""
    tail = [at for at, part in enumerate(parts) if part.what == "the tail"]
    between = f"=== [… {len(tail) - 2} more messages of the tail]"
    return [*_each(parts[: tail[0] + 1]), between, *_each(parts[tail[-1] :])]


def _behind(before: Sequence[Part], parts: Sequence[Part]) -> list[str]:
    """What a later request adds to the one before it."""
    if parts[: len(before)] != before:
        raise ValueError("a later question does not stand behind the same beginning")
    return [
        f"=== [… the same {len(before)} blocks as before, byte for byte]",
        *_each(parts[len(before) :]),
    ]


if __name__ == "__main__":
    PLACE.write_text(renewed(PLACE.read_text("utf-8")), "utf-8")
