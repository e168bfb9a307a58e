"""Keep a provider's key, try or forget it: `memproc key`. It is never an argument, nor printed."""

import os
import re
import sys
from difflib import get_close_matches
from pathlib import Path

import click

from daemon.cli import NearGroup
from daemon.cli.printing import in_width, print_error
from daemon.cli.settings import Settings, pass_settings
from daemon.config.key_stores import NotAKey, keys_file
from daemon.config.keys import (
    Key,
    NoKey,
    Where,
    find_key,
    forget_key,
    read_key,
    set_variables,
    store_key,
)
from daemon.files.clock import here
from primer.models import KEY_VARIABLES, Model, meant_provider, provider_of
from primer.thinking import quiet_options
from rules.errors import MemprocError
from rules.wording import capital

_KNOWN = ", ".join(sorted(KEY_VARIABLES))
_PROVIDER = re.compile(r"[a-z0-9_]{1,30}")
_HOST = re.compile(r"[a-z0-9_-]{1,24}|[a-z0-9_-]+(\.[a-z0-9_-]+)+|[0-9a-f:.]*:[0-9a-f:.]*")
"""A name without a dot must be short, so that a key given in its place does not match."""
_LONGEST_LINE = 8192  # bytes; no key is nearly as long
_TRIAL_SECONDS = 30.0
_NONE_ALLOWED = "No host is allowed but those of the providers, and what you name yourself."


def named_provider(text: str) -> str:
    """Return the provider that is named, or meant by "claude" or "gpt". Raises BadParameter.

    An unknown name may be a misplaced key, so it is not repeated; the nearest provider is
    suggested.
    """
    if name := meant_provider(text):
        return name
    near = get_close_matches(text.lower(), sorted(KEY_VARIABLES), 1)
    guess = f" Did you mean {near[0]}?" if near else ""
    known = in_width(f"It knows {_KNOWN}.")
    raise click.BadParameter(f"memproc keeps no key for this provider.{guess}\n{known}")


@click.group(cls=NearGroup, epilog=f"The providers: {_KNOWN}.")
def key_command() -> None:
    """Keep, list, try or forget a provider's key.

    A key is looked for in the environment first, then in memproc's own file, then in the system
    keyring.
    """


@key_command.command("set")
@click.argument("provider", type=named_provider)
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--file", "to_file", is_flag=True, help="Use memproc's own file, and not the keyring."
)
@pass_settings
def key_set_command(
    settings: Settings, provider: str, more: tuple[str, ...], to_file: bool
) -> None:
    """Keep the key of PROVIDER.

    It goes into the system keyring or, where that does not answer, into a file that only you can
    read. The key is asked for without showing it; without a terminal, it is the first line of the
    standard input.
    """
    if more:
        raise click.UsageError(
            "A key is never given on the command line, where the shell and others can see it. "
            "It will be asked for."
        )
    ask_and_keep(settings, provider, to_file=to_file)


def ask_and_keep(settings: Settings, provider: str, *, to_file: bool = False) -> None:
    """Ask for a provider's key, and keep it. Raises UsageError for a text that cannot be a key."""
    if sys.stdin.isatty():
        text = click.prompt(f"Key for {provider} (it is not shown)", hide_input=True, err=True)
    else:
        text = sys.stdin.buffer.readline(_LONGEST_LINE).decode("utf-8", "replace")
    value = read_key(text)
    if isinstance(value, NotAKey):
        raise click.UsageError(f"Nothing was kept: the key {value.reason}.")
    folder = settings.folders.state
    change = store_key(provider, value, folder, "file" if to_file else "keyring")
    why = f" ({change.no_keyring})" if change.no_keyring else ""
    place = _place(change.where[0], provider, folder)
    before = "But {} is set in the environment, and counts before it."
    settings.done(
        f"The key for {provider} is kept in {place}{why}.",
        *map(before.format, set_variables(provider, os.environ)[:1]),
        provider=provider,
        kept_in=change.where[0],
    )


@key_command.command("forget")
@click.argument("provider", type=named_provider)
@pass_settings
def key_forget_command(settings: Settings, provider: str) -> None:
    """Forget the key of PROVIDER.

    It is taken out of memproc's file and out of the system keyring.
    """
    folder = settings.folders.state
    change = forget_key(provider, folder)
    places = [_place(where, provider, folder) for where in change.where]
    keyring = f"{capital(change.no_keyring)}, so nothing was taken out of it."
    still = "{} is still set in the environment, and memproc cannot unset it."
    settings.done(
        *(f"The key for {provider} was taken out of {place}." for place in places),
        "" if places or change.no_keyring else f"No key for {provider} was kept.",
        keyring if change.no_keyring else "",
        *map(still.format, set_variables(provider, os.environ)),
        provider=provider,
        taken_out_of=change.where,
    )


