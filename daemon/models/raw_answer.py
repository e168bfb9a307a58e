"""A provider's answer before LiteLLM reads it: the provider's own reason for its end; its shape.

LiteLLM turns every reason that it does not know into "stop", and fails on answers whose parts are
missing or of another type.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from primer.finish import REFUSED, reason_that_counts
from rules.money.usage import with_readable_counts

Answer = Mapping[str, Any]

_GOOD = range(200, 300)
_ACCOUNT = frozenset({"401", "402", "403", "429"})
"""Statuses that may be of the account, not the passage: key, money, rights, too many requests."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REASON = re.compile(r"[\w.-]{1,64}")
_UNKNOWN = "unknown"
"""Stands for a reason that is not a single word, since that may hold any text."""
_NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("choices", ("finish_reason", "native_finish_reason")),
    ("candidates", ("finishReason",)),
    ("results", ("stop_reason", "completionReason")),
    ("outputs", ("stop_reason",)),
    ("generations", ("finish_reason",)),
)
"""The lists whose first entry says why an answer ended, each with the names of that field."""
_NAMES_ON_TOP = ("stop_reason", "stopReason", "finish_reason", "done_reason")
_NS, _LARGEST = 1e9, 1e15
_RESPONSES: Mapping[str, str] = {"completed": "stop", "failed": "error", "cancelled": "error"}
"""The states of an answer in OpenAI's Responses API, as reasons."""


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer as LiteLLM is to read it, and what LiteLLM does not tell of it."""

    status: int
    content: bytes
    is_answer: bool = False
    """Whether a model gave it, in any shape: its status is no error, and it is no web page."""
    reasons: tuple[str, ...] | None = None
    """The provider's reasons for its end, in lower case; None where it is no JSON object."""
    odd_usage: str = ""
    """What it has in place of token counts; empty where all counts are numbers."""
    speeds: tuple[float, float] = (0.0, 0.0)
    """Tokens read and written a second, as a server of one's own reports them; else 0."""

    def finish(self, understood: str) -> str:
        """Return why it ended; `understood` is LiteLLM's reason."""
        return understood if self.reasons is None else reason_that_counts(self.reasons, understood)


def read_raw(status: int, content: bytes) -> RawAnswer:
    """Return an answer in a shape that LiteLLM can read; `content` may hold anything."""
    if status not in _GOOD:
        return RawAnswer(status, content)
    try:
        answer = json.loads(content)
        if not isinstance(answer, dict):
            return RawAnswer(status, content, is_answer=True)
        if of_account := _status_in(answer):
            return RawAnswer(of_account, content)
        readable, odd_usage = with_readable_counts(_in_readable_shape(answer))
        if readable != answer:
            content = json.dumps(readable).encode()
        reasons = tuple(_reasons(answer))
        return RawAnswer(status, content, True, reasons, odd_usage, _speeds(answer))
    except (ValueError, RecursionError):
        return RawAnswer(
            status,
            content,
            is_answer=not content.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"<"),
        )


def _status_in(answer: Answer) -> int | None:
    """Return the status of an error sent as an answer, if it may be of the account; else None."""
    codes = (str(error.get("code")) for error in errors_in(answer) if isinstance(error, dict))
    code = next((code for code in codes if code in _ACCOUNT), None)
    text = _message(_first(answer.get("choices")))["content"]
    has_text = bool(text or answer.get("candidates") or answer.get("content"))
    return None if code is None or has_text else int(code)


def errors_in(answer: Answer) -> list[object]:
    """List the errors in an answer: its own, and that of its first choice."""
    return [*filter(None, (answer.get("error"), _first(answer.get("choices")).get("error")))]


def _in_readable_shape(answer: Answer) -> Answer:
    """Return an answer as LiteLLM can read it: the fields that it needs exist, and content is text.

    An answer of an unknown format is returned as it is.
    """
    if "choices" in answer or str(answer.get("object")).startswith("chat.completion"):
        choice = _first(answer.get("choices"))
        finish = next(_words(choice, ("finish_reason",)), None)
        choices = [{"index": 0, "finish_reason": finish, "message": _message(choice)}]
        return {**{name: answer[name] for name in answer if name != "error"}, "choices": choices}
    if answer.get("type") == "message":
        blocks = _blocks(answer.get("content"))
        return {"stop_reason": None, "model": "", **answer, "content": blocks}
    is_blocked = isinstance(answer.get("promptFeedback"), dict)
    if "candidates" in answer or ("usageMetadata" in answer and not is_blocked):
        candidate, counts = _first(answer.get("candidates")), answer.get("usageMetadata")
        inner = _first([candidate.get("content")])
        parts = [part for part in _listed(inner.get("parts")) if isinstance(part, dict)]
        candidates = [{**candidate, "content": {"role": "model", **inner, "parts": parts}}]
        return {**answer, "candidates": candidates, "usageMetadata": counts or {}}
    return answer


