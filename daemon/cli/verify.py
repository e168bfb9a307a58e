"""`memproc verify`: archive, backups and updated exports against their hashes."""

import click

from daemon.archive.archive import check
from daemon.archive.errors import MEND
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.backup import check as check_backups
from daemon.status.outputs import written_exports
from daemon.status.sentences import printable_json, visible

_SENTENCES = {
    "gone": "the updated export is gone; drop the chat's export again to have it made anew",
    "changed": "the updated export was changed after memproc wrote it",
}


@click.command
@json_option
@pass_settings
def verify(settings: Settings, as_json: bool) -> int:
    """Check everything that memproc keeps. Nothing is changed."""
    with settings.archive() as archive:
        problems = list(check(archive))
        is_damaged = bool(problems)
        for export in () if is_damaged else written_exports(archive):
            if export.state != "as written":
                problems.append(f"{export.path}: {_SENTENCES[export.state]}")
    problems += [f"{damage.path}: {damage.reason}" for damage in check_backups(settings.folders.backups)]
    if as_json:
        click.echo(printable_json({"problems": problems}))
    elif not problems:
        settings.say("All is well: the archive, every backup and every updated export are as they were written.")
    else:
        click.echo(visible("\n".join(problems)), err=True)
        if is_damaged:
            click.echo(MEND, err=True)
        restore = "To put a kept version back: memproc versions CHAT, then: memproc restore CHAT NUMBER"
        click.echo(restore, err=True)
    return 1 if problems else 0
