"""Models, and what their names tell about them: provider, key variable, tokenizer, small model.

Settings and keys need only this module of the primer, so it imports none of the others. Names are
read as TypingMind writes them, and written as LiteLLM expects them.

As of 2026-11-27: every key variable here was seen to reach the provider's request through LiteLLM
1.109.3.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch

from rules.money.price import FREE, Price

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]*")
_FAMILIES = (
    ("anthropic", re.compile(r"claude-")),
    # gpt-oss is OpenAI's, but OpenAI's own API does not serve it.
    ("openai", re.compile(r"gpt-(?!oss)|chatgpt-|o\d+(-|$)")),
    ("gemini", re.compile(r"gemini-")),
    ("xai", re.compile(r"grok-")),
    ("deepseek", re.compile(r"deepseek-(chat|reasoner|coder|flash|v\d)")),
    (
        "mistral",
        re.compile(
            r"mistral-(tiny|small|medium|large)|(magi|mini|code|dev|pix)stral-|pixtral-|open-mi[sx]tral-"
        ),
    ),
)
# Models with names of the same families that do not write text.
_OTHER_WORK = re.compile(r"-(image|audio|tts|transcribe|realtime|live|embedding)(-|$)")
_VENDORS: Mapping[str, str] = {"google": "gemini", "x-ai": "xai", "mistralai": "mistral"}
"""What a vendor is called in names like OpenRouter's, where that is not LiteLLM's name of it."""
_CLAUDE_VARIANT = re.compile(r"(-(thinking|latest|max))+$")
_OLD_CLAUDE = re.compile(r"claude-(instant|[12])")
_EFFORT = re.compile(r"^(o\d|gpt-[5-9]).*?(?P<effort>-(minimal|low|medium|high|xhigh))$")

EXTRACTIVE = "memproc/extractive"
_SECRET = re.compile(r"key|token$|secret|credential|password|authorization", re.IGNORECASE)
HIDDEN = "(hidden)"
BASES = ("base_url", "api_base")
"""Options that give the address of a server; where both are given, LiteLLM uses the first."""
KEY_VARIABLES: Mapping[str, str] = {
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
"""LiteLLM's name of a provider -> the variable for its key, as the provider itself calls it.

