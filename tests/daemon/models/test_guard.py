"""What leaves with a key goes where it was agreed, whatever LiteLLM reads and whatever an answer says."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import httpcore
import httpx
import pytest

from daemon.models.batch_client import newest, route_of
from daemon.models.completion import complete
from daemon.models.guard import RequestHeldBack, look_at, watched
from daemon.models.hosts import OWN_HOSTS, find_addresses, is_own_host
from primer.models import KEY_VARIABLES, provider_of
from primer.prompt import Turn
from primer.reply import EMBEDDING, Request
from rules.errors import MemprocError, ModelError, ProviderRefuses
from tests.known import known
from tests.stories.canary import CANARY

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_")
HAIKU = "anthropic/claude-haiku-5-5"
_MODELS = {
    "anthropic": "claude-haiku-5-5",
    "openai": "gpt-4o",
    "cohere": "command-r",
    "gemini": "gemini-2.5-flash",
}
_EMBEDDINGS = (
    "openai/text-embedding-3-small", "cohere/embed-english-v3.0", "gemini/text-embedding-004", "mistral/mistral-embed",
    "fireworks_ai/nomic-ai/nomic-embed-text-v1.5", "together_ai/x/y", "openrouter/x/y", "dashscope/x", "perplexity/x",
)  # fmt: skip
_NAMES_AN_ADDRESS = re.compile(
    r"[\"']([A-Z][A-Z0-9_]*_(?:API_BASE|BASE_URL|API_URL|API_HOST|ENDPOINT|PROXY))[\"']"
)


class Reached(BaseException):
    """A connection would have been made; no client tries once more after this."""


def request(name: str, step: str = "quote", **options: object) -> Request:
    return Request(
        step,
        known(name, {"api_key": CANARY, "timeout": 20, **options}),
        (Turn("user", "Hello"),),
        5,
    )


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosts that a connection would have been made to; none is made."""
    reached: list[str] = []

    def refuse(_: httpcore.ConnectionPool, request: httpcore.Request) -> httpcore.Response:
        reached.append(request.url.host.decode())
        raise Reached

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", refuse)
    return reached


