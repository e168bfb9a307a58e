"""The call of a model through LiteLLM, which is imported in this module alone, and late."""

import gc
import json
import logging
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from primer.finish import REFUSED
from primer.prompt import ToolCall
from primer.reply import EMBEDDING, Request
from rules.errors import ContextTooLong, Forbidden, MemprocError, ModelError
from rules.layers.facts import compute_cosines
from rules.typingmind.content import make_printable

if TYPE_CHECKING:
    import httpx

    from daemon.models.guard import WatchedCall

TIMEOUT_SECONDS = 300.0
_WRONG_FIELDS = (400, 403, 404, 422)
"""The statuses with which a provider refuses a field that it, or any host of it, does not take."""
_OFFLINE = {
    # Without these LiteLLM fetches its price map and beta headers from the network at import.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it reads any .env above its own folder
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
"""A variable that makes LiteLLM send all requests and all keys to its own proxy."""
_THIS_MACHINE = "localhost,127.0.0.1,::1"
"""Hosts that are never asked through a proxy, since requests to them are not encrypted."""
_TALKERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_NO_GATEWAY = {"_skip_mcp_handler": True}
"""Without it, LiteLLM imports packages of its own server as soon as a request has tools."""
_LOADING = Lock()
_SILENT = 1000  # above every level of logging


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
    """What the provider gave in place of a token count; empty where all counts were numbers."""
    thought: bool = False
    """Whether the provider shows that the model thought first."""
    switches_refused: int = 0
    """How many switches against thinking the provider has refused, including those known before."""
    read_a_second: float = 0.0
    """Prompt tokens a second, as a server of one's own reports them; else 0."""
    written_a_second: float = 0.0
    """The same for the tokens of the answer."""


def complete(request: Request) -> Completion:
    """Ask the request's model once.

    Where the provider refuses a switch against thinking, which is not billed, the call is repeated
    without that switch. Raises NotNow where it may be asked again, ProviderRefuses where no model
    of the provider can be asked, else ModelError.
    """
    while request.thinking:
        thinking = request.thinking
        try:
            return replace(_complete(request), switches_refused=thinking.refused)
        except (ModelError, Forbidden) as fault:
            status = getattr(fault.__cause__, "status_code", None)
            is_about_words = status not in _WRONG_FIELDS or isinstance(fault, ContextTooLong)
            if is_about_words or not request.switch:
                raise
            refused = replace(thinking, refused=thinking.refused + 1)
            request = replace(request, thinking=refused)
    return _complete(request)


def complete_over(
    request: Request, wire: "Callable[[httpx.Request], httpx.Response]"
) -> Completion:
    """Ask a model of Anthropic's over `wire` instead of the network. Raises as `complete`.

    This shows what a call would send without sending it, and has LiteLLM read an answer that came
    another way.
    """
    import httpx

    _litellm()
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    from daemon.models.guard import send_watched  # a batch goes to the same host, so it is checked

    transport = httpx.MockTransport(lambda leaving: send_watched(leaving, wire))
    return _complete(request, client=HTTPHandler(client=httpx.Client(transport=transport)))


def _complete(request: Request, **over: Any) -> Completion:
    litellm = _litellm()
    from daemon.models.guard import watched  # late: it imports httpx

    # Without max_retries, OpenAI's own client asks three times, after any fault.
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
            return _as_ended(ask(litellm, request, options), request, call)
        except MemprocError:
            raise
        except Exception as fault:
            return _end_of(fault, request, call, litellm)


def _end_of(fault: Exception, request: Request, call: "WatchedCall", litellm: Any) -> Completion:
    """Return the answer behind a fault, if there was one; else raise what the fault means."""
    from daemon.models.error_answer import read_error
    from daemon.models.provider_faults import meaning_of

    if call.refusal:
        raise call.refusal from fault
    error = read_error(request, call.raw.status if call.raw else 0, call.content, fault)
    if error.refuses_content or isinstance(fault, litellm.ContentPolicyViolationError):
        return Completion("", REFUSED)
    if call.raw and call.raw.is_answer:  # in a shape of which nothing can be used
        return _as_ended(Completion("", ""), request, call)
    if isinstance(fault, tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES)):
        raise meaning_of(fault, request.model, error) from fault
    raise fault


