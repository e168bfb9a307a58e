"""`memproc use MEMORY EDITION`: which edition of a memory is shown from now on."""

import click

from daemon.archive.choices import choose_edition
from daemon.chat.holding import holding_of
from daemon.cli.settings import Settings, pass_settings
from daemon.events import tell_nobody
from rules.conversation.memory import called

TO_SEE_IT = "To put it into the updated export, drop the chat's newest export into the inbox, then: memproc run"
_AUTO = "auto"


def _number(ctx: click.Context, param: click.Parameter, said: str) -> int | None:
    """The number of an edition, or None for `auto`."""
    if said == _AUTO:
        return None
    if said.isascii() and said.isdecimal():
        return int(said)
    raise click.BadParameter(f'"{said}" is neither the number of an edition nor "{_AUTO}".')


@click.command
@click.argument("memory")
@click.argument("edition", callback=_number)
@pass_settings
def use(settings: Settings, memory: str, edition: int | None) -> int:
    """Show EDITION of MEMORY from now on: a number from `memproc show`, or `auto` for what memory.editions prefers."""
    with settings.context(tell_nobody) as context:
        _, found = holding_of(context.archive, context.config, memory)
        changed = choose_edition(context.archive, found, edition)
        _, now = holding_of(context.archive, context.config, found.memory_id)
    shown = f"{now.edition.kind} edition {now.edition.number} of {called(now)}"
    how = "as memory.editions prefers" if edition is None else "as you have chosen"
    if not changed:
        settings.say(f"Nothing to do: {shown} is shown already, {how}.")
        return 0
    settings.say(f"From now on {shown} is shown, {how}.")
    settings.say(TO_SEE_IT)
    return 0
