"""Models: LiteLLM knows those that would be asked, and none of them is retired or ends soon."""

from collections.abc import Iterator
from contextlib import suppress

from daemon.doctor.askers import Asker, askers, roles_of
from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Place
from daemon.keys.key import Key
from daemon.models.catalogue import Facts, facts, known_models
from daemon.models.faults import nearest
from daemon.models.roles import Roles, is_ones_own
from primer.models import KEY_VARIABLES, provider_of
from primer.request import Model
from rules.errors import ChatSetAside, MemprocError


def known(place: Place) -> Iterator[Finding]:
    """LiteLLM's map knows every model that would be asked; on a server of one's own a name means what it likes."""
    names: dict[str, str] = {}
    for asker in askers(place):
        roles = _roles(place, asker)
        for model in _models(roles) if isinstance(roles, Roles) else ():
            names.setdefault(model.name, asker.who)
    unknown = {name: who for name, who in names.items() if facts(name) == Facts()}
    for name, who in unknown.items():
        near = nearest(name, known_models())
        mend = f"Correct it{', perhaps to ' + near[0] if near else ''}, in memproc.toml, [models]."
        yield warning("models known", f"LiteLLM's map does not know {name}, for {who}.", mend)
    if not unknown:
        yield ok("models known", f"{', '.join(names)}." if names else "None is known yet that would be asked.")


def ends(place: Place) -> Iterator[Finding]:
    """None of the models has ended, ends soon, or cannot be asked as it is configured."""
    told: dict[str, Finding] = {}
    for asker in askers(place):
        for finding in _of(place, asker):
            told.setdefault(finding.told, finding)
    yield from told.values()
    if not told:
        yield ok("models' ends", "No model that would be asked is retired, or ends within 60 days.")


def _of(place: Place, asker: Asker) -> Iterator[Finding]:
    roles, name = _roles(place, asker), "models' ends"
    if isinstance(roles, ChatSetAside):
        yield error("models", roles.message, roles.next_step)
        return
    mend = "Name another in memproc.toml, [models]."
    if asker.is_a_chat:
        mend = f"Choose another model for {asker.who} in TypingMind, or name one in memproc.toml, [models]."
    today = place.machine.now.date().isoformat()
    ended = tuple(model.name for model in _models(roles) if (facts(model.name).ends_on or today) < today)
    for notice in roles.notices:
        yield error(name, notice, mend) if ended and notice.startswith(ended) else warning(name, notice, mend)


def _roles(place: Place, asker: Asker) -> Roles | ChatSetAside:
    """The models that would be asked if there were a key for each."""

    def find(provider: str) -> Key:
        with suppress(MemprocError):  # the check of the key files tells what is wrong with them
            if isinstance(found := place.key(provider), Key):
                return found
        return Key("none", "environment")

    return roles_of(place, asker, find)


def _models(roles: Roles) -> Iterator[Model]:
    """Those of providers whose models LiteLLM lists."""
    for model in (roles.agent, roles.context_manager, roles.fallback):
        if model and provider_of(model.name) in KEY_VARIABLES and not is_ones_own(model.options):
            yield model
