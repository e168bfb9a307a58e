"""Where chunks end, by `chunk.bounds`; "embedding" asks wordllama's small table of vectors.

It is loaded when it is first needed, in a third of a second, and a text takes a millisecond or two:
no vector is kept. What is kept is the price of each bound, by words as by vectors: a window of a
history is priced once, however often the chat is planned.
"""

import json
import logging
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from math import hypot
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.memo import known_prices
from rules.errors import ConfigurationError
from rules.plan.chunks import SPLITTERS, Minutes, Price, Splitter, Texts, by_likeness
from rules.plan.topics import RULE, RULE_BY_VECTORS, Vector, prices, prices_by_vectors

EMBEDDING = "embedding"
_PACKAGE = "wordllama"
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
    return by_likeness(_price_by_vectors)


def remembering_splitter(bounds: str, archive: Archive, new: dict[bytes, bytes]) -> Splitter:
    """Return the same splitter, which prices only what the archive does not know.

    The prices that it had to compute are put into `new`, for `keep_prices`. Raises as `splitter`.
    """
    plain = splitter(bounds)
    if bounds == "topics":
        return by_likeness(price_once(archive, RULE, prices, new))
    if bounds == EMBEDDING:
        rule = f"{RULE_BY_VECTORS} {version(_PACKAGE)}"
        return by_likeness(price_once(archive, rule, _price_by_vectors, new))
    return plain


def price_once(archive: Archive, rule: str, price: Price, new: dict[bytes, bytes]) -> Price:
    """Return `price` as it prices only windows whose prices by this rule the archive has not got.

    What it computes is put into `new`. Prices that are too few or too many are damaged.
    """

    def known_or_computed(texts: Texts, minutes: Minutes) -> Sequence[int]:
        everything = json.dumps((rule, texts, minutes), ensure_ascii=False)
        window = sha256(everything.encode("utf-8", "surrogatepass")).digest()
        known = known_prices(archive, window)
        if known is not None and len(known) == len(texts) - 1:
            return known
        new[window] = bytes(price(texts, minutes))
        return new[window]

    return known_or_computed


def _price_by_vectors(texts: Texts, minutes: Minutes) -> Sequence[int]:
    return prices_by_vectors(texts, minutes, vector)


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
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    try:
        import wordllama  # type: ignore[import-untyped]
    except ModuleNotFoundError as fault:
        raise ConfigurationError(
            'chunk.bounds = "embedding" needs a package that is not installed.',
            "Install memproc with it: pip install '.[embedding]', or set chunk.bounds to "
            '"topics" in memproc.toml.',
        ) from fault
    root.setLevel(level)  # the package has changed both as it was imported
    root.handlers[:] = handlers
    folder = Path(wordllama.__file__).parent
    embed: _Embed = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed
    return embed
