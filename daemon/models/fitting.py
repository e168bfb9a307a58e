"""The sizes of tail, chunk and memory section whose requests fit the window of a model."""

from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.models.hosts import larger_window
from daemon.models.tokens import count
from primer.models import Model
from rules.errors import ConfigurationError
from rules.plan.limits import Limit, Sizes, fit_sizes

_SMALLEST_WINDOW = 8192
"""Of the usual windows, the smallest with room for what memproc asks."""
_SYSTEM_MESSAGE = 200
"""Tokens kept free for a chat's system message, whose real size `memproc plan` knows."""


def sizes_for(config: Config, model: str, window: int, factor: float, then: str = "") -> Sizes:
    """Return sizes that fit; `factor` is how many tokens the model counts for one of ours.

    Raises ConfigurationError where even the smallest do not fit; its advice ends with the command
    `then`, to be typed once the window is larger.
    """
    fixed = count(load_texts(config.texts.path).primer) + _SYSTEM_MESSAGE
    sizes = fit_sizes(Limit(window).most, fixed, factor)
    if sizes is None:
        asked = Model(model, config.models.options_for(model))
        raise ConfigurationError(
            f"The window of {model} holds {window:,} tokens, too few for the primer, four small "
            "chunks and what is asked about them.",
            larger_window(asked, _SMALLEST_WINDOW, then),
        )
    return sizes
