"""The command line: commands are loaded only when they are called, and here every error ends.

Exit codes: 0 done or nothing to do; 1 something was skipped, or needs attention; 2 usage or configuration; 3 a bug in
memproc; 4 a cap of the budget is reached; 130 interrupted.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from daemon.cli.settings import Settings

TROUBLE, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


_COMMANDS = {
    "demo": ("demo", "Process a sample conversation; no key, no network."),
    "init": ("config", "Write memproc.toml and make the folders."),
    "plan": ("plan", "Show what would be done; sends and writes nothing."),
    "watch": ("watch", "Process whatever is dropped into the inbox, until stopped."),
    "run": ("run", "Process the exports in the inbox, or those named, and exit."),
    "status": ("status", "Show whether the daemon is well, and what it has done."),
    "doctor": ("doctor", "Find what is wrong, and what mends it."),
    "logs": ("logs", "Tell what the daemon did, in sentences."),
    "budget": ("budget", "Show what was spent and may be spent, or raise a cap."),
    "pause": ("pause", "Have the daemon begin nothing new for a while."),
    "resume": ("resume", "End the pause."),
    "chats": ("chats", "List the chats that the archive knows."),
    "memories": ("memories", "List the memories of a chat."),
    "show": ("memories", "Show one memory in full, in all its editions."),
    "use": ("choices", "Choose the edition of a memory that is shown."),
    "pin": ("choices", "Keep a memory as it is."),
    "unpin": ("choices", "Let it be rewritten again."),
    "accept": ("chats", "Say that a chat which was skipped is meant as it is."),
    "recall": ("choices", "Bring back memories that you have deleted in TypingMind."),
    "core": ("core_memory", "Show or edit the persona's core memory."),
    "facts": ("known_facts", "List, search, add or forget facts."),
    "retry": ("choices", "Ask for a memory once more, with a word of guidance."),
    "calls": ("budget", "List what models were asked, when, and what it cost."),
    "versions": ("chats", "List what was kept of a chat's exports."),
    "diff": ("restore", "Show what changed between two versions."),
    "restore": ("restore", "Put a kept version back; shows the difference first."),
    "expand": ("restore", "Write the full raw conversation as an export again."),
    "rebuild": ("archive", "Rebuild a lost archive from backups and updated exports."),
    "export-archive": ("archive", "Pack everything into one file, for a new computer."),
    "import-archive": ("archive", "Unpack such a file on the new computer."),
    "verify": ("archive", "Check archive, backups and outputs against their hashes."),
    "key": ("key", "Keep, try or forget a provider's key."),
    "service": ("service", "Have the system run memproc, or stop that."),
    "config": ("config", "Show, check or find memproc.toml."),
}
"""Each command's module in this package, and its summary in `memproc --help`."""


_HIDDEN = {"job": ("job", "")}
"""Commands that only the daemon calls."""


class _LazyGroup(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of this file."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; importing its module is what costs time."""
        home, _ = _COMMANDS.get(cmd_name) or _HIDDEN.get(cmd_name) or ("", "")
        if not home:
            return None
        command = getattr(import_module(f"daemon.cli.{home}"), cmd_name.replace("-", "_"))
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", "config", type=click.Path(path_type=Path), help="The memproc.toml to use.")
@click.option("--quiet", is_flag=True, help="Print nothing but problems and what was asked for.")
@click.option("--supervised", is_flag=True, hidden=True, help="Settings come on standard input, from the daemon.")
@click.version_option(package_name="memproc-daemon", prog_name="memproc")
@click.pass_context
def memproc(ctx: click.Context, config: Path | None, quiet: bool, supervised: bool) -> None:
    """Turn the old part of a long TypingMind conversation into memories that the persona writes itself."""
    if supervised:
        from daemon.cli.supervised import settings_from_daemon

        ctx.obj = Settings(config, quiet, settings_from_daemon())
    else:
        ctx.obj = Settings(config, quiet)


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
        return _tell(fault)
    return code if isinstance(code, int) else 0


def _tell(fault: Exception) -> int:
    """Say what happened and what to do now, and give back the exit code. Imports late, for a fast `--help`."""
    from daemon.files.unforeseen import describe
    from daemon.status.sentences import visible
    from rules.errors import MemprocError

    if isinstance(fault, MemprocError):
        message, next_step, code = fault.message, fault.next_step, fault.exit_code
    else:
        message, next_step = describe(fault)
        code = TROUBLE if isinstance(fault, OSError | MemoryError) else BUG
    click.echo(visible(f"memproc: {message}\n{next_step}"), err=True)
    return code
