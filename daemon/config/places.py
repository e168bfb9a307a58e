"""The folders that a configuration means, or one error with everything that forbids using them."""

from daemon.config.settings import Config
from daemon.paths import Folders, settle
from rules.errors import ConfigurationError


def folders(config: Config) -> Folders:
    """The four folders of `config`; raises ConfigurationError if they cannot be used.

    A configuration that was loaded from a file has passed this already. The defaults have not: on a
    system without a home folder they lead nowhere.
    """
    settled = settle(config.folders.model_dump())
    if isinstance(settled, Folders):
        return settled
    reasons = "; ".join(f"folders.{refused.names[0]}: {refused.reason}" for refused in settled)
    raise ConfigurationError(
        f"The folders cannot be used: {reasons}.",
        "Name other folders in the table [folders] of memproc.toml.",
    )
