"""Calls gone wrong: what the server says with a status of its own, or does not say at all."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.server.reply import Failure

FAILURES: Mapping[str, Failure] = MappingProxyType(
    {
        "context too long": Failure(
            400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"
        ),
        "no money": Failure(
            400, "invalid_request_error", "Your credit balance is too low for this request."
        ),
        "wrong key": Failure(401, "authentication_error", "This key is not valid."),
        "forbidden": Failure(403, "permission_error", "This key may not use the model."),
        "unknown model": Failure(404, "not_found_error", "There is no such model."),
        "timed out": Failure(408, "timeout_error", "The request took too long to arrive."),
        "conflict": Failure(409, "conflict_error", "Another request stood in the way."),
        "too early": Failure(425, "too_early_error", "It is too early for this request."),
        "rate limited": Failure(
            429, "rate_limit_error", "Too many requests in this minute.", retry_after=1
        ),
        "rate limited with billing": Failure(
            429, "rate_limit_error", "Quota exceeded, check your plan and billing details."
        ),
        "server error": Failure(500, "api_error", "Something went wrong on this side."),
        "unavailable": Failure(503, "api_error", "The service is away for a moment."),
        "overloaded": Failure(529, "overloaded_error", "Overloaded"),
    }
)
"""Each failure by its name, as Anthropic has it."""

_OTHERWISE = {
    ("openai", "context too long"): Failure(
        400,
        "invalid_request_error",
        "This model's maximum context length is 128000 tokens, but the messages have 250000 tokens.",
    ),
    ("openai", "no money"): Failure(429, "insufficient_quota", "You exceeded your current quota."),
}

OUTAGES = (*FAILURES, "hang", "drop", "slow", "malformed")
"""Everything that can happen to a call whatever the model would have answered."""


def failure(name: str, dialect: str) -> Failure:
    """The failure of this name in a dialect."""
    return _OTHERWISE.get((dialect, name), FAILURES[name])
