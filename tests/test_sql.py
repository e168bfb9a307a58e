"""SQL is written in daemon/archive and nowhere else."""

import ast
import re
from pathlib import Path

from tests.sources import ROOT, nodes_of, trees

STATEMENT = re.compile(
    r"\b(SELECT\s.*\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\b",
    re.DOTALL,
)


def statements(path: Path) -> list[str]:
    """The texts of a module that are SQL."""
    texts = (node.value for node in nodes_of(path) if isinstance(node, ast.Constant))
    return [text for text in texts if isinstance(text, str) and STATEMENT.search(text)]


def test_sql_is_written_in_the_archive_alone() -> None:
    elsewhere = [
        path for path in trees() if path.parent != ROOT / "daemon" / "archive" and statements(path)
    ]
    assert elsewhere == []
    assert statements(ROOT / "daemon" / "archive" / "messages.py"), (
        "the test knows SQL where it sees it"
    )
