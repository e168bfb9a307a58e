"""The command line: one command a file, loaded only when it is called, and the one place where errors end.

Exit codes: 0 done or nothing to do; 1 something was set aside; 2 usage or configuration; 3 a bug in
memproc; 4 a cap of the budget is reached; 130 interrupted.
"""

import sys
from collections.abc import Sequence

from daemon.cli.commands import memproc
from daemon.cli.ending import run_to_the_end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `arguments` are those of the process by default."""
    return run_to_the_end(memproc, sys.argv[1:] if arguments is None else arguments)
