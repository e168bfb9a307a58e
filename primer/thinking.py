"""What each family of models calls its thinking: how to keep it short, and the room it needs."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from primer.model_names import with_provider
from primer.models import Model

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


def quiet_options(model: str) -> Mapping[str, object]:
    """LiteLLM's parameters that turn thinking off, or as low as it goes; none where nothing is known to help.

    Thinking is paid for and never reaches a memory.
    """
    return _thinking(model)[0]


def thinking_room(model: str) -> int:
    """Return the tokens to add to an answer's room for a model that always thinks; 0 for all others."""
    return _THINKING_ROOM_TOKENS if _thinking(model)[1] else 0


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


def _thinking(model: str) -> tuple[Mapping[str, object], bool]:
    name = with_provider(model)
    fits = ((options, always) for pattern, options, always in _THINKING if re.match(pattern, name))
    return next(fits, (_NOTHING, False))
