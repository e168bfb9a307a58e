"""No keys: what a context knows of keys in tests that ask no real model."""

from daemon.config.keys import Key, NoKey


def no_keys(provider: str) -> Key | NoKey:
    """There is none, for any provider."""
    return NoKey(provider, "this is a test")
