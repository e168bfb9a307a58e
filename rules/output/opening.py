"""Writes the opening message: the preface, and below it the core memory's sections and the facts.

    PREFACE

    INTRODUCTION

    ## persona
    I am curious, and I keep what I promise.

    ## facts
    - 2024-03-05: Ada is a software engineer.
    - She has a brother.

`rules/history/opening.py` reads it back, whatever its parts say: lines that would read as headings are made inert.
Tags in them are not: who passes the parts has made them inert already.
"""

from collections.abc import Sequence

from rules.core.section import Section
from rules.history.inert_lines import make_inert
from rules.history.opening import FACTS, HEADING, FactLine, fact_line, one_line


def write_opening(preface: str, introduction: str, core: Sequence[Section], facts: Sequence[FactLine]) -> str:
    """The opening's text, without its tag. With neither sections nor facts it is the preface alone, to the byte.

    Sections without a value and facts without words are left out. The facts stand in the order given.
    """
    parts = [_part(section.name, make_inert(section.rendered)) for section in core if section.rendered]
    if lines := [fact_line(fact) for fact in facts if one_line(fact.text)]:
        parts.append(_part(FACTS, "\n".join(lines)))
    if not parts:
        return preface
    return "\n\n".join(part for part in (make_inert(preface), make_inert(introduction), *parts) if part)


def _part(name: str, text: str) -> str:
    return f"{HEADING} {name}\n{text}"
