"""Say what each setting is for, in the words below its row, and write the memproc.toml with all of them.

The words are Markdown. In memproc.toml they are comments, and a block of code in them is an example.
"""

import ast
from collections.abc import Mapping
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import indent
from typing import Any

from daemon.config.as_toml import toml_value
from daemon.config.settings import Config
from daemon.config.tables import AS_WRITTEN, Table

TABLES: Mapping[str, Any] = {name: row.annotation for name, row in Config.model_fields.items()}
"""The tables of memproc.toml, by their names in it, in their order."""


def default_file() -> str:
    """Return memproc.toml with every setting at its default, and its reason above it.

    A table whose names people choose has a header; a list of tables has an example alone.
    """
    parts = [_comment(str(Config.__doc__))]
    for table, kind in TABLES.items():
        parts.append(f"\n[{table}]\n{_comment(kind.__doc__)}")
        for name, reason in reasons_in(kind).items():
            row = kind.model_fields[name]
            value = row.get_default(call_default_factory=True)
            header = f"[{table}.{name}]\n" if value == {} else ""
            is_example = value == {} or AS_WRITTEN in row.metadata
            setting = "" if is_example else f"\n{name} = {toml_value(value)}"
            parts.append(f"{header}{_comment(reason)}{setting}")
    return "\n\n".join(parts) + "\n"


@cache
def reasons_in(kind: type[Table]) -> dict[str, str]:
    """Return the reason of each setting in a table of this kind: the words below its row.

    The source is read for it, which takes time; pydantic would read it at every start.
    """
    reasons: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        if issubclass(part, Table):
            rows = ast.iter_child_nodes(ast.parse(getsource(part)).body[0])
            for row, words in pairwise(rows):
                match row, words:
                    case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                        reasons[name] = cleandoc(text)
    return reasons


def _comment(words: str) -> str:
    """Write words as comments; examples have no space after the mark."""
    return indent(cleandoc(words), "# ").replace("#     ", "#")
