"""The command line: the group of all commands, and the place where errors end.

Commands show their reports with `Settings.show`: for a person it prints at once; with `--json` the
reports are collected and printed here as one object, with the error if one has ended the command.

Each command is imported only when it is asked for, and little is imported here, since
`memproc --help` runs this file, too. For a mistyped command the nearest names are suggested, and a
chat may be named before or after a command about it.

Exit codes: 0 done or nothing to do; 1 something was skipped, or needs attention; 2 usage or
configuration; 3 a bug in memproc; 4 a cap of the budget is reached; 130 interrupted.
"""

import gc
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from daemon.cli.commands import (
    BUG,
    GROUPS,
    INTERRUPTED,
    MODULES,
    SUMMARIES,
    TROUBLE,
    USAGE,
    WITHOUT_JSON,
)

_INTERRUPTED = "Interrupted. What is finished is kept; run memproc again to go on from there."
_LEFT = "Interrupted. What was asked about was not done."
_UNANSWERED = "The question was not answered. Answer at a terminal, or add --yes."
_COLLECTED_AFTER = 50_000
"""New objects before Python collects garbage: its default, 700, costs a tenth of each start."""
_JSON = click.Option(
    ["--json"], is_flag=True, expose_value=False, help="Print JSON instead of text."
)


class NearGroup(click.Group):
    """A group that suggests the nearest command names, and runs `default` if none is given."""

    def __init__(self, *arguments: Any, default: str = "", **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with the default command if they name none."""
        return super().parse_args(ctx, self.with_default(ctx, args))

    def with_default(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Return the arguments, with the default command in front if they name none."""
        if not self.default or ctx.resilient_parsing:
            return list(args)
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return [self.default, *args] if names_none else list(args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command. Raises UsageError with the nearest names."""
        name = args[0]
        if (
            not ctx.resilient_parsing
            and not name.startswith("-")
            and self.get_command(ctx, name) is None
        ):
            ctx.fail(f"There is no command {name!r}. {self.instead_of(ctx, name)}")
        return super().resolve_command(ctx, args)

    def instead_of(self, ctx: click.Context, name: str) -> str:
        """Return a hint for a name that is not a command."""
        near = get_close_matches(name, self.list_commands(ctx))
        return f"Did you mean {' or '.join(near)}?" if near else f"See: {ctx.command_path} --help"


class ChatGroup(NearGroup):
    """Commands about one chat: `memproc core CHAT [COMMAND]`, or `memproc core COMMAND CHAT`.

    Without a command it runs `default`, also with that command's options: click itself would take
    an option after the chat for the name of a command.
    """

    def with_default(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Return the arguments, the chat first, then the command: a chat may be named like one."""
        names = self.list_commands(ctx)
        others = [place for place, word in enumerate(args) if place and not word.startswith("-")]
        is_command_first = bool(args) and args[0] in names
        if is_command_first and not (others and args[others[0]] in names):
            return self._with_chat_first(ctx, args, others)
        chat, command = (*args, "", "")[:2]
        names_none = command not in ctx.help_option_names and command[:1] in ("", "-")
        if chat[:1] not in ("", "-") and names_none and not ctx.resilient_parsing:
            return [chat, self.default, *args[1:]]
        return list(args)

    def instead_of(self, ctx: click.Context, name: str) -> str:
        """Return a hint for a name that is no command; a mistyped one may be taken for a chat."""
        near = get_close_matches(str(ctx.params.get("chat")), self.list_commands(ctx), 1)
        meant = f"memproc {ctx.info_name} CHAT {near[0]} {name}" if near else ""
        return f"Did you mean: {meant}" if meant else super().instead_of(ctx, name)

    def _with_chat_first(
        self, ctx: click.Context, args: Sequence[str], others: Sequence[int]
    ) -> list[str]:
        """Return the arguments with the chat before the command.

        `others` are the places of words that are not options. To get the help of a command, any
        word serves as the chat.
        """
        command, *rest = args
        if set(rest) & set(ctx.help_option_names):
            return ["CHAT", command, *ctx.help_option_names[:1]]
        if others:
            chat = rest.pop(others[0] - 1)
            return [chat, command, *rest]
        # A shell is still completing the chat, or it is missing.
        return [] if ctx.resilient_parsing else list(args)


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from daemon.archive.work import By
    from daemon.reports.report import Report


class _LazyGroup(NearGroup):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands that are not hidden, in the order of the help."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of that name."""
        if cmd_name not in MODULES:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        command: click.Command = getattr(import_module(f"daemon.cli.{MODULES[cmd_name]}"), name)
        _give_json(command, cmd_name)
        if ctx.resilient_parsing:  # a shell is completing the line
            from daemon.cli.completion import complete_names

            complete_names(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete a command or option for a shell; click itself would import every command."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=SUMMARIES[name]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in `--help`, group by group and in one column."""
        width = max(map(len, SUMMARIES))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, (_, summary) in commands.items()]
                )


def _give_json(command: click.Command, name: str) -> None:
    """Add the option `--json`, which `main` reads, to a command and to all commands within it."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _give_json(inner, f"{name} {inner.name}")
    elif not (command.hidden or name in WITHOUT_JSON or _JSON in command.params):
        command.params.append(_JSON)


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the version and the commit, and exit."""
    if is_asked and not ctx.resilient_parsing:
        from daemon.files.commit import version_and_commit  # late, for a fast `--help`

        click.echo(f"memproc, version {version_and_commit()}")
        ctx.exit()


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--config", "config", type=click.Path(path_type=Path), help="The memproc.toml to use."
)
@click.option("--quiet", is_flag=True, help="Print nothing but problems and what was asked for.")
@click.option(
    "--supervised",
    is_flag=True,
    hidden=True,
    help="Settings come on standard input, from the daemon.",
)
@click.option("--by", type=click.Choice(("hand", "page", "bridge")), default="hand", hidden=True)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and the commit, and exit.",
)
@click.pass_context
def memproc_command(
    ctx: click.Context, config: Path | None, quiet: bool, supervised: bool, by: "By"
) -> None:
    """Turn the old part of a long TypingMind conversation into memories that the persona writes itself."""
    from daemon.cli.settings import Settings  # late, for a fast `--help`

    if supervised:
        from daemon.cli.supervised import read_orders

        ctx.obj = Settings(config, quiet, *read_orders())
    else:
        ctx.obj = Settings(config, quiet, by=by, kept=ctx.obj)
    if ctx.invoked_subcommand is None:
        from daemon.cli.status import show_overview

        show_overview(ctx.obj)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing is raised.

    `arguments` are those of the process by default.
    """
    if arguments is None:
        gc.set_threshold(_COLLECTED_AFTER)
        # Without this, pydantic looks for plugins in every installed package, and gives them the
        # settings.
        os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
        arguments = sys.argv[1:]
    if "_MEMPROC_COMPLETE" in os.environ:
        from daemon.cli.completion import register_bash

        register_bash()
    # The reports for the object of `--json`; None where a person reads.
    options = takewhile("--".__ne__, arguments)
    reports: list[Report] | None = [] if "--json" in options else None
    try:
        code = memproc_command.main(
            args=list(arguments), prog_name="memproc", standalone_mode=False, obj=reports
        )
        _tell_programs(reports)
    except click.ClickException as mistake:
        mistake.show()
        _tell_programs(reports, mistake.format_message())
        if (
            isinstance(mistake, click.MissingParameter)
            and getattr(mistake.param, "name", "") == "chat"
        ):
            click.echo("The chats that memproc knows: memproc chats", err=True)
        return USAGE
    except (KeyboardInterrupt, click.Abort) as ended:
        why = _interruption(ended)
        click.echo(f"\n{why}", err=True)
        _tell_programs(reports, why)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe is gone, as in `memproc chats | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as fault:  # the boundary, for our own errors and unforeseen ones
        return _tell(fault, reports)
    return code if isinstance(code, int) else 0


def _interruption(ended: BaseException) -> str:
    """Say what was interrupted. Elsewhere than at a question, click names it as the cause."""
    if isinstance(ended.__context__, EOFError):
        return _UNANSWERED
    at_question = isinstance(ended, click.Abort) and ended.__cause__ is None
    return _LEFT if at_question else _INTERRUPTED


def _tell(fault: Exception, reports: "list[Report] | None") -> int:
    """Print the error that ended the command, and its next step. Return the exit code."""
    # Imported late, for a fast `--help`.
    from daemon.cli.printing import print_error
    from daemon.files.reasons import describe
    from rules.errors import MemprocError

    if isinstance(fault, MemprocError):
        message, next_step, code = fault.message, fault.next_step, fault.exit_code
    else:
        message, next_step = describe(fault)
        code = TROUBLE if isinstance(fault, OSError | MemoryError) else BUG
    print_error(f"memproc: {message}\n{next_step}")
    _tell_programs(reports, message, next_step)
    return code


def _tell_programs(reports: "list[Report] | None", error: str = "", next_step: str = "") -> None:
    """Print all reports as the one object of `--json`, with the error that ended the command."""
    if reports or (error and reports is not None):
        from daemon.faces.as_json import as_one_object
        from daemon.status.printable import printable_json

        click.echo(printable_json(as_one_object(reports, error, next_step)))
