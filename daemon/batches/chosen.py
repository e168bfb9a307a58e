"""Which requests go by batch: those to Anthropic's models, always or at night, as `models.batch` says."""

from daemon.clock import at
from daemon.config.models import Batch
from primer.providers import provider_of
from primer.request import Model
from rules.keeping.night import in_window


def time_for_batches(batch: Batch, night: str, now: str) -> bool:
    """Whether requests are sent in batches at this time (UTC); `night` is a window of local time."""
    return batch == "always" or (batch == "night" and in_window(night, at(now).astimezone().time()))


def takes_batches(model: Model) -> bool:
    """Whether a model can be asked in batches at all: memproc knows those of Anthropic alone."""
    return provider_of(model.name) == "anthropic"
