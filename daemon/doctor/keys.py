"""Keys: each model that would be asked has one, and the service finds it too. No key is ever shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from daemon.doctor.askers import Asker, askers, roles_of
from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Place
from daemon.keys.credentials import credential_files
from daemon.keys.file import read_keys
from daemon.keys.key import Key, NoKey
from primer.models import key_variables
from rules.errors import ChatSetAside, ConfigurationError
from service.ask import NoBus

_WHERE = {
    "environment": "in the environment",
    "credential": "handed over by systemd",
    "file": "in memproc's own file",
    "keyring": "in the system's keyring",
}


@dataclass(frozen=True, slots=True)
class _Need:
    """A provider whose key was looked for: for whom, with what success, and whether work stops without it."""

    provider: str
    who: str
    found: Key | NoKey
    stops: bool


def keys_file(place: Place) -> Iterator[Finding]:
    """The files with keys can be used, and nobody else can read them."""
    try:
        number = len(read_keys(place.folders.state)) + len(credential_files(place.credentials))
    except ConfigurationError as trouble:
        yield error("key files", trouble.message, trouble.next_step)
        return
    yield ok("key files", f"Keys in memproc's own files: {number}." if number else "There are none.")


def keys(place: Place) -> Iterator[Finding]:
    """Every provider that would be asked has a key, for your shell and for the service."""
    needs: dict[str, _Need] = {}
    for asker in askers(place):
        for need in _needs(place, asker):
            if need.provider not in needs or need.stops:
                needs[need.provider] = need
    handed = {variable for variable, _ in credential_files(place.credentials)}
    for need in needs.values():
        yield _judged(place, need, not handed.isdisjoint(key_variables(need.provider)))
    if not needs:
        yield ok("keys", "No model is known yet that needs one.")


def _needs(place: Place, asker: Asker) -> Iterator[_Need]:
    asked: dict[str, Key | NoKey] = {}

    def find(provider: str) -> Key | NoKey:
        return asked.setdefault(provider, place.key(provider))

    roles = roles_of(place, asker, find)
    stops = isinstance(roles, ChatSetAside)
    told = (roles.message,) if isinstance(roles, ChatSetAside) else roles.notices
    for provider, found in asked.items():
        # A server of one's own needs none, and nothing is told of it then.
        if isinstance(found, Key) or any(found.reason in sentence for sentence in told):
            yield _Need(provider, asker.who, found, stops)


def _judged(place: Place, need: _Need, handed: bool) -> Finding:
    name, mend = f"key {need.provider}", f"memproc key set {need.provider}"
    if isinstance(need.found, NoKey):
        if handed:
            return ok(name, "The service has it from systemd; this shell has none.")
        told = f"There is none, for {need.who}: {need.found.reason}."
        if need.stops:
            return error(name, told, mend)
        return warning(name, f"{told} So memproc makes the memories without a model.", mend)
    if need.found.where == "environment" and not handed and _has_service(place):
        told = "It is in the environment of this shell, which the service does not have."
        return warning(name, told, f"{mend}, then: memproc service install")
    return ok(name, f"It is {_WHERE[need.found.where]}.")


def _has_service(place: Place) -> bool:
    stands = place.machine.service
    return not isinstance(stands, NoBus) and stands.state != "not installed"
