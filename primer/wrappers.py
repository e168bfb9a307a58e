"""Remove what a model and its format leave around an answer, layer by layer.

    thoughts        <think> ... </think>, <|channel|>analysis<|message|> ... <|end|>,
                    [THINK] ... [/THINK]
    head and end    <|im_start|>assistant, <end_of_turn>, </s>; with the end, an invented next turn
    calls           <tool_call> ... </tool_call>, [TOOL_CALLS] ...
    around all      a fence, a label ("**My memory:**"), a number of words ("(38 words)")

Marks in the middle stay, for `reply.refuse_control_mark` to refuse. An answer that is in the
passage word for word is a quotation, and stays unchanged. A mark that the passage has, too, is
something that people speak of, and within a sentence it counts as a word.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rules.checks.words import LABEL, NUMBER_OF_WORDS
from rules.conversation.quote import plain_text
from rules.extract.control_marks import (
    THINKING_WORD,
    find_marks,
    is_data,
    kind_of_mark,
    kinds_of_marks,
)
from rules.extract.voices import is_finished

_MOST_LAYERS = 12
_OPENED = (
    rf"<(?P<element>{THINKING_WORD})(?:\s[^<>\n]{{0,200}})?>",
    r"\[THINK\]",
    r"◁think(?:ing)?▷",
    r"<[|｜](?!/|end)\w*(?:think|thought|reasoning|inner_prefix)\w*[|｜]>",
    r"<\|channel\|>\s*(?:analysis|commentary)(?:(?!<\|message\|>)[^\n]){0,200}<\|message\|>",
    r"<\|channel>(?:[ \t]*thought\b)?",
    r"<unused94>",
)
_CLOSED = (
    r"</(?P=element)\s*>",
    r"\[/THINK\]",
    r"◁/think(?:ing)?▷",
    r"<[|｜](?:/\w+|\w*end\w*|inner_suffix)[|｜]>",
    r"(?:<\|(?:end|call)\|>|(?=<\|(?:start|channel)\|>))",
    r"</?channel\|>",
    r"<unused95>",
)
_ALONE = rf"(?:</{THINKING_WORD}>|\[/THINK\]|◁/think(?:ing)?▷|</?channel\|>|<unused95>)"
_OPENING = "|".join(_OPENED)
_BLOCKS = "|".join(f"{opened}.*?{closed}" for opened, closed in zip(_OPENED, _CLOSED, strict=True))
_BLOCK = re.compile(_BLOCKS, re.DOTALL | re.IGNORECASE)
# A model whose prompt ends with an opened block closes what it never opened, on a separate line.
# A server may remove the marks of Harmony and leave the names of its channels.
_THOUGHT = re.compile(
    rf"{_BLOCKS}|(?!{_OPENING.replace('?P<element>', '?:')}).*?^[ \t]*{_ALONE}[ \t]*$"
    r"|(?-i:analysis(?=[A-Z\"“]).*?assistant(?:commentary.*?assistant)?final)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_STILL_THINKING = re.compile(rf"{_OPENING}|(?-i:analysis(?=[A-Z][a-z])|thought\n)", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s*final(?:(?!<\|message\|>)[^\n]){0,200}<\|message\|>")

_HERE = r"(?=\s*(?:\n|\Z|[<\[◁]))"
_OWN_ROLE = re.compile(rf"[ \t]*(?:assistant|model|final|bot|ai|chatbot){_HERE}", re.IGNORECASE)
_OTHERS_ROLE = re.compile(
    rf"\s*(?:user|human|system|developer|tool|observation|ipython|environment)(?:{_HERE}|\s*:)",
    re.IGNORECASE,
)
_OTHERS_MARK = re.compile(r"user|human|\[INST|observation|system|tool_response", re.IGNORECASE)
_ROLE_ALONE = re.compile(r"(?:assistant|model)[ \t]*\n")
_NEXT_ROLE = re.compile(
    r"(?:(?<=[.!?…。！？”»])(?:user|human|assistant|model)|(?<=\n)(?:user|assistant))[ \t]*\n"
    r"|(?<=\n)(?:Human|User):\s"
)
_BROKEN_MARK = re.compile(r"(?:<[|｜][\w▁]*[|｜]?|</s|<end_of_turn)\Z")

_CALL = re.compile(
    r"tool[_▁ ]?(?:call|output|response|result|code|sep)|function|invoke|parameter|python_tag|arg_"
    r"|DSML|_action|action_|plugin|<\|call\|>",
    re.IGNORECASE,
)
_CALL_ENDS = re.compile(r"\W*/|.*(?<![a-z])end|<\w+[|｜]>\Z|<\|call", re.IGNORECASE)
_ARGUMENTS = re.compile(r"[\w.:-]*(?:\s*[\[{]|\()")
_FENCED = re.compile(r"(`{3,}|~{3,})[ \t]*(\w*)[ \t]*\n(.*?)\n?[ \t]*\1\Z", re.DOTALL)
_LONGEST_NUMBER, _LONGEST_MARK = 120, 60
"""The most characters of a number of words and all around it, and of a mark that is cut off."""
_PROSE_FENCES = ("", "text", "txt", "plain", "plaintext", "markdown", "md")


@dataclass(frozen=True)  # without slots, for its cached properties
class _Wrapped:
    """An answer with what is still around it, and the passage that it is about."""

    text: str
    passage: Sequence[str]

    @cached_property
    def marks(self) -> Sequence[re.Match[str]]:
        return find_marks(self.text)

    @cached_property
    def held(self) -> frozenset[str]:
        return kinds_of_marks(self.passage)

    def is_held(self, mark: re.Match[str]) -> bool:
        return kind_of_mark(mark[0]) in self.held

    def is_said(self, role: str) -> bool:
        """Return whether the passage has this role with a colon, as in a pasted log."""
        return role.endswith(":") and any(role in message for message in self.passage)

    @property
    def is_quotation(self) -> bool:
        plain = plain_text(self.text)
        return any(plain in plain_text(message) for message in self.passage)


def unwrap(answer: str, passage: Sequence[str] = ()) -> str | None:
    """Return an answer without what is around it; None where it is thinking that never ended."""
    wrapped = _Wrapped(answer.strip(), passage)
    for _ in range(_MOST_LAYERS):
        inners = (inner for remove in _LAYERS if (inner := remove(wrapped)) is not None)
        inner = next(inners, None)
        if inner is None or wrapped.is_quotation:
            break
        wrapped = _Wrapped(inner.strip(), passage)
    if _STILL_THINKING.match(wrapped.text) and not wrapped.is_quotation:
        return None
    return wrapped.text


def begins_with_thoughts(answer: str) -> bool:
    """Return whether an answer begins with the model's thoughts."""
    text = answer.strip()
    return bool(_THOUGHT.match(text) or _STILL_THINKING.match(text))


