"""No sentence for people has the name of a function in it, as a renaming may leave it there."""

import ast
import re
from collections.abc import Iterator

from tests.sources import ROOT, nodes_of, trees

SQL = re.compile(r"\b(?:SELECT|FROM|WHERE|INSERT|UPDATE|TABLE|JOIN|AND|OR|NULL|VALUES)\b|substr\(")
COLUMNS = re.compile(r"[a-z0-9_ ]+")
"""A list of names, as the archive keeps them."""
NAME = re.compile(r"(?<![\w.`</\-])[a-z_]+_\w+(?![\w`(/\-]|\.\w| =)")
"""A word in the midst of prose: no setting, mark, path or code."""


PAGE = ROOT / "daemon" / "page" / "templates"
CODE_OF_PAGE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^<>]*>", re.DOTALL)


def function_names() -> set[str]:
    return {
        node.name
        for path in trees()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and "_" in node.name.strip("_")
    }


def prose(tree: ast.Module, *, is_of_archive: bool) -> Iterator[ast.Constant]:
    """The texts of several words that are neither SQL nor lists of columns, nor a module's own."""
    own = tree.body[:1] if ast.get_docstring(tree) else []
    for node in (inner for part in tree.body[len(own) :] for inner in ast.walk(part)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        is_list = is_of_archive and COLUMNS.fullmatch(node.value)
        if " " in node.value.strip() and not is_list and not SQL.search(node.value):
            yield node


def named_in(text: str, names: set[str]) -> list[str]:
    return [word for word in NAME.findall(text) if word in names]


def test_no_sentence_for_people_names_a_function() -> None:
    names = function_names()
    assert {"read_chosen", "find_chat"} <= names
    archive = ROOT / "daemon" / "archive"
    told = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {word}"
        for path, tree in trees().items()
        for text in prose(tree, is_of_archive=path.parent == archive)
        for word in named_in(str(text.value), names)
    ]
    told += [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted(PAGE.glob("*.html"))
        for word in named_in(CODE_OF_PAGE.sub(" ", path.read_text("utf-8")), names)
    ]
    assert told == []


def test_it_knows_a_name_in_a_sentence_from_a_setting_and_from_code() -> None:
    names = {"read_chosen", "above_step"}
    assert named_in("or none, read_chosen it there once.", names) == ["read_chosen"]
    assert named_in("Then read_chosen.", names) == ["read_chosen"]
    for text in ("with budget.above_step = true", "`read_chosen` reads", "read_chosen(export)"):
        assert named_in(text, names) == []