A provider that is not here (Ollama, the person's own server, a cloud with its own credentials)
needs no key that memproc keeps.
"""
_OTHER_VARIABLES = {
    "cohere": ("CO_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY",),
    "gemini": ("GOOGLE_API_KEY",),
    "openrouter": ("OR_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY",),
}
_ALSO_CALLED: Mapping[str, str] = {
    "chatgpt": "openai",
    "claude": "anthropic",
    "fireworks": "fireworks_ai",
    "google": "gemini",
    "gpt": "openai",
    "grok": "xai",
    "kimi": "moonshot",
    "qwen": "dashscope",
    "together": "together_ai",
}
"""What people call a provider, by its models or its maker -> LiteLLM's name of it."""
# How many of its own tokens a model makes of one o200k token. OpenAI's present models use o200k
# itself. Claude's tokenizer since 4.7 makes about 30 % more of prose, and is not published: 1.35 is
# where users' own measurements begin, and the cautious assumption for every unknown model.
_TOKEN_FACTORS = (("*gpt-4o*", 1.0), ("*gpt-4.1*", 1.0), ("*gpt-5*", 1.0), ("*/o[134]*", 1.0))
_CAREFUL = 1.35
_SMALL: Mapping[str, str] = {
    "anthropic": "anthropic/claude-haiku-5-5",
    "cerebras": "cerebras/gpt-oss-120b",
    "cohere": "cohere/command-r7b-12-2024",
    "dashscope": "dashscope/qwen3.8-flash",
    "deepinfra": "deepinfra/openai/gpt-oss-20b",
    "deepseek": "deepseek/deepseek-v4-flash",
    "fireworks_ai": "fireworks_ai/deepseek-v4p1-flash",
    "gemini": "gemini/gemini-3.5-flash-lite",
    "groq": "groq/openai/gpt-oss-20b",
    "mistral": "mistral/mistral-small-latest",
    "moonshot": "moonshot/kimi-k2.6",
    "openai": "openai/gpt-6-luna",
    "together_ai": "together_ai/Qwen/Qwen3.8-Flash",
    "xai": "xai/grok-4.3",
}


def own_model(names: Sequence[str]) -> str | None:
    """Return the LiteLLM name of the first of the names that belongs to a known family, or None.

    The most reliable name comes first. A name after its vendor's, as OpenRouter writes them,
    becomes the vendor's own model; a name that begins with `openrouter/` says where to ask, and is
    kept.
    """
    return next((own for name in names if (own := _litellm_name(name))), None)


def add_provider(model: str) -> str:
    """Return a configured name after its provider's, where that is known; else unchanged."""
    return model if "/" in model else own_model([model]) or model


def _litellm_name(name: str) -> str | None:
    vendor, slash, rest = name.strip().lower().rpartition("/")
    if vendor.startswith("openrouter/"):
        return f"{vendor}/{rest}"
    known = _in_its_family(rest)
    if slash and (known is None or known[0] != _VENDORS.get(vendor, vendor)):
        return None
    return None if known is None else "/".join(known)


def _in_its_family(name: str) -> tuple[str, str] | None:
    """Return provider and API name of the model, without a variant that a client appended."""
    plain = name.partition(":")[0].removesuffix("@default").replace("@", "-")
    if not _NAME.fullmatch(plain) or _OTHER_WORK.search(plain):
        return None
    provider = next((provider for provider, family in _FAMILIES if family.match(plain)), None)
    if provider == "anthropic":
        # Anthropic names no variants, and writes versions with a dash since Claude 3.
        plain = _CLAUDE_VARIANT.sub("", plain)
        dashed = plain if _OLD_CLAUDE.match(plain) else re.sub(r"(?<=\d)\.(?=\d)", "-", plain)
        return provider, dashed
    if provider == "openai" and (effort := _EFFORT.match(plain)):
        return provider, plain.removesuffix(effort["effort"])
    return None if provider is None else (provider, plain)


def is_secret(name: str) -> bool:
    """Return whether an option with this name has a secret value."""
    return _SECRET.search(name) is not None


def hide_secrets(content: object) -> object:
    """Return tables and lists with every secret in them replaced by `HIDDEN`."""
    if isinstance(content, dict):
        return {
            name: HIDDEN if is_secret(str(name)) and value else hide_secrets(value)
            for name, value in content.items()
        }
    return [hide_secrets(value) for value in content] if isinstance(content, list) else content


@dataclass(frozen=True, slots=True)
class Address:
    """An address that is not the provider's own."""

    host: str
    is_encrypted: bool
    named_by: str
    """The option or variable that names it, and where that is, for people."""
    in_environment: bool


def base_in(options: Mapping[str, object]) -> str:
    """Return the address that options give; "" for the provider's own."""
    named = (options.get(name) for name in BASES)
    return next((base for base in named if isinstance(base, str) and base.strip()), "")


def provider_of(model: str) -> str:
    """Return LiteLLM's name of a model's provider; "" where the model's name does not show it."""
    provider, slash, _ = add_provider(model).partition("/")
    return provider if slash else ""


def meant_provider(text: str) -> str:
    """Return the provider, with a key, that a text means; "" for none.

    It may be named itself, or by its family of models, or by one model.
    """
    name = text.strip().lower()
    meant = _ALSO_CALLED.get(name) or provider_of(name) or name
    return meant if meant in KEY_VARIABLES else ""


def takes_batches(model: str) -> bool:
    """Return whether a model takes batches: memproc supports only Anthropic's own service."""
    return provider_of(model) == "anthropic"


def key_variables(provider: str) -> tuple[str, ...]:
    """Return the variables in which LiteLLM finds this provider's key, first the one to write."""
    if provider not in KEY_VARIABLES:
        return ()
    return (KEY_VARIABLES[provider], *_OTHER_VARIABLES.get(provider, ()))


def token_factor(model: str) -> float:
    """Return how many tokens a model likely counts for one of ours; 0 for the engine."""
    if model == EXTRACTIVE:
        return 0.0
    return next((factor for pattern, factor in _TOKEN_FACTORS if fnmatch(model, pattern)), _CAREFUL)


def small_model(agent: str) -> str:
    """Return the small fast model of the agent's provider, for the context manager.

    Where none is known, return the agent itself: no text goes to a provider that the person did not
    choose.
    """
    return _SMALL.get(add_provider(agent).partition("/")[0], agent)


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its LiteLLM name, with everything that is known about it before it is asked.

    `daemon.models.resolve` makes it, once for each chat.
    """

    name: str
    options: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Parameters for LiteLLM, including `[models.options]`. They may contain a key."""
    thinking_room: int = 0
    """Tokens to add to an answer's room, because the model always thinks."""
    tools: tuple[Mapping[str, object], ...] = field(default=(), repr=False)
    """The tools that it may call. All of its requests have them, as a provider's cache begins with
    the tools."""
    calls_tools: bool = False
    """Whether it can call tools."""
    window: int | None = None
    """The most tokens that it reads; None where unknown."""
    price: Price | None = None
    """None where unknown."""
    addresses: tuple[Address, ...] = ()
    """Where it is asked, if not at its provider's own address."""
    slots: int = 0
    """How many calls its server answers at once, as memproc.toml says; 0 where that is not set."""

    @property
    def base(self) -> str:
        """Return the configured address of the person's own server; "" for the provider's."""
        return base_in(self.options)

    @property
    def provider(self) -> str:
        """Return LiteLLM's name of its provider; "" where the model's name does not show it."""
        return provider_of(self.name)


@dataclass(frozen=True, slots=True)
class Unaskable:
    """Why a model cannot be asked as it is configured, and what the person can do."""

    reason: str
    next_step: str
    lacks_key: str = ""
    """The provider whose key is missing; empty where that is not the reason."""


ENGINE = Model(EXTRACTIVE, price=FREE)
"""The built-in engine: no network, no key, no cost."""
