"""Show, check, edit, fit to a model, or find memproc.toml: `memproc config`."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
import tomlkit

from daemon.archive.trials import Trial
from daemon.cli import NearGroup
from daemon.cli.own_model import try_and_keep
from daemon.cli.settings import Settings, pass_settings
from daemon.config.editing import fingerprint_file, save_settings
from daemon.config.keys import NoKey
from daemon.config.loading import load, load_texts, parse_settings
from daemon.config.settings import Config
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from daemon.models.catalogue import is_model_known, nearest_names, read_facts
from daemon.models.context import check_named_files
from daemon.models.fitting import sizes_for
from daemon.models.hosts import LOCAL_PROVIDERS, OWN_HOSTS, find_addresses, is_local, is_ones_own
from daemon.models.resolve import resolve_model, window_in
from daemon.models.roles import CHAT, SMALL
from daemon.status.printable import make_visible
from primer.models import EXTRACTIVE, Model, hide_secrets, provider_of, token_factor
from primer.wording import lacking_clauses
from rules.errors import ConfigurationError, ModelError


@click.group(cls=NearGroup)
def config_command() -> None:
    """Show, check, edit, fit to a model, or find memproc.toml."""


@config_command.command("show")
@pass_settings
def config_show_command(settings: Settings) -> None:
    """Print every setting that counts, the defaults among them."""
    tables = settings.config.model_dump(mode="json")
    tables["models"] = hide_secrets(tables["models"])
    tables["chats"] = hide_secrets(tables["chats"])
    settings.done(settings=tables)
    choice = settings.config_file.choice
    settings.draw(make_visible((f"# {choice}\n\n" if choice else "") + tomlkit.dumps(tables)))


@config_command.command("check")
@pass_settings
def config_check_command(settings: Settings) -> None:
    """Say whether memproc.toml can be used.

    Its folders, texts and layout are looked at too. Every setting that is wrong is listed, or else
    those that do not agree with each other.
    """
    config, path = settings.config, settings.config_file.path
    check_named_files(config)
    unknown = [*_unknown_models(config)]
    well = f"{path} can be read." if unknown else f"No mistakes found in {path}."
    if path is None:
        well = "No memproc.toml: every setting is at its default."
    folders = asdict(settings.folders)
    folders_of_texts = dict.fromkeys(chat_config.texts.path for chat_config in config.variants)
    primers = [folder / "primer.md" for folder in folders_of_texts if folder]
    lacking = [
        f"{primer} does not say {clause}; the questions do."
        for primer in primers
        if primer.is_file()
        for clause in lacking_clauses(load_texts(primer.parent).primer)
    ]
    notes = (*config.notes, *unknown, *lacking)
    settings.draw(make_visible("\n".join(f"{name:8} {folder}" for name, folder in folders.items())))
    settings.done(well, *notes, path=path, folders=folders)


@config_command.command("edit")
@pass_settings
def config_edit_command(settings: Settings) -> None:
    """Open memproc.toml in your editor ($VISUAL, $EDITOR), and check it afterwards.

    Where it is wrong then, the file from before stays, and what you wrote is kept next to it.
    """
    path = _present_file(settings)
    with file_errors(path, "read"):
        before = path.read_text("utf-8-sig")
    draft, text = path.with_name(f"{path.name}.draft"), before
    question = f"Go on with {draft}, which was wrong the last time?"
    if draft.exists() and click.confirm(question, default=True):
        text = draft.read_text("utf-8")
    written = click.edit(text, extension=".toml")
    if written is None or written == before:
        settings.done("Nothing was changed.", path=path)
        return
    try:
        config = parse_settings(written.encode(), path)
        check_named_files(config)
    except ConfigurationError as wrong:
        replace_file(draft, [written.encode()])
        advice = f"The file is as it was. What you wrote is in {draft}"
        raise ConfigurationError(wrong.message, advice) from wrong
    replace_file(path, [written.encode()])
    draft.unlink(missing_ok=True)
    settings.done(f"Wrote {path}; all is well with it.", *_unknown_models(load(path)), path=path)


@config_command.command("fit")
@click.argument("model")
@pass_settings
def config_fit_command(settings: Settings, model: str) -> None:
    """Write sizes that fit the window of MODEL into memproc.toml.

    Its comments and all other settings stay as they are. The window is that of [models], else what
    LiteLLM knows. A model on your own machine or network is asked once about a short passage: how
    fast it reads and writes, whether it copies a quote and keeps "I" and "you" apart.
    """
    path = _present_file(settings)
    window = window_in(model, settings.config.models) or read_facts(model).window
    if window is None:
        raise ConfigurationError(
            f"It is not known how many tokens the window of {model} holds.",
            "Name it in memproc.toml: window = 8192 in [models]",
        )
    fingerprint = fingerprint_file(path)
    sizes = sizes_for(settings.config, model, window, token_factor(model))
    if trial := _tried(settings, model, window):
        factor = trial.factor or token_factor(model)
        sizes = sizes_for(settings.config, model, window, factor)
    save_settings(path, fingerprint, sizes.settings)
    says = f"{sizes} fit into {window:,}. Wrote them into {path}."
    settings.done(
        says,
        sizes={".".join(key): value for key, value in sizes.settings.items()},
        window=window,
        path=path,
    )


def _present_file(settings: Settings) -> Path:
    """Return the path of memproc.toml, to be written. Raises UsageError where there is none."""
    if settings.config_file.path is None:
        raise click.UsageError("There is no memproc.toml yet. To write one: memproc init")
    return settings.config_file.path.resolve()


def _tried(settings: Settings, name: str, window: int) -> Trial | None:
    """Try a model on one's own machine or network, and return its trial; None if it had none."""
    config = settings.config
    if not is_local(Model(name, config.models.options_for(name))):
        return None
    no_key = lambda provider: NoKey(provider, "")  # noqa: E731
    model = resolve_model(name, config, no_key)
    try:
        return try_and_keep(settings, model, window) if isinstance(model, Model) else None
    except ModelError as fault:
        settings.say(f"It was not tried: {fault}")
        return None


