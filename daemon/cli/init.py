"""`memproc init`: write memproc.toml and make the folders."""

from pathlib import Path

import click
from platformdirs import user_config_path

from daemon.cli.settings import Settings, pass_settings
from daemon.config import folders, load, shipped_text
from daemon.files.write import make_private, replace_file, sweep


@click.command
@click.option("--yes", is_flag=True, help="Take the default places without asking.")
@pass_settings
def init(settings: Settings, yes: bool) -> int:
    """Write memproc.toml, with every setting and its why, and make the folders. What exists stays as it is."""
    path = settings.path or user_config_path("memproc", appauthor=False) / "memproc.toml"
    if path.exists():
        settings.say(f"{path} is there already and stays as it is.")
    elif yes or click.confirm(f"Write the settings, with an explanation of each, to {path}?", default=True):
        make_private(path.parent)
        sweep(path.parent)
        replace_file(path, [shipped_text().encode()])
        settings.say(f"Wrote {path}.")
    else:
        settings.say("Nothing was written.")
        return 0
    _make_folders(settings, path)
    return 0


def _make_folders(settings: Settings, path: Path) -> None:
    places = folders(load(path))
    for name, place in (("inbox", places.inbox), ("updated", places.updated), ("backups", places.backups)):
        make_private(place)
        settings.say(f"{name:8} {place}")
    make_private(places.state)
    settings.say(f"{'state':8} {places.state}")
    settings.say("Drop a TypingMind export into the inbox, then: memproc plan, and: memproc run")
