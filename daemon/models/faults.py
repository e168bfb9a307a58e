"""What a failed call means: ask again later, stop everything, or this request alone cannot be answered.

LiteLLM's exceptions are told apart by their status and their kind. Its words may repeat the prompt, so they
are looked at and never shown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import parsedate_to_datetime

from rules.errors import ContextTooLong, CutOff, MemprocError, ModelError, NotNow, ProviderRefuses

_LATER = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_LATER_KINDS = frozenset({"Timeout", "APIConnectionError", "InternalServerError", "ServiceUnavailableError"})
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_GATEWAY_GAVE_UP = frozenset({408, 502, 504, 524})
"""What stands between us and the model gave up waiting for it; the model may have answered."""
_TOO_MANY = 429
_DEEPEST = 12
_NO_MONEY = ("credit balance", "insufficient_quota", "billing")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{4,9}")
_RESUME = "Run memproc again later: finished answers are kept and not asked for again."


def classify(model: str, fault: Exception, known_models: Iterable[str]) -> MemprocError:
    """The error that a fault of LiteLLM's becomes. `known_models` are names to suggest from."""
    status, kind = _status(fault), type(fault).__name__
    words = f"{fault} {getattr(fault, 'body', '')}".lower()
    if any(sign in words for sign in _NO_MONEY):
        return ProviderRefuses(
            f"The provider of {model} says that there is no money left.",
            "Add credit there, then run memproc again: it goes on where it stopped.",
        )
    if "missing credentials" in words:  # OpenAI's own client, before it sends anything
        return ProviderRefuses(
            f"There is no key for {model}.", f"To set one: memproc key set {model.partition('/')[0]}"
        )
    if status == 401 or kind == "AuthenticationError":
        return ProviderRefuses(
            f"The provider of {model} does not accept the key.",
            f"Set the right one: memproc key set {model.partition('/')[0]}. What is finished is kept.",
        )
    if status == 403 or kind == "PermissionDeniedError":
        return ProviderRefuses(
            f"The provider forbids the use of {model} with this key.", "Choose another model, or ask the provider."
        )
    if kind == "ContextWindowExceededError":
        return ContextTooLong(
            f"The request is too long for the context window of {model}{_by_how_much(words)}.",
            "Set tail.tokens and chunk.tokens lower in memproc.toml, or choose a model with a larger window.",
        )
    if status == 404 or kind == "NotFoundError" or "llm provider not provided" in words:
        return _unknown(model, known_models)
    if status in _LATER or status >= _SERVER_FAULT or kind in _LATER_KINDS:
        meaning = CutOff if _may_be_billed(status, fault) else NotNow
        return meaning(f"{model} cannot answer now ({kind}).", _RESUME, _retry_after(fault))
    return ModelError(
        f"The provider of {model} refused the request ({kind}{f', status {status}' if status else ''}).",
        "Check the model's name in memproc.toml, then run memproc again.",
    )


def nearest(model: str, known_models: Iterable[str]) -> list[str]:
    """The known names nearest to an unknown one, by its last part: providers are often left out."""
    names = {name.rsplit("/", 1)[-1]: name for name in known_models}
    matches = (names[name] for name in get_close_matches(model.rsplit("/", 1)[-1], names, n=3))
    return [name for name in matches if name != model]


def _may_be_billed(status: int, fault: Exception) -> bool:
    """Whether the provider may have worked on the request: it was sent, and what came back is no plain refusal."""
    kinds = {type(cause).__name__ for cause in _causes(fault)}
    if status == _TOO_MANY or not kinds.isdisjoint(_NEVER_SENT):
        return False
    return "HTTPStatusError" not in kinds or status in _GATEWAY_GAVE_UP


def _causes(fault: BaseException) -> Iterator[BaseException]:
    """The fault and what led to it, as deep as LiteLLM and the clients in it wrap."""
    cause: BaseException | None = fault
    for _ in range(_DEEPEST):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _unknown(model: str, known_models: Iterable[str]) -> ModelError:
    names = nearest(model, known_models)
    suggestion = f"Did you mean {' or '.join(names)}? " if names else ""
    return ModelError(f"No provider knows the model {model}.", f"{suggestion}Mend [models] in memproc.toml.")


def _by_how_much(words: str) -> str:
    """By how many tokens, where the provider names both the window and what was sent; each words it differently."""
    numbers = sorted(int(number.replace(",", "")) for number in _NUMBER.findall(words))
    if len(numbers) < 2 or numbers[-1] == numbers[-2]:
        return ""
    window, sent = numbers[-2:]
    return f": {sent:,} tokens for {window:,}, {sent - window:,} too many"


def _status(fault: Exception) -> int:
    status = getattr(fault, "status_code", None)
    return status if isinstance(status, int) else 0


def _retry_after(fault: Exception) -> float | None:
    """Seconds to wait, from the header that providers send; it holds seconds or a date."""
    headers: Mapping[str, str] = getattr(fault, "litellm_response_headers", None) or {}
    value = next((str(headers[name]) for name in headers if str(name).lower() == "retry-after"), "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
