"""memproc.toml: what may be set, where the file is found, and how it is read, with everything that is wrong in it.

Each name is loaded when it is first used: checking settings needs pydantic, and finding their file does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daemon.config.as_toml import toml_text
    from daemon.config.loading import folders, load, parse, shipped_text
    from daemon.config.search import FoundConfig, find
    from daemon.config.settings import Config
    from daemon.config.tables import MemorySettings
else:
    _HOMES = {
        "MemorySettings": "tables",
        "folders": "loading",
        "load": "loading",
        "parse": "loading",
        "FoundConfig": "search",
        "find": "search",
        "Config": "settings",
        "shipped_text": "loading",
        "toml_text": "as_toml",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = ["Config", "FoundConfig", "MemorySettings", "find", "folders", "load", "parse", "shipped_text", "toml_text"]
