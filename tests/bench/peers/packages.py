"""Which systems are measured beside memproc, and in which versions."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = {"mem0": "mem0ai", "langmem": "langmem"}
"""The peers, and under what name each of them is published."""


def requirements(peer: str) -> Path:
    """All that a peer needs, locked by version and hash."""
    return HERE / f"{peer}.txt"


def version(peer: str) -> str:
    """The version that is locked."""
    found = re.search(
        rf"^{PACKAGES[peer]}==(\S+)", requirements(peer).read_text("utf-8"), re.MULTILINE
    )
    if found is None:
        raise ValueError(f"{requirements(peer).name} does not pin {PACKAGES[peer]}")
    return found[1]
