"""What LiteLLM's exceptions mean for a person, and whether a request may be sent once more.

They are told apart by their status and their kind. Their words may repeat the prompt, so they are
looked at and never shown.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from daemon.models.addresses import host_asked
from daemon.models.catalogue import nearest_names
from primer.models import Model
from rules.errors import ContextTooLong, CutOff, MemprocError, ModelError, NotNow, ProviderRefuses

_LATER = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_LATER_KINDS = frozenset(
    {"Timeout", "APIConnectionError", "InternalServerError", "ServiceUnavailableError"}
)
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_GATEWAY_GAVE_UP = frozenset({408, 502, 504, 524})
"""Statuses of a gateway that gave up waiting for the model, which may have answered."""
_TOO_MANY = 429
_DEEPEST = 12
_NO_MONEY = ("credit balance", "insufficient_quota", "billing_error")
_PAYMENT_REQUIRED = 402
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{4,9}")
_RESUME = "Run memproc again later: finished answers are kept and not asked for again."
_LONGEST_RETRY_SECONDS = 10.0 * 366 * 86_400
"""Longer than any wait; a header may say any number."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """What an exception shows: `status`, 0 where it has none, and `words` in lower case."""

    status: int
    kind: str
    words: str


def meaning_of(fault: Exception, model: Model) -> MemprocError:
    """Return the error that a fault of LiteLLM's becomes."""
    status = getattr(fault, "status_code", None)
    seen = _Fault(
        status if isinstance(status, int) else 0,
        type(fault).__name__,
        f"{fault} {getattr(fault, 'body', '')}".lower(),
    )
    name = model.name
    if known := _refused(name, seen) or _too_long(name, seen) or _unknown_model(name, seen):
        return known
    is_busy = seen.status in _LATER or seen.status >= _SERVER_FAULT
    if is_busy or seen.kind in _LATER_KINDS:
        return _not_now(model, seen.status, fault)
    status_shown = f", status {seen.status}" if seen.status else ""
    return ModelError(
        f"The provider of {name} refused the request ({seen.kind}{status_shown}).",
        "Check the model's name in memproc.toml, then run memproc again.",
    )


def _refused(model: str, seen: _Fault) -> ProviderRefuses | None:
    """Return the error where the provider has no money or no key of ours that it accepts."""
    set_key = f"memproc key set {model.partition('/')[0]}"
    if seen.status == _PAYMENT_REQUIRED or any(sign in seen.words for sign in _NO_MONEY):
        return ProviderRefuses(
            f"The provider of {model} says that there is no money left.",
            "Add credit there, then run memproc again: it goes on where it stopped.",
        )
    if "missing credentials" in seen.words:  # OpenAI's own client, before it sends anything
        return ProviderRefuses(f"There is no key for {model}.", f"To set one: {set_key}")
    if seen.status == 401 or seen.kind == "AuthenticationError":
        return ProviderRefuses(
            f"The provider of {model} does not accept the key.",
            f"Set the right one: {set_key}. What is finished is kept.",
        )
    if seen.status == 403 or seen.kind == "PermissionDeniedError":
        return ProviderRefuses(
            f"The provider forbids the use of {model} with this key.",
            "Choose another model, or ask the provider.",
        )
    return None


def _too_long(model: str, seen: _Fault) -> ContextTooLong | None:
    if seen.kind != "ContextWindowExceededError":
        return None
    excess = _by_how_much(seen.words)
    return ContextTooLong(
        f"The request is too long for the context window of {model}{excess}.",
        "Set tail.tokens and chunk.tokens lower in memproc.toml, or choose a model with a larger "
        "window.",
    )


def _unknown_model(model: str, seen: _Fault) -> ModelError | None:
    is_unknown = seen.status == 404 or seen.kind == "NotFoundError"
    if not is_unknown and "llm provider not provided" not in seen.words:
        return None
    names = nearest_names(model)
    suggestion = f"Did you mean {' or '.join(names)}? " if names else ""
    return ModelError(
        f"No provider knows the model {model}.", f"{suggestion}Mend [models] in memproc.toml."
    )


def _not_now(model: Model, status: int, fault: Exception) -> NotNow:
    """Return CutOff where the provider may have worked on the request, else NotNow."""
    causes = _causes(fault)
    error = CutOff if _may_be_billed(status, causes) else NotNow
    why = _why_not_now(model.name, host_asked(model), status, causes)
    return error(why, _RESUME, _retry_after(fault))


def _causes(fault: BaseException) -> frozenset[str]:
    """Return the kinds of the errors that LiteLLM and its clients wrapped into a fault."""
    kinds: set[str] = set()
    cause: BaseException | None = fault
    for _ in range(_DEEPEST):
        if cause is not None:
            kinds.add(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
    return frozenset(kinds)


def _may_be_billed(status: int, causes: frozenset[str]) -> bool:
    """Return whether a request was sent, and what came back is no plain refusal."""
    if status == _TOO_MANY or causes & _NEVER_SENT:
        return False
    return "HTTPStatusError" not in causes or status in _GATEWAY_GAVE_UP


def _why_not_now(model: str, host: str, status: int, causes: frozenset[str]) -> str:
    if causes & _NEVER_SENT:
        return f"Cannot reach {host}."
    if "HTTPStatusError" in causes:
        why = "too many requests" if status == _TOO_MANY else f"status {status}"
        return f"{model} at {host} cannot answer now ({why})."
    if "Timeout" in causes:
        return f"{model} at {host} has not answered in time."
    return f"The answer of {model} at {host} broke off, or cannot be read."


def _by_how_much(words: str) -> str:
    """Return the excess tokens as a phrase, from the numbers that a provider names."""
    numbers = sorted(int(number.replace(",", "")) for number in _NUMBER.findall(words))
    if len(numbers) < 2 or numbers[-1] == numbers[-2]:
        return ""
    window, sent = numbers[-2:]
    return f": {sent:,} tokens for {window:,}, {sent - window:,} too many"


def _retry_after(fault: Exception) -> float | None:
    """Return the seconds to wait, from a header that holds seconds or a date."""
    headers: Mapping[str, str] = getattr(fault, "litellm_response_headers", None) or {}
    value = next((str(headers[name]) for name in headers if str(name).lower() == "retry-after"), "")
    seconds = _seconds_in(value)
    if seconds is None or not isfinite(seconds):
        return None
    return min(max(0.0, seconds), _LONGEST_RETRY_SECONDS)


def _seconds_in(value: str) -> float | None:
    with suppress(ValueError):
        return float(value)
    with suppress(ValueError, OverflowError, TypeError, IndexError):  # impossible dates and zones
        when = parsedate_to_datetime(value)
        return (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return None
