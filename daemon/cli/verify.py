"""`memproc verify`: archive, backups and updated exports against their hashes."""

from collections.abc import Iterator

import click

from daemon.archive.archive import Archive, check
from daemon.archive.errors import MEND
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.backup import check as check_backups
from daemon.status.outputs import standing_exports
from daemon.status.sentences import printable_json, visible


@click.command
@json_option
@pass_settings
def verify(settings: Settings, as_json: bool) -> int:
    """Check everything that memproc keeps. Nothing is changed."""
    with settings.archive() as archive:
        problems = list(check(archive))
        is_damaged = bool(problems)
        problems += () if is_damaged else _outputs(archive)
    problems += [f"{damage.path}: {damage.reason}" for damage in check_backups(settings.folders.backups)]
    if as_json:
        click.echo(printable_json({"problems": problems}))
    elif not problems:
        settings.say("All is well: the archive, every backup and every updated export are as they were written.")
    else:
        click.echo(visible("\n".join(problems)), err=True)
        if is_damaged:
            click.echo(MEND, err=True)
        click.echo(
            "Kept versions can be had back one by one: memproc versions CHAT, memproc restore CHAT NUMBER", err=True
        )
    return 1 if problems else 0


def _outputs(archive: Archive) -> Iterator[str]:
    for export in standing_exports(archive):
        if export.state == "gone":
            yield f"{export.path}: the updated export is gone; drop the chat's export again to have it made anew"
        elif export.state == "changed":
            yield f"{export.path}: the updated export was changed after memproc wrote it"
