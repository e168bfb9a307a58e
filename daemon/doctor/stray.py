"""Code that Python would run at every start without being asked, and what malicious packages are known to leave.

A `.pth` file in site-packages may hold a line that begins with `import`: Python runs it each time it starts.
Distributions name theirs, with their hashes, in a RECORD; whatever else is there was put there by someone else.
"""

import base64
import hashlib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from shlex import quote

from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Machine

_MALICIOUS = "litellm_init.pth"
_WITHOUT_RECORD = {"_virtualenv.pth": b"import _virtualenv"}
"""What makers of virtual environments put there, and what stands in it."""
_LEFTOVERS = (".config/sysmon", ".config/systemd/user/sysmon.service")
_STOLEN = "Take the machine off the network, remove it, and change every key and password that was on it."


def start_files(machine: Machine) -> Iterator[Finding]:
    """Every `.pth` file that runs code is one that its distribution has brought, unchanged."""
    seen = 0
    found: list[Finding] = []
    for folder in machine.site_packages:
        recorded = _recorded(folder)
        for path in sorted(folder.glob("*.pth")):
            seen += 1
            found += _judged(path, recorded)
    yield from found or [ok(".pth files", f"There: {seen}. None runs code that no package has brought.")]


def leftovers(machine: Machine) -> Iterator[Finding]:
    """Nothing lies here that the malicious versions of LiteLLM are known to leave behind."""
    found = [machine.home / place for place in _LEFTOVERS if (machine.home / place).exists()]
    for path in found:
        yield error("leftovers", f"{path} is what malicious versions of LiteLLM leave behind.", _STOLEN)
    if not found:
        yield ok("leftovers", "Nothing that the malicious versions of LiteLLM leave behind.")


def _judged(path: Path, recorded: dict[str, str]) -> Iterator[Finding]:
    content = path.read_bytes()
    if path.name == _MALICIOUS:
        yield error(".pth files", f"{path} is the malicious versions' of LiteLLM, and runs at every start.", _STOLEN)
    elif not _runs_code(content) or content.strip() == _WITHOUT_RECORD.get(path.name):
        return
    elif path.name not in recorded:
        told = f"{path} runs code at every start of Python, and belongs to no installed package."
        yield warning(".pth files", told, f"If you do not know it, remove it: rm {quote(str(path))}")
    elif recorded[path.name] not in ("", _hash(content)):
        told = f"{path} runs code at every start of Python, and was changed after it was installed."
        yield warning(".pth files", told, "Install memproc again in an environment of its own: pipx install --force .")


def _recorded(folder: Path) -> dict[str, str]:
    """The `.pth` files that distributions name as theirs, each with its hash as a RECORD writes it, if there is one."""
    return {
        name: digest
        for distribution in distributions(path=[str(folder)])
        for name, digest in _files(distribution)
        if name.endswith(".pth") and "/" not in name
    }


def _files(distribution: Distribution) -> Iterator[tuple[str, str]]:
    for file in distribution.files or ():
        yield file.as_posix(), file.hash.value if file.hash and file.hash.mode == "sha256" else ""


def _runs_code(content: bytes) -> bool:
    return any(line.startswith((b"import ", b"import\t")) for line in content.splitlines())


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
