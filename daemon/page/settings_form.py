"""Show all settings, change in memproc.toml those that have a field, and undo the last change."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import known_chat, known_chats
from daemon.config.as_toml import toml_value
from daemon.config.editing import (
    can_undo,
    fingerprint_file,
    save_settings,
    undo_settings,
)
from daemon.config.loading import load
from daemon.config.search import FoundConfig, find
from daemon.config.settings import Config
from daemon.config.tables import ConfigProblem, Key, WrongSettings
from daemon.models.splitting import splitter
from daemon.page.actions import do_command
from daemon.page.app import desk_of, field, render, show_at
from daemon.page.settings_fields import (
    FIELDS,
    GROUPS,
    allowed_providers,
    find_changes,
    offer_models,
    present_value,
    reason_of,
    show_value,
)
from primer.models import KEY_VARIABLES, hide_secrets, own_model
from rules.errors import ConfigurationError

_NO_KEY = 1
"""The exit code of `memproc key test --no-call` where no key is kept."""
_NIGHT = "schedule.night"
_FOLDERS = "folders"
_SAVED = "It counts from the next run on."


def settings_page(request: Request) -> Response:
    """Show the settings, their file and what is wrong with it, and the kept keys."""
    return _shown(request)


def change_settings(request: Request) -> Response:
    """Write what was changed in the form into memproc.toml, or show why it is refused."""
    path, config = _path(request), _present(request)
    if path is None:
        return _shown(request, wrong=["There is no memproc.toml yet."])
    typed = _typed(request)
    changes = find_changes(config, typed, allowed_providers(config, _chat_models(request)))
    if isinstance(changes, list):
        return _shown(request, typed, _labelled(changes))
    if not changes:
        return show_at(request, "/settings", "Nothing was changed.")
    bounds = changes.get(("chunk", "bounds"), config.chunk.bounds)
    try:
        splitter(str(bounds))
        saved = save_settings(path, field(request, "seen"), changes)
    except ConfigurationError as refused:
        return _shown(request, typed, _reasons_of(refused))
    _use(request, saved)
    lines = [f"{'.'.join(key)} = {toml_value(value)}" for key, value in changes.items()]
    written = ", ".join(lines)
    return show_at(request, "/settings", f"Wrote {written}. {_SAVED}")


def undo_change(request: Request) -> Response:
    """Put back the memproc.toml of before the page changed it."""
    path = _path(request)
    if path is None:
        return _shown(request, wrong=["There is no memproc.toml yet."])
    try:
        config = undo_settings(path, field(request, "seen"))
    except ConfigurationError as refused:
        return _shown(request, wrong=_reasons_of(refused))
    _use(request, config)
    return show_at(request, "/settings", f"The memproc.toml of before is back. {_SAVED}")


def _shown(
    request: Request, typed: Mapping[str, str] | None = None, wrong: Sequence[str] = ()
) -> Response:
    """Show the settings, with the entered texts and why they are refused."""
    toml = desk_of(request).toml
    path, config = _path(request), _present(request)
    keys = do_command(toml, "key", "test", "--no-call")
    seen = fingerprint_file(path) if path else ""
    chat_models = _chat_models(request)
    values = {each.dotted: show_value(present_value(config, each)) for each in FIELDS}
    values.update(typed or {})
    return render(
        request,
        "settings.html",
        409 if wrong else 200,
        wrong=list(filter(None, wrong)),
        found=_found(request),
        check=do_command(toml, "config", "check"),
        has_file=path is not None,
        groups=GROUPS.items(),
        values=values,
        night=values[_NIGHT].partition("-"),
        models=offer_models(config, chat_models),
        providers_offered=allowed_providers(config, chat_models),
        seen=seen,
        may_undo=bool(path and can_undo(path, seen)),
        folders=_rows(config, only_folders=True),
        others=_rows(config, only_folders=False),
        keys="" if keys.code == _NO_KEY else keys.says,
        providers=sorted(KEY_VARIABLES),
    )


def _use(request: Request, config: Config) -> None:
    """Make all later views use the written settings, marked as found here if nobody named them."""
    if _found(request).is_here:
        config = config.as_found_here()
    request.app.state.desk = replace(desk_of(request), config=config)


def _reasons_of(refused: ConfigurationError) -> list[str]:
    """Return the sentences that say why nothing was written."""
    if isinstance(refused, WrongSettings):
        return _labelled(refused.problems)
    return [refused.message, refused.next_step]


def _labelled(problems: Sequence[ConfigProblem]) -> list[str]:
    """Return the problems, each after the label of its field."""
    from daemon.config.problems import dotted  # late: the entered texts are rarely wrong

    labels: dict[Key, str | None] = {each.key: each.row.title for each in FIELDS}
    return [
        f"{labels.get(problem.keys[0]) or dotted(problem.keys[0])}: {problem.reason}"
        for problem in problems
    ]


def _found(request: Request) -> FoundConfig:
    """Return the memproc.toml that is in use now, and why."""
    return find(desk_of(request).toml, Path.cwd(), os.environ)


def _path(request: Request) -> Path | None:
    """Return the path of the memproc.toml in use, or None where there is none."""
    path = _found(request).path
    return path.resolve() if path else None


def _present(request: Request) -> Config:
    """Return memproc.toml's settings now; if it is wrong, those that this page was started with."""
    path = _path(request)
    try:
        return load(path) if path else Config()
    except ConfigurationError:
        return desk_of(request).config


def _chat_models(request: Request) -> list[str]:
    """Return LiteLLM's names of the models that the chats use, where they are known."""
    with desk_of(request).archive() as archive:
        chats = [known_chat(archive, known.chat_id) for known in known_chats(archive)]
    names = (own_model(chat.model_names) for chat in chats)
    return sorted({name for name in names if name})


def _typed(request: Request) -> dict[str, str]:
    """Return the texts of the form's fields, by their settings' dotted names."""
    form = request.state.form
    typed = {each.dotted: field(request, each.dotted) for each in FIELDS if each.dotted in form}
    if f"{_NIGHT}.from" in form:
        begin = field(request, f"{_NIGHT}.from")
        end = field(request, f"{_NIGHT}.to")
        typed[_NIGHT] = f"{begin}-{end}" if begin or end else ""
    return typed


def _rows(config: Config, *, only_folders: bool) -> list[tuple[str, str, str]]:
    """Return name, value and reason of each setting without a field; secret values are hidden."""
    keys = {row_field.key for row_field in FIELDS}
    tables: dict[str, dict[str, object]] = config.model_dump(mode="json")
    rows = []
    for table, settings in tables.items():
        if (table == _FOLDERS) != only_folders:
            continue
        for name, value in settings.items():
            if (table, name) not in keys:
                if isinstance(value, float) and value.is_integer():
                    value = int(value)  # as memproc.toml writes it
                shown = toml_value(hide_secrets(value))
                rows.append((f"{table}.{name}", shown, reason_of(table, name)))
    return rows
