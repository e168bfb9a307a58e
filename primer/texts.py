"""The texts in `primer/texts/`, their placeholders, and the tags that keep our words apart from what people wrote."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal

Tag = Literal["system", "context_manager", "to_remember"]

TAGS: tuple[Tag, ...] = ("system", "context_manager", "to_remember")


def wrap(tag: Tag, text: str, /, **attributes: str) -> str:
    """The text on lines of its own between the tag's start and end.

    Attributes stand in the order given, and their values are escaped. The text is taken as it is:
    tags inside people's text are made harmless before they come here.
    """
    start = tag + "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
    return f"<{start}>\n{text}\n</{tag}>"


def _escaped(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
# Any start or end of our tags counts, whatever its case and attributes, closed or not.
_OUR_TAG = re.compile(rf"</?({'|'.join(TAGS)})(?![\w.:-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Texts:
    """One text for each Markdown file in `primer/texts/`, without white space at its ends.

    People may replace each file. None of them holds the tag that it is wrapped in.
    """

    primer: str
    quote: str
    quote_again: str
    perspective: str
    analyst: str
    analysis: str
    refinement: str
    hindsight: str
    perspective_hindsight: str
    fold_quotes: str
    fold_choice: str
    fold_perspective: str
    fold_analysis: str
    core: str
    core_json: str
    core_results: str
    fact_keeper: str
    facts: str
    facts_again: str
    otherwise: str
    guidance: str
    opening: str
    layers: str
    closing: str


# words, quote_words: a number of words. reason: a sentence. analysis: the context manager's whole answer.
# most: how many quotes a fold may carry on. quotes: all that it may choose from, numbered.
# sections: of the core memory, with what stands in them. functions: what edits them. example: a call of one, in JSON.
# results: what became of each edit, a line for each.
# facts: those that are known, as JSON. form: what the answer looks like, as JSON.
# question: one of the other texts. guidance: what the person says at `memproc retry --say`.
_HOLDS = {
    "quote": "quote_words", "quote_again": "reason", "perspective": "words", "analysis": "words",
    "refinement": "analysis words", "perspective_hindsight": "words", "fold_choice": "most quotes",
    "fold_perspective": "words", "fold_analysis": "words", "core": "sections", "core_json": "functions example",
    "core_results": "results", "facts": "facts form", "facts_again": "question reason", "otherwise": "question reason",
    "guidance": "guidance",
}  # fmt: skip
PLACEHOLDERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {text.name: frozenset(_HOLDS.get(text.name, "").split()) for text in fields(Texts)}
)
"""The placeholders that each text must hold; it may hold no others."""


def problems(name: str, text: str) -> tuple[str, ...]:
    """Everything that forbids using this text under this name, one sentence each; none if it is fine."""
    if name not in PLACEHOLDERS:
        return (f"There is no text named {name!r}; the texts are {', '.join(PLACEHOLDERS)}.",)
    if not text.strip():
        return ("The text is empty.",)
    return (*_placeholder_problems(PLACEHOLDERS[name], text), *_tag_problems(text))


def fill(text: str, /, **values: str) -> str:
    """The text with each `{name}` that has a value replaced by it, in one pass.

    Braces inside the values, and names without a value, stay as they are.
    """
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def _placeholder_problems(required: frozenset[str], text: str) -> list[str]:
    found = set(_PLACEHOLDER.findall(text))
    known = ", ".join(f"{{{name}}}" for name in sorted(required)) or "none"
    missing = [f"The placeholder {{{name}}} is missing." for name in sorted(required - found)]
    unknown = [
        f"The placeholder {{{name}}} means nothing here; this text may use: {known}."
        for name in sorted(found - required)
    ]
    return missing + unknown


def _tag_problems(text: str) -> list[str]:
    found = {tag.lower() for tag in _OUR_TAG.findall(text)}
    return [f"The tag <{tag}> stands in the text; memproc adds its tags itself." for tag in TAGS if tag in found]
