"""`memproc versions CHAT`: what was kept of a chat's exports."""

from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.files.backup import versions as kept_versions
from daemon.status.sentences import printable_json


@click.command
@click.argument("chat")
@json_option
@pass_settings
def versions(settings: Settings, chat: str, as_json: bool) -> int:
    """List the kept versions of CHAT, the first original among them, oldest first."""
    with settings.archive() as archive:
        known = find_chat(archive, chat)
    found = kept_versions(settings.folders.backups, known.chat_id)
    if as_json:
        rows = [{**asdict(version), "path": str(version.path)} for version in found]
        click.echo(printable_json(rows))
        return 0
    print_table(
        ("No.", "Kept (UTC)", "What", "Bytes", "SHA-256", "File"),
        [
            (
                str(version.number),
                version.written_at[:19].replace("T", " "),
                version.kind,
                f"{version.size:,}",
                version.sha256[:12],
                str(version.path),
            )
            for version in found
        ],
        right=(0, 3),
    )
    return 0
