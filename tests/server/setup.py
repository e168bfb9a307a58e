"""How a server is set up: in code, or for a child process by a JSON file with the same names."""

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from tests.server.batching import Batching
from tests.server.faults import Faulty
from tests.server.limits import Limits
from tests.server.models import KNOWN, Model
from tests.server.own import Own
from tests.server.reply import Script
from tests.server.scribe import scribe

KEY = "test-key"
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For httpx where http alone is spoken: it would read all certificates of the system anew for each call."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The script that answers, the key that is right, the models that are known, and what an answer takes.

    `seconds` pass before each answer begins. `bodies` puts every request's own JSON into the log. `clock` is in
    seconds, and rules over the cache and the limits. `batching` says how batches go, `limits` how much may be asked.
    """

    script: Script = scribe
    key: str = KEY
    models: Mapping[str, Model] = field(default_factory=lambda: dict(KNOWN))
    seconds: float = 0.0
    bodies: bool = False
    clock: Callable[[], float] = monotonic
    batching: Batching = field(default_factory=Batching)
    limits: Limits = field(default_factory=Limits)
    own: Own | None = None
    """Set where it is a server on one's own machine: it tells of itself, and wants no key."""


def read_setup(path: Path) -> Setup:
    """The setup in a JSON file: `key`, `seconds`, `bodies`, `models`, `batching`, `limits`, and the faults of `Faulty`.

    `models` are added to the known ones: {"local-8k": {"window": 8192}}. Raises TypeError for an unknown name.
    """
    said = json.loads(path.read_text(encoding="utf-8"))
    models = {name: Model(**facts) for name, facts in said.pop("models", {}).items()}
    own = {name: said.pop(name) for name in ("key", "seconds", "bodies") if name in said}
    own["batching"] = Batching(**said.pop("batching", {}))
    own["limits"] = Limits(**said.pop("limits", {}))
    at = {int(number): name for number, name in said.pop("at", {}).items()}
    return Setup(script=Faulty(at=at, **said), models={**KNOWN, **models}, **own)
