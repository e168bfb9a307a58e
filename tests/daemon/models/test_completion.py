"""The call to LiteLLM: it is loaded late and quietly, and a fault never repeats the prompt."""

import json
import os
import subprocess
import sys

import httpx
import pytest

from daemon.models.completion import complete, complete_over
from primer.models import Model
from primer.prompt import ToolCall, Turn, define_tool
from primer.reply import Request
from primer.wording import wrap
from rules.errors import ModelError

SECRET = "the words of a person"
TURNS = (
    Turn(
        "user",
        wrap("to_remember", "Will you ask me about the ferry?", date="2026-03-02T10:00:00.000Z"),
    ),
    Turn("assistant", wrap("to_remember", "I will, and I notice that I look forward to it.")),
    Turn("user", wrap("context_manager", "Which words?")),
)


def test_a_model_that_does_not_exist_is_named_and_the_prompt_is_not() -> None:
    with pytest.raises(ModelError) as told:
        complete(Request("quote", Model("nobody/nothing"), (Turn("user", SECRET),), 60))
    assert "nobody/nothing" in str(told.value)
    assert SECRET not in str(told.value)


def test_litellm_is_loaded_only_when_a_model_is_asked() -> None:
    script = "import sys, daemon.cli, daemon.trip, daemon.models.completion; print('litellm' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"


@pytest.mark.full
def test_importing_litellm_reaches_no_network() -> None:
    """The guard raises in this process at the first look-up; LiteLLM would try three times."""
    script = "from daemon.models.completion import _litellm\nprint(_litellm().__name__)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (ended.stdout.strip(), ended.returncode) == ("litellm", 0), ended.stderr
    assert "Forbidden" not in ended.stderr


def test_tools_their_calls_and_their_results_travel_and_nothing_else_is_said() -> None:
    """With tools LiteLLM looks for a gateway that is not installed, and it fills messages that have no words."""
    call = ToolCall("c1", "append", '{"content": "Sails."}')
    turns = (
        Turn("user", "Well?"),
        Turn("assistant", "", calls=(call,)),
        Turn("tool", "Done.", answers="c1"),
    )
    model = Model(
        "anthropic/claude-sonnet-4-5",
        {"api_key": "none"},
        tools=(define_tool("append", "Add.", {"content": "x"}),),
    )
    sent: list[dict[str, object]] = []

    def wire(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        used = {"type": "tool_use", "id": "c2", "name": "append", "input": {"content": "Rows."}}
        said = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [used],
        }
        return httpx.Response(
            200,
            json={
                **said,
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        )

    answer = complete_over(Request("core", model, turns, 150), wire)
    assert answer.finish == "tool_calls"
    assert answer.calls == (ToolCall("c2", "append", '{"content": "Rows."}'),)
    (body,) = sent
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Well?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "append", "input": {"content": "Sails."}}
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "Done."}],
                }
            ],
        },
    ]
