"""The splitter that `chunk.bounds` names; "embedding" uses wordllama's small table of vectors.

The table is loaded when first needed, in a third of a second, and a text takes a millisecond or
two, so no vector is kept. The price of each bound is kept, by words as by vectors: a window of a
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
from rules.plan.chunks import SPLITTERS, Splitter, by_likeness
from rules.plan.topics import (
    RULE,
    RULE_BY_VECTORS,
    Minutes,
    Price,
    Texts,
    Vector,
    prices,
    prices_by_vectors,
)

EMBEDDING = "embedding"
_PACKAGE = "wordllama"
_LONGEST = 16_000
"""The characters of a text that are read: they show what a longer one is about, too."""
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
    """Return a splitter that computes only the prices that the archive does not have.

    Those that it computes are put into `new`, for `keep_prices`. Raises as `splitter`.
    """
    plain = splitter(bounds)
    if bounds == "topics":
        return by_likeness(price_once(archive, RULE, prices, new))
    if bounds == EMBEDDING:
        rule = f"{RULE_BY_VECTORS} {version(_PACKAGE)}"
        return by_likeness(price_once(archive, rule, _price_by_vectors, new))
    return plain


def price_once(archive: Archive, rule: str, price: Price, new: dict[bytes, bytes]) -> Price:
    """Return `price` with the archive as its cache, so that it computes only what is not stored.

    That is the windows that this rule has not priced; what it computes is put into `new`. Stored
    prices of the wrong number are damaged, and computed again.
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
    return prices_by_vectors(texts, minutes, embed_text)


@lru_cache(_TEXTS)
def embed_text(text: str) -> Vector:
    """Return a text's vector, in integers that are equal on every platform; zeros without words.

    Each text is embedded by itself: in a list with others the sums are rounded differently.
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
