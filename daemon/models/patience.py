"""How fast a model of one's own is, measured by one trial call, and how long its answers may take.

The time-out depends on what is asked and on the measured speed:

first time     twice what reading and writing take, but at least `timeout` of the model's table
once more      three times that; an answer that takes still longer is given up (`direct.py`)

A provider's time-out stays as it is configured: there a slow answer is a lost one.
"""

import secrets
from dataclasses import replace
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.trials import Trial, trial_of
from daemon.models.completion import TIMEOUT_SECONDS, complete
from daemon.models.hosts import is_local
from daemon.models.tokens import count_of
from primer.models import Model, token_factor
from primer.reply import Request
from primer.trial import judge_trial, trial_request

SECOND_TIME = 3.0
_MARGIN = 2.0
_UNMEASURED = Trial("", 1, 40.0, 4.0, copies_a_quote=True, keeps_apart=True)
"""The speeds of a slow machine, for a model without a trial at its address."""
_TRIAL_SECONDS = 900.0
"""Long, since the server may have to load the model first."""
_LEAST_SECONDS = _LEAST_SPEED = 0.01


def try_model(model: Model, window: int) -> Trial:
    """Ask a model once about a short passage, and return how it did. No key is sent.

    Where its server does not say how fast it was, each speed is the least that it can have been.
    Raises as `complete` does.
    """
    options = {**model.options, "api_key": "none", "timeout": _TRIAL_SECONDS}
    if model.provider == "lm_studio":  # only its own API tells how fast it was
        options["api_base"] = model.base.removesuffix("/v1") + "/api/v0"
    request = trial_request(replace(model, options=options), secrets.token_hex(4))
    began = monotonic()
    answer = complete(request)
    seconds = max(_LEAST_SECONDS, monotonic() - began)
    shown = judge_trial(answer.text, answer.finish)
    ours = sum(map(count_of, request.texts))
    read, written = answer.tokens_in or ours, answer.tokens_out or count_of(answer.text)
    return Trial(
        address=model.base,
        window=window,
        read_a_second=answer.read_a_second or max(_LEAST_SPEED, read / seconds),
        written_a_second=answer.written_a_second or max(_LEAST_SPEED, written / seconds),
        copies_a_quote=shown.copies_a_quote,
        keeps_apart=shown.keeps_apart,
        factor=answer.tokens_in / ours,
    )


def with_time(archive: Archive, request: Request, line: int, times_slow: int) -> Request:
    """Return a request with its time-out.

    It is the `line`-th at its server, and was too slow `times_slow` times. Where the server's
    number of slots is not known, the calls before it in line may be answered first.
    """
    model = request.model
    if not is_local(model):
        return request
    speed = trial_of(archive, model.name, model.base) or _UNMEASURED
    prompt = round(sum(map(count_of, request.texts)) * token_factor(model.name))
    takes = speed.seconds(prompt, request.most_tokens)
    seconds = max(timeout_of(request), _MARGIN * takes * (1 if model.slots else line))
    if times_slow:
        seconds *= SECOND_TIME
    return replace(request, model=replace(model, options={**model.options, "timeout": seconds}))


def timeout_of(request: Request) -> float:
    """Return the seconds that a request has for connecting, and again for its answer."""
    return float(str(request.route.get("timeout", TIMEOUT_SECONDS)))
