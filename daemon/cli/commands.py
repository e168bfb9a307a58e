"""Which commands there are, in the order of a person's day; each is imported only when it is asked for."""

from importlib import import_module
from pathlib import Path

import click

from daemon.cli.settings import Settings

_COMMANDS = {
    "demo": "The whole trip on a sample conversation; no key, no network.",
    "init": "Write memproc.toml and make the folders.",
    "plan": "What would be done; sends and writes nothing.",
    "watch": "Look after the inbox: compress whatever is dropped there. A service runs this.",
    "run": "Compress the exports in the inbox, or those named, and exit.",
    "status": "Whether the daemon is well, what it waits for, and what it has done.",
    "doctor": "What is wrong with installation, folders, keys and models, and what mends it.",
    "logs": "What the daemon did, in sentences.",
    "budget": "What was spent, what may be spent, and how to raise it.",
    "pause": "Have the daemon take up no new work for a while.",
    "resume": "Have it go on.",
    "chats": "The chats that the archive knows.",
    "memories": "The memories of a chat.",
    "show": "One memory in full, in all its editions.",
    "use": "Choose the edition of a memory that is shown.",
    "pin": "Never rewrite a memory by itself.",
    "unpin": "Let it be rewritten again.",
    "accept": "Say that a chat which was set aside is meant as it is.",
    "recall": "Bring back memories that you have deleted in TypingMind.",
    "core": "What the persona keeps in mind of itself and of you: show, set, undo.",
    "facts": "What is known as facts: list, history, forget, add, search.",
    "retry": "Ask for a memory once more, with a word of guidance.",
    "calls": "What models were asked, when, and how much it was.",
    "versions": "What was kept of a chat's exports.",
    "diff": "What changed between two versions.",
    "restore": "Put a kept version back; shows the difference first.",
    "expand": "The full raw conversation as an export again.",
    "rebuild": "Have a lost archive back from the backups and the updated exports.",
    "export-archive": "Everything in one file, for a new computer.",
    "import-archive": "Take over such a file on the new computer.",
    "verify": "Check archive, backups and outputs against their hashes.",
    "key": "Keep, try or forget a provider's key.",
    "service": "Have the system keep memproc running, or not any more.",
    "config": "Show, check or find memproc.toml.",
}


_HIDDEN = frozenset({"job"})
"""Commands that only the daemon calls."""


class _Lazy(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of this file."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; importing its module is what costs time."""
        if cmd_name not in _COMMANDS and cmd_name not in _HIDDEN:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(f"daemon.cli.{name}"), name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
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
