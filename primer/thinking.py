"""Keep models from thinking before they answer, if possible: it is paid for, and kept nowhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from primer.models import Model, add_provider

_CLAUDE = "(anthropic|azure_ai|bedrock|vertex_ai)/.*claude-"
_GPT = "(openai|azure)/"
_GEMINI = "(gemini|vertex_ai)/gemini-"
_NOTHING: Mapping[str, object] = {}
_NO_EFFORT, _LEAST, _LOW = ({"reasoning_effort": effort} for effort in ("none", "minimal", "low"))
_DISABLED = {"thinking": {"type": "disabled"}}
_BETWEEN_TOOLS = {"thinking": {"type": "between_tools"}}
# The first row that matches counts: a pattern of models, the options that keep them from thinking,
# and whether they think nevertheless. From the providers' own pages, and from LiteLLM 1.109 and its
# map.
_THINKING: tuple[tuple[str, Mapping[str, object], bool], ...] = (
    # Sonnet 5.5 refuses "disabled"; where no tool has been called, there is nothing to think
    # between, so this turns thinking off.
    (_CLAUDE + "sonnet-5-5", _BETWEEN_TOOLS, False),
    (_CLAUDE + "(opus-5-5|fable|mythos)", _LOW, True),
    (_CLAUDE, _DISABLED, False),
    (".*gpt-oss", _LOW, True),
    # They accept only one effort of their own, or none at all.
    (_GPT + r"(gpt-|o\d).*-pro(-|$)", _NOTHING, True),
    (_GPT + "(gpt-.*-(chat|search)|gpt-[34])", _NOTHING, False),
    (_GPT + r"gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$", _LEAST, True),
    (_GPT + r"gpt-(5\.\d|6-(sol|luna)|6\.1-terra)(?!.*(codex|cyber))", _NO_EFFORT, False),
    (_GPT + r"(gpt-\d|o\d)", _LOW, True),
    (_GEMINI + r"2\.5-pro", _LEAST, True),
    (_GEMINI + r"2\.5-", _NO_EFFORT, False),
    # LiteLLM translates this into the lowest level that the model has.
    (_GEMINI, _NO_EFFORT, True),
    # Any effort, even "none", makes Magistral think.
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
    {"reasoning": setting} for setting in ({"enabled": False}, {"effort": "low"})
)
# For models that turn out to think: the fields of a request that turn it off; where a provider
# refuses the first, the next are tried. From the providers' own pages, as of 2026-11-27. They are
# not in the table above, as they would change the keys of requests that were answered already.
_SWITCHES: tuple[tuple[str, tuple[Mapping[str, object], ...]], ...] = (
    ("openrouter/", (_REASONING_OFF, _REASONING_LOW)),
    ("together_ai/", (_REASONING_OFF, _LOW)),
    # They always think, and some write their thoughts into the answer if they are told not to.
    (r"zai/glm-5\.[3-9]|moonshot/kimi-k[3-9]", (_LOW,)),
    ("(zai|moonshot|deepseek)/", (_DISABLED,)),
    ("dashscope/", ({"enable_thinking": False},)),
    ("(fireworks_ai|groq)/", (_NO_EFFORT, _LOW)),
    ("hosted_vllm/", ({"chat_template_kwargs": {"enable_thinking": False}},)),
)
ABOUT_THINKING = frozenset({"thinking", "reasoning_effort", "reasoning"})
"""Options that say whether and how long a model thinks."""


def quiet_options(model: str) -> Mapping[str, object]:
    """Return LiteLLM's parameters to turn thinking off, or as low as possible; none if unknown."""
    return _thinking(model)[0]


def thinking_room(model: str) -> int:
    """Return the tokens to add to the room of a model that always thinks; 0 for all others."""
    return _THINKING_ROOM_TOKENS if _thinking(model)[1] else 0


@dataclass(frozen=True, slots=True)
class Thinking:
    """How much a model thinks unasked, as its answers have shown, in its own tokens."""

    room: int
    """The tokens to add to an answer's room."""
    spent: int
    """The tokens of an answer that are thinking, averaged over the latest answers."""
    refused: int = 0
    """How many ways to turn it off the provider has refused."""

    @property
    def is_noticed(self) -> bool:
        """Return whether it still thinks, so that the person should know."""
        return self.spent >= _NOTICED_TOKENS

    @property
    def can_be(self) -> bool:
        """Return whether the values are possible: another computer's archive may have any."""
        return 0 <= self.room <= _MOST_LEARNED_TOKENS and self.spent >= 0 and self.refused >= 0


def learned_thinking(
    known: Thinking | None, spent: int, starved: int, refused: int, most_answer: int | None
) -> Thinking:
    """Return what is known of a model's thinking after a further answer, which took `spent` tokens.

    If the answer was cut off before it said anything, its room of `starved` tokens was too small,
    and the next answers have twice that for thinking; otherwise `starved` is 0. At most half of
    what the model may write is for thinking.
    """
    before = known or Thinking(_LEARNED_ROOM_TOKENS, spent)
    most = min(_MOST_LEARNED_TOKENS, (most_answer or _MOST_LEARNED_TOKENS) // 2)
    lately = round(before.spent + _NEWEST_COUNTS * (spent - before.spent))
    return Thinking(min(most, max(before.room, 2 * starved)), lately, max(before.refused, refused))


def may_think(model: Model) -> bool:
    """Return whether the model may think after tool calls: always, between tools, or by options."""
    options = {name: value for name, value in model.options.items() if name in ABOUT_THINKING}
    return (
        bool(model.thinking_room)
        or options == _BETWEEN_TOOLS
        or options != quiet_options(model.name)
    )


def thinking_switch(model: Model, refused: int) -> Mapping[str, object]:
    """Return the fields of a request that turn a model's thinking off, or as low as possible.

    The first `refused` ways, which its provider has refused, are passed over. None are returned
    where no way is left, or where the model's options are about thinking already.
    """
    name, body = add_provider(model.name), model.options.get("extra_body")
    matching = (fields for pattern, fields in _SWITCHES if re.match(pattern, name))
    fields = next(matching, ())
    given = {*model.options, *(body if isinstance(body, Mapping) else ())}
    if given & {*ABOUT_THINKING, *(name for each in fields for name in each)}:
        return _NOTHING
    return next(iter(fields[refused:]), _NOTHING)


def _thinking(model: str) -> tuple[Mapping[str, object], bool]:
    name = add_provider(model)
    matching = (
        (options, always) for pattern, options, always in _THINKING if re.match(pattern, name)
    )
    return next(matching, (_NOTHING, False))
