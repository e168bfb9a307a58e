"""The command line: commands are loaded only when they are called, and here every error ends.

Exit codes: 0 done or nothing to do; 1 something was skipped, or needs attention; 2 usage or configuration; 3 a bug in
memproc; 4 a cap of the budget is reached; 130 interrupted.
"""

import os
import sys
from collections.abc import Sequence

import click

from daemon.cli.commands import memproc

TROUBLE, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, whatever happens in it, and return its exit code.

    `arguments` are those of the process by default.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = memproc.main(args=list(arguments), prog_name="memproc", standalone_mode=False)
    except click.ClickException as mistake:
        mistake.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nInterrupted. What is finished is kept; run memproc again to go on from there.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away, as `memproc chats | head` does: nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as fault:  # the boundary: errors of ours, and whatever we did not foresee
        # Imported late, for a fast `--help`.
        from daemon.cli.settings import in_width
        from daemon.files.unforeseen import describe
        from daemon.status.sentences import visible
        from rules.errors import MemprocError

        if isinstance(fault, MemprocError):
            message, next_step, code = fault.message, fault.next_step, fault.exit_code
        else:
            message, next_step = describe(fault)
            code = TROUBLE if isinstance(fault, OSError | MemoryError) else BUG
        click.echo(in_width(visible(f"memproc: {message}\n{next_step}")), err=True)
    return code if isinstance(code, int) else 0
