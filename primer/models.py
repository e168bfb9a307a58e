"""What is known of models beforehand. As of 2026-11-21; facts about models age, so each table has its date."""

import re
from collections.abc import Mapping
from fnmatch import fnmatch
from types import MappingProxyType

from primer.own_model import with_provider
from primer.request import EXTRACTIVE, Model

# How many of its own tokens a model makes of one token of o200k. OpenAI's models of today use o200k itself.
# Claude's tokenizer since 4.7 makes about 30 % more of prose, and nobody publishes it: 1.35 is where users'
# own measurements begin, and the careful start for every model that is not known.
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
        "fireworks_ai": "fireworks_ai/deepseek-v4-flash",
        "gemini": "gemini/gemini-3.5-flash-lite",
        "groq": "groq/openai/gpt-oss-20b",
        "mistral": "mistral/mistral-small-latest",
        "moonshot": "moonshot/kimi-k2.5",
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
# The first that fits counts: which models, what keeps them from thinking, and whether they think in spite of it.
# From the providers' own pages, and from what LiteLLM 1.106 and its map know of each model.
_THINKING: tuple[tuple[str, Mapping[str, object], bool], ...] = (
    # Sonnet 5.5 refuses "disabled"; before it has called any tool there is nothing between them, so this turns it off.
    (_CLAUDE + "sonnet-5-5", _BETWEEN_TOOLS, False),
    (_CLAUDE + "(opus-5-5|fable|mythos)", _LOW, True),
    (_CLAUDE, _DISABLED, False),
    (".*gpt-oss", _LOW, True),
    # They take one effort of their own, or none at all.
    (_GPT + r"(gpt-|o\d).*-pro(-|$)", _NOTHING, True),
    (_GPT + "(gpt-.*-(chat|search)|gpt-[34])", _NOTHING, False),
    (_GPT + r"gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$", _LEAST, True),
    (_GPT + r"gpt-(5\.\d|6-(sol|luna))(?!.*(codex|cyber))", _NO_EFFORT, False),
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
ABOUT_THINKING = frozenset({"thinking", "reasoning_effort", "reasoning"})
"""Options that say whether and how long a model thinks."""


def token_factor(model: str) -> float:
    """How many tokens a model is expected to count for one of ours; 0 for the engine, which is sent nothing."""
    if model == EXTRACTIVE:
        return 0.0
    return next((factor for pattern, factor in _TOKEN_FACTORS if fnmatch(model, pattern)), _CAREFUL)


def small_model(agent: str) -> str:
    """The small fast model of the agent's provider, for the context manager.

    The agent itself where its provider has none here: no text may go to a provider that nobody has chosen.
    """
    return _SMALL.get(with_provider(agent).partition("/")[0], agent)


def quiet_options(model: str) -> Mapping[str, object]:
    """LiteLLM's parameters that turn thinking off, or as low as it goes; none where nothing is known to help.

    Thinking is paid for and never reaches a memory.
    """
    return _thinking(model)[0]


def thinking_room(model: str) -> int:
    """Tokens to add to an answer's room for a model that thinks whatever it is told; 0 for all others."""
    return _THINKING_ROOM_TOKENS if _thinking(model)[1] else 0


def thinks(model: Model) -> bool:
    """Whether the model may think when it hears what its tools have done.

    It always thinks, or between tools, or the person's own options let it.
    """
    told = {name: said for name, said in model.options.items() if name in ABOUT_THINKING}
    return bool(model.thinking_room) or told == _BETWEEN_TOOLS or told != quiet_options(model.name)


def _thinking(model: str) -> tuple[Mapping[str, object], bool]:
    name = with_provider(model)
    fits = ((options, always) for pattern, options, always in _THINKING if re.match(pattern, name))
    return next(fits, (_NOTHING, False))
