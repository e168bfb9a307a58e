"""`memproc import-archive FILE`: take over, on a new computer, what `export-archive` packed."""

from pathlib import Path

import click

from daemon.cli.settings import Settings, pass_settings


@click.command("import-archive")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do it; without this, only the contents are shown.")
@click.option("--replace", is_flag=True, help="Put an archive with chats that is here already aside, and keep it.")
@pass_settings
def import_archive(settings: Settings, file: Path, yes: bool, replace: bool) -> int:
    """Prove FILE, then put archive, backups and updated exports in the folders that memproc.toml names here.

    What stands there already goes into a folder "before-import-..." beside it. memproc.toml itself is only written
    where there is none.
    """
    from platformdirs import user_config_path

    from daemon.files.clock import now
    from daemon.recovery.parcel import look_into
    from daemon.recovery.unpacking import import_archive as take_over

    manifest = look_into(file)
    settings.say(f"Made at {manifest.made_at}: {len(manifest.files):,} files, {manifest.size:,} bytes unpacked.")
    if not yes:
        settings.say("Nothing was changed. To do it, add --yes.")
        return 0
    own = None if settings.found.path else user_config_path("memproc", appauthor=False) / "memproc.toml"
    taken = take_over(settings.folders, file, now(), settings=own, replace=replace)
    settings.say(f"Taken over: {taken.chats:,} chats. Updated exports lie in {settings.folders.updated}.")
    for folder in taken.aside:
        settings.say(f"What was there before is in {folder}")
    if taken.settings:
        settings.say(f"Wrote {taken.settings}.")
    for host in taken.hosts:
        settings.say(f"Commented out there, since keys would go to another host; take the # away if you agree: {host}")
    for name in manifest.left_out:
        settings.say(f"Not in memproc.toml, so set it here where you need it: {name}")
    settings.say("Next: memproc key set PROVIDER, where a provider is asked; then: memproc doctor")
    return 0
