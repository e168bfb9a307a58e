"""Looks at every request before it leaves, so that a key goes nowhere else, whatever LiteLLM or an answer says.

A request of a provider whose key memproc keeps goes to the provider's own hosts or those that were agreed on; no answer
leads it to another host, and no key goes over plain HTTP, except to this machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import httpx

from daemon.models.addresses import KEY_HEADERS, OWN_HOSTS, addresses, is_key, is_loopback, is_own, readable
from primer.models import Model, provider_of
from rules.errors import ProviderRefuses


@dataclass(slots=True)
class WatchedCall:
    """A call under way: the model, where it may go, and why a request of it was held back."""

    model: Model
    hosts: frozenset[str]
    refusal: ProviderRefuses | None = None

    def hold_back(self, host: str, why: str) -> NoReturn:
        """Raise instead of sending to a host."""
        self.refusal = ProviderRefuses(
            f"A request for {self.model.name} would have gone to {readable(host)}, {why}, so it was not sent.",
            "Look at the address in memproc.toml and in the environment, and whom it belongs to.",
        )
        raise RequestHeldBack


class RequestHeldBack(Exception):
    """Raised instead of sending."""


_CALL: ContextVar[WatchedCall | None] = ContextVar("call", default=None)


@contextmanager
def watched(model: Model) -> Iterator[WatchedCall]:
    """Hold back what this call must not send; its `refusal` says so afterwards."""
    _install()
    call = WatchedCall(model, frozenset(address.host for address in addresses(model.name, model.options)))
    token = _CALL.set(call)
    try:
        yield call
    finally:
        _CALL.reset(token)


def look_at(request: httpx.Request) -> None:
    """Raise where the request must not leave. Of providers whose key memproc does not keep, it knows no hosts."""
    call, host = _CALL.get(), request.url.host
    if call is None:
        return  # no model's; batches have their own client, which follows nobody
    provider = provider_of(call.model.name)
    if provider in OWN_HOSTS and host not in call.hosts and not is_own(provider, host):
        call.hold_back(host, "which is not its provider's own address, nor one that you named")
    carries_key = "key" in request.url.params or any(is_key(request.headers.get(name, "")) for name in KEY_HEADERS)
    if request.url.scheme != "https" and not is_loopback(host) and carries_key:
        call.hold_back(host, "over plain HTTP")


def _look_at_answer(request: httpx.Request, response: httpx.Response) -> None:
    """Raise where an answer leads to another host, and nobody knows whether that is the provider's own."""
    call = _CALL.get()
    if call is None or not response.has_redirect_location or provider_of(call.model.name) in OWN_HOSTS:
        return  # where the hosts are known, the next request is looked at like any other
    try:
        host = request.url.join(response.headers["location"]).host
    except httpx.InvalidURL:
        host = ""
    if host != request.url.host:
        response.close()
        call.hold_back(host, f"to which {request.url.host} redirects")


@cache
def _install() -> None:
    """Every client of httpx sends through this one method, with proxies and redirects or without."""
    send = httpx.HTTPTransport.handle_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        look_at(request)
        response = send(self, request)
        _look_at_answer(request, response)
        return response

    httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
