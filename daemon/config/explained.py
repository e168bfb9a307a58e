"""The reason of each setting, as the comments of the shipped memproc.toml give it."""

import re
from collections.abc import Mapping
from functools import cache

from daemon.config.editing import SettingName
from daemon.config.loading import shipped_text

_HEADER = re.compile(r"#?\[+([a-z_.]+)\]+\s*")
_SETTING = re.compile(r"([a-z_]+) = ")


@cache
def setting_reasons() -> Mapping[SettingName, str]:
    """Return the comment about each setting in one line.

    It is before the setting, or before the example of a table in comments; or else it is below the
    header of a table that is a setting itself.
    """
    found: dict[SettingName, str] = {}
    table = name = ""
    comment: list[str] = []
    for line in shipped_text().splitlines():
        if line == "#" or line.startswith("# "):
            comment.append(line[2:])
            continue
        if header := _HEADER.fullmatch(line):
            table, _, within = header[1].partition(".")
            name = within.partition(".")[0]
        elif setting := _SETTING.match(line):
            name = setting[1]
        if name and comment:
            found.setdefault((table, name), " ".join(" ".join(comment).split()))
            name = ""
        comment = []
    return found
