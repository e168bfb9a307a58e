"""Set up a model on one's own machine or network: `memproc init --local URL`, and try it."""

import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.trials import Trial, keep_trial
from daemon.cli.config import sizes_for
from daemon.cli.settings import Settings, confirmed
from daemon.config.editing import with_settings
from daemon.config.keys import NoKey
from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from daemon.files.clock import now
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from daemon.models.own_server import (
    OwnServer,
    ServedModel,
    ask_server,
    window_of,
    with_details,
)
from daemon.models.resolve import resolve_model
from daemon.models.roles import CHAT
from daemon.models.trial import try_model
from daemon.status.printable import in_one_line
from daemon.status.sentences import trial_in_words
from primer.models import Model, Unaskable
from rules.errors import ConfigurationError
from rules.wording import counted, cut_title

_LONGEST_ANSWER = 2_000
"""Tokens of the longest answer that is waited for."""
_LEAST_SECONDS = 300
_MOST_TITLES = 3
_MISSED = (
    "It has not done what a memory needs. The built-in engine writes better ones than such a model "
    "(docs/install.md)."
)


def set_up_own_model(
    settings: Settings, path: Path, url: str, wanted: str, window: int, *, yes: bool
) -> bool:
    """Ask a server, try its model once, and write it into memproc.toml. Return whether it was.

    Raises ConfigurationError or ModelError where that cannot be.
    """
    server = ask_server(url)
    served = with_details(server, _choose(server, wanted))
    name, holds = server.full_name(served), window or window_of(server, served)
    if not holds:
        raise ConfigurationError(
            f"{server.kind} at {server.root} does not say how many tokens one call may hold.",
            "Say it: memproc init --local URL --window 8192",
        )
    slots = counted(server.slots, "call")
    settings.say(f"{server.kind} at {server.root}: {served.name}, {slots} at a time.")
    with file_errors(path, "read"):
        before = path.read_text("utf-8-sig")
    again = f"memproc init --local {server.root}"
    values = _settings_of(server, name, holds)
    sizes_for(parse_settings(before.encode(), path), name, holds, 1.0, again)
    model = _model(parse_settings(with_settings(before, values).encode(), path), name)
    settings.say("Asking it once about a short passage ...")
    trial = try_model(model, holds)
    config = parse_settings(before.encode(), path)
    sizes = sizes_for(config, name, holds, trial.factor, again)
    seconds = max(_LEAST_SECONDS, ceil(2 * trial.seconds(holds, _LONGEST_ANSWER)))
    values |= sizes.settings
    values["models", "options", name, "timeout"] = seconds
    settings.say(trial_in_words(name, trial))
    if trial.is_missed:
        settings.say(_MISSED)
    settings.say(f"{sizes} fit into {holds:,}.")
    settings.say("\n".join(_whose_chats(settings, config, name)))
    written = with_settings(before, values)
    parse_settings(written.encode(), path)
    command = settings.command(f"init --local {server.root}")
    if not confirmed(settings, f"Write it into {path}?", yes, command):
        return False
    replace_file(path, [written.encode()])
    _keep(settings, name, trial)
    settings.say(f"Wrote it into {path}. What a run would do, and for how long: memproc plan")
    return True


def try_and_keep(settings: Settings, model: Model, window: int) -> Trial:
    """Try a model of one's own once, keep what it shows, and say it. Raises as `try_model`."""
    trial = try_model(model, window)
    _keep(settings, model.name, trial)
    settings.say(trial_in_words(model.name, trial))
    if trial.is_missed:
        settings.say(_MISSED)
    return trial


def _keep(settings: Settings, name: str, trial: Trial) -> None:
    folders = settings.folders
    with Archive.open(folders.state, zone=settings.config.memory.zone) as archive:
        keep_trial(archive, name, trial, now())


def _choose(server: OwnServer, wanted: str) -> ServedModel:
    """Return the model that is named, the only one, or the only one that is loaded; else ask.

    Raises click.UsageError where there is nobody to ask.
    """
    by_name = {model.name: model for model in server.models}
    loaded = [model for model in server.models if model.is_loaded]
    if wanted and wanted not in by_name:
        raise click.UsageError(f"{server.kind} does not serve {wanted}: {', '.join(by_name)}")
    if wanted:
        return by_name[wanted]
    for only in (server.models, loaded):
        if len(only) == 1:
            return only[0]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            f"{server.kind} serves {len(by_name)} models; name one with --model: {', '.join(by_name)}"
        )
    click.echo(f"{server.kind} serves {', '.join(by_name)}.")
    return by_name[click.prompt("Which one", type=click.Choice(tuple(by_name)), show_choices=False)]


def _settings_of(server: OwnServer, name: str, window: int) -> dict[tuple[str, ...], object]:
    """Return what memproc.toml says of a model and its server, by path."""
    table = ("models", "options", name)
    held = "num_ctx" if server.provider == "ollama_chat" else "window"
    return {
        ("models", "agent"): name,
        ("models", "context_manager"): name,
        (*table, "api_base"): server.base,
        (*table, held): window,
        (*table, "concurrency"): server.slots,
    }


def _model(config: Config, name: str) -> Model:
    """Return the model as a run would ask it. Raises ConfigurationError where it could not."""
    model = resolve_model(name, config.models, config.budget, lambda provider: NoKey(provider, ""))
    if isinstance(model, Unaskable):
        raise ConfigurationError(model.reason, model.next_step)
    return model


def _whose_chats(settings: Settings, config: Config, name: str) -> Iterator[str]:
    """Say whose memories the model will write, and whose it will not."""
    before = "each chat's own model" if config.models.agent == CHAT else config.models.agent
    with settings.archive() as archive:
        titles = [in_one_line(cut_title(chat.title)) for chat in known_chats(archive)]
    more = f" and {len(titles) - _MOST_TITLES:,} more" if len(titles) > _MOST_TITLES else ""
    known = f", {', '.join(titles[:_MOST_TITLES])}{more} among them" if titles else ""
    yield f"From now on {name} writes and analyses for every chat{known}. Until now: {before}."
    own = [each.chat for each in config.chats.override if each.says(("models", "agent"))]
    if own:
        yield f"Not for those that have a model of their own in memproc.toml: {', '.join(own)}."
