"""Which provider a model's name means, and under which environment variables that provider's key is known.

As of 2026-11-21: every variable here was seen to reach the provider's request through LiteLLM 1.106.2.
"""

from collections.abc import Mapping
from types import MappingProxyType

from primer.own_model import with_provider

KEY_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "ANTHROPIC_API_KEY",
        "cerebras": "CEREBRAS_API_KEY",
        "cohere": "COHERE_API_KEY",
        "dashscope": "DASHSCOPE_API_KEY",
        "deepinfra": "DEEPINFRA_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY",
        "fireworks_ai": "FIREWORKS_API_KEY",
        "gemini": "GEMINI_API_KEY",
        "groq": "GROQ_API_KEY",
        "mistral": "MISTRAL_API_KEY",
        "moonshot": "MOONSHOT_API_KEY",
        "openai": "OPENAI_API_KEY",
        "openrouter": "OPENROUTER_API_KEY",
        "perplexity": "PERPLEXITY_API_KEY",
        "together_ai": "TOGETHER_API_KEY",
        "xai": "XAI_API_KEY",
    }
)
"""LiteLLM's name of a provider -> the variable of its key, as the provider itself calls it.

A provider that is not here (Ollama, a server of one's own, a cloud with credentials of its own) needs no key
that memproc keeps.
"""

_OTHER_VARIABLES = {
    "cohere": ("CO_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY",),
    "gemini": ("GOOGLE_API_KEY",),
    "openrouter": ("OR_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY",),
}


def provider_of(model: str) -> str:
    """LiteLLM's name of the provider of a model; empty where its name does not tell."""
    provider, slash, _ = with_provider(model).partition("/")
    return provider if slash else ""


def takes_batches(model: str) -> bool:
    """Whether a model can be asked in batches: memproc knows how for Anthropic's own service alone."""
    return provider_of(model) == "anthropic"


def key_variables(provider: str) -> tuple[str, ...]:
    """Every environment variable in which LiteLLM finds this provider's key; the one to write stands first."""
    if provider not in KEY_VARIABLES:
        return ()
    return (KEY_VARIABLES[provider], *_OTHER_VARIABLES.get(provider, ()))