def _as_ended(answer: Completion, request: Request, call: "WatchedCall") -> Completion:
    """Return an answer with the provider's own reason for its end, which vectors do not have."""
    raw = call.raw
    if raw is None:
        return answer
    finish = answer.finish if request.step == EMBEDDING else raw.finish(answer.finish)
    if finish == "error" and not answer.text:
        from daemon.models.error_answer import read_error

        is_refusal = read_error(request, raw.status, call.content).refuses_content
        finish = REFUSED if is_refusal else finish
    read, written = raw.speeds
    return replace(
        answer,
        finish=finish,
        odd_usage=raw.odd_usage,
        read_a_second=read,
        written_a_second=written,
    )


def _written(litellm: Any, request: Request, options: Mapping[str, Any]) -> Completion:
    response = litellm.completion(
        model=request.model.name,
        messages=_messages_of(request),
        **request.parameters,
        **_NO_GATEWAY,
        **options,
    )
    choice, usage = response.choices[0], response.usage
    message = choice.message
    of_prompt = getattr(usage, "prompt_tokens_details", None)
    of_answer = getattr(usage, "completion_tokens_details", None)
    thoughts = (
        getattr(message, "reasoning_content", None),
        getattr(message, "thinking_blocks", None),
    )
    return Completion(
        text=make_printable(message.content or ""),
        finish=choice.finish_reason or "",
        tokens_in=usage.prompt_tokens or 0,
        tokens_out=usage.completion_tokens or 0,
        tokens_cached=getattr(of_prompt, "cached_tokens", None) or 0,
        tokens_cache_written=getattr(usage, "cache_creation_input_tokens", None) or 0,
        usd=response._hidden_params.get("response_cost"),
        calls=tuple(map(_tool_call, message.tool_calls or ())),
        thought=any(thoughts) or bool(getattr(of_answer, "reasoning_tokens", None)),
    )


def _messages_of(request: Request) -> list[dict[str, Any]]:
    """Return the prompt, with cache breakpoints for models whose provider wants them."""
    messages = request.messages
    if "claude" not in request.model.name:
        return messages
    for turn, message in zip(request.turns, messages, strict=True):
        if turn.content:  # a turn with calls alone has no part to put a breakpoint on
            mark = {"cache_control": {"type": "ephemeral"}} if turn.ends_prefix else {}
            message["content"] = [{"type": "text", "text": turn.content, **mark}]
    return messages


def _tool_call(call: Any) -> ToolCall:
    arguments = make_printable(call.function.arguments or "")
    return ToolCall(call.id or "", call.function.name or "", arguments)


def _likeness(litellm: Any, request: Request, options: Mapping[str, Any]) -> Completion:
    """Return how alike the turns' texts are, as JSON: a row of cosines for each text.

    The vectors themselves are a hundred times larger, and not kept.
    """
    parameters = {name: value for name, value in request.parameters.items() if name != "max_tokens"}
    texts = [turn.content for turn in request.turns]
    response = litellm.embedding(model=request.model.name, input=texts, **{**options, **parameters})
    entries = sorted(response.data, key=lambda entry: entry["index"])
    vectors = [entry["embedding"] for entry in entries]
    are_lists = all(isinstance(vector, list) for vector in vectors)
    if not are_lists or len(vectors) != len(texts):
        raise ModelError(
            f"{request.model.name} has not answered with one vector for each text.",
            "Choose another model for facts.embedding in memproc.toml, or none.",
        )
    tokens = response.usage.prompt_tokens if response.usage else 0
    cosine_rows = json.dumps(compute_cosines(vectors))
    return Completion(cosine_rows, "stop", tokens, usd=response._hidden_params.get("response_cost"))


def _litellm() -> Any:
    """Return LiteLLM, ready to be asked. One thread loads it while others wait.

    Warnings are off, since Pydantic, with which its clients read answers, quotes odd ones in them.
    """
    with _LOADING:
        os.environ.pop(_DIVERTS, None)
        litellm = _loaded()
        warnings.filterwarnings("ignore", category=UserWarning)
        return litellm


@cache
def _loaded() -> Any:
    """Load LiteLLM with the garbage collector off, which would visit half a million objects."""
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
