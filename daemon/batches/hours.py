"""When requests go by batch: always, at night or never, as `models.batch` says."""

from daemon.clock import at
from daemon.config.models import Batch
from rules.retention import in_window


def time_for_batches(batch: Batch, night: str, now: str) -> bool:
    """Whether requests are sent in batches at this time (UTC); `night` is a window of local time."""
    return batch == "always" or (batch == "night" and in_window(night, at(now).astimezone().time()))
