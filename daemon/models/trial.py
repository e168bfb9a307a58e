"""One call to a model of one's own, before any work: how fast it reads and writes, and what it can."""

import secrets
from dataclasses import replace
from time import monotonic

from daemon.archive.trials import Trial
from daemon.models.completion import complete
from daemon.models.tokens import count_of
from primer.models import Model
from primer.trial import judge_trial, trial_request

_SECONDS = 900.0
"""A model that is not loaded yet is loaded first."""
_LEAST = 0.01


def try_model(model: Model, window: int) -> Trial:
    """Ask a model once about a short passage, and return what it shows. No key is sent.

    Where its server does not tell how fast it was, each speed is the least that it can have been.
    Raises as `complete` does.
    """
    options = {**model.options, "api_key": "none", "timeout": _SECONDS}
    if model.provider == "lm_studio":  # only its own API tells how fast it was
        options["api_base"] = model.base.removesuffix("/v1") + "/api/v0"
    request = trial_request(replace(model, options=options), secrets.token_hex(4))
    began = monotonic()
    answer = complete(request)
    seconds = max(_LEAST, monotonic() - began)
    shown = judge_trial(answer.text, answer.finish)
    ours = sum(map(count_of, request.texts))
    read, written = answer.tokens_in or ours, answer.tokens_out or count_of(answer.text)
    return Trial(
        address=model.base,
        window=window,
        read_a_second=answer.read_a_second or max(_LEAST, read / seconds),
        written_a_second=answer.written_a_second or max(_LEAST, written / seconds),
        copies_a_quote=shown.copies_a_quote,
        keeps_apart=shown.keeps_apart,
        factor=answer.tokens_in / ours,
    )
