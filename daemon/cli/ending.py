"""Where every error ends: a sentence and a next step, a place in the log for a bug, and the exit code."""

import os
import sys
from collections.abc import Sequence

import click

from daemon.files.unforeseen import account
from daemon.status.sentences import visible
from rules.errors import MemprocError

TROUBLE, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def run_to_the_end(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command and return the exit code, whatever happens in it."""
    try:
        done = command.main(args=list(arguments), prog_name="memproc", standalone_mode=False)
    except click.ClickException as mistake:
        mistake.show()
        return USAGE
    except MemprocError as trouble:
        click.echo(visible(f"memproc: {trouble.message}\n{trouble.next_step}"), err=True)
        return trouble.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nInterrupted. What is finished is kept; run memproc again to go on from there.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away, as `memproc chats | head` does: nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as fault:  # the boundary: whatever we did not foresee
        click.echo(visible("memproc: {}\n{}".format(*account(fault))), err=True)
        return TROUBLE if isinstance(fault, OSError | MemoryError) else BUG
    return done if isinstance(done, int) else 0
