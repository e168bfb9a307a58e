"""What memproc writes and sends for an input that never changes, as hashes: equal hashes, equal bytes.

    python -m tests.stories.identical    records the hashes of this state of the code

The record is made anew only where a change of the output or of the requests is meant.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.cycle import Cycle
from tests.stories.person import Person
from tests.stories.recalling import call, text_of
from tests.stories.wire import sent

RECORD = Path(__file__).with_name("identical.json")
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "daemon" / "files" / "sample.json"
MODEL = '[models]\nagent = "anthropic/claude-haiku-5-5"\ncontext_manager = "anthropic/claude-haiku-5-5"\n'
_LOOKED_UP: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("recall_timeline", {}),
    ("recall_timeline", {"fold": "f1"}),
    ("recall_timeline", {"since": "2031-01-01"}),
    ("recall_search", {"query": "evening lamp"}),
    ("recall_search", {"query": "zeppelin"}),
    ("recall_open", {"record": "3"}),
    ("recall_open", {"record": "3", "what": "raw"}),
    ("recall_core_memory", {}),
    ("recall_facts", {}),
    ("recall_facts", {"words": "zeppelin"}),
)
"""Calls of the five tools; the answers that a model reads are recorded, too."""
_UPDATED_AT = re.compile(rb'("updatedAt": ?)"[^"]*"')
"""The only field that holds the time of the run."""


def exports() -> list[Path]:
    """Return the real conversations in every folder `exports` beside the checkout, or in $MEMPROC_EXPORTS."""
    named = os.environ.get("MEMPROC_EXPORTS")
    folders = [Path(named)] if named else sorted(ROOT.parent.glob("*/exports"))
    paths = (path for folder in folders for path in folder.glob("*.json"))
    return sorted(path for path in paths if b'"chats"' in path.read_bytes()[:200])


def fingerprint(source: Path) -> str:
    """Return the name of an input in the record; real conversations are not named there."""
    return sha256(source.read_bytes()).hexdigest()[:16]


def by_the_engine(home: Path, source: Path) -> dict[str, str]:
    """Compress a conversation with the built-in engine and the default sizes; return the hash of its updated export."""
    small = source == SAMPLE
    person = Person(home, *((4000, 1000, 800) if small else (30_000, 8_000, 4_000)), layers=True)
    person.drop(source.read_bytes())
    assert person.memproc("run").code == 0
    return {"output": _digest(b"".join(_without_time(path) for path in person.updated()))}


def by_a_model(home: Path) -> dict[str, str]:
    """Live three rounds with a scripted model; return the hashes of the outputs and of every request."""
    settings = (
        f"{MODEL}concurrency = 1\n[fold]\nbudget = 4000\n[core]\nenabled = true\n[facts]\nenabled = true\n"
        "[budget]\nrun_usd = 50\nday_usd = 50\n"
    )
    with _server(home / "server") as server:
        cycle = Cycle.begin(home / "ada", turns=60, settings="", size=800)
        cycle.person.toml.write_text(_sizes(cycle.person) + settings)
        outputs = []
        for _ in range(3):
            ended = cycle.hand_in()
            assert (ended.code, ended.err) == (0, ""), ended
            outputs.append(_without_time(cycle.updated()))
            cycle.imports().talk(24)
        requests = [
            json.dumps(request.body, sort_keys=True, ensure_ascii=False) for request in sent(server)
        ]
        looked_up = [
            text_of(call(cycle.person, tool, **arguments)) for tool, arguments in _LOOKED_UP
        ]
    return {
        "output": _digest(b"".join(outputs)),
        "requests": _digest("\n".join(sorted(requests)).encode()),
        "number of requests": str(len(requests)),
        "tools": _digest("\n".join(looked_up).encode()),
    }


def record() -> Mapping[str, Mapping[str, str]]:
    """Return the recorded hashes."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    assert isinstance(kept, dict)
    return kept


def _sizes(person: Person) -> str:
    folders = (
        '[folders]\ninbox = "inbox"\nupdated = "updated"\nbackups = "backups"\nstate = "state"\n'
    )
    return f"{folders}[tail]\ntokens = {person.tail}\nstep = {person.step}\n[chunk]\ntokens = {person.chunk}\n"


@contextmanager
def _server(folder: Path) -> Iterator[ServerProcess]:
    with serve(folder, {"bodies": True}) as server:
        before = {
            name: os.environ.get(name) for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_API_BASE")
        }
        os.environ |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.url}
        try:
            yield server
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def _without_time(path: Path) -> bytes:
    return _UPDATED_AT.sub(rb'\1""', path.read_bytes())


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _recorded(folder: Path) -> dict[str, dict[str, str]]:
    kept = {"model": by_a_model(folder / "model")}
    for source in (SAMPLE, *exports()):
        name = "sample" if source == SAMPLE else fingerprint(source)
        kept[name] = by_the_engine(folder / name, source)
    return kept


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        RECORD.write_text(json.dumps(_recorded(Path(folder)), indent=2) + "\n", encoding="utf-8")
    sys.exit(0)
