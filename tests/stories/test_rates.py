"""A provider with tight limits: sixteen calls at once never run into what its headers foretold."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.limits import Limits
from tests.server.log import read_events
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.test_kills import output

pytestmark = pytest.mark.timeout(300)
EXPORT = export_bytes(long_chat(8_000, tokens_each=300))
ANTHROPIC = Limits(requests=6, input_tokens=20_000, output_tokens=6_000, seconds=0.4)
OPENAI = Limits(requests=6, tokens=25_000, seconds=0.4)
MODELS = """
[models]
agent = "{model}"
context_manager = "{model}"
concurrency = 16
[models.options."openai/*"]
api_base = "{url}/v1"
"""


@dataclass(frozen=True)
class Lived:
    """The output, and how often each thing happened at the server once it had answered for the first time."""

    output: bytes
    events: Counter[str]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)


def lived(folder: Path, model: str, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> Lived:
    person, log = Person(folder, tail=3200, step=800, chunk=800), folder / "server.jsonl"
    person.drop(EXPORT)
    with ModelServer(Setup(seconds=0.02, limits=limits), log) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        person.settings(MODELS.format(model=model, url=server.url))
        ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    events = [event["event"] for event in read_events(log)]
    return Lived(output(person), Counter(events[events.index("answered") :]))


@pytest.mark.parametrize(
    ("model", "limits"),
    [
        ("anthropic/claude-haiku-5-5", ANTHROPIC),
        pytest.param("openai/gpt-4o", OPENAI, marks=pytest.mark.long),
    ],
)
def test_tight_limits_are_kept_and_change_nothing_but_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, limits: Limits
) -> None:
    free = lived(tmp_path / "free", model, Limits(), monkeypatch)
    tight = lived(tmp_path / "tight", model, limits, monkeypatch)
    assert tight.events["failed"] == 0
    assert tight.events["answered"] == free.events["answered"] > 3 * (limits.requests or 0)
    assert tight.output == free.output