def _without_thought(wrapped: _Wrapped) -> str | None:
    thought = _THOUGHT.match(wrapped.text)
    return wrapped.text[thought.end() :] if thought else None


def _after_final(wrapped: _Wrapped) -> str | None:
    """Return the text in Harmony's final channel, without what precedes it."""
    for mark in wrapped.marks:
        final = _FINAL.match(wrapped.text, mark.start())
        if final and not wrapped.is_held(mark):
            return wrapped.text[final.end() :]
    return None


def _without_head(wrapped: _Wrapped) -> str | None:
    """Return the text without the mark at its beginning, and without the persona's role."""
    text = wrapped.text
    if role := _ROLE_ALONE.match(text):
        return text[role.end() :]
    if not wrapped.marks or wrapped.marks[0].start() or _STILL_THINKING.match(text):
        return None
    mark = wrapped.marks[0]
    after = text[mark.end() :]
    if _CALL.search(mark[0]) or _OTHERS_MARK.search(mark[0]) or _OTHERS_ROLE.match(after):
        return None
    if role := _OWN_ROLE.match(after):
        return after[role.end() :]
    return None if wrapped.is_held(mark) and after[:1] == " " else after


def _without_calls(wrapped: _Wrapped) -> str | None:
    """Return the text without tool calls at its end or its beginning."""
    text = wrapped.text
    calls = [mark for mark in wrapped.marks if _CALL.search(mark[0]) and not wrapped.is_held(mark)]
    if not calls:
        return None
    start, stop = calls[0].start(), calls[-1].end()
    after = text[stop:].strip()
    is_open = not _CALL_ENDS.match(calls[-1][0])
    if not after or (is_open and _ARGUMENTS.match(after)):
        return text[:start]
    return text[stop:] if start == 0 and not is_open else None


