"""Set up a model on the user's own machine or network (`memproc init --local URL`), and try it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.trials import Trial, keep_trial
from daemon.cli.settings import Settings, confirmed
from daemon.config.editing import SettingName, fingerprint_file, save_settings, with_settings
from daemon.config.keys import NoKey
from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from daemon.files.clock import now
from daemon.files.reasons import file_errors
from daemon.models.completion import TIMEOUT_SECONDS
from daemon.models.fitting import sizes_for
from daemon.models.hosts import OLLAMA
from daemon.models.own_server import (
    OwnServer,
    ServedModel,
    ask_server,
    window_of,
    with_details,
)
from daemon.models.patience import try_model
from daemon.models.resolve import resolve_model
from daemon.models.roles import CHAT
from daemon.status.printable import in_one_line
from daemon.status.sentences import trial_in_words
from primer.models import Model, Unaskable, token_factor
from rules.errors import ConfigurationError
from rules.wording import counted, cut_title

_MOST_TITLES = 3
_MISSED = (
    "It has not done what a memory needs. The built-in engine writes better ones than such a model "
    "(docs/install.md)."
)


@dataclass(frozen=True, slots=True)
class _ChosenModel:
    """The model chosen on the user's own server, and the tokens that one call to it holds."""

    server: OwnServer
    name: str
    window: int

    @property
    def settings(self) -> dict[SettingName, object]:
        """Return the settings of memproc.toml that make runs use this model."""
        window_key = "num_ctx" if self.server.provider in OLLAMA else "window"
        table = ("models", "options", self.name)
        return {
            ("models", "agent"): self.name,
            ("models", "context_manager"): self.name,
            (*table, "api_base"): self.server.base,
            (*table, window_key): self.window,
            (*table, "concurrency"): max(1, self.server.slots),
            (*table, "timeout"): int(TIMEOUT_SECONDS),
        }


def set_up_own_model(
    settings: Settings, path: Path, url: str, wanted: str, window: int, *, yes: bool
) -> bool:
    """Ask a server, try its model once, write it into memproc.toml; return whether it was written.

    The trial's result is kept in any case.

    Raises ConfigurationError or ModelError where the model cannot be set up.
    """
    chosen = _find(settings, url, wanted, window)
    fingerprint = fingerprint_file(path)
    with file_errors(path, "read"):
        before = path.read_text("utf-8-sig")
    config, command = parse_settings(before.encode(), path), f"init --local {url}"
    sizes_for(
        config, chosen.name, chosen.window, 1.0, f"memproc {command}"
    )  # before anything is asked
    values = chosen.settings
    model = _model(parse_settings(with_settings(before, values).encode(), path), chosen.name)
    settings.say("Asking it once about a short passage ...")
    trial = try_and_keep(settings, model, chosen.window)
    factor = trial.factor or token_factor(chosen.name)
    sizes = sizes_for(config, chosen.name, chosen.window, factor, f"memproc {command}")
    values |= sizes.settings
    settings.say(f"{sizes} fit into {chosen.window:,}.")
    settings.say("\n".join(_whose_chats(settings, config, chosen.name)))
    if not confirmed(settings, f"Write it into {path}?", yes, command):
        return False
    save_settings(path, fingerprint, values)
    settings.say(f"Wrote it into {path}. What a run would do, and how long it takes: memproc plan")
    return True


def _find(settings: Settings, url: str, wanted: str, window: int) -> _ChosenModel:
    """Ask a server what it serves, choose a model, and print both.

    Raises ConfigurationError where no window is known.
    """
    server = ask_server(url)
    served = with_details(server, _choose(settings, server, wanted))
    tokens = window or window_of(server, served)
    if not tokens:
        raise ConfigurationError(
            f"{server.kind} at {server.root} does not say how many tokens one call may hold.",
            f"Say it: memproc init --local {server.root} --window 8192",
        )
    slots = counted(max(1, server.slots), "call")
    settings.say(f"{server.kind} at {server.root}: {served.name}, {slots} at a time.")
    chosen = _ChosenModel(server, server.full_name(served), tokens)
    if not server.slots:
        settings.say(
            f"It does not say whether it answers more at once ({server.slots_setting}): if so, set "
            f'concurrency in [models.options."{chosen.name}"] of memproc.toml.'
        )
    return chosen


def try_and_keep(settings: Settings, model: Model, window: int) -> Trial:
    """Try a user's own model once, keep the result and print it. Raises as `try_model`."""
    trial = try_model(model, window)
    with Archive.open(settings.folders.state, zone=settings.config.memory.zone) as archive:
        keep_trial(archive, model.name, trial, now())
    settings.say(trial_in_words(model.name, trial))
    if trial.is_missed:
        settings.say(_MISSED)
    return trial


def _choose(settings: Settings, server: OwnServer, wanted: str) -> ServedModel:
    """Return the named model, the only one served, or the only one loaded; otherwise ask the user.

    Raises click.UsageError where the user cannot be asked, or the named model is not served.
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
    if not settings.can_ask:
        raise click.UsageError(
            f"{server.kind} serves {len(by_name)} models; name one with --model: {', '.join(by_name)}"
        )
    click.echo(f"{server.kind} serves {', '.join(by_name)}.")
    return by_name[click.prompt("Which one", type=click.Choice(tuple(by_name)), show_choices=False)]


def _model(config: Config, name: str) -> Model:
    """Return the model as a run would call it. Raises ConfigurationError where a run could not."""
    model = resolve_model(name, config, lambda provider: NoKey(provider, ""))
    if isinstance(model, Unaskable):
        raise ConfigurationError(model.reason, model.next_step)
    return model


def _whose_chats(settings: Settings, config: Config, name: str) -> Iterator[str]:
    """Yield the lines that say whose memories the model will write, and whose it will not."""
    before = "each chat's own model" if config.models.agent == CHAT else config.models.agent
    with settings.archive() as archive:
        titles = [in_one_line(cut_title(chat.title)) for chat in known_chats(archive)]
    further = f" and {len(titles) - _MOST_TITLES:,} more" if len(titles) > _MOST_TITLES else ""
    known = f", {', '.join(titles[:_MOST_TITLES])}{further} among them" if titles else ""
    yield f"From now on {name} writes and analyses for every chat{known}. Until now: {before}."
    excepted = [
        override.chat for override in config.chats.override if override.says(("models", "agent"))
    ]
    if excepted:
        yield f"Not for those that have a model of their own in memproc.toml: {', '.join(excepted)}."
