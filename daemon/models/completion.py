"""The call itself: LiteLLM, imported here alone and late; what its errors mean; and the engine that needs no model.

LiteLLM's exceptions are told apart by their status and their kind. Its words may repeat the prompt, so they
are looked at and never shown.
"""

import gc
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from functools import cache
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING, Any

from primer.models import ENGINE, Model, provider_of, quiet_options, small_model
from primer.prompt import ToolCall, Turn, read_passage, said_after, said_before
from primer.reply import EMBEDDING, Request
from rules.errors import ContextTooLong, CutOff, MemprocError, ModelError, NotNow, ProviderRefuses
from rules.extract import answers
from rules.layers.facts import cosines
from rules.typingmind.content import printable

if TYPE_CHECKING:
    import httpx

    from daemon.config.keys import Key
    from daemon.config.settings import ModelSettings

_LATER = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_LATER_KINDS = frozenset(
    {"Timeout", "APIConnectionError", "InternalServerError", "ServiceUnavailableError"}
)
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_GATEWAY_GAVE_UP = frozenset({408, 502, 504, 524})
"""Statuses of a gateway between us and the model that gave up waiting; the model may have answered."""
_TOO_MANY = 429
_DEEPEST = 12
_NO_MONEY = ("credit balance", "insufficient_quota", "billing")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{4,9}")
_RESUME = "Run memproc again later: finished answers are kept and not asked for again."

TIMEOUT_SECONDS = 300.0
_LONGEST_RETRY_SECONDS = 10.0 * 366 * 86_400
"""Longer than anybody waits; a header may say any number."""
REFUSED = "content_filter"
"""The finish reason of an answer that the provider's own rules did not let through."""
_OFFLINE = {
    # Without these LiteLLM fetches its price map and beta headers from the network at import.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it reads whatever .env lies above its own folder
    "LITELLM_LOG": "CRITICAL",
}
# What makes LiteLLM and the clients inside it print prompts and keys.
_TALKATIVE = (
    "OPENAI_LOG",
    "JSON_LOGS",
    "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD",
    "LITELLM_DISABLE_REDACT_SECRETS",
)
_DIVERTS = "USE_LITELLM_PROXY"
"""A variable with which LiteLLM sends all requests, with the keys of all providers, to its own proxy."""
_THIS_MACHINE = "localhost,127.0.0.1,::1"
"""Never asked by way of a proxy: what goes to it is not encrypted."""
_TALKERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_NO_GATEWAY = {"_skip_mcp_handler": True}
"""Else LiteLLM imports, as soon as there are tools, what only its own server has installed."""
_LOADING = Lock()
_SILENT = 1000  # above every level that logging knows


@dataclass(frozen=True, slots=True)
class Completion:
    """A provider's answer: the text, how it ended, and the tokens that it billed."""

    text: str
    finish: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    usd: float | None = None
    """Dollars, or None where the price is not known."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that the model wants to have called."""
    odd_usage: str = ""
    """What the provider said in the place of a count of tokens; empty where it counted in numbers."""


def complete(request: Request) -> Completion:
    """Ask the request's model once; the built-in engine without LiteLLM, which takes seconds to load.

    Raises NotNow where it may be asked again, ProviderRefuses where nobody can be asked, else ModelError.
    """
    return engine_answer(request) if request.model == ENGINE else _complete(request)


def engine_answer(request: Request) -> Completion:
    """The built-in engine's answer: the persona's own sentences, chosen without a model or network.

    It is made from the passage to remember, with what stands before it in view. What the dialogue has said since is not
    repeated, unless nothing is left.
    """
    passage, before, words = read_passage(request.turns), said_before(request.turns), request.words
    match request.step:
        case "quote":
            text = answers.quote(passage, words, before)
        case "analysis":
            text = answers.analysis(passage, words, before)
        case step:
            choose = answers.perspective if step == "perspective" else answers.refinement
            text = choose(passage, words, said_after(request.turns), before)
    return Completion(printable(text), "stop", usd=0.0)


def complete_over(
    request: Request, wire: "Callable[[httpx.Request], httpx.Response]"
) -> Completion:
    """The same for a model of Anthropic's, but what would leave goes to `wire` and to no network. Raises as `complete`.

    So what a call would send can be had without sending it, and what came another way is read as its answer.
    """
    import httpx

    _litellm()
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    from daemon.models.guard import look_at

    def leave(leaving: httpx.Request) -> httpx.Response:
        look_at(leaving)  # where it would go is where a batch goes
        return wire(leaving)

    return _complete(
        request, client=HTTPHandler(client=httpx.Client(transport=httpx.MockTransport(leave)))
    )


def _complete(request: Request, **over: Any) -> Completion:
    litellm = _litellm()
    from daemon.models.addresses import host_asked
    from daemon.models.catalogue import known_models
    from daemon.models.guard import watched  # late, as httpx is

    name = request.model.name
    # Else OpenAI's own client asks three times, whatever is wrong.
    options = {
        "timeout": TIMEOUT_SECONDS,
        **request.route,
        **over,
        "max_retries": 0,
        "drop_params": True,
    }
    with watched(request) as call:
        try:
            ask = _likeness if request.step == EMBEDDING else _written
            return replace(ask(litellm, request, options), odd_usage=call.odd_usage)
        except litellm.ContentPolicyViolationError:
            return Completion("", REFUSED)
        except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as fault:
            raise call.refusal or _meaning(
                name, host_asked(request.model), fault, known_models
            ) from fault


