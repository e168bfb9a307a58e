"""Models, and what is known of them by their names: provider, key variable, tokenizer, thinking.

Settings and keys need this and no more of the primer, so it imports none of the rest. Names are
read as TypingMind writes them, and written as LiteLLM takes them.

As of 2026-11-27: every key variable here was seen to reach the provider's request through LiteLLM
1.109.3.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from types import MappingProxyType

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

EXTRACTIVE = "memproc/extractive"
_SECRET = re.compile(r"key|token$|secret|credential|password|authorization", re.IGNORECASE)
HIDDEN = "(hidden)"
BASES = ("base_url", "api_base")
"""Options that name the address of a server; where both are given, LiteLLM asks at the first."""
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

A provider that is not here (Ollama, a server of one's own, a cloud with credentials of its own)
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
_ALSO_CALLED: Mapping[str, str] = MappingProxyType(
    {
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
)
"""What people call a provider, by its models or its maker -> LiteLLM's name of it."""
# How many of its own tokens a model makes of one token of o200k. OpenAI's models of today use o200k
# itself. Claude's tokenizer since 4.7 makes about 30 % more of prose, and is not published: 1.35 is
# where users' own measurements begin, and the careful start for every model that is not known.
_TOKEN_FACTORS = (("*gpt-4o*", 1.0), ("*gpt-4.1*", 1.0), ("*gpt-5*", 1.0), ("*/o[134]*", 1.0))
_CAREFUL = 1.35
_SMALL: Mapping[str, str] = MappingProxyType(
    {
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
)

_CLAUDE = "(anthropic|azure_ai|bedrock|vertex_ai)/.*claude-"
_GPT = "(openai|azure)/"
_GEMINI = "(gemini|vertex_ai)/gemini-"
_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_EFFORT, _LEAST, _LOW = ({"reasoning_effort": effort} for effort in ("none", "minimal", "low"))
_DISABLED = {"thinking": {"type": "disabled"}}
_BETWEEN_TOOLS = {"thinking": {"type": "between_tools"}}
# The first that fits counts: which models, what keeps them from thinking, and whether they think in
# spite of it. From the providers' own pages, and from what LiteLLM 1.109 and its map know of each.
_THINKING: tuple[tuple[str, Mapping[str, object], bool], ...] = (
    # Sonnet 5.5 refuses "disabled"; before it has called any tool there is nothing between them, so
    # this turns it off.
    (_CLAUDE + "sonnet-5-5", _BETWEEN_TOOLS, False),
    (_CLAUDE + "(opus-5-5|fable|mythos)", _LOW, True),
    (_CLAUDE, _DISABLED, False),
    (".*gpt-oss", _LOW, True),
    # They take one effort of their own, or none at all.
    (_GPT + r"(gpt-|o\d).*-pro(-|$)", _NOTHING, True),
    (_GPT + "(gpt-.*-(chat|search)|gpt-[34])", _NOTHING, False),
    (_GPT + r"gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$", _LEAST, True),
    (_GPT + r"gpt-(5\.\d|6-(sol|luna)|6\.1-terra)(?!.*(codex|cyber))", _NO_EFFORT, False),
    (_GPT + r"(gpt-\d|o\d)", _LOW, True),
    (_GEMINI + r"2\.5-pro", _LEAST, True),
    (_GEMINI + r"2\.5-", _NO_EFFORT, False),
    # LiteLLM makes the lowest level of it that the model has.
    (_GEMINI, _NO_EFFORT, True),
    # Magistral is told to think by any effort that is named, even "none".
    ("mistral/magistral-", _NOTHING, True),
    ("mistral/mistral-", _NO_EFFORT, False),
    (r"deepseek/deepseek-(flash|v\d)", _DISABLED, False),
    (r"xai/grok-4\.3", _NO_EFFORT, False),
    (r"xai/grok-4\.[5-9]", _LOW, True),
    (r"xai/grok-4\.20(?!.*non-reasoning)", _NOTHING, True),
    ("ollama(_chat)?/", _NO_EFFORT, False),
)
_THINKING_ROOM_TOKENS = 4096
_LEARNED_ROOM_TOKENS, _MOST_LEARNED_TOKENS = 8192, 32_768
_NEWEST_COUNTS, _NOTICED_TOKENS = 0.25, 50
_REASONING_OFF, _REASONING_LOW = (
    {"reasoning": said} for said in ({"enabled": False}, {"effort": "low"})
)
# Of models that turn out to think: the fields of a request that turn it off, and where a provider
# refuses these, the next. From the providers' own pages, as of 2026-11-27. Those of the table above
# would give answered questions other keys.
_SWITCHES: tuple[tuple[str, tuple[Mapping[str, object], ...]], ...] = (
    ("openrouter/", (_REASONING_OFF, _REASONING_LOW)),
    ("together_ai/", (_REASONING_OFF, _LOW)),
    # They always think, and some make their thoughts a part of the answer if they are told not to.
    (r"zai/glm-5\.[3-9]|moonshot/kimi-k[3-9]", (_LOW,)),
    ("(zai|moonshot|deepseek)/", (_DISABLED,)),
    ("dashscope/", ({"enable_thinking": False},)),
    ("(fireworks_ai|groq)/", (_NO_EFFORT, _LOW)),
    ("hosted_vllm/", ({"chat_template_kwargs": {"enable_thinking": False}},)),
)
ABOUT_THINKING = frozenset({"thinking", "reasoning_effort", "reasoning"})
"""Options that say whether and how long a model thinks."""


def own_model(names: Sequence[str]) -> str | None:
    """Return the LiteLLM name of the first of the names that is of a known family, or None.

    The caller passes what it trusts most first. A name with its vendor before it, as OpenRouter
    writes them, becomes the vendor's own model; a name that begins with `openrouter/` says which
    way to go, and is kept.
    """
    return next((own for name in names if (own := _litellm_name(name))), None)


def with_provider(model: str) -> str:
    """Put the provider in front of a configured name, where LiteLLM takes it without.

    Others stay.
    """
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
    """Return the provider and its API's name for the model.

    It is without the variant that a client appended.
    """
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
    """Return whether an option of this name holds a secret."""
    return _SECRET.search(name) is not None


def hidden(content: object) -> object:
    """Return tables and lists as they are, with every secret in them replaced by a word."""
    if isinstance(content, dict):
        return {
            name: HIDDEN if is_secret(str(name)) and value else hidden(value)
            for name, value in content.items()
        }
    return [hidden(value) for value in content] if isinstance(content, list) else content


@dataclass(frozen=True, slots=True)
class Address:
    """An address that is not the provider's own."""

    host: str
    is_encrypted: bool
    named_by: str
    """The option or variable that names it, and where that is, for people."""
    in_environment: bool


def base_in(options: Mapping[str, object]) -> str:
    """Return the address that options name; empty for the provider's own."""
    named = (options.get(name) for name in BASES)
    return next((base for base in named if isinstance(base, str) and base.strip()), "")


def provider_of(model: str) -> str:
    """Return LiteLLM's name of a model's provider; empty where its name does not tell."""
    provider, slash, _ = with_provider(model).partition("/")
    return provider if slash else ""


def meant_provider(text: str) -> str:
    """Return the provider that keeps a key and is meant by its name, its models' or one model's.

    Empty where none is meant.
    """
    name = text.strip().lower()
    meant = _ALSO_CALLED.get(name) or provider_of(name) or name
    return meant if meant in KEY_VARIABLES else ""


def takes_batches(model: str) -> bool:
    """Return whether a model can be asked in batches.

    memproc knows how for Anthropic's own service alone.
    """
    return provider_of(model) == "anthropic"


def key_variables(provider: str) -> tuple[str, ...]:
    """Return the environment variables in which LiteLLM finds this provider's key.

    The one to write is first.
    """
    if provider not in KEY_VARIABLES:
        return ()
    return (KEY_VARIABLES[provider], *_OTHER_VARIABLES.get(provider, ()))


def token_factor(model: str) -> float:
    """Return the tokens that a model is expected to count for one of ours.

    0 for the engine, which is sent nothing.
    """
    if model == EXTRACTIVE:
        return 0.0
    return next((factor for pattern, factor in _TOKEN_FACTORS if fnmatch(model, pattern)), _CAREFUL)


def small_model(agent: str) -> str:
    """Return the small fast model of the agent's provider, for the context manager.

    It is the agent itself if its provider has none here: no text goes to a provider that was not
    chosen.
    """
    return _SMALL.get(with_provider(agent).partition("/")[0], agent)


def quiet_options(model: str) -> Mapping[str, object]:
    """Return LiteLLM's parameters that turn thinking off, or as low as it goes.

    There are none where nothing is known to help.

    Thinking is paid for and never reaches a memory.
    """
    return _thinking(model)[0]


def thinking_room(model: str) -> int:
    """Return the tokens to add to an answer's room for a model that always thinks.

    0 for all others.
    """
    return _THINKING_ROOM_TOKENS if _thinking(model)[1] else 0


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its LiteLLM name, with all that is known of it before it is asked.

    `daemon.models.resolve` finds it out, once for each chat.
    """

    name: str
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Parameters for LiteLLM, `[models.options]` among them. They may hold a key."""
    thinking_room: int = 0
    """Tokens to add to an answer's room, because the model always thinks."""
    tools: tuple[Mapping[str, object], ...] = field(default=(), repr=False)
    """The tools that it may call. All of its requests carry them: a provider's cache begins with
    the tools."""
    calls_tools: bool = False
    """Whether it calls tools that it is offered."""
    window: int | None = None
    """The most tokens that it reads, or None where that is not known."""
    price: Price | None = None
    """None where it is not known."""
    addresses: tuple[Address, ...] = ()
    """Where it is asked, if not at its provider's own address."""
    slots: int = 0
    """How many calls its server answers at once, as memproc.toml says; 0 where it does not."""

    @property
    def base(self) -> str:
        """Return the address of a server of one's own, as configured; empty for the provider's."""
        return base_in(self.options)

    @property
    def provider(self) -> str:
        """Return LiteLLM's name of its provider; empty where the model's name does not tell."""
        return provider_of(self.name)


@dataclass(frozen=True, slots=True)
class Unaskable:
    """Why a model cannot be asked as it is configured, and what the person can do."""

    reason: str
    next_step: str
    lacks_key: str = ""
    """The provider whose key is missing; empty where that is not the reason."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """The thinking of a model that thinks unasked, as its answers have shown; in its own tokens."""

    room: int
    """Tokens to add to an answer's room."""
    spent: int
    """Tokens of an answer that go into it, lately."""
    refused: int = 0
    """Switches against it that its provider has refused."""

    @property
    def is_noticed(self) -> bool:
        """Return whether it goes on, so that a person should know: a switch may have ended it."""
        return self.spent >= _NOTICED_TOKENS

    @property
    def can_be(self) -> bool:
        """Return whether answers may have shown this: another computer's archive may say anything."""
        return 0 <= self.room <= _MOST_LEARNED_TOKENS and self.spent >= 0 and self.refused >= 0


def learned_thinking(
    known: Thinking | None, spent: int, starved: int, refused: int, most_answer: int | None
) -> Thinking:
    """Return what is known of a model's thinking after one more answer, with `spent` tokens of it.

    If the answer was cut off before it said anything, its room of `starved` tokens was too small,
    and the next ones have twice that for thinking; else `starved` is 0. At most half of what the
    model may write is for thinking.
    """
    before = known or Thinking(_LEARNED_ROOM_TOKENS, spent)
    most = min(_MOST_LEARNED_TOKENS, (most_answer or _MOST_LEARNED_TOKENS) // 2)
    lately = round(before.spent + _NEWEST_COUNTS * (spent - before.spent))
    return Thinking(min(most, max(before.room, 2 * starved)), lately, max(before.refused, refused))


ENGINE = Model(EXTRACTIVE, price=FREE)
"""The built-in engine: no network, no key, no cost."""


def thinks(model: Model) -> bool:
    """Return whether the model may think when it hears what its tools have done.

    It always thinks, or between tools, or the person's own options let it.
    """
    options = {name: value for name, value in model.options.items() if name in ABOUT_THINKING}
    return (
        bool(model.thinking_room)
        or options == _BETWEEN_TOOLS
        or options != quiet_options(model.name)
    )


def thinking_switch(model: Model, refused: int) -> Mapping[str, object]:
    """Return the fields of a request that turn a model's thinking off, or as low as it goes.

    Its provider has `refused` so many others. There are none where none is known, or the model's
    options say something of it already.
    """
    name, body = with_provider(model.name), model.options.get("extra_body")
    fits = (fields for pattern, fields in _SWITCHES if re.match(pattern, name))
    fields = next(fits, ())
    said = {*model.options, *(body if isinstance(body, Mapping) else ())}
    if said & {*ABOUT_THINKING, *(name for each in fields for name in each)}:
        return _NOTHING
    return next(iter(fields[refused:]), _NOTHING)


def _thinking(model: str) -> tuple[Mapping[str, object], bool]:
    name = with_provider(model)
    fits = ((options, always) for pattern, options, always in _THINKING if re.match(pattern, name))
    return next(fits, (_NOTHING, False))
