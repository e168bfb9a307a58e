"""The installation: Python, SQLite, LiteLLM, and the tokenizer's tables."""

import hashlib
import re
from collections.abc import Iterator

from daemon.archive.schema import OLDEST_SQLITE
from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Machine

PYTHON = ((3, 11), (3, 15))
LITELLM = ((1, 105, 7), (1, 110))
MALICIOUS = ("1.82.7", "1.82.8")
"""They stole keys from every machine that ran them, in March 2026."""
_AGAIN = "Install memproc again in an environment of its own: pipx install --force ."
# tiktoken names a table by the SHA-1 of its address, and knows the SHA-256 of its bytes.
TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def python(machine: Machine) -> Iterator[Finding]:
    """Python is one that memproc is made for."""
    shown, (oldest, beyond) = _dotted(machine.python), PYTHON
    if oldest <= machine.python < beyond:
        yield ok("Python", f"{shown}.")
    else:
        told = f"It is {shown}; memproc is made for {_dotted(oldest)} up to, but not including, {_dotted(beyond)}."
        yield error("Python", told, _AGAIN)


def sqlite(machine: Machine) -> Iterator[Finding]:
    """SQLite is new enough for the archive."""
    if machine.sqlite < OLDEST_SQLITE:
        told = f"It is {_dotted(machine.sqlite)}, and the archive needs {_dotted(OLDEST_SQLITE)} or newer."
        yield error("SQLite", told, "Install memproc with a newer Python.")
    else:
        yield ok("SQLite", f"{_dotted(machine.sqlite)}.")


def litellm(machine: Machine) -> Iterator[Finding]:
    """LiteLLM is there, in a version that memproc was tried with, and is not one of the two malicious ones."""
    version = machine.litellm
    parts = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    oldest, beyond = LITELLM
    if version in MALICIOUS:
        told = f"LiteLLM {version} is malicious: it reads every key on this machine and sends it away."
        yield error("LiteLLM", told, f"Take the machine off the network, and change every key it held. Then: {_AGAIN}")
    elif not version:
        yield error("LiteLLM", "It is not installed, so no model can be asked.", _AGAIN)
    elif not oldest <= parts < beyond:
        told = f"It is {version}; memproc was tried with {_dotted(oldest)} up to, but not including, {_dotted(beyond)}."
        yield warning("LiteLLM", told, _AGAIN)
    else:
        yield ok("LiteLLM", f"{version}.")


def tables(machine: Machine) -> Iterator[Finding]:
    """The tokenizer's table lies here whole, so that counting needs no network."""
    path = machine.tokenizers / TABLE
    if not path.is_file():
        yield error("tokenizer", f"Its table is not at {path}, so it would be downloaded.", _AGAIN)
    elif hashlib.sha256(path.read_bytes()).hexdigest() != TABLE_SHA256:
        yield error("tokenizer", f"Its table {path} is damaged.", _AGAIN)
    else:
        yield ok("tokenizer", "Its table is here; tokens are counted offline.")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
