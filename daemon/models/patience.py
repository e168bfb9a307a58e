"""How long an answer may take: on a server of one's own longer, by what is asked and the measured speed.

first time     twice what reading and writing takes, and at least `timeout` of the model's table
once more      three times as long; an answer that takes longer still is given up (`direct.py`)

A provider's time-out stays as it is configured: there a slow answer is a lost one.
"""

from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.trials import Trial, trial_of
from daemon.models.completion import TIMEOUT_SECONDS
from daemon.models.hosts import is_local
from daemon.models.tokens import count_of
from primer.models import Model, token_factor
from primer.reply import Request

SECOND_TIME = 3.0
_MARGIN = 2.0
_UNMEASURED = Trial("", 1, 40.0, 4.0, copies_a_quote=True, keeps_apart=True)
"""The speeds of a slow machine, for a model that had no trial at its address."""


def is_patient(model: Model) -> bool:
    """Return whether a slow answer of this model is known to come of a slow machine."""
    return is_local(model.name, model.options)


def with_time(archive: Archive, request: Request, line: int, lost: int) -> Request:
    """Return a request with the time-out of one that is the `line`-th at its server, and was lost so often.

    Where the server's slots are not known, the others may be answered before it.
    """
    model = request.model
    if not is_patient(model):
        return request
    speed = trial_of(archive, model.name, model.base) or _UNMEASURED
    prompt = round(sum(map(count_of, request.texts)) * token_factor(model.name))
    room = request.parameters.get("max_tokens")
    takes = speed.seconds(prompt, room if isinstance(room, int) else 0)
    seconds = max(timeout_of(request), _MARGIN * takes * (1 if model.slots else line))
    if lost:
        seconds *= SECOND_TIME
    return replace(request, model=replace(model, options={**model.options, "timeout": seconds}))


def timeout_of(request: Request) -> float:
    """Return the seconds that a request has for connecting, and again for its answer."""
    return float(str(request.route.get("timeout", TIMEOUT_SECONDS)))