@pytest.fixture(scope="module")
def variables() -> Mapping[str, str]:
    """Every environment variable in LiteLLM and OpenAI's client that may hold an address, each with a host of its own.

    USE_LITELLM_PROXY is the switch that sends everything to LiteLLM's proxy.
    """
    route_of(request(HAIKU))  # LiteLLM is loaded before: some of its settings are read then
    names: set[str] = set()
    for package in ("litellm", "openai"):
        spec = find_spec(package)
        assert spec is not None and spec.submodule_search_locations
        for path in Path(spec.submodule_search_locations[0]).rglob("*.py"):
            if "proxy" not in path.parts:
                names |= set(_NAMES_AN_ADDRESS.findall(path.read_text("utf-8", "replace")))
    names -= {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
    assert {"ANTHROPIC_API_BASE", "OPENAI_BASE_URL"} <= names
    return {name: f"host{number}.example.org" for number, name in enumerate(sorted(names))} | {
        "USE_LITELLM_PROXY": "true"
    }


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("step", "name"),
    [
        *(
            ("quote", f"{provider}/{_MODELS.get(provider, 'some-model')}")
            for provider in sorted(KEY_VARIABLES)
        ),
        *((EMBEDDING, name) for name in _EMBEDDINGS),
    ],
)
def test_litellm_goes_where_we_say_that_it_goes_whatever_the_environment_holds(
    step: str,
    name: str,
    hosts: list[str],
    variables: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All variables name hosts; the one that counts is taken away, until none of them does."""
    for variable, host in variables.items():
        monkeypatch.setenv(variable, host if host == "true" else f"https://{host}/v1")
    provider, expected = provider_of(name), []
    while named := find_addresses(name, {}):
        expected.append(named[0].host)
        _ask(request(name, step))
        monkeypatch.delenv(named[0].named_by.removesuffix(" in the environment"))
    _ask(request(name, step))
    assert is_own_host(provider, hosts.pop())
    if (step, provider) == (EMBEDDING, "cohere"):
        assert all(is_own_host(provider, host) for host in hosts), (
            "for these LiteLLM reads no variable"
        )
    else:
        assert hosts == expected
        assert expected, "each of these providers has such a variable"


def _ask(asked: Request) -> None:
    with pytest.raises(Reached):
        complete(asked)


def test_each_provider_whose_key_is_kept_has_its_own_hosts() -> None:
    assert OWN_HOSTS.keys() == KEY_VARIABLES.keys()


def test_no_option_leads_a_key_to_litellms_proxy(
    hosts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITELLM_PROXY_API_BASE", "https://proxy.example.org")
    for name in (HAIKU, "openai/gpt-4o"):
        with pytest.raises((Reached, ProviderRefuses)):
            complete(request(name, use_litellm_proxy=True))
    assert "proxy.example.org" not in hosts


@pytest.mark.parametrize(
    "name", [HAIKU, "openai/gpt-4o", "hosted_vllm/some-model", "gemini/gemini-2.5-flash"]
)
def test_no_key_leaves_over_plain_http(name: str, hosts: list[str]) -> None:
    with pytest.raises(ProviderRefuses, match="plain HTTP") as fault:
        complete(request(name, api_base="http://llm.example.org/v1"))
    assert CANARY not in str(fault.value)
    assert hosts == []


def test_what_holds_no_key_leaves_over_plain_http(hosts: list[str]) -> None:
    for name, key in (
        ("openai/some-model", "none"),
        ("hosted_vllm/some-model", None),
        ("ollama_chat/llama", None),
    ):
        _ask(request(name, api_base="http://llm.example.org/v1", api_key=key))
    assert set(hosts) - {"localhost"} == {"llm.example.org"}, (
        "LiteLLM asks Ollama here about its models"
    )


def test_the_word_that_litellm_sends_to_lemonade_is_no_key() -> None:
    with watched(request("lemonade/some-model")) as call:
        look_at(
            call,
            httpx.Request(
                "POST", "http://nas.lan/v1", headers={"authorization": "Bearer lemonade"}
            ),
        )
        assert call.refusal is None
        with pytest.raises(RequestHeldBack):
            look_at(
                call,
                httpx.Request(
                    "POST", "http://nas.lan/v1", headers={"authorization": "Bearer a-key"}
                ),
            )
        assert call.refusal is not None


class _Server(ThreadingHTTPServer):
    """Answers nothing but what is set in `leads_to`, and keeps what it was sent."""

    def __init__(self, host: str) -> None:
        super().__init__((host, 0), _Handler)
        self.leads_to = ""
        self.headers: list[str] = []

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, _Server)
        self.server.headers.append(f"{self.path} {self.headers}")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(307 if self.server.leads_to else 400)
        self.send_header("Content-Length", "0")
        if self.server.leads_to:
            self.send_header("Location", self.server.leads_to)
        self.end_headers()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def serving(host: str) -> Iterator[_Server]:
    with _Server(host) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "name", [HAIKU, "openai/gpt-4o", "gemini/gemini-2.5-flash", "hosted_vllm/x", "azure/gpt-4o"]
)
@pytest.mark.parametrize("key", [CANARY, "none"])
def test_no_answer_leads_a_request_anywhere_else(name: str, key: str) -> None:
    """Neither to another host nor to another port of the same: the conversation would go along."""
    version = {"api_version": "2024-02-01"} if name.startswith("azure") else {}
    for host in ("127.0.0.1", "127.0.0.2"):
        with serving("127.0.0.1") as asked, serving(host) as other:
            asked.leads_to = f"{other.url}/v1/messages"
            with pytest.raises(
                ModelError, match=f"pointing to {host}:{other.server_port}.*api_base"
            ):
                complete(request(name, api_base=asked.url, api_key=key, **version))
            assert len(asked.headers) == 1
            assert other.headers == []


def test_an_embedding_is_led_nowhere_else() -> None:
    with serving("127.0.0.1") as asked, serving("127.0.0.2") as other:
        asked.leads_to = other.url
        with pytest.raises(ModelError, match=r"pointing to 127\.0\.0\.2"):
            complete(request("openai/text-embedding-3-small", EMBEDDING, api_base=asked.url))
        assert other.headers == []


def test_a_batch_is_not_led_to_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("127.0.0.1") as asked, serving("127.0.0.2") as other:
        asked.leads_to = f"{other.url}/v1/messages/batches"
        wanted = request(HAIKU, api_base=asked.url)
        route = route_of(wanted)
        with pytest.raises(ModelError, match=r"pointing to 127\.0\.0\.2"):
            newest(route)
        assert CANARY in asked.headers[0]
        assert other.headers == []


def test_a_batch_goes_nowhere_else_and_not_over_plain_http() -> None:
    for base in ("http://llm.example.org", "http://api.anthropic.com"):
        with pytest.raises(ProviderRefuses, match="plain HTTP"):
            route_of(request(HAIKU, api_base=base))


def test_other_clients_of_httpx_are_let_alone() -> None:
    with serving("127.0.0.1") as asked:
        assert httpx.get(asked.url, trust_env=False).status_code == httpx.codes.BAD_REQUEST


@pytest.mark.parametrize("url", ["http://127.0.0.1", "http://localhost"])
def test_what_is_for_this_machine_goes_past_every_proxy(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("127.0.0.1") as asked, serving("127.0.0.2") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        with pytest.raises(MemprocError):
            complete(request("openai/gpt-4o", api_base=f"{url}:{asked.server_port}"))
        assert CANARY in asked.headers[0]
        assert proxy.headers == []
