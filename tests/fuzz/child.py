"""One target in a process of its own, because the fuzzer never returns: `python -m tests.fuzz.child reader ...`."""

import shlex
import sys

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]  # Linux only, and without types


def main() -> None:
    """Fuzz the target of that name; whatever follows are options and folders of libFuzzer."""
    with atheris.instrument_imports(include=["daemon", "rules", "primer"]):
        from tests.fuzz.targets import TARGETS

    name, *options = sys.argv[1:]
    again = shlex.join(
        [sys.executable, "-m", "tests.fuzz.child", name]
    )  # how libFuzzer starts itself for a merge
    atheris.Setup([again, *options], TARGETS[name])
    atheris.Fuzz()


main()
