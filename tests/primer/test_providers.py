"""The table of providers is true: LiteLLM sends what stands in each variable as the provider's key."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from primer.models import KEY_VARIABLES, key_variables, provider_of

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Items? '.*' on TypedDict class"),
]
PAIRS = [(provider, variable) for provider in KEY_VARIABLES for variable in key_variables(provider)]


class Gatekeeper(HTTPServer):
    """Lets nobody in, and remembers what everybody showed at the gate."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Gate)
        self.shown: list[str] = []


class _Gate(BaseHTTPRequestHandler):
    server: Gatekeeper

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.shown += self.headers.values()
        refusal = json.dumps({"error": {"type": "authentication_error", "message": "No."}}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(refusal)))
        self.end_headers()
        self.wfile.write(refusal)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def gate() -> Iterator[Gatekeeper]:
    with Gatekeeper() as gate:
        standing = threading.Thread(target=gate.serve_forever, args=(0.02,))
        standing.start()
        yield gate
        gate.shutdown()
        standing.join()


@pytest.mark.parametrize(("provider", "variable"), PAIRS)
def test_litellm_sends_the_key_of_each_variable(
    gate: Gatekeeper, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    monkeypatch.setenv(variable, "the-key-itself")
    import litellm

    with pytest.raises(litellm.AuthenticationError):
        litellm.completion(
            model=f"{provider}/some-model",
            messages=[{"role": "user", "content": "Hello."}],
            api_base=f"http://127.0.0.1:{gate.server_port}",
            max_tokens=5,
            max_retries=0,
            timeout=60,
        )
    assert any("the-key-itself" in header for header in gate.shown)


def test_a_provider_is_what_stands_before_the_first_slash() -> None:
    assert provider_of("anthropic/claude-haiku-5-5") == "anthropic"
    assert provider_of("openrouter/anthropic/claude-haiku-5-5") == "openrouter"
    assert provider_of("ollama/llama3") == "ollama"
    assert provider_of("memproc/extractive") == "memproc"


@pytest.mark.parametrize(
    "model", ["claude-haiku-5-5", "claude-sonnet-5-5", "gpt-4o", "gpt-5-mini", "o3", "o4-mini"]
)
def test_a_name_without_a_provider_has_the_one_that_litellm_takes(model: str) -> None:
    os.environ.update(
        LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS="True"
    )
    import litellm

    assert provider_of(model) == litellm.get_llm_provider(model)[1]


def test_a_name_that_says_nothing_has_no_provider() -> None:
    assert provider_of("some-model") == ""
    assert provider_of("") == ""


def test_a_provider_that_needs_no_key_of_ours_has_no_variables() -> None:
    for provider in ("ollama", "bedrock", "memproc", "", "ANTHROPIC"):
        assert key_variables(provider) == ()
