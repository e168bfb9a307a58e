"""Makes memproc.toml and `docs/settings.md`: all settings, as their tables in `daemon/config/` have them.

python -m tests.settings_files        writes both again
"""

from collections.abc import Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from daemon.config.as_toml import TABLES, default_file, reasons_in, toml_value
from daemon.config.settings import ChatTables
from daemon.config.tables import Table

ROOT = Path(__file__).parents[1]
TOML, PAGE = ROOT / "memproc.toml", ROOT / "docs" / "settings.md"
_BEGINNING = """\
# Settings

All settings of memproc.toml, which [memproc.toml](../memproc.toml) has at their defaults. The page changes those that
have a label; a setting that may differ from chat to chat may also be in a table `[[chats.override]]`. What can be wrong
in the file is told with its line: `memproc config check`.
"""
_KINDS: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list",
    dict: "a table",
    Mapping: "a table",
}


def page() -> str:
    """The page, with a section for each table and a paragraph for each setting."""
    parts = [_BEGINNING]
    for table, kind in TABLES.items():
        parts.append(f"## [{table}]\n\n{cleandoc(kind.__doc__)}\n")
        for name, reason in reasons_in(kind).items():
            row = kind.model_fields[name]
            facts = [_takes(row)]
            if (default := row.get_default(call_default_factory=True)) not in ({}, ()):
                facts.append(f"default `{toml_value(default)}`")
            if row.title:
                facts.append(f'on the page "{row.title}"')
            if _may_differ(table, name):
                facts.append("may differ from chat to chat")
            parts.append(f"### {table}.{name}\n\n*{'; '.join(facts)}.*\n\n{reason}\n")
    return "\n".join(parts)


def _takes(row: FieldInfo) -> str:
    """What a setting may be, as far as its type and bounds say it; its reason says the rest."""
    origin = get_origin(row.annotation)
    if origin is Literal:
        return " or ".join(f"`{toml_value(choice)}`" for choice in get_args(row.annotation))
    said = [_KINDS.get(origin or row.annotation, "a whole number or a word")]
    for part in row.metadata:
        if isinstance(part, Ge):
            said.append(f"at least {part.ge:,}")
        if isinstance(part, Le):
            said.append(f"at most {part.le:,.0f}")
    return ", ".join(said)


def _may_differ(table: str, name: str) -> bool:
    """Whether an override of a chat may have this setting."""
    row = ChatTables.model_fields.get(table)
    kind = row.annotation if row else None
    return isinstance(kind, type) and issubclass(kind, Table) and name in kind.model_fields


if __name__ == "__main__":
    TOML.write_text(default_file(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