def _without_next_turn(wrapped: _Wrapped) -> str | None:
    """Return the text before somebody else's turn that the model has invented."""
    text = wrapped.text
    role = _NEXT_ROLE.search(text, 1)
    if role and "```" not in text[: role.start()] and not wrapped.is_said(role[0].strip()):
        return text[: role.start()]
    unknown = [mark for mark in wrapped.marks if mark.start() and not wrapped.is_held(mark)]
    if not unknown:
        return None
    run, stop = "", unknown[0].start()
    for mark in unknown:
        if text[stop : mark.start()].strip():
            break
        run, stop = run + mark[0], mark.end()
    is_others = _OTHERS_MARK.search(run) or _OTHERS_ROLE.match(text, stop)
    return text[: unknown[0].start()] if is_others else None


def _without_afterthought(wrapped: _Wrapped) -> str | None:
    """Return the text without a block of thinking at its end."""
    thoughts = (mark for mark in wrapped.marks if _STILL_THINKING.match(wrapped.text, mark.start()))
    mark = next(thoughts, None)
    block = _BLOCK.match(wrapped.text, mark.start()) if mark and not wrapped.is_held(mark) else None
    is_last = mark and block and block.end() == len(wrapped.text)
    return wrapped.text[: mark.start()] if mark and is_last else None


def _without_end(wrapped: _Wrapped) -> str | None:
    """Return the text without the marks at its end, of which the last may be cut off."""
    text, stop = wrapped.text, len(wrapped.text)
    if broken := _BROKEN_MARK.search(text, max(0, stop - _LONGEST_MARK)):
        return text[: broken.start()]
    for mark in reversed(wrapped.marks):
        after = text[mark.end() : stop].strip()
        is_last = not after or (stop == len(text) and _OWN_ROLE.fullmatch(after) is not None)
        is_word = wrapped.is_held(mark) and not is_finished(text[: mark.start()])
        if not is_last or is_word or _STILL_THINKING.match(mark[0]):
            break
        stop = mark.start()
    return text[:stop] if stop < len(text) else None


def _without_fence(wrapped: _Wrapped) -> str | None:
    """Return the prose within a fence around everything; JSON keeps its fence, which marks it."""
    fenced = _FENCED.fullmatch(wrapped.text)
    if fenced is None or fenced[2].lower() not in _PROSE_FENCES:
        return None
    inside = fenced[3].strip()
    is_one_piece = bool(fenced[2]) or f"\n{fenced[1]}" not in f"\n{inside}"
    return inside if inside and not is_data(inside) and is_one_piece else None


def _without_label(wrapped: _Wrapped) -> str | None:
    label = LABEL.match(wrapped.text)
    return wrapped.text[label.end() :] if label else None


def _without_number(wrapped: _Wrapped) -> str | None:
    number = NUMBER_OF_WORDS.search(wrapped.text, max(0, len(wrapped.text) - _LONGEST_NUMBER))
    return wrapped.text[: number.start()] if number else None


_LAYERS: tuple[Callable[[_Wrapped], str | None], ...] = (
    _without_thought,
    _after_final,
    _without_head,
    _without_calls,
    _without_next_turn,
    _without_afterthought,
    _without_end,
    _without_fence,
    _without_label,
    _without_number,
)
