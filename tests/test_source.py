"""What CONTRIBUTING promises of functions (sizes, docstrings), and of modules: none imports itself in a circle."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter

from tests.sources import ROOT, nodes_of, trees

MOST_NODES = 300
"""Of a function's syntax tree, about forty lines of it."""
# Articles, pronouns and question words; names with a capital inside, code, plurals, possessives.
NO_VERB = re.compile(
    r"(The|An?|What|Which|Whether|Why|How|Of|In|All|That|This|Those|These|Its?|Their|For|By|From|Where|When|Is|Are"
    r"|Each|Every|One|Never|Whole|Raw|[A-Z][a-z]+[^s\W]s)\b|[^A-Z]|[A-Z][^a-z]|[A-Z][a-z]+[A-Z]|\w+'"
)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield each function of the program, and where it is."""
    for path in trees():
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


def test_no_function_is_too_large_to_be_held_in_view() -> None:
    sizes = ((sum(1 for _ in ast.walk(node)), place) for place, node in functions())
    assert [f"{place}: {size} nodes" for size, place in sizes if size > MOST_NODES] == []


def test_a_docstring_begins_with_a_verb() -> None:
    texts = ((place, ast.get_docstring(node) or "Say") for place, node in functions())
    assert [f"{place}: {text[:60]}" for place, text in texts if NO_VERB.match(text)] == []


def test_no_modules_import_each_other_in_a_circle_late_and_for_types_neither() -> None:
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in trees()}
    modules = {name.removesuffix(".__init__"): path for name, path in modules.items()}
    imports: dict[str, set[str]] = {}
    for module, path in modules.items():
        froms = [node for node in nodes_of(path) if isinstance(node, ast.ImportFrom)]
        pairs = [
            (node.module or "", f"{node.module}.{each.name}")
            for node in froms
            for each in node.names
        ]
        imports[module] = {
            inner if inner in modules else outer for outer, inner in pairs
        } & modules.keys()
    TopologicalSorter(imports).prepare()  # raises an error that names the circle


def test_a_story_asks_the_program_and_opens_no_archive() -> None:
    """Another program's view of a file (damaged, locked, searched for a word) is in one module, by no table's name."""
    stories = ROOT / "tests" / "stories"
    imports = [
        f"{path.name}:{node.lineno} {name}"
        for path in sorted(stories.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in _modules(node)
        if name == "sqlite3" or name.startswith("daemon.archive")
    ]
    assert [place for place in imports if not place.startswith("databases.py:")] == []


def _modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield what is imported, with the module that it is in."""
    within = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        yield within + alias.name
    if isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