@key_command.command("test")
@click.argument("provider", type=named_provider, required=False)
@click.option(
    "--no-call",
    is_flag=True,
    help="Only say where the keys are; ask no provider, and spend nothing.",
)
@pass_settings
def key_test_command(settings: Settings, provider: str | None, no_call: bool) -> int:
    """Say where each key is, and whether it works.

    With PROVIDER, that provider's alone. Each provider is asked one tiny question, by the model
    that memproc.toml names, or by a small one. This costs a fraction of a cent.
    """
    folder = settings.folders.state
    rows: list[dict[str, object]] = []
    reason = ""
    for name in [provider] if provider else sorted(KEY_VARIABLES):
        key = find_key(name, os.environ, folder)
        if isinstance(key, NoKey):
            reason = f" for {name}: {key.reason}" if provider else ""
            continue
        place = _place(key.where, name, folder)
        settings.say(f"{name}: there is a key in {place}.")
        works = None if no_call else key_works(settings, name, key)
        rows.append({"provider": name, "where": key.where, "place": place, "works": works})
    if not rows:
        raise MemprocError(
            f"There is no key{reason}.", f"Keep one with: memproc key set {provider or 'PROVIDER'}"
        )
    settings.done(keys=rows)
    return 1 if any(row["works"] is False for row in rows) else 0


@key_command.command("list")
@click.pass_context
def key_list_command(ctx: click.Context) -> int:
    """Say where the key of each provider is, without trying it."""
    return int(ctx.invoke(key_test_command, provider=None, no_call=True))


@key_command.command("allow")
@click.argument("provider", required=False)
@click.argument("host", required=False)
@click.option(
    "--forget", is_flag=True, help="Take it back: the key of PROVIDER goes to HOST no more."
)
@pass_settings
def key_allow_command(
    settings: Settings, provider: str | None, host: str | None, forget: bool
) -> None:
    """Let the key of PROVIDER go to HOST, or list what is allowed.

    HOST is one that is not the provider's own. A host that your own memproc.toml names, or the
    environment that holds the key, needs no such permission. No key ever goes over plain HTTP,
    except to this machine.
    """
    from daemon.models.hosts import allow, host_of, hosts_file, list_allowed_hosts

    if provider is None:
        pairs = [f"{name} {host}" for name, host in list_allowed_hosts()]
        settings.draw("\n".join(pairs))
        settings.done("" if pairs else _NONE_ALLOWED, hosts=pairs)
        return
    if host is None:
        raise click.UsageError("Name the host as well: memproc key allow PROVIDER HOST")
    name, where = provider.lower(), host_of(host).lower()
    # Neither is repeated, since it may be a key.
    if not _PROVIDER.fullmatch(name) or not _HOST.fullmatch(where):
        raise click.UsageError(
            "Name a provider as LiteLLM does, and a host: memproc key allow openai llm.example.org"
        )
    was_allowed = allow(name, where, forget=forget)
    says = f"The key for {name} may go to {where}; noted in {hosts_file()}."
    if forget:
        no_more = f"The key for {name} goes to {where} no more."
        says = no_more if was_allowed else "That was not allowed."
    settings.done(says, provider=name, host=where, allowed=not forget)


def key_works(settings: Settings, provider: str, key: Key) -> bool:
    """Try a key, and say whether it works. Return False where it does not.

    It asks a model of this provider that memproc.toml names, else the provider's small one.
    """
    from daemon.models.catalogue import small_model_on

    models, unnamed = settings.config.models, f"{provider}/"
    # `small_model_on` returns `unnamed` where no small model is known, or it has ended.
    small = small_model_on(here().date(), unnamed)
    names = (models.context_manager, models.agent, models.fallback, small)
    fitting = (name for name in names if provider_of(name) == provider and name != unnamed)
    name = next(fitting, "")
    if not name:
        settings.say(
            f"{provider}: the key was not tried. memproc knows no small model of {provider}. "
            "Name one in [models] in memproc.toml."
        )
    elif trouble := _trouble_with(name, settings, key):
        print_error(f"{provider}: {trouble}")
        return False
    else:
        settings.say(f"{provider}: the key works; {name} has answered.")
    return True


def _trouble_with(name: str, settings: Settings, key: Key) -> str:
    """Ask a model a tiny question, for a fraction of a cent; return why it did not answer."""
    from daemon.models.completion import complete
    from daemon.models.hosts import find_addresses, refusal
    from primer.reply import smallest_request

    models = settings.config.models
    if refused := refusal(name, models, key):
        return f"{refused.reason} {refused.next_step}"
    own_options = models.options_for(name)
    options = {
        "timeout": _TRIAL_SECONDS,
        **quiet_options(name),
        **own_options,
        "api_key": key.value,
    }
    try:
        answer = complete(
            smallest_request(Model(name, options, addresses=find_addresses(name, own_options)))
        )
    except MemprocError as fault:
        return fault.message
    return "" if answer.text or answer.finish else f"The answer of {name} cannot be read."


def _place(where: Where, provider: str, folder: Path) -> str:
    """Return the place of a key, as a sentence names it."""
    if where == "environment":
        return f"the environment ({set_variables(provider, os.environ)[0]})"
    if where == "credential":
        return "a credential of the service"
    return str(keys_file(folder)) if where == "file" else "the system keyring"
