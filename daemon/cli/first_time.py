"""Take the first steps: `memproc init`, on a terminal in the page's four optional steps."""

import os
from dataclasses import asdict, replace

import click

from daemon.cli.key import ask_and_keep, key_works, named_provider
from daemon.cli.printing import in_width
from daemon.cli.service import service_install_command
from daemon.cli.settings import Settings
from daemon.config.keys import NoKey, find_key
from daemon.config.search import own_file
from daemon.files.candidates import put_sample
from daemon.files.lock import daemon_runs
from daemon.files.private import make_private
from daemon.files.write import replace_file, sweep
from daemon.reports.report import Step
from daemon.status.printable import make_visible
from primer.models import KEY_VARIABLES
from rules.errors import ConfigurationError, MemprocError

_NONE = "none"
_DROP = "Drop a TypingMind export into the inbox"


@click.command
@click.option("--yes", is_flag=True, help="Take the default places without asking.")
@click.option("--local", metavar="URL", help="Have a model on your own machine or network write.")
@click.option("--model", default="", help="Which model of that server, if it serves several.")
@click.option(
    "--window",
    metavar="TOKENS",
    type=click.IntRange(1024),
    help="How many tokens a call may hold there.",
)
@click.pass_context
def init_command(
    ctx: click.Context, yes: bool, local: str | None, model: str, window: int | None
) -> int:
    """Write memproc.toml, with every setting and its reason, and make the folders.

    What exists stays as it is. On a terminal it goes on to a key, the service and a sample
    conversation; each step can be skipped. With --local it asks the model server at URL instead
    (llama.cpp, Ollama, LM Studio), tries its model once, says whose chats it is for, and writes all
    that it needs into memproc.toml. No key is sent there.
    """
    settings = ctx.ensure_object(Settings)
    if local is not None:
        from daemon.cli.own_model import set_up_own_model

        path = settings.path or own_file()
        if not path.exists() and not _write_settings(settings, yes):
            return 1
        written = replace(settings, path=path)
        return 0 if set_up_own_model(written, path, local, model, window or 0, yes=yes) else 1
    is_guided = settings.can_ask and not (yes or settings.quiet)
    if is_guided:
        settings.say("Four steps. Return takes the choice in capitals, or skips a step.")
        _title("1 of 4: Folders")
    is_written = _write_settings(settings, yes)
    if is_guided:
        _guide(ctx, settings)
    elif is_written:
        steps = (Step(f"{_DROP}, then", "plan"), Step("And", "run"))
        settings.done(next=steps)
    return 0


def _write_settings(settings: Settings, yes: bool) -> bool:
    """Write memproc.toml if there is none, and make the folders; return False for a no."""
    from daemon.config.as_toml import default_file
    from daemon.config.loading import load, load_folders

    path = settings.path or own_file()
    question = in_width(
        make_visible(f"Write the settings, with an explanation of each, to {path}?")
    )
    if path.exists():
        settings.say(f"{path} is there already and stays as it is.")
    elif yes or click.confirm(question, default=True):
        make_private(path.parent)
        sweep(path.parent)
        replace_file(path, [default_file().encode()])
        settings.say(f"Wrote {path}.")
    else:
        settings.say("Nothing was written.")
        return False
    folders = asdict(load_folders(load(path)))
    for checkout in (parent for folder in folders.values() for parent in folder.parents):
        if (checkout / ".git").exists() and (checkout / "pyproject.toml").is_file():
            raise ConfigurationError(
                f"{checkout} is a checkout of source code: your chats would lie in it, "
                "and `git clean` would delete them.",
                f"Move it elsewhere, or name other folders in [folders] of {path}; then: memproc init",
            )
    for name, folder in folders.items():
        make_private(folder)
        settings.say_whole(f"{name:8} {folder}")
    settings.done(path=path, folders=folders)
    return True


def _guide(ctx: click.Context, before: Settings) -> None:
    """Go through the steps after the folders, with the settings that were just written."""
    path = before.path or own_file()
    ctx.obj = settings = replace(before, path=path if path.exists() else None)
    _title("2 of 4: A key, or none")
    _ask_for_keys(settings)
    _title("3 of 4: Run automatically")
    runs = _offer_service(ctx, settings)
    _title("4 of 4: Your first conversation")
    click.echo(
        in_width(
            "There is a sample conversation to look at before your first export. It costs nothing."
        )
    )
    has_sample = click.confirm("Put the sample conversation into the inbox?", default=False)
    if has_sample:
        click.echo(make_visible(f"It is here:\n    {put_sample(settings.folders.inbox)}"))
    _title("Next")
    settings.say("For `man memproc`: memproc manual --install")
    settings.say(f"{_DROP}:")
    settings.say_whole(f"    {settings.folders.inbox}")
    if runs:
        settings.say("It is processed automatically. To see it in the browser: memproc open")
        return
    begin = "To process the sample: " if has_sample else "Then: memproc plan, and: "
    settings.say(f"{begin}memproc run")
    settings.say("To see it all in the browser: memproc open")


def _ask_for_keys(settings: Settings) -> None:
    """Explain what a key changes, then ask for keys until the person has no more."""
    settings.say(
        "With the key of your model's provider, the persona writes its memories itself.\n"
        "Without one, they are made of sentences that were really said, which is free."
    )
    state, providers = settings.folders.state, sorted(KEY_VARIABLES)
    keys = {name: find_key(name, os.environ, state) for name in providers}
    if with_key := [name for name, key in keys.items() if not isinstance(key, NoKey)]:
        settings.say(f"There is a key for {' and '.join(with_key)} already.")
    settings.say(f"Providers: {', '.join(providers)}.")
    question = "Which provider's key do you have"

    def read(text: str) -> str:
        return _NONE if text.strip().lower() == _NONE else named_provider(text)

    while (provider := click.prompt(question, default=_NONE, value_proc=read)) != _NONE:
        try:
            ask_and_keep(settings, provider)
            new_key = find_key(provider, os.environ, settings.folders.state)
            trial = "Try it now, with one tiny question for a fraction of a cent?"
            if not isinstance(new_key, NoKey) and click.confirm(trial, default=True):
                key_works(settings, provider, new_key)
        except click.UsageError as refused:
            settings.say(refused.message)


def _offer_service(ctx: click.Context, settings: Settings) -> bool:
    """Install the service if the person wants it. Return whether the daemon runs now."""
    if daemon_runs(settings.folders.state):
        settings.say("memproc is running: exports in the inbox are processed automatically.")
        return True
    settings.say(
        "Your system can run memproc whenever you are logged in, "
        "so that exports are processed as soon as they are dropped."
    )
    if not click.confirm("Run memproc automatically?", default=False):
        settings.say("Later: memproc service install")
        return False
    try:
        return int(ctx.invoke(service_install_command, dry_run=False, no_sandbox=False)) == 0
    except MemprocError as trouble:
        settings.say(f"{trouble.message}\n{trouble.next_step}")
        return False


def _title(text: str) -> None:
    click.echo(click.style(f"\n{text}", bold=True))
