"""Of the words for an answer's end the provider's own counts, and LiteLLM's "stop" is not believed."""

import pytest

from primer.finish import reason_that_counts


@pytest.mark.parametrize(
    ("reasons", "understood", "counts"),
    [
        (["end_turn"], "stop", "stop"),
        (["complete"], "stop", "stop"),
        (["error"], "stop", "error"),
        (["model_context_window_exceeded"], "length", "model_context_window_exceeded"),
        (["max_tokens"], "length", "length"),
        (["max_tokens"], "stop", "max_tokens"),
        (["spii"], "content_filter", "content_filter"),
        (["prohibited_content"], "stop", "prohibited_content"),
        (["tool_use"], "tool_calls", "tool_calls"),
        (["stop", "malformed_response"], "stop", "malformed_response"),
        (["stop", "what is new"], "stop", "stop"),
        (["what is new"], "stop", "what is new"),
        ([], "stop", ""),
        ([], "length", "length"),
    ],
)
def test_the_reason_that_counts(reasons: list[str], understood: str, counts: str) -> None:
    assert reason_that_counts(reasons, understood) == counts
