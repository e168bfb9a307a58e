"""Why answers end: all providers' words for it, in lower case, and which one counts."""

from collections.abc import Sequence

REFUSED = "content_filter"
"""LiteLLM's word for an answer that the provider's content filter stopped."""
ENDED = frozenset({"stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete"})
CALLED = frozenset({"tool_calls", "tool_use", "tool_call", "function_call"})
"""The answer calls tools."""
OUT_OF_ROOM = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "token_limit", "maximum_tokens"}
)
REFUSALS = frozenset(
    {
        REFUSED, "refusal", "content_filtered", "guardrail_intervened", "sensitive", "error_toxic",
        "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
    }
)  # fmt: skip
BROKEN_OFF = frozenset(
    {
        "model_context_window_exceeded", "pause_turn", "compaction", "continuation", "not_finished",
        "error", "failed", "network_error", "error_limit", "timeout", "time_limit",
        "abort", "aborted", "cancelled", "canceled", "user_cancel", "insufficient_system_resource",
        "malformed_response", "malformed_function_call", "malformed_model_output",
        "malformed_tool_use", "unexpected_tool_call", "too_many_tool_calls",
        "missing_thought_signature",
    }
)  # fmt: skip
_TROUBLE = OUT_OF_ROOM | REFUSALS | BROKEN_OFF


def reason_that_counts(reasons: Sequence[str], understood: str) -> str:
    """Return why an answer ended; "" where no reason is given.

    `reasons` are its provider's own. What LiteLLM `understood` counts unless it is "stop", which it
    also makes of unknown and missing reasons.
    """
    if broken := [reason for reason in reasons if reason in BROKEN_OFF]:
        return broken[0]
    if understood not in ("", "stop"):
        return understood
    trouble = [reason for reason in reasons if reason in _TROUBLE]
    reason = next(iter([*trouble, *reasons]), "")
    return "stop" if reason in ENDED else reason
