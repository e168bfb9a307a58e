"""`[models.options]`: what may be passed on to LiteLLM, and which of it counts for one model.

A name that holds "/" is a model's, wildcards allowed, and has a table of options for those models alone.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from fnmatch import fnmatchcase
from math import isfinite

Options = Mapping[str, object]

_OURS = frozenset(
    [
        "cache", "caching", "context_window_fallback_dict", "custom_llm_provider", "drop_params", "fallbacks",
        "functions", "max_completion_tokens", "max_retries", "max_tokens", "messages", "mock_response", "model", "n",
        "num_retries", "response_format", "stream", "tool_choice", "tools",
    ]
)  # fmt: skip
_DEEPEST = 8  # levels of tables and lists; no provider's options go deeper


def refusals(options: Options) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every option that cannot be passed on: its place in the table, and why. Never its value, which may be a key."""
    for name, value in options.items():
        if "/" not in name:
            reason = _refusal(name, value)
            if reason:
                yield (name,), reason
        elif not isinstance(value, dict):
            yield (name,), "must be a table: the options for the models of that name"
        else:
            yield from (((name, own), reason) for own in value if (reason := _refusal(own, value[own])))


def for_model(options: Options, name: str) -> dict[str, object]:
    """The options for the model with that LiteLLM name: the general ones, then those of each table that fits it,
    in the order of the file, so that the later ones win. The result is the caller's own."""
    found = {key: value for key, value in options.items() if "/" not in key}
    for pattern, own in options.items():
        if "/" in pattern and isinstance(own, dict) and (pattern == name or fnmatchcase(name, pattern)):
            found |= own
    return deepcopy(found)


def merged(options: Options, by: Options) -> dict[str, object]:
    """`options` with those of `by` in their place, key by key, and so too in the tables for models."""
    found = {**options, **by}
    for pattern in options.keys() & by.keys():
        general, special = options[pattern], by[pattern]
        if "/" in pattern and isinstance(general, dict) and isinstance(special, dict):
            found[pattern] = {**general, **special}
    return found


def _refusal(name: str, value: object) -> str | None:
    if name.lower() == "api_key":
        return "a key does not belong in this file: memproc key set PROVIDER"
    if name.lower() in _OURS:
        return "memproc decides this itself"
    if not name.isidentifier():
        return "must be the name of an option, like temperature"
    if name == "timeout" and not _is_a_time(value):
        return "must be a number of seconds, more than 0"
    return _unsendable(value)


def _is_a_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0


def _unsendable(value: object, depth: int = 0) -> str | None:
    """Why the value has no place in a request, which is JSON; None where it has."""
    if depth > _DEEPEST:
        return f"must not be nested deeper than {_DEEPEST} levels"
    match value:
        case dict():
            return next((reason for one in value.values() if (reason := _unsendable(one, depth + 1))), None)
        case list():
            return next((reason for one in value if (reason := _unsendable(one, depth + 1))), None)
        case float() if not isfinite(value):
            return "must not hold inf or nan"
        case str() | int() | float():
            return None
        case _:
            return "must not hold a date or a time"
