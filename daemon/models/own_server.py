"""A model server of one's own: what it says that it serves, and how its models are then asked.

It is on this machine or in the local network. It is sent no key, no redirect is followed, and its
answers are bounded in bytes and seconds.

    llama.cpp   /props          the context and the number of slots; /v1/models its models
    Ollama      /api/tags       its models; /api/ps and /api/show the context of one
    LM Studio   /api/v0/models  its models, each with its context
    others      /v1/models      its models; vLLM says `max_model_len`

Only llama.cpp says how many calls it answers at once.
"""

import json
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from daemon.models.hosts import host_of, is_local, readable_host
from primer.models import Model
from rules.errors import ConfigurationError, ModelError

if TYPE_CHECKING:
    import httpx

USUAL = ("http://127.0.0.1:8080", "http://127.0.0.1:11434", "http://127.0.0.1:1234")
"""Where llama.cpp, Ollama and LM Studio listen by default."""
OLLAMA_WINDOW = 16_384
"""Tokens of context to ask Ollama for where it would give fewer: on most machines 4,096."""
_SECONDS = 10.0
_LOOK_SECONDS = 1.5
_MOST_BYTES = 4 * 1024**2
_MOST_TOKENS, _MOST_SLOTS, _MOST_MODELS = 10_000_000, 16, 500
_SLOTS_SETTINGS = {
    "ollama_chat": "OLLAMA_NUM_PARALLEL, 1 unless it is set",
    "lm_studio": "Max Concurrent Predictions, set where the model is loaded",
    "hosted_vllm": "--max-num-seqs of vLLM",
}
_NAME = re.compile(r"[\w.:/@+-]{1,200}", re.ASCII)
"""A model's name that can also name a table in memproc.toml."""

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model as its server describes it."""

    name: str
    window: int = 0
    """Tokens of context as it is loaded; 0 where the server does not say."""
    most: int = 0
    """The most tokens of context that it was made for; 0 where the server does not say."""
    is_loaded: bool = False


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server that has answered."""

    kind: str
    """The name of the program."""
    root: str
    """Its address, without a path."""
    provider: str
    """LiteLLM's prefix for its models."""
    models: tuple[ServedModel, ...]
    slots: int = 0
    """How many calls it answers at once; 0 where it does not say."""

    @property
    def base(self) -> str:
        """Return the `api_base` of its models."""
        return self.root if self.provider == "ollama_chat" else f"{self.root}/v1"

    @property
    def slots_setting(self) -> str:
        """Return the name of the server's own setting for answering several calls at once."""
        return _SLOTS_SETTINGS[self.provider]

    def full_name(self, model: ServedModel) -> str:
        """Return a model's name as memproc.toml has it."""
        return f"{self.provider}/{model.name}"


def look_around() -> tuple[OwnServer, ...]:
    """Return the servers that answer on this machine at their usual ports."""
    servers: list[OwnServer] = []
    for url in USUAL:
        with suppress(ModelError):
            servers.append(ask_server(url, _LOOK_SECONDS))
    return tuple(servers)


def ask_server(url: str, seconds: float = _SECONDS) -> OwnServer:
    """Ask a server what it is and what it serves.

    Raises ConfigurationError for an address that is not of this machine or the local network, and
    ModelError where no model server answers there.
    """
    import httpx

    from daemon.models.deadline import in_time

    root = _root(url)
    with (
        httpx.Client(
            base_url=root, follow_redirects=False, trust_env=False, timeout=seconds
        ) as client,
        in_time(seconds),
    ):
        server = _recognized(client, root)
    if not server.models:
        raise ModelError(
            f"{server.kind} at {_shown(root)} serves no model that memproc can name.",
            "Load one there, then run this again.",
        )
    return server


def window_of(server: OwnServer, model: ServedModel) -> int:
    """Return the tokens of context that a model is used with; 0 where that is not known.

    Ollama is told it with each request, so it is asked for more than its default, if the model can.
    """
    if server.provider != "ollama_chat":
        return model.window
    return max(model.window, min(OLLAMA_WINDOW, model.most or model.window))


def _root(url: str) -> str:
    """Return a server's address without its path.

    Raises ConfigurationError where it must not be asked.
    """
    text = url.strip()
    try:
        parts = urlsplit(text if "//" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if not host or parts.scheme not in ("http", "https"):
        raise ConfigurationError(
            "That is no address of a server.", "Say it like this: http://127.0.0.1:8080"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"The address of {readable_host(host)} has more in it than a host, a port and a path.",
            "No key is sent to a server of your own: say the address without one.",
        )
    named = f"[{host}]" if ":" in host else host
    root = f"{parts.scheme}://{named}{f':{port}' if port else ''}"
    if not is_local(Model("", {"api_base": root})) or not all(map(_is_near, _addresses(host))):
        raise ConfigurationError(
            f"{readable_host(host)} is neither this machine nor in your local network.",
            "A provider on the internet is named in [models] of memproc.toml, and has a key.",
        )
    return root


def _addresses(host: str) -> list[IPv4Address | IPv6Address]:
    """Return the IP addresses that a host has now. Raises ModelError where it has none."""
    with suppress(ValueError):
        return [ip_address(host)]
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        raise ModelError(
            f"There is no host {readable_host(host)}.", "Look at the address."
        ) from None
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries]


