"""Check a provider's token counts before they are used for costs and for learning.

An impossible count is not used: a negative one would be credit under a cap, and a huge one
would end all work. Such a call costs what was reserved for it.
"""

from collections.abc import Mapping
from typing import Any

from rules.money.price import Usage

LARGEST_COUNT = 10**9
"""Tokens, far above any window; a larger count is not read."""
LEARNED_FROM, LEARNED_TO = 0.25, 4.0
"""The multiples of the estimate between which a model's count is learned from."""
_TABLES = ("usage", "usageMetadata")
"""The fields of providers' answers that have the counts; the second is Google's."""
_NEEDED_FROM_ANTHROPIC = {"input_tokens": 0, "output_tokens": 0}
"""The counts without which LiteLLM cannot read an answer of Anthropic's."""
_COUNT_ENDINGS = ("tokens", "tokencount")
"""The endings of the names of counts, in small letters."""


def why_not_believed(usage: Usage, window: int, room: int, *, prompt_has_words: bool) -> str:
    """Return why these counts cannot be right, as a clause; "" where they can.

    A call uses at most the model's window for its prompt, and its room for its answer.
    """
    if min(usage.prompt, usage.cached, usage.cache_written, usage.answer) < 0:
        return "a count is negative"
    if prompt_has_words and not usage.prompt:
        return "the prompt has words, and counts as none"
    if usage.prompt > window:
        return f"the prompt has {usage.prompt:,} tokens, and the model's window holds {window:,}"
    if usage.answer > room:
        return f"the answer has {usage.answer:,} tokens, and its room was {room:,}"
    if usage.cached + usage.cache_written > usage.prompt:
        return "more is counted of the cache than of the prompt"
    return ""


def can_be_learned(factor: float, estimate: float) -> bool:
    """Return whether a model's factor is near enough to the estimate to learn from it."""
    return LEARNED_FROM * estimate <= factor <= LEARNED_TO * estimate


def with_readable_counts(answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return a provider's answer with 0 for every count that is not a whole number from 0 up.

    Also return what was there in place of a count; "" where nothing had to be replaced. A library
    that adds text to numbers would fail, and lose the answer, which is paid for.
    """
    readable, replaced = answer, ""
    for name in _TABLES:
        needed = (
            _NEEDED_FROM_ANTHROPIC if name == "usage" and answer.get("type") == "message" else {}
        )
        counts, odd = _readable_value(answer.get(name), name, needed)
        if odd:
            readable, replaced = {**readable, name: counts}, odd
    return readable, replaced


def _readable_value(
    value: object, name: str, needed: Mapping[str, int]
) -> tuple[dict[str, Any], str]:
    """Return `value` as a table of counts, with all `needed` ones, and what was odd about it."""
    if value is None and not needed:
        return {}, ""
    if not isinstance(value, dict):
        return {**needed}, f"{name}: {_short(value)}"
    counts, odd = _readable_table(value)
    missing = next((count for count in needed if count not in counts), "")
    return {**needed, **counts}, odd or (f"{name} without {missing}" if missing else "")


def _readable_table(table: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the table with readable counts, and the first one that was not readable.

    That is its name and value; "" if all were.
    """
    counts, odd = dict(table), ""
    for name, value in table.items():
        is_table = name == "tokens" and isinstance(value, dict)  # as Cohere has them
        is_count = name.lower().endswith(_COUNT_ENDINGS) and not is_table
        is_number = isinstance(value, int) and not isinstance(value, bool)
        is_readable = value is None or (is_number and 0 <= value <= LARGEST_COUNT)
        if is_count and not is_readable:
            counts[name] = 0
            odd = odd or f"{name}: {_short(value)}"
        elif isinstance(value, dict):
            counts[name], inner = _readable_table(value)
            odd = odd or inner
    return counts, odd


def _short(value: object) -> str:
    """Return a value in at most 40 characters: a provider may send anything."""
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "a huge number"
    return repr(value)[:40]
