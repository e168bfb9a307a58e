"""List the calls of models in the journal, with what each cost: `memproc calls`."""

import click

from daemon.archive.chats import find_chat
from daemon.cli.settings import Settings, pass_settings
from daemon.reports.calls import calls_report


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@pass_settings
def calls_command(settings: Settings, chat: str | None, with_text: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        chat_id = find_chat(archive, chat, "part").chat_id if chat else None
        report = calls_report(archive, chat_id, with_text=with_text)
    settings.show(report)
