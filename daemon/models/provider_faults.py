"""What LiteLLM's exceptions mean for the person, and whether a request may be sent again.

They are told apart by their class and by the provider's answer.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from daemon.models.catalogue import is_model_known, nearest_names
from daemon.models.error_answer import ErrorAnswer
from daemon.models.hosts import host_asked
from primer.models import Model
from rules.errors import (
    ContextTooLong,
    CutOff,
    Forbidden,
    MemprocError,
    ModelError,
    NotNow,
    OutOfReach,
    ProviderRefuses,
    TimedOut,
    Unexplained,
)

_LATER = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_LATER_KINDS = frozenset(
    {
        "Timeout", "APIConnectionError", "InternalServerError", "ServiceUnavailableError",
        "RateLimitError",
    }
)  # fmt: skip
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_GATEWAY_GAVE_UP = frozenset({408, 502, 504, 524})
"""Statuses of a gateway that no longer waits for the model, which may still answer and bill."""
_TOO_MANY = 429
_SIGN_IN = 511
"""Sent by a network that wants a sign-in first."""
_FORBIDDEN = 403
_INVALID = 400
_MAY_BE_THE_PASSAGE = (_INVALID, 422, 451)
_UNTRUSTED = "SSLCertVerificationError"
_DEEPEST = 12
_NO_MONEY = re.compile(
    "credit balance|insufficient[_ ](?:quota|balance)|have any credits|billing_error|余额不足"
)
_PRIVACY = re.compile("no endpoints found matching your data policy")
"""Said by OpenRouter with status 404, as if there were no such model."""
_NO_KEY = re.compile("missing credentials")
"""Said by OpenAI's own client, before it sends anything."""
_WRONG_KEY = re.compile("incorrect api key|invalid api key")
_PAYMENT_REQUIRED = 402
_RESUME = "Run memproc again later: finished answers are kept and not asked for again."
_LONGEST_RETRY_SECONDS = 10.0 * 366 * 86_400
"""The cap on a wait, since a header may hold any number."""


def meaning_of(fault: Exception, model: Model, answer: ErrorAnswer) -> MemprocError:
    """Return the error that a LiteLLM exception stands for, given the provider's answer, if any."""
    name, kind = model.name, type(fault).__name__
    status = answer.status
    if status < _INVALID:
        of_fault = getattr(fault, "status_code", None)
        status = of_fault if isinstance(of_fault, int) else 0
    if kind == "ContextWindowExceededError" or answer.is_too_long:
        return ContextTooLong(
            f"The request is too long for the context window of {name}{answer.excess}.",
            "Set tail.tokens and chunk.tokens lower in memproc.toml, or choose a model with a "
            "larger window.",
        )
    if known := (
        _page(model, answer)
        or _refused(name, kind, status, answer)
        or _unknown_model(name, kind, answer)
    ):
        return known
    if status in _LATER or status >= _SERVER_FAULT or kind in _LATER_KINDS:
        return _not_now(model, status, fault)
    return _refused_request(name, status, answer)


def _page(model: Model, answer: ErrorAnswer) -> MemprocError | None:
    """Return the error for an answer that is a web page; None for others, or a busy server's."""
    status = answer.status
    is_busy = status in _LATER or (status >= _SERVER_FAULT and status != _SIGN_IN)
    if is_busy or not answer.is_page:
        return None
    error = OutOfReach if _INVALID <= status < _SERVER_FAULT else NotNow
    return error(
        f"{host_asked(model)} answers with a web page (status {status}) instead of a model's "
        "answer: a network's sign-in page, a proxy, or a wrong address.",
        "Open any web page in your browser, and sign in where the network asks for it; else look "
        "at api_base in memproc.toml. Then run memproc again.",
    )


def _refused(model: str, kind: str, status: int, answer: ErrorAnswer) -> ProviderRefuses | None:
    """Return the error where the account has no money left, or the provider rejects our key."""
    set_key = f"memproc key set {model.partition('/')[0]}"
    if status == _PAYMENT_REQUIRED or answer.says(_NO_MONEY):
        return ProviderRefuses(
            f"The provider of {model} says that there is no money left.",
            "Add credit there, then run memproc again: it goes on where it stopped.",
        )
    if answer.says(_NO_KEY):
        return ProviderRefuses(f"There is no key for {model}.", f"To set one: {set_key}")
    if status == 401 or kind == "AuthenticationError" or answer.says(_WRONG_KEY):
        return ProviderRefuses(
            f"The provider of {model} does not accept the key.",
            f"Set the right one: {set_key}. What is finished is kept.",
        )
    return None


