"""The call itself: LiteLLM, imported here alone, and late, since it takes seconds and 165 MB.

Its own retries, budgets and default time-out are not used: they do not do what they promise.
"""

import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from daemon.models.extractive import extract
from daemon.models.faults import classify
from primer.prompt import Turn
from primer.request import Request

TIMEOUT_SECONDS = 300.0
_OFFLINE = {
    # Without these LiteLLM fetches its price map and beta headers from the network at import.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What a provider answered: the text, how it ended, and the tokens that it billed."""

    text: str
    finish: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_cache_written: int


def complete(request: Request) -> Completion:
    """Ask the request's model once.

    Raises NotNow where it may be asked again, ProviderRefuses where nobody can be asked, else ModelError.
    """
    litellm = _litellm()
    try:
        response = litellm.completion(
            model=request.model,
            messages=_messages(request),
            timeout=TIMEOUT_SECONDS,
            max_retries=0,  # else OpenAI's own client asks three times, whatever is wrong
            drop_params=True,
            **request.parameters,
        )
    except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as fault:
        raise classify(request.model, fault, litellm.model_cost) from fault
    return _read(response)


def _messages(request: Request) -> list[dict[str, Any]]:
    """The turns as LiteLLM takes them, with breakpoints for the cache where the model's provider wants them."""
    if "claude" not in request.model:
        return [{"role": turn.role, "content": turn.content} for turn in request.turns]
    return [
        {"role": turn.role, "content": [{"type": "text", "text": turn.content, **_breakpoint(turn)}]}
        for turn in request.turns
    ]


def _breakpoint(turn: Turn) -> dict[str, Any]:
    return {"cache_control": {"type": "ephemeral"}} if turn.ends_prefix else {}


def _read(response: Any) -> Completion:
    choice, usage = response.choices[0], response.usage
    details = getattr(usage, "prompt_tokens_details", None)
    return Completion(
        text=choice.message.content or "",
        finish=choice.finish_reason or "",
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        tokens_cached=getattr(details, "cached_tokens", None) or 0,
        tokens_cache_written=getattr(usage, "cache_creation_input_tokens", None) or 0,
    )


@cache
def _litellm() -> Any:
    os.environ.update(_OFFLINE)
    import litellm
    from litellm.llms.custom_llm import CustomLLM

    class Engine(CustomLLM):
        """The built-in engine as one of LiteLLM's providers."""

        def completion(self, *_: Any, messages: list[dict[str, str]], optional_params: Any, **__: Any) -> Any:
            """Answer without a network; nothing is billed, so the usage is zero."""
            turns = [Turn(message["role"], message["content"]) for message in messages]
            text = extract(turns, optional_params["step"], optional_params["words"])
            message = {"role": "assistant", "content": text}
            return litellm.ModelResponse(
                choices=[{"finish_reason": "stop", "index": 0, "message": message}],
                usage=litellm.Usage(prompt_tokens=0, completion_tokens=0, total_tokens=0),
            )

    litellm.suppress_debug_info = True
    litellm.custom_provider_map = [{"provider": "memproc", "custom_handler": Engine()}]
    return litellm
