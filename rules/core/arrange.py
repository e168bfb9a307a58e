"""The sections that a chat has: those of a layout, with what memproc.toml says laid over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rules.core.section import Section, Value


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is said about one section; None: nothing, so that the layout's own holds."""

    description: str | None = None
    limit: int | None = None
    value: Value | None = None


def arranged(sections: Sequence[Section], wanted: Mapping[str, Wanted]) -> tuple[Section, ...]:
    """The layout's sections in its order, then the further ones in theirs; one whose limit is 0 is left out.

    Raises OverLimit where a first value is longer than its section may be.
    """
    own = {section.name: section for section in sections}
    further = {name: Section(name, "", 0) for name in wanted if name not in own}
    laid_over = (_laid_over(section, wanted.get(name, Wanted())) for name, section in (own | further).items())
    return tuple(section for section in laid_over if section)


def _laid_over(section: Section, wanted: Wanted) -> Section | None:
    limit = section.limit if wanted.limit is None else wanted.limit
    if limit == 0:
        return None
    return replace(
        section,
        description=section.description if wanted.description is None else wanted.description,
        limit=limit,
        value=section.value if wanted.value is None else wanted.value,
    )
