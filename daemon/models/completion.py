"""The call itself: LiteLLM, imported here alone, and late, since it takes seconds and 165 MB.

Its own retries, budgets and default time-out are not used: they do not do what they promise.
"""

import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from daemon.models.extractive import extract
from primer.prompt import Turn
from primer.request import Request
from rules.errors import ModelError

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
    """Ask the request's model once. Raises ModelError where it could not be asked or did not answer."""
    litellm = _litellm()
    try:
        response = litellm.completion(
            model=request.model,
            messages=request.messages,
            timeout=TIMEOUT_SECONDS,
            drop_params=True,
            **request.parameters,
        )
    except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as fault:
        # The fault's own words may repeat the prompt, so only its kind is told (D19).
        raise ModelError(
            f"The model {request.model} could not be asked: {type(fault).__name__}.",
            "Check the model's name and its key in memproc.toml and the environment, then run again: "
            "finished answers are kept and not asked for again.",
        ) from fault
    return _read(response)


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
