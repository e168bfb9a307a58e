"""`memproc config`: what counts, whether it is right, and where it stands."""

import click

from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.config.layout import core_layout
from daemon.config.texts import load_texts
from daemon.status.sentences import printable_json, visible
from primer.request import hidden


@click.group
def config() -> None:
    """Show, check or find memproc.toml."""


@config.command
@json_option
@pass_settings
def show(settings: Settings, as_json: bool) -> int:
    """Print every setting that counts, the defaults among them."""
    from daemon.config import toml_text

    tables = settings.config.model_dump(mode="json")
    tables["models"] = hidden(tables["models"])
    tables["chats"] = hidden(tables["chats"])
    if as_json:
        click.echo(printable_json(tables))
        return 0
    choice = settings.found.choice
    click.echo(visible(f"# {choice}\n\n{toml_text(tables)}" if choice else toml_text(tables)))
    return 0


@config.command
@pass_settings
def check(settings: Settings) -> int:
    """Say whether memproc.toml, its folders, texts and layout can be used; all problems are listed at once."""
    found, counts = settings.found, settings.config
    for own in (counts, *map(counts.with_override, counts.chats.override)):
        load_texts(own.texts.path)
        core_layout(own.core)
    folders = settings.folders
    well = f"All is well with {found.path}." if found.path else "No memproc.toml: every setting is at its default."
    places = [f"{name:8} {getattr(folders, name)}" for name in ("inbox", "updated", "backups", "state")]
    click.echo(visible("\n".join([well, *places])))
    return 0


@config.command
@pass_settings
def path(settings: Settings) -> int:
    """Print which memproc.toml counts, and why that one."""
    found = settings.found
    click.echo(visible(f"{found.path or 'none'} ({found.how})"))
    for other in found.others:
        click.echo(visible(f"not counting: {other}"))
    return 0
