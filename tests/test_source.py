"""What CONTRIBUTING promises of every function: a size that can be held in view, a docstring with a verb."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_NODES = 300
"""Of a function's syntax tree, about forty lines of it."""
# Articles, pronouns and question words; names with a capital inside, code, plurals, possessives.
NO_VERB = re.compile(
    r"(The|An?|What|Which|Whether|Why|How|Of|In|All|That|This|Those|These|Its?|Their|For|By|From|Where|When|Is|Are"
    r"|Each|Every|One|Never|Whole|Raw|[A-Z][a-z]+[^s\W]s)\b|[^A-Z]|[A-Z][^a-z]|[A-Z][a-z]+[A-Z]|\w+'"
)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield each function of the program, and where it is."""
    for room in ("rules", "primer", "daemon", "service"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


def test_no_function_is_too_large_to_be_held_in_view() -> None:
    sizes = ((sum(1 for _ in ast.walk(node)), place) for place, node in functions())
    assert [f"{place}: {size} nodes" for size, place in sizes if size > MOST_NODES] == []


def test_a_docstring_begins_with_a_verb() -> None:
    texts = ((place, ast.get_docstring(node) or "Say") for place, node in functions())
    assert [f"{place}: {text[:60]}" for place, text in texts if NO_VERB.match(text)] == []
