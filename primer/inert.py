"""Tags that people wrote themselves are made inert before a model reads them, and can be had back.

<system>        becomes  <J system>     J is a word joiner, U+2060, which shows as nothing
<J system>      becomes  <JJ system>    so that nothing is lost: taking one joiner out undoes it
"""

import re

from primer.tags import TAGS
from rules.history.inert_lines import JOINER

# Nothing that was matched is given back (`*+`): behind a "<", a hundred thousand line breaks would take minutes.
_START = r"<(\s*+/?+\s*+)"
_NAME = rf"(?=(?:{'|'.join(TAGS)})\b)"
_TAG = re.compile(rf"{_START}({JOINER}*+){_NAME}", re.IGNORECASE)
_INERT = re.compile(rf"{_START}{JOINER}({JOINER}*+){_NAME}", re.IGNORECASE)


def make_inert(text: str) -> str:
    """The text with every one of our tags in it broken by one more joiner."""
    return _TAG.sub(rf"<\1{JOINER}\2", text)


def restore(text: str) -> str:
    """The text as it was before `make_inert`."""
    return _INERT.sub(r"<\1\2", text)


def keep_inert(text: str) -> str:
    """A model's own text, in which no tag of ours may stand alive, whether it copied one or made it up."""
    return make_inert(restore(text))