def _unknown_model(model: str, kind: str, answer: ErrorAnswer) -> ModelError | None:
    if kind != "NotFoundError" and not answer.knows_no_model:
        return None
    if answer.says(_PRIVACY):
        return ModelError(
            f"Your account's privacy settings allow no provider of {model}.",
            "Allow more in the settings of your account there, or name another model in memproc.toml.",
        )
    names = [] if is_model_known(model) else nearest_names(model)
    suggestion = f"Did you mean {' or '.join(names)}? " if names else ""
    return ModelError(
        f"No provider knows the model {model}.", f"{suggestion}Mend [models] in memproc.toml."
    )


def _refused_request(model: str, status: int, answer: ErrorAnswer) -> MemprocError:
    """Return the error for a request that is refused for a parameter, or for an unknown reason.

    It quotes none of the provider's words.
    """
    code = "" if answer.code == str(status) else answer.code
    shown = {"status": str(status or ""), "code": code, "param": answer.param}
    details = ", ".join(f"{name} {value}" for name, value in shown.items() if value)
    seen = f" ({details})" if details else ""
    if parameter := answer.refused_parameter:
        return ModelError(
            f"The provider of {model} refuses the parameter {parameter}{seen}.",
            "If it is in [models.options] of memproc.toml, take it out there or change it; else "
            "choose another model.",
        )
    if status == _FORBIDDEN:
        return Forbidden(
            f"The provider of {model} forbids the request{seen}.",
            "Ask it whether your key may use this model, or choose another one.",
        )
    error = Unexplained if status in _MAY_BE_THE_PASSAGE else ModelError
    return error(
        f"The provider of {model} refused the request{seen}.",
        "Look up what that means in the provider's documentation, or choose another model. What is "
        "finished is kept.",
    )


def _not_now(model: Model, status: int, fault: Exception) -> NotNow:
    """Return CutOff or TimedOut where the provider may have worked on the request, else NotNow."""
    causes, host, wait = _causes(fault), host_asked(model), _retry_after(fault)
    if _UNTRUSTED in causes:
        return NotNow(
            f"The certificate of {host} is not one that this computer trusts, so nothing was sent.",
            "Sign in where your network asks for it, and look at the date of this computer; a "
            "proxy of yours has a certificate, whose file the variable SSL_CERT_FILE names.",
        )
    if causes & _NEVER_SENT:
        return NotNow(f"Cannot reach {host}.", _RESUME, wait)
    if "HTTPStatusError" in causes:
        error = CutOff if status in _GATEWAY_GAVE_UP else NotNow
        why = "too many requests" if status == _TOO_MANY else f"status {status}"
        return error(f"{model.name} at {host} cannot answer now: {why}.", _RESUME, wait)
    error = NotNow if status == _TOO_MANY else CutOff
    if "Timeout" in causes:
        error = NotNow if status == _TOO_MANY else TimedOut
        return error(f"{model.name} at {host} has not answered in time.", _RESUME, wait)
    why = f"The answer of {model.name} at {host} broke off, or cannot be read."
    return error(why, _RESUME, wait)


def _causes(fault: BaseException) -> frozenset[str]:
    """Return the class names of a fault and of the errors that it wraps."""
    kinds: set[str] = set()
    cause: BaseException | None = fault
    for _ in range(_DEEPEST):
        if cause is not None:
            kinds.add(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
    return frozenset(kinds)


def _retry_after(fault: Exception) -> float | None:
    """Return the seconds for which Retry-After asks, as seconds or as a date; else None."""
    headers: Mapping[str, str] = getattr(fault, "litellm_response_headers", None) or {}
    value = next((str(headers[name]) for name in headers if str(name).lower() == "retry-after"), "")
    seconds = None
    with suppress(ValueError):
        seconds = float(value)
    if seconds is None:
        # The date or its zone may be impossible.
        with suppress(ValueError, OverflowError, TypeError, IndexError):
            when = parsedate_to_datetime(value)
            seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    if seconds is None or not isfinite(seconds):
        return None
    return min(max(0.0, seconds), _LONGEST_RETRY_SECONDS)