def _written(litellm: Any, request: Request, options: Mapping[str, Any]) -> Completion:
    """The words of the model; its prompt has breakpoints for the cache where the model's provider wants them."""
    messages = request.messages
    if "claude" in request.model.name:
        for turn, message in zip(request.turns, messages, strict=True):
            if turn.content:  # one that holds calls alone has no part that could bear a breakpoint
                mark = {"cache_control": {"type": "ephemeral"}} if turn.ends_prefix else {}
                message["content"] = [{"type": "text", "text": turn.content, **mark}]
    response = litellm.completion(
        model=request.model.name, messages=messages, **request.parameters, **_NO_GATEWAY, **options
    )
    choice, usage = response.choices[0], response.usage
    details = getattr(usage, "prompt_tokens_details", None)
    return Completion(
        text=printable(choice.message.content or ""),
        finish=choice.finish_reason or "",
        tokens_in=usage.prompt_tokens or 0,
        tokens_out=usage.completion_tokens or 0,
        tokens_cached=getattr(details, "cached_tokens", None) or 0,
        tokens_cache_written=getattr(usage, "cache_creation_input_tokens", None) or 0,
        usd=response._hidden_params.get("response_cost"),
        calls=tuple(
            ToolCall(
                call.id or "", call.function.name or "", printable(call.function.arguments or "")
            )
            for call in choice.message.tool_calls or ()
        ),
    )


def _likeness(litellm: Any, request: Request, options: Mapping[str, Any]) -> Completion:
    """The likeness of the turns' texts: JSON of rows of cosines. Vectors are a hundred times larger, and not kept."""
    own = {name: value for name, value in request.parameters.items() if name != "max_tokens"}
    texts = [turn.content for turn in request.turns]
    response = litellm.embedding(model=request.model.name, input=texts, **{**options, **own})
    vectors = [
        entry["embedding"] for entry in sorted(response.data, key=lambda entry: entry["index"])
    ]
    if len(vectors) != len(texts) or not all(isinstance(vector, list) for vector in vectors):
        raise ModelError(
            f"{request.model.name} has not answered with one vector for each text.",
            "Choose another model for facts.embedding in memproc.toml, or none.",
        )
    tokens = response.usage.prompt_tokens if response.usage else 0
    cosine_rows = json.dumps(cosines(vectors))
    return Completion(cosine_rows, "stop", tokens, usd=response._hidden_params.get("response_cost"))


def _litellm() -> Any:
    """LiteLLM, ready to be asked. Where several threads call first, one of them loads it and the others wait."""
    with _LOADING:
        os.environ.pop(_DIVERTS, None)
        return _loaded()


@cache
def _loaded() -> Any:
    """LiteLLM, without the collector: to look through half a million new objects again and again takes its time."""
    os.environ.update(_OFFLINE)
    for name in _TALKATIVE:
        os.environ.pop(name, None)
    past_proxies = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{past_proxies},{_THIS_MACHINE}".strip(",")
    was_on = gc.isenabled()
    gc.disable()
    try:
        import litellm
    finally:
        if was_on:
            gc.enable()
    for name in _TALKERS:
        logging.getLogger(name).setLevel(_SILENT)
    litellm.suppress_debug_info = True
    return litellm


def _meaning(
    model: str, host: str, fault: Exception, known_models: Callable[[], Iterable[str]]
) -> MemprocError:
    """The error that a fault of LiteLLM's becomes, `host` having been asked. `known_models` gives names to suggest."""
    status, kind = getattr(fault, "status_code", None), type(fault).__name__
    status = status if isinstance(status, int) else 0
    words = f"{fault} {getattr(fault, 'body', '')}".lower()
    set_key = f"memproc key set {model.partition('/')[0]}"
    if any(sign in words for sign in _NO_MONEY):
        return ProviderRefuses(
            f"The provider of {model} says that there is no money left.",
            "Add credit there, then run memproc again: it goes on where it stopped.",
        )
    if "missing credentials" in words:  # OpenAI's own client, before it sends anything
        return ProviderRefuses(f"There is no key for {model}.", f"To set one: {set_key}")
    if status == 401 or kind == "AuthenticationError":
        return ProviderRefuses(
            f"The provider of {model} does not accept the key.",
            f"Set the right one: {set_key}. What is finished is kept.",
        )
    if status == 403 or kind == "PermissionDeniedError":
        return ProviderRefuses(
            f"The provider forbids the use of {model} with this key.",
            "Choose another model, or ask the provider.",
        )
    if kind == "ContextWindowExceededError":
        return ContextTooLong(
            f"The request is too long for the context window of {model}{_by_how_much(words)}.",
            "Set tail.tokens and chunk.tokens lower in memproc.toml, or choose a model with a larger window.",
        )
    if status == 404 or kind == "NotFoundError" or "llm provider not provided" in words:
        names = nearest(model, known_models())
        suggestion = f"Did you mean {' or '.join(names)}? " if names else ""
        return ModelError(
            f"No provider knows the model {model}.", f"{suggestion}Mend [models] in memproc.toml."
        )
    if status in _LATER or status >= _SERVER_FAULT or kind in _LATER_KINDS:
        causes = _causes(fault)
        error = CutOff if _may_be_billed(status, causes) else NotNow
        return error(_why_not_now(model, host, status, causes), _RESUME, _retry_after(fault))
    return ModelError(
        f"The provider of {model} refused the request ({kind}{f', status {status}' if status else ''}).",
        "Check the model's name in memproc.toml, then run memproc again.",
    )