def _unknown_models(config: Config) -> Iterator[str]:
    """Yield sentences about models that LiteLLM's map does not know.

    It cannot know models on a server of one's own. A sentence asks for the server's address where
    none is given and the model is known nowhere else.
    """
    for chat_config in config.variants:
        for role in ("agent", "context_manager", "fallback"):
            name = getattr(chat_config.models, role)
            provider, options = provider_of(name), chat_config.models.options_for(name)
            if name in (CHAT, SMALL, "", EXTRACTIVE) or is_model_known(name):
                continue
            if provider in LOCAL_PROVIDERS and not is_ones_own(options):
                yield (
                    f"models.{role}: {name} is on a server of your own, and no address is named. "
                    "To have memproc write it: memproc init --local URL. Or write api_base into "
                    f'[models.options."{name}"].'
                )
                continue
            near = nearest_names(name)
            is_elsewhere = any(
                known_name.endswith(f"/{name.rpartition('/')[2]}") for known_name in near
            )
            if (provider in OWN_HOSTS or is_elsewhere) and not find_addresses(name, options):
                hint = f" Did you mean {' or '.join(near)}?" if near else ""
                yield (
                    f"models.{role}: LiteLLM does not know the model {name}.{hint} For one on your "
                    "own machine: memproc init --local URL"
                )


@config_command.command("path")
@pass_settings
def config_path_command(settings: Settings) -> None:
    """Print the path of the memproc.toml that counts; on the error output, why that one."""
    chosen = settings.config_file
    settings.done(path=chosen.path, how=chosen.how, others=chosen.others)
    if chosen.path:
        settings.draw(make_visible(str(chosen.path)))
    for line in (chosen.how, *(f"not used: {other}" for other in chosen.others)):
        click.echo(make_visible(line), err=True)
