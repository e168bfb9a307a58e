"""Where chunks end, by `chunk.bounds`; "embedding" asks wordllama's small table of vectors.

It is loaded when it is first needed, in a third of a second, and a text takes a millisecond or two:
no vector is kept.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from math import hypot
from pathlib import Path

from rules.errors import ConfigurationError
from rules.plan.chunks import SPLITTERS, Splitter, by_likeness
from rules.plan.topics import Vector, prices_by_vectors

EMBEDDING = "embedding"
_LONGEST = 16_000
"""Characters: what a longer text is about shows by then."""
_STEPS = 1024
_TEXTS = 2048
_Embed = Callable[[list[str]], Sequence[Sequence[float]]]


def splitter(bounds: str) -> Splitter:
    """Return the splitter that `chunk.bounds` names. Raises ConfigurationError if not installed."""
    if bounds != EMBEDDING:
        return SPLITTERS[bounds]
    _model()
    return by_likeness(partial(prices_by_vectors, embed=vector))


@lru_cache(_TEXTS)
def vector(text: str) -> Vector:
    """Return the meaning of a text as integers, equal on every platform; zeros without words.

    Each text is asked about by itself: in company the sums are rounded otherwise.
    """
    values = [float(value) for value in _model()([text[:_LONGEST]])[0]]
    length = hypot(*values)
    return (
        tuple(round(value / length * _STEPS) for value in values)
        if length
        else tuple(0 for _ in values)
    )


@cache
def _model() -> _Embed:
    """Load the embedder from the package's own files: nothing is ever downloaded."""
    try:
        with _same_log():
            import wordllama  # type: ignore[import-untyped]
    except ModuleNotFoundError as fault:
        raise ConfigurationError(
            'chunk.bounds = "embedding" needs a package that is not installed.',
            "Install memproc with it: pip install '.[embedding]', or set chunk.bounds to "
            '"topics" in memproc.toml.',
        ) from fault
    folder = Path(wordllama.__file__).parent
    embed: _Embed = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed
    return embed


@contextmanager
def _same_log() -> Iterator[None]:
    """Restore the root logger, which the package changes when it is imported."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
