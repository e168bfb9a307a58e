"""`memproc config`: what counts, whether it is right, and where it stands."""

import json

import click

from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.layout import core_layout
from daemon.seeing.visible import visible
from daemon.texts import load_texts
from primer.secret import hidden


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
        click.echo(json.dumps(tables, indent=2, ensure_ascii=False))
        return 0
    choice = visible(settings.found.choice)
    click.echo(f"# {choice}\n\n{toml_text(tables)}" if choice else toml_text(tables))
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
    click.echo(f"All is well with {found.path}." if found.path else "No memproc.toml: every setting is at its default.")
    click.echo(
        f"inbox    {folders.inbox}\nupdated  {folders.updated}\nbackups  {folders.backups}\nstate    {folders.state}"
    )
    return 0


@config.command
@pass_settings
def path(settings: Settings) -> int:
    """Print which memproc.toml counts, and why that one."""
    found = settings.found
    click.echo(f"{found.path or 'none'} ({found.how})")
    for other in found.others:
        click.echo(visible(f"not counting: {other}"))
    return 0
