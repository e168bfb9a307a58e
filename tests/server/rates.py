"""How bad the days of the long stories are: the shares of answers and of calls that go wrong."""

from collections.abc import Mapping
from types import MappingProxyType

SPOILT: Mapping[str, float] = MappingProxyType(
    {"fabricated": 0.3, "empty": 0.1, "cut off": 0.1, "refused": 0.05}
)
"""What is wrong with answers. Only quotes can be fabricated."""

FAILING: Mapping[str, float] = MappingProxyType(
    dict.fromkeys(("rate limited", "server error", "overloaded", "hang", "drop"), 0.02)
)
"""What goes wrong on the way: one call in ten."""