def _reasons(answer: Answer) -> Iterator[str]:
    choice, feedback = _first(answer.get("choices")), answer.get("promptFeedback")
    yield from ("error" for _ in errors_in(answer))
    message = choice.get("message")
    if isinstance(message, dict) and message.get("refusal") and not message.get("content"):
        yield REFUSED
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        yield REFUSED
    if answer.get("object") == "response":
        yield from _words(_first([answer.get("incomplete_details")]), ("reason",))
        yield _RESPONSES.get(str(answer.get("status")), _UNKNOWN)
    yield from _words(answer, _NAMES_ON_TOP)
    for entries, names in _NAMES:
        yield from _words(_first(answer.get(entries)), names)


def _speeds(answer: Answer) -> tuple[float, float]:
    """Return the tokens read and written a second: by llama.cpp, by LM Studio, or by Ollama."""
    timings, stats, usage = (_first([answer.get(name)]) for name in ("timings", "stats", "usage"))
    read = (
        _number(timings, "prompt_per_second"),
        _a_second(_number(usage, "prompt_tokens"), _number(stats, "time_to_first_token")),
        _NS
        * _a_second(_number(answer, "prompt_eval_count"), _number(answer, "prompt_eval_duration")),
    )
    written = (
        _number(timings, "predicted_per_second"),
        _number(stats, "tokens_per_second"),
        _NS * _a_second(_number(answer, "eval_count"), _number(answer, "eval_duration")),
    )
    return max(read), max(written)


def _a_second(tokens: float, duration: float) -> float:
    return tokens / duration if duration else 0.0


def _number(table: Answer, name: str) -> float:
    number = table.get(name)
    is_one = isinstance(number, int | float) and 0 < number < _LARGEST
    return float(number) if is_one and number is not None else 0.0


def _words(table: Answer, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        reason = table.get(name)
        if reason is None or reason == "":
            continue
        is_word = isinstance(reason, str) and _REASON.fullmatch(reason)
        yield reason.casefold() if is_word else _UNKNOWN


def _first(entries: object) -> Answer:
    """Return the first entry of a list if it is an object, else an empty one."""
    first = entries[0] if isinstance(entries, list) and entries else None
    return first if isinstance(first, dict) else {}


def _message(choice: Answer) -> dict[str, Any]:
    """Return a choice's message as LiteLLM reads it: content as one text, thinking, and calls."""
    candidates = (choice.get("message"), choice.get("delta"), {"content": choice.get("text")})
    message_in_choice = next(candidate for candidate in candidates if isinstance(candidate, dict))
    content = message_in_choice.get("content")
    parts = content if isinstance(content, list) else [content]
    thoughts = [
        message_in_choice.get("reasoning_content") or message_in_choice.get("reasoning"),
        *filter(_is_thought, parts),
    ]
    message = {
        "role": "assistant",
        "content": _text([part for part in parts if not _is_thought(part)]) or None,
        "reasoning_content": _text(thoughts),
        "tool_calls": [
            call
            for call in _listed(message_in_choice.get("tool_calls"))
            if isinstance(call, dict) and isinstance(call.get("function"), dict)
        ],
    }
    return {name: value for name, value in message.items() if value or name == "content"}


def _is_thought(part: object) -> bool:
    kind = str(part.get("type")) if isinstance(part, dict) else ""
    return "think" in kind or "reason" in kind


def _text(part: object) -> str:
    match part:
        case str():
            return part
        case list():
            return "".join(map(_text, part))
        case {"text": inner} | {"thinking": inner} | {"reasoning": inner}:
            return _text(inner)
    return ""


def _blocks(content: object) -> list[Any]:
    """Return the readable ones of Anthropic's blocks of content."""
    parts = content if isinstance(content, list) else [content]
    blocks = [{"text": part} if isinstance(part, str) else part for part in parts]
    return [
        {"type": "text", **block}
        for block in blocks
        if isinstance(block, dict)
        and (block.get("type", "text") != "text" or isinstance(block.get("text"), str))
    ]


def _listed(entries: object) -> list[Any]:
    return entries if isinstance(entries, list) else []