def _is_near(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is of one computer: this one, or one in the local network.

    Link-local addresses are excluded: at 169.254.169.254 clouds keep credentials.
    """
    is_one = not (address.is_unspecified or address.is_multicast or address.is_link_local)
    return is_one and (address.is_private or address.is_loopback)


def _recognized(client: "httpx.Client", root: str) -> OwnServer:
    """Return the server that answers. llama.cpp is tried first, since it imitates Ollama."""
    props = _get(client, "/props")
    if "default_generation_settings" in props:
        return _llama_cpp(client, root, props)
    if isinstance(tags := _get(client, "/api/tags").get("models"), list):
        return OwnServer("Ollama", root, "ollama_chat", tuple(_ollama(client, _tables(tags))))
    listed = _tables(_get(client, "/api/v0/models").get("data"))
    if any("max_context_length" in entry for entry in listed):
        return OwnServer("LM Studio", root, "lm_studio", tuple(_lm_studio(listed)))
    listed = _tables(_get(client, "/v1/models").get("data"))
    if not listed:
        raise ModelError(
            f"No model server answers at {_shown(root)} in a way that memproc knows.",
            "Is it llama.cpp's server, Ollama, LM Studio, or one that speaks OpenAI's /v1?",
        )
    models = (ServedModel(name, _tokens(entry, "max_model_len")) for name, entry in _named(listed))
    return OwnServer("A server", root, "hosted_vllm", tuple(models))


def _llama_cpp(client: "httpx.Client", root: str, props: Answer) -> OwnServer:
    """Read what llama.cpp's server says; one that routes to several models is asked about each."""
    slots = min(_MOST_SLOTS, _tokens(props, "total_slots"))
    models = []
    for name, _ in _named(_tables(_get(client, "/v1/models").get("data"))):
        window = _window_in(props)
        if not window:
            window = _window_in(_get(client, f"/props?model={quote(name, safe='')}"))
        models.append(ServedModel(name, window, is_loaded=window > 0))
    return OwnServer("llama.cpp", root, "hosted_vllm", tuple(models), slots)


def _window_in(props: Answer) -> int:
    """Return the tokens of context of one slot."""
    settings = props.get("default_generation_settings")
    return _tokens(settings, "n_ctx") if isinstance(settings, dict) else 0


def _ollama(client: "httpx.Client", listed: Iterable[Answer]) -> Iterator[ServedModel]:
    loaded = dict(_named(_tables(_get(client, "/api/ps").get("models")), "name"))
    for name, _ in _named(listed, "name"):
        window = _tokens(loaded.get(name, {}), "context_length")
        yield ServedModel(name, window, is_loaded=name in loaded)


def with_details(server: OwnServer, model: ServedModel) -> ServedModel:
    """Return a model with what only Ollama's /api/show says: `num_ctx`, and what it is for."""
    import httpx

    from daemon.models.deadline import in_time

    if server.provider != "ollama_chat":
        return model
    with (
        httpx.Client(
            base_url=server.root, follow_redirects=False, trust_env=False, timeout=_SECONDS
        ) as client,
        in_time(_SECONDS),
    ):
        shown = _fetch(
            client, client.build_request("POST", "/api/show", json={"model": model.name})
        )
    info = next(iter(_tables([shown.get("model_info")])), {})
    lengths = (_tokens(info, name) for name in info if name.endswith(".context_length"))
    named = re.search(r"^num_ctx\s+(\d{1,8})$", str(shown.get("parameters")), re.MULTILINE)
    window = model.window or (int(named[1]) if named else 0)
    return replace(model, window=min(window, _MOST_TOKENS), most=next(lengths, 0))


def _lm_studio(listed: Iterable[Answer]) -> Iterator[ServedModel]:
    for name, entry in _named(listed):
        if entry.get("type") != "embeddings":
            is_loaded = entry.get("state") == "loaded"
            window = _tokens(entry, "loaded_context_length")
            yield ServedModel(name, window, _tokens(entry, "max_context_length"), is_loaded)


def _named(entries: Iterable[Answer], under: str = "id") -> Iterator[tuple[str, Answer]]:
    """Yield each entry whose name memproc can use, with that name."""
    for entry in entries:
        name = entry.get(under)
        if isinstance(name, str) and _NAME.fullmatch(name):
            yield name, entry


def _tables(entries: object) -> list[Answer]:
    listed = entries if isinstance(entries, list) else []
    return [entry for entry in listed[:_MOST_MODELS] if isinstance(entry, dict)]


def _tokens(said: Answer, name: str) -> int:
    """Return a number of tokens or slots that a server says; 0 for anything else."""
    number = said.get(name)
    return number if type(number) is int and 0 < number <= _MOST_TOKENS else 0


def _get(client: "httpx.Client", path: str) -> Answer:
    return _fetch(client, client.build_request("GET", path))


def _fetch(client: "httpx.Client", request: "httpx.Request") -> Answer:
    """Return the JSON object that a server answers with; an empty one for anything else.

    Raises ModelError where nothing answers, or where the answer redirects or does not end.
    """
    import httpx

    from daemon.models.guard import TAKEN_ENCODINGS, TooManyBytes, bound

    request.headers["accept-encoding"] = TAKEN_ENCODINGS
    shown = _shown(str(client.base_url))
    try:
        response = client.send(request, stream=True)
        if response.has_redirect_location:
            raise ModelError(
                f"{shown} points to another address. memproc follows no redirect there.",
                "Say the address at which the models are served.",
            )
        bound(response, _MOST_BYTES)
        content = response.read() if response.is_success else b""
    except TooManyBytes:
        raise ModelError(
            f"{shown} answers with more than {_MOST_BYTES // 1024**2} MB.", "Look at the address."
        ) from None
    except httpx.HTTPError as fault:
        raise ModelError(
            f"Nothing answers at {shown} ({type(fault).__name__}).",
            "Is the server started, and is that its port?",
        ) from fault
    finally:
        with suppress(UnboundLocalError):
            response.close()
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _shown(root: str) -> str:
    parts = urlsplit(root)
    return f"{host_of(root)}{f':{parts.port}' if parts.port else ''}"
