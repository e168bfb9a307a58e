"""`memproc retry MEMORY`: ask for a memory once more, with a word of guidance."""

from dataclasses import asdict

import click

from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.show import describe
from daemon.cli.use import TO_SEE_IT
from daemon.remember.retry import UnchangedMemory
from daemon.remember.retry import retry as ask_again
from daemon.status.sentences import printable_json, visible


@click.command
@click.argument("memory")
@click.option("--say", default="", help="What the agent should know or mind when it writes this memory.")
@json_option
@pass_settings
def retry(settings: Settings, memory: str, say: str, as_json: bool) -> int:
    """Ask the models for MEMORY again. It makes up to a dozen calls; the edition before is kept.

    Without --say only questions that were never asked before are sent: after a refusal, say something.
    """
    with Progress(quiet=settings.quiet or as_json) as progress, settings.context(progress.tell) as context:
        outcome = ask_again(context, memory, say)
    if as_json:
        kind = "kept" if isinstance(outcome, UnchangedMemory) else "written"
        report = {"outcome": kind, **asdict(outcome), "run": progress.tally.as_json()}
        click.echo(printable_json(report))
    elif isinstance(outcome, UnchangedMemory):
        click.echo(visible(f"{outcome.memory_id} stays as it was. {outcome.reason} {outcome.next_step}"), err=True)
    else:
        for line in (*progress.tally.sentences(), *describe(outcome), "", TO_SEE_IT):
            settings.say(line)
    return 1 if isinstance(outcome, UnchangedMemory) else 0
