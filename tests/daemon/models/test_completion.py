"""The call to LiteLLM: the built-in engine answers through it, and a fault never repeats the prompt."""

import os
import subprocess
import sys

import pytest

from daemon.models.completion import complete
from primer.prompt import Turn
from primer.request import ENGINE, Model, Request
from primer.tags import wrap
from rules.errors import ModelError

SECRET = "the words of a person"
TURNS = (
    Turn("user", wrap("to_remember", "Will you ask me about the ferry?", date="2026-03-02T10:00:00.000Z")),
    Turn("assistant", wrap("to_remember", "I will, and I notice that I look forward to it.")),
    Turn("user", wrap("context_manager", "Which words?")),
)


def test_the_built_in_engine_answers_through_litellm() -> None:
    answer = complete(Request("quote", ENGINE, TURNS, 60))
    assert answer.text == "I will, and I notice that I look forward to it."
    assert (answer.finish, answer.tokens_in, answer.tokens_out) == ("stop", 0, 0)


def test_a_model_that_does_not_exist_is_named_and_the_prompt_is_not() -> None:
    with pytest.raises(ModelError) as told:
        complete(Request("quote", Model("nobody/nothing"), (Turn("user", SECRET),), 60))
    assert "nobody/nothing" in str(told.value)
    assert SECRET not in str(told.value)


def test_litellm_is_loaded_only_when_a_model_is_asked() -> None:
    script = "import sys, daemon.cli, daemon.process, daemon.models.completion; print('litellm' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"


def test_importing_litellm_reaches_no_network() -> None:
    """The guard raises in this process at the first look-up; LiteLLM would try three times."""
    script = (
        "from daemon.models.completion import complete\n"
        "from primer.prompt import Turn\nfrom primer.request import ENGINE, Request\n"
        "turn = Turn('user', '<to_remember>\\nhi there\\n</to_remember>')\n"
        "print(complete(Request('quote', ENGINE, (turn,), 9)).text)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ)
    assert (ended.stdout.strip(), ended.returncode) == ("hi there", 0), ended.stderr
    assert "Forbidden" not in ended.stderr
