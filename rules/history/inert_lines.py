"""Lines that would read as the opening's own form are made inert before they stand in it, and can be had back.

## persona      becomes  J## persona     J is a word joiner, U+2060, which shows as nothing
spaces at end   becomes  spaces at endJ  an editor may take white space away from the end of a line
an empty line   becomes  J               at the beginning and at the end of a text alone

Where joiners stand already, it is one more, so that nothing is lost: taking one out undoes it.
"""

import re

JOINER = "\u2060"
_BREAK, _SPACE = r"\n", r"[^\S\n]"
_HEADING = re.compile(rf"^(?={JOINER}*+##(?!#))", re.MULTILINE)
_INERT_HEADING = re.compile(rf"^{JOINER}(?={JOINER}*+##(?!#))", re.MULTILINE)
_END = re.compile(rf"(?:^{JOINER}++|{_SPACE}{JOINER}*+)$", re.MULTILINE)
_INERT_END = re.compile(rf"(^|{_SPACE}){JOINER}({JOINER}*+)$", re.MULTILINE)
_BARE = re.compile(rf"\A(?={_BREAK})|(?<={_BREAK})\Z")


def make_inert(text: str) -> str:
    """The text as lines of which none is a heading, none ends in white space, and the first and last are not empty."""
    return _BARE.sub(JOINER, _END.sub(rf"\g<0>{JOINER}", _HEADING.sub(JOINER, text)))


def restore(text: str) -> str:
    """The text as it was before `make_inert`."""
    return _INERT_HEADING.sub("", _INERT_END.sub(r"\1\2", text))
