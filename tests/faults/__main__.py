"""Break memproc on purpose, and tell what survived.

python -m tests.faults kills --command run --call 155     one trial, in all its ways
python -m tests.faults kills --every 10                   one in ten of a series
python -m tests.faults short                              what `make test-faults` tries
python -m tests.faults hour                               six commands at once for an hour
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.faults import shim

_MEMORY = Path("/dev/shm")
"""A file system in memory, where there is one: there, waiting for the disk costs nothing."""


def main() -> int:
    """Start once more with the shim, try what was asked for, and print the table. Exit 1 where something failed."""
    if reason := shim.why_not():
        sys.stdout.write(f"Skipped: {reason}.\n")
        return 0
    if shim.preloaded():
        return _tried()
    with TemporaryDirectory(
        prefix="memproc-faults-", dir=_MEMORY if _MEMORY.is_dir() else None
    ) as place:
        environment = {
            **shim.environment(shim.build(Path(place))),
            "HOME": place,
            "XDG_RUNTIME_DIR": place,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "TEST_API_KEY": "no key of anybody's",
        }
        return subprocess.run(
            [sys.executable, "-m", "tests.faults", *sys.argv[1:]], env=environment, check=False
        ).returncode


def _tried() -> int:
    from tests.faults.point import table
    from tests.faults.scenes import warm
    from tests.faults.series import SERIES, carry_out, labs
    from tests.faults.trial import Lab

    home = Path(os.environ["HOME"])
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("series", choices=[*SERIES, *_SETS])
    parser.add_argument("--command", help="the scene, as the table names it")
    parser.add_argument("--call", type=int, help="the number of what goes wrong")
    parser.add_argument("--how", help="in which way")
    parser.add_argument("--every", type=int, default=1, help="try one in so many")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    began = monotonic()
    (home / "warm").mkdir()
    warm(Lab(home / "warm"))
    choices = []
    for choice in _choices(asked):
        if reason := SERIES[choice.series].why_not():
            sys.stdout.write(f"{choice.series}: skipped: {reason}.\n")
        else:
            choices.append(choice)
    results = list(carry_out(choices, labs(home, asked.workers)))
    sys.stdout.write("\n".join([*table(results), f"{monotonic() - began:.0f} seconds"]) + "\n")
    return 1 if not results or any(result.wrong for result in results) else 0


_SETS = {
    "short": {"kills": 16, "errors": 120, "disks": 8, "power": 60, "rot": 6},
    "all": {"kills": 1, "errors": 6, "disks": 1, "power": 4, "rot": 1, "load": 10},
}
"""How `make test-faults` and `make test-soak` choose: one in so many of each series."""


def _choices(asked: argparse.Namespace) -> "list[Choice]":  # type: ignore[name-defined]  # noqa: F821
    from tests.faults.series import SERIES, Choice

    def scenes(series: str) -> tuple[str, ...]:
        return (asked.command,) if asked.command else SERIES[series].scenes

    if chosen := _SETS.get(asked.series):
        return [
            Choice(series, scenes(series), stride * asked.every)
            for series, stride in chosen.items()
        ]
    return [Choice(asked.series, scenes(asked.series), asked.every, asked.call, asked.how)]


if __name__ == "__main__":
    sys.exit(main())
