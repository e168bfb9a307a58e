"""How deep the values of an export may be nested.

There is a bound so that nothing that walks a parsed message can run out of stack. A regenerated message
nests what came after it four levels deeper; that may happen sixty times over.
"""

from collections.abc import Iterable

DEEPEST = 250


def is_too_deep(found: object) -> bool:
    """Arrays and objects stand in one another more than DEEPEST levels deep."""
    level, depth = [found], 0
    while level and depth < DEEPEST:
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, (dict, list))]
        depth += 1
    return bool(level)


def _inside(outer: object) -> Iterable[object]:
    if isinstance(outer, dict):
        return outer.values()
    return outer if isinstance(outer, list) else ()
