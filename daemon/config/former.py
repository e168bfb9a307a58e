"""Settings that memproc had once: a memproc.toml that still names them is read all the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FormerSetting:
    """A setting that is gone: where it was, its default, and a sentence on what happens now."""

    table: str
    name: str
    default: object
    now: str


FORMER = (
    FormerSetting(
        "output",
        "container",
        "chat",
        "Each chat has an updated file of its own now, whatever output.container says.",
    ),
)


def without_former(tables: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Take the former settings out of a parsed memproc.toml.

    Return the tables without them, and a sentence for each that was not at its default: `memproc
    init` wrote all settings of its day into the file, and about those there is nothing to say.
    """
    kept, sentences = dict(tables), []
    for former in FORMER:
        table = kept.get(former.table)
        if isinstance(table, dict) and former.name in table:
            kept[former.table] = {
                name: value for name, value in table.items() if name != former.name
            }
            if table[former.name] != former.default:
                sentences.append(former.now)
    return kept, tuple(sentences)
