"""Ask a model once, through LiteLLM, or the built-in engine without it. No other file imports LiteLLM."""

import gc
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from primer.prompt import ToolCall, Turn, read_passage, said_after
from primer.request import EMBEDDING, ENGINE, Request
from rules.errors import ModelError
from rules.extract import answers
from rules.layers.facts import cosines
from rules.typingmind.content import printable

if TYPE_CHECKING:
    import httpx

TIMEOUT_SECONDS = 300.0
REFUSED = "content_filter"
"""How an answer ended that the provider's own rules did not let through."""
_OFFLINE = {
    # Without these LiteLLM fetches its price map and beta headers from the network at import.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it reads whatever .env lies above its own folder
    "LITELLM_LOG": "CRITICAL",
}
# What makes LiteLLM and the clients inside it print prompts and keys.
_TALKATIVE = ("OPENAI_LOG", "JSON_LOGS", "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", "LITELLM_DISABLE_REDACT_SECRETS")
_DIVERTS = "USE_LITELLM_PROXY"
"""With this, LiteLLM sends all requests, with the keys of all providers, to its own proxy."""
_THIS_MACHINE = "localhost,127.0.0.1,::1"
"""Never asked by way of a proxy: what goes to it is not encrypted."""
_TALKERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_NO_GATEWAY = {"_skip_mcp_handler": True}
"""Else LiteLLM imports, as soon as there are tools, what only its own server has installed."""
_LOADING = Lock()
_SILENT = 1000  # above every level that logging knows


@dataclass(frozen=True, slots=True)
class Completion:
    """What a provider answered: the text, how it ended, and the tokens that it billed."""

    text: str
    finish: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_cache_written: int
    usd: float | None
    """Dollars, or None where the price is not known."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that the model wants to have called."""


def complete(request: Request) -> Completion:
    """Ask the request's model once; the built-in engine without LiteLLM, which takes seconds to load.

    Raises NotNow where it may be asked again, ProviderRefuses where nobody can be asked, else ModelError.
    """
    return engine_answer(request) if request.model == ENGINE else _complete(request)


def engine_answer(request: Request) -> Completion:
    """The built-in engine's answer: the persona's own sentences, chosen without a model or network.

    It is made from the passage to remember. What the dialogue has said since is not repeated, unless nothing is left.
    """
    passage, words = read_passage(request.turns), request.words
    match request.step:
        case "quote":
            text = answers.quote(passage, words)
        case "analysis":
            text = answers.analysis(passage, words)
        case step:
            choose = answers.perspective if step == "perspective" else answers.refinement
            text = choose(passage, words, said_after(request.turns))
    return Completion(
        printable(text), "stop", tokens_in=0, tokens_out=0, tokens_cached=0, tokens_cache_written=0, usd=0.0
    )


def complete_over(request: Request, wire: "Callable[[httpx.Request], httpx.Response]") -> Completion:
    """The same for a model of Anthropic's, but what would leave goes to `wire` and to no network. Raises as `complete`.

    So what a call would send can be had without sending it, and what came another way is read as its answer.
    """
    import httpx

    _litellm()
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    from daemon.models.guard import look_at

    def leave(request: httpx.Request) -> httpx.Response:
        look_at(request)  # where it would go is where a batch goes
        return wire(request)

    return _complete(request, client=HTTPHandler(client=httpx.Client(transport=httpx.MockTransport(leave))))


def _complete(request: Request, **over: Any) -> Completion:
    litellm = _litellm()
    from daemon.models.catalogue import known_models
    from daemon.models.faults import classify
    from daemon.models.guard import watched  # late, as httpx is

    ask = _embed if request.step == EMBEDDING else _write
    with watched(request.model) as call:
        try:
            return ask(
                litellm,
                request,
                model=request.model.name,
                max_retries=0,  # else OpenAI's own client asks three times, whatever is wrong
                drop_params=True,
                **{"timeout": TIMEOUT_SECONDS, **request.route, **over},
            )
        except litellm.ContentPolicyViolationError:
            return Completion("", REFUSED, 0, 0, 0, 0, None)
        except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as fault:
            raise call.refusal or classify(request.model.name, fault, known_models()) from fault


def _write(litellm: Any, request: Request, **options: Any) -> Completion:
    """What the model writes."""
    return _read(litellm.completion(messages=_messages(request), **request.parameters, **_NO_GATEWAY, **options))


def _embed(litellm: Any, request: Request, **options: Any) -> Completion:
    """How alike the turns' texts are: JSON of rows of cosines. The vectors are a hundred times larger, and not kept."""
    options |= {name: value for name, value in request.parameters.items() if name != "max_tokens"}
    response = litellm.embedding(input=[turn.content for turn in request.turns], **options)
    vectors = [entry["embedding"] for entry in sorted(response.data, key=lambda entry: entry["index"])]
    if len(vectors) != len(request.turns) or not all(isinstance(vector, list) for vector in vectors):
        raise ModelError(
            f"{request.model.name} has not answered with one vector for each text.",
            "Choose another model for facts.embedding in memproc.toml, or none.",
        )
    return Completion(
        text=json.dumps(cosines(vectors)),
        finish="stop",
        tokens_in=response.usage.prompt_tokens if response.usage else 0,
        tokens_out=0,
        tokens_cached=0,
        tokens_cache_written=0,
        usd=response._hidden_params.get("response_cost"),
    )


def _messages(request: Request) -> Sequence[dict[str, Any]]:
    """The turns as LiteLLM takes them, with breakpoints for the cache where the model's provider wants them."""
    if "claude" not in request.model.name:
        return request.messages
    return [_in_parts(turn, message) for turn, message in zip(request.turns, request.messages, strict=True)]


def _in_parts(turn: Turn, message: dict[str, Any]) -> dict[str, Any]:
    """The message with its text as a part that may bear a breakpoint; one that holds calls alone has none."""
    mark = {"cache_control": {"type": "ephemeral"}} if turn.ends_prefix else {}
    return message | ({"content": [{"type": "text", "text": turn.content, **mark}]} if turn.content else {})


def _read(response: Any) -> Completion:
    choice, usage = response.choices[0], response.usage
    details = getattr(usage, "prompt_tokens_details", None)
    return Completion(
        text=printable(choice.message.content or ""),
        finish=choice.finish_reason or "",
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        tokens_cached=getattr(details, "cached_tokens", None) or 0,
        tokens_cache_written=getattr(usage, "cache_creation_input_tokens", None) or 0,
        usd=response._hidden_params.get("response_cost"),
        calls=tuple(
            ToolCall(call.id or "", call.function.name or "", printable(call.function.arguments or ""))
            for call in choice.message.tool_calls or ()
        ),
    )


def _litellm() -> Any:
    """LiteLLM, ready to be asked. Where several threads call first, one of them loads it and the others wait."""
    with _LOADING:
        os.environ.pop(_DIVERTS, None)
        return _loaded()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector: to look through half a million new objects again and again takes a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@cache
def _loaded() -> Any:
    os.environ.update(_OFFLINE)
    for name in _TALKATIVE:
        os.environ.pop(name, None)
    past_proxies = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{past_proxies},{_THIS_MACHINE}".strip(",")
    with _uncollected():
        import litellm

    for name in _TALKERS:
        logging.getLogger(name).setLevel(_SILENT)

    litellm.suppress_debug_info = True
    return litellm
