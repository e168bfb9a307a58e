"""memproc.toml: `memproc init` writes it, `memproc config` shows, checks or finds it."""

import click

from daemon.cli.groups import NearGroup
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.config.search import own_file
from daemon.config.texts import core_layout, load_texts
from daemon.files.write import make_private, replace_file, sweep
from daemon.status.sentences import printable_json, visible


@click.command
@click.option("--yes", is_flag=True, help="Take the default places without asking.")
@pass_settings
def init(settings: Settings, yes: bool) -> None:
    """Write memproc.toml, with every setting and its reason, and make the folders. What exists stays as it is."""
    from daemon.config import folders, load, shipped_text

    path = settings.path or own_file()
    if path.exists():
        settings.say(f"{path} is there already and stays as it is.")
    elif yes or click.confirm(f"Write the settings, with an explanation of each, to {path}?", default=True):
        make_private(path.parent)
        sweep(path.parent)
        replace_file(path, [shipped_text().encode()])
        settings.say(f"Wrote {path}.")
    else:
        settings.say("Nothing was written.")
        return
    places = folders(load(path))
    for name in ("inbox", "updated", "backups", "state"):
        make_private(getattr(places, name))
        settings.say(f"{name:8} {getattr(places, name)}")
    settings.say("Drop a TypingMind export into the inbox, then: memproc plan, and: memproc run")


@click.group(cls=NearGroup)
def config() -> None:
    """Show, check or find memproc.toml."""


@config.command
@json_option
@pass_settings
def show(settings: Settings, as_json: bool) -> None:
    """Print every setting that counts, the defaults among them."""
    from daemon.config import toml_text
    from primer.reply import hidden

    tables = settings.config.model_dump(mode="json")
    tables["models"] = hidden(tables["models"])
    tables["chats"] = hidden(tables["chats"])
    if as_json:
        click.echo(printable_json(tables))
        return
    choice = settings.found.choice
    click.echo(visible(f"# {choice}\n\n{toml_text(tables)}" if choice else toml_text(tables)))


@config.command
@pass_settings
def check(settings: Settings) -> None:
    """Say whether memproc.toml can be used.

    Its folders, texts and layout are looked at too. Every setting that is wrong is listed, or else those that do not
    agree with each other.
    """

    config, path = settings.config, settings.found.path
    for own in (config, *map(config.with_override, config.chats.override)):
        load_texts(own.texts.path)
        core_layout(own.core)
    lines = [f"All is well with {path}." if path else "No memproc.toml: every setting is at its default."]
    lines += [f"{name:8} {getattr(settings.folders, name)}" for name in ("inbox", "updated", "backups", "state")]
    click.echo(visible("\n".join(lines)))


@config.command
@pass_settings
def path(settings: Settings) -> None:
    """Print which memproc.toml counts, and why that one."""
    click.echo(visible(f"{settings.found.path or 'none'} ({settings.found.how})"))
    for other in settings.found.others:
        click.echo(visible(f"not counting: {other}"))
