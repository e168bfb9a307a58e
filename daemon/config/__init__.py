"""memproc.toml: what may be set, where the file is found, and how it is read with all its problems told."""

from daemon.config.places import folders
from daemon.config.reading import load, parse
from daemon.config.search import Found, find
from daemon.config.settings import Config
from daemon.config.shipped import shipped_text
from daemon.config.writing import toml_text

__all__ = ["Config", "Found", "find", "folders", "load", "parse", "shipped_text", "toml_text"]
