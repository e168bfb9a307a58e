"""The texts that models read: their names, their placeholders, and the tags around them.

Tags in people's own text are made inert before a model reads them, and can be restored:

    <system>        becomes  <J system>     J is a word joiner, U+2060, which is invisible
    <J system>      becomes  <JJ system>    so that removing one joiner restores the text
"""

import html
import re
from dataclasses import dataclass
from typing import Literal

from rules.layers.opening import JOINER

Tag = Literal["system", "context_manager", "to_remember"]
TAGS: tuple[Tag, ...] = ("system", "context_manager", "to_remember")
# Any start or end of our tags counts, in any case, with any attributes, closed or not.
# The quantifiers are possessive (`*+`): with backtracking, a "<" before a hundred thousand line
# breaks would take minutes.
_START = r"<(\s*+/?+\s*+)"
_NAME = rf"(?=(?:{'|'.join(TAGS)})\b)"
_TAG = re.compile(rf"{_START}({JOINER}*+){_NAME}", re.IGNORECASE)
_INERT = re.compile(rf"{_START}{JOINER}({JOINER}*+){_NAME}", re.IGNORECASE)

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
LENGTH = re.compile(r"(\d+) words")
_AROUND = re.compile(rf"\A(?:\s*<{_NAME}[^<>]*>)+|(?:</{_NAME}[^<>]*>\s*)+\Z", re.IGNORECASE)
_OUR_TAG = re.compile(rf"</?({'|'.join(TAGS)})(?![\w.:-])", re.IGNORECASE)
# words, quote_words: a number of words. reason: a sentence. analysis: the context manager's whole
# answer. sections: of the core memory, with their content. functions: what edits them.
# example: a call of one, in JSON. results: what became of each edit, a line for each.
# facts: those that are known, as JSON. form: what the answer looks like, as JSON.
# question: one of the other texts. guidance: what the person says at `memproc retry --say`.
PLACEHOLDERS = {
    "quote_again": "reason",
    "analysis": "words",
    "refinement": "analysis",
    "refinement_asked": "analysis",
    "fold_analysis": "words",
    "fold_paragraphs": "paragraphs",
    "core": "sections",
    "core_json": "functions example",
    "core_results": "results",
    "facts": "facts form",
    "facts_again": "question reason",
    "otherwise": "question reason",
    "guidance": "guidance",
}
"""The placeholders that a text must have, of those that must have any."""
_LENGTHS = {
    "quote": "quote_words",
    "perspective": "words",
    "perspective_hindsight": "words",
    "refinement": "words",
    "fold_perspective": "words",
}
"""The placeholder for the length of the answer, which a question may have in both its wordings."""
ASKED = "_asked"
"""The ending of the name of a text that asks in more words than a memory keeps."""


@dataclass(frozen=True, slots=True)
class Texts:
    """One text for each Markdown file in `primer/texts/`, without white space at its ends.

    People may replace each file. None of the texts has the tag that it is wrapped in.
    """

    primer: str
    quote: str
    quote_asked: str
    quote_again: str
    perspective: str
    perspective_asked: str
    analyst: str
    analysis: str
    refinement: str
    refinement_asked: str
    hindsight: str
    perspective_hindsight: str
    perspective_hindsight_asked: str
    fold_quotes: str
    fold_perspective: str
    fold_perspective_asked: str
    fold_analysis: str
    fold_paragraphs: str
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
    recall: str
    closing: str


def wrap(tag: Tag, text: str, /, **attributes: str) -> str:
    """Return the text on separate lines between the tag's start and end.

    Attributes keep their order, and their values are escaped. The text is not changed:
    the caller makes tags in people's text inert.
    """
    start: str = tag
    for name, value in attributes.items():
        escaped = html.escape(value, quote=False).replace('"', "&quot;")
        start += f' {name}="{escaped}"'
    return f"<{start}>\n{text}\n</{tag}>"


def make_tags_inert(text: str) -> str:
    """Return the text with a further joiner in each of our tags, so that none is read as a tag."""
    return _TAG.sub(rf"<\1{JOINER}\2", text)


def restore_tags(text: str) -> str:
    """Return the text as it was before `make_tags_inert`."""
    return _INERT.sub(r"<\1\2", text) if JOINER in text else text


def keep_inert(text: str) -> str:
    """Return a model's text with all of our tags inert, whether it copied them or made them up."""
    return make_tags_inert(restore_tags(text))


def without_tag_around(text: str) -> str:
    """Return a text without our tags at its ends, which a model copies with their content."""
    return _AROUND.sub("", text).strip()


def find_problems(name: str, text: str) -> tuple[str, ...]:
    """Return why a text cannot be used under this name, a sentence a reason; none if it can."""
    if not text.strip():
        return ("The text is empty.",)
    used = set(PLACEHOLDER.findall(text))
    required = set(PLACEHOLDERS.get(name, "").split())
    allowed = required | set(_LENGTHS.get(name.removesuffix(ASKED), "").split())
    missing = [f"The placeholder {{{lacking}}} is missing." for lacking in sorted(required - used)]
    known = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(allowed)) or "none"
    unknown = [
        f"The placeholder {{{other}}} means nothing here; this text may use: {known}."
        for other in sorted(used - allowed)
    ]
    tags = {tag.lower() for tag in _OUR_TAG.findall(text)}
    own_tags = (
        f"The tag <{tag}> stands in the text; memproc adds its tags itself."
        for tag in TAGS
        if tag in tags
    )
    return (*missing, *unknown, *own_tags)


def lacking_clauses(primer: str) -> tuple[str, ...]:
    """Return what a primer does not say about how a memory is asked for, a clause for each thing.

    The questions say most of it themselves, so such a primer can still be used.
    """
    tags = (f"what the tag {tag} holds" for tag in TAGS if tag not in primer)
    lengths = () if LENGTH.search(primer) else ('how long answers may be ("at most 200 words")',)
    return (*tags, *lengths)


def fill(text: str, /, **values: str) -> str:
    """Return the text with each `{name}` replaced by its value, in one pass.

    Braces in values, and names without a value, stay as they are.
    """
    return PLACEHOLDER.sub(lambda placeholder: values.get(placeholder[1], placeholder[0]), text)
