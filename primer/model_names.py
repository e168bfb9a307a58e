"""The names of models: as TypingMind writes them, and as LiteLLM takes them."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

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
# They have names of the same families, and write nothing.
_OTHER_WORK = re.compile(r"-(image|audio|tts|transcribe|realtime|live|embedding)(-|$)")
_VENDORS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "anthropic",
        "openai": "openai",
        "gemini": "gemini",
        "google": "gemini",
        "xai": "xai",
        "x-ai": "xai",
        "deepseek": "deepseek",
        "mistral": "mistral",
        "mistralai": "mistral",
    }
)
_CLAUDE_VARIANT = re.compile(r"(-(thinking|latest|max))+$")
_OLD_CLAUDE = re.compile(r"claude-(instant|[12])")
_EFFORT = re.compile(r"^(o\d|gpt-[5-9]).*?(?P<effort>-(minimal|low|medium|high|xhigh))$")


def own_model(names: Sequence[str]) -> str | None:
    """Return the LiteLLM name of the first of the names that is of a known family, or None.

    The caller passes what it trusts most first. A name with its vendor before it, as OpenRouter writes them,
    becomes the vendor's own model; a name that begins with `openrouter/` says which way to go, and is kept.
    """
    return next((own for name in names if (own := _litellm_name(name))), None)


def with_provider(model: str) -> str:
    """Put the provider in front of a configured name, where LiteLLM takes it without. Others stay."""
    return model if "/" in model else own_model([model]) or model


def _litellm_name(name: str) -> str | None:
    vendor, slash, rest = name.strip().lower().rpartition("/")
    if vendor.startswith("openrouter/"):
        return f"{vendor}/{rest}"
    known = _in_its_family(rest)
    if slash and (known is None or known[0] != _VENDORS.get(vendor)):
        return None
    return None if known is None else "/".join(known)


def _in_its_family(name: str) -> tuple[str, str] | None:
    """Return the provider and its API's name for the model, without the variant that a client appended."""
    plain = name.partition(":")[0].removesuffix("@default").replace("@", "-")
    if not _NAME.fullmatch(plain) or _OTHER_WORK.search(plain):
        return None
    provider = next((provider for provider, family in _FAMILIES if family.match(plain)), None)
    if provider == "anthropic":
        return provider, _claude(plain)
    if provider == "openai" and (effort := _EFFORT.match(plain)):
        return provider, plain.removesuffix(effort["effort"])
    return None if provider is None else (provider, plain)


def _claude(name: str) -> str:
    """Anthropic names no variants, and writes versions with a dash since Claude 3."""
    plain = _CLAUDE_VARIANT.sub("", name)
    return plain if _OLD_CLAUDE.match(plain) else re.sub(r"(?<=\d)\.(?=\d)", "-", plain)
