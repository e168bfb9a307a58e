"""The program's own source, as tests of it read it: each module is parsed once for all of them."""

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("rules", "primer", "daemon", "service")


@cache
def trees() -> dict[Path, ast.Module]:
    """The modules, sorted by room and path."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return {path: ast.parse(path.read_text("utf-8")) for path in paths}


@cache
def nodes_of(path: Path) -> Sequence[ast.AST]:
    """All nodes of a module, itself first."""
    return tuple(ast.walk(trees()[path]))
