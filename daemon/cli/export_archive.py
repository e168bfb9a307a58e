"""`memproc export-archive FILE`: everything that a new computer needs, in one file."""

from pathlib import Path

import click

from daemon.cli.settings import Settings, pass_settings


@click.command("export-archive")
@click.argument("file", type=click.Path(path_type=Path))
@pass_settings
def export_archive(settings: Settings, file: Path) -> int:
    """Pack archive, backups, updated exports and memproc.toml into FILE, which must not be there yet.

    The daemon may run, but no chat may be worked on just then. No provider's key is in it, but all your
    conversations are: keep it safe.
    """
    from daemon.files.clock import now
    from daemon.recovery.packing import export_archive as pack

    packed = pack(settings.folders, settings.found.path, file.absolute(), now())
    settings.say(f"Wrote {packed.path}: {len(packed.manifest.files):,} files, {packed.size:,} bytes.")
    for name in packed.manifest.left_out:
        settings.say(f"Left out of memproc.toml: {name}")
    settings.say("Keys of providers are not in it. On the new computer: memproc import-archive FILE")
    return 0
