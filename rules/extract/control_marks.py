"""Find control marks: the tokens by which a model's own format parts turns, thoughts and calls.

    <|im_end|>  <｜User｜>  <|turn>  <turn|>          a name with a bar, in angle brackets
    ◁think▷  [|endofturn|]                          a name between other such signs
    <end_of_turn>  </s>  <seed:think>  <tool_call>  a known word in angle brackets
    [INST]  [/THINK]  [TOOL_CALLS]                  a known word in square brackets

A server normally strips them; where it does not, they are left in an answer. In code they do not
count as marks, and an emoticon, maths, a link or an HTML element is never one.
"""

import re
from collections.abc import Iterable, Sequence

THINKING_WORD = r"(?:[a-z]+[:_])?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
"""Matches the name of an element that holds thoughts, once case is ignored."""

_NAME = r"[A-Za-z_][\w▁]+(?:[ .:/-][\w▁]+)*"
_WORDS = (
    rf"{THINKING_WORD}|(?:[a-z]+[:_])?(?:tool|function)_calls?|tool_(?:code|(?:response|result|output)s?)"
    r"|invoke|arg_(?:key|value)|(?:final_)?answer|final|response|output|solution|role"
    r"|memory|quote|analysis|summary|perspective|refinement"
    r"|s|(?:[a-z]+:)?[be]os|pad|unk|sep|eo[tdha]|endoftext|(?:start|begin|end)_of_\w+"
    r"|(?:unused|extra_id_|special_|reserved_(?:special_token_)?)\d+"
)
_BRACKETED = (
    r"THINK|INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS?|RESULTS?|CONTENT)|MODEL_SETTINGS"
    r"|[BE]OS|EOT|PAD|gMASK|UNUSED_TOKEN_\d+|control_\d+"
)
_MARK = (
    rf"(?:</?[|｜]/?{_NAME}(?:[|｜](?:{_NAME}(?:\s[^<>\n]{{0,200}})?)?)?>|<\|\"\|>|</?{_NAME}[|｜]>"
    rf"|\[\|/?{_NAME}\|\]|◁/?{_NAME}▷"
    rf"|(?i:</?(?:{_WORDS})(?:\s[^<>\n]{{0,200}})?/?>)|</?(?:function|parameter)(?:=[^<>\n]{{1,80}})>"
    rf"|</(?:function|parameter)>|<</?SYS>>|\[/?(?:{_BRACKETED})\]|\]~!?b[\[\]]|\[e~\[|\]<\]minimax\[>\[)"
)

_CODE = r"```.*?(?:```|\Z)|(?m:^)[ \t]*~~~.*?(?:~~~|\Z)|`[^`\n]+`"
_STRUCK = r"(?<=\S)[ \t]*<s>[^<>\n]+</s>|<s>[^<>\n]+</s>(?=[ \t]*[^\s<\[])"
"""Text that HTML strikes out within a line: `<s>` is no control mark there."""
_ANYWHERE = re.compile(_MARK)
_ANYWHERE_OR_STRUCK = re.compile(rf"(?P<struck>{_STRUCK})|{_MARK}")
_OUTSIDE_CODE = re.compile(rf"(?P<code>{_CODE}|{_STRUCK})|{_MARK}", re.DOTALL)
_DATA = re.compile(r"(?:```\w*)?\s*(?:\{|\[\s*[\[\]{\"\d])")
_FIRST_SIGNS = ("<", "[", "]", "◁")


def holds_mark(text: str) -> bool:
    """Return whether a control mark is in the text, in code or outside it."""
    if not any(sign in text for sign in _FIRST_SIGNS):
        return False
    return any(match["struck"] is None for match in _ANYWHERE_OR_STRUCK.finditer(text))


def is_data(text: str) -> bool:
    """Return whether a text, or a piece of fenced code, begins like JSON."""
    return _DATA.match(text) is not None


def find_marks(text: str) -> Sequence[re.Match[str]]:
    """Return a text's control marks in order, but for those in code; in fenced JSON they count."""
    if not any(sign in text for sign in _FIRST_SIGNS):
        return ()
    marks: list[re.Match[str]] = []
    for match in _OUTSIDE_CODE.finditer(text):
        if match["code"] is None:
            marks.append(match)
        elif is_data(match["code"]):
            marks += _ANYWHERE.finditer(text, match.start(), match.end())
    return marks


def kinds_of_marks(texts: Iterable[str]) -> frozenset[str]:
    """Return the control marks in texts, as `kind_of_mark` spells them."""
    return frozenset(kind_of_mark(match[0]) for text in texts for match in _ANYWHERE.finditer(text))


def kind_of_mark(mark: str) -> str:
    """Return a mark in the form to compare by: an opening and its closing mark are of one kind."""
    return mark.replace("/", "").casefold()
