"""The server as a process of its own: `python -m tests.server --script FILE --log FILE`.

It prints its port on a line, and ends when its standard input does. `tests.server.child` starts it.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from tests.server.server import ModelServer
from tests.server.setup import Setup, read_setup


def main() -> None:
    """Serve until standard input ends."""
    arguments = ArgumentParser(prog="python -m tests.server", description=__doc__)
    arguments.add_argument("--script", type=Path, help="a JSON file, as `read_setup` reads it")
    arguments.add_argument("--log", type=Path, help="where each event is noted, one JSON line for each")
    given = arguments.parse_args()
    setup = read_setup(given.script) if given.script else Setup()
    with ModelServer(setup, given.log) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