def nearest(model: str, known_models: Iterable[str]) -> list[str]:
    """The known names nearest to an unknown one, by its last part: providers are often left out."""
    names = {name.rsplit("/", 1)[-1]: name for name in known_models}
    matches = (names[name] for name in get_close_matches(model.rsplit("/", 1)[-1], names, n=3))
    return [name for name in matches if name != model]


def _causes(fault: BaseException) -> frozenset[str]:
    """The names of the errors that a fault was made of, as deep as LiteLLM and the clients in it wrap them."""
    kinds: set[str] = set()
    cause: BaseException | None = fault
    for _ in range(_DEEPEST):
        if cause is not None:
            kinds.add(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
    return frozenset(kinds)


def _may_be_billed(status: int, causes: frozenset[str]) -> bool:
    """Whether the provider may have worked on the request: it was sent, and what came back is no plain refusal."""
    if status == _TOO_MANY or causes & _NEVER_SENT:
        return False
    return "HTTPStatusError" not in causes or status in _GATEWAY_GAVE_UP


def _why_not_now(model: str, host: str, status: int, causes: frozenset[str]) -> str:
    """Why there is no answer now, as a person would say it."""
    if causes & _NEVER_SENT:
        return f"Cannot reach {host}."
    if "HTTPStatusError" in causes:
        why = "too many requests" if status == _TOO_MANY else f"status {status}"
        return f"{model} at {host} cannot answer now ({why})."
    if "Timeout" in causes:
        return f"{model} at {host} has not answered in time."
    return f"The answer of {model} at {host} broke off, or cannot be read."


def _by_how_much(words: str) -> str:
    """The tokens too many, as a phrase, where the provider names window and request; each words it differently."""
    numbers = sorted(int(number.replace(",", "")) for number in _NUMBER.findall(words))
    if len(numbers) < 2 or numbers[-1] == numbers[-2]:
        return ""
    window, sent = numbers[-2:]
    return f": {sent:,} tokens for {window:,}, {sent - window:,} too many"


def _retry_after(fault: Exception) -> float | None:
    """Seconds to wait, from the header that providers send; it holds seconds or a date."""
    headers: Mapping[str, str] = getattr(fault, "litellm_response_headers", None) or {}
    value = next((str(headers[name]) for name in headers if str(name).lower() == "retry-after"), "")
    with suppress(ValueError):
        seconds = float(value)
        return min(max(0.0, seconds), _LONGEST_RETRY_SECONDS) if isfinite(seconds) else None
    try:
        when = parsedate_to_datetime(value)
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError, TypeError, IndexError):  # dates and zones that cannot be
        return None
    return min(max(0.0, seconds), _LONGEST_RETRY_SECONDS)


_TRIAL_QUESTION = "This is a test of the connection. Please answer with one word."
_TRIAL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class KeyTrial:
    """The model that was asked with a key, empty where there is none; and why it has not answered, as a sentence."""

    model: str
    trouble: str = ""


def try_key(
    provider: str, key: "Key", settings: "ModelSettings", ask: Callable[[Request], Completion]
) -> KeyTrial:
    """Whether a model of the provider answers with this key to one tiny question, which costs a fraction of a cent.

    It is the one that memproc.toml names for this provider, else the small one that memproc knows.
    """
    named = (settings.context_manager, settings.agent, settings.fallback)
    known = small_model(f"{provider}/")  # gives this back where it knows none
    models = [
        name for name in (*named, known) if provider_of(name) == provider and name != f"{provider}/"
    ]
    if not models:
        return KeyTrial(
            "", f"memproc knows no small model of {provider}. Name one in [models] in memproc.toml."
        )
    model = models[0]
    from daemon.models.addresses import addresses
    from daemon.models.agreed_hosts import refusal

    if refused := refusal(model, settings, key):
        return KeyTrial(model, f"{refused.reason}, so nothing was sent. {refused.next_step}")
    own = settings.options_for(model)
    options = {"timeout": _TRIAL_SECONDS, **quiet_options(model), **own, "api_key": key.value}
    try:
        asked = Model(model, options, addresses=addresses(model, options))
        ask(Request("test", asked, (Turn("user", _TRIAL_QUESTION),), words=5))
    except MemprocError as fault:
        return KeyTrial(model, fault.message)
    return KeyTrial(model)
