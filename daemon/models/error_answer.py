"""What a provider's error says: its status, code and parameter, and the meaning of its words.

The words may quote the prompt. So they are searched but never shown, and a sign that the prompt
itself contains does not count.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from daemon.models.raw_answer import errors_in
from primer.reply import Request

_DEEPEST = 4
"""The most errors, nested by gateways, that are looked into."""
_MOST_CHARACTERS = 100_000
_OF_A_PAGE = re.compile(r"\ufeff?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+)?html", re.S)
_NAMEABLE = re.compile(r"[A-Za-z0-9._\[\]-]{1,64}")
_TEXTS = frozenset({"messages", "prompt", "input", "contents", "content", "system"})
"""Parameters that hold what is asked: an error about one of them may be about the passage."""
_TOO_LARGE = 413
_FORBIDDEN = 403
_OF_REQUESTS = frozenset({200, 400, _FORBIDDEN, 422, 451})
"""Statuses of errors that may be about what was asked; some gateways pass errors on with 200."""

_REFUSAL_CODES = re.compile(
    r"content_?filter(ed)?|content_policy\w*|\w*moderation\w*|\w*flagged\w*|cyber_policy"
    r"|data_?inspection_?failed|1301|sensitive_words_detected|\w*sensitivecontentdetected[\w.]*"
    r"|censorship_blocked|responsibleaipolicyviolation|prohibited_content|refusal"
)
_REFUSAL_WORDS = re.compile(
    r"content exists risk|may contain inappropriate content|considered high risk"
    r"|datainspectionfailed|content filtering policy|content management policy"
    r"|content_policy_violation|violates usage guidelines|safety_check_type|flagged_input"
    r"|new_sensitive|contains? sensitive (?:words|content)|不安全或敏感|敏感内容|敏感词"
    r"|limited access to this content|flagged as potentially violating|by (?:our|the) safety system"
    r"|(?:input|prompt|content|request|message)s?(?: was| were| has been| have been)? flagged"
    r"|appears to violate (?:our|the) \w+ policy"
    r"|(?:blocked|rejected|filtered) (?:by|for|due to) (?:\w+ ){0,3}(?:moderation|guardrails?)"
)
_LENGTH_CODES = re.compile(
    r"context_length_exceeded|context_window_exceeded|exceed_context_size_error|1261|3051"
    r"|request_too_large|token_limit_exceeded|input_too_long"
)
_LENGTH_WORDS = re.compile(
    r"maximum (?:context|prompt|input|sequence|model|allowed) length|range of input length"
    r"|context(?:[ _-]\w+){0,2}[ _-](?:exceed|overflow)\w*|context the overflows"
    r"|(?:exceed\w*|longer than|greater than|larger than)[^.]{0,40} context"
    r"|(?:prompt|input|request|messages?|conversation|token length)(?: is| are)? too (?:long|large)"
    r"|exceed\w* (?:the )?(?:max(?:imum)? (?:length|number of tokens)|model token limit)"
    r"|exceeds the limit of \d+|tokens to keep from the initial prompt|token limit exceeded"
    r"|reduce the length of (?:the |your )?(?:messages|prompt|input)|too many (?:input )?tokens"
)
_ABOVE_A_LIMIT = re.compile("request too large for")
"""Said by some providers of a single request with more tokens than their limit for a minute."""
_MODEL_WORDS = re.compile(
    r"not a valid model|model not exist|model_not_found|invalid model|unknown model"
    r"|llm provider not provided"
)
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{4,9}")
_MORE = re.compile(r"exceed|longer|greater|>")


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An error as a provider words it; `status` is 0 where there was no answer."""

    status: int = 0
    words: str = field(default="", repr=False)
    """All of its text, in lower case."""
    message: str = field(default="", repr=False)
    codes: tuple[str, ...] = ()
    """Its codes and kinds, in lower case, the innermost first."""
    code: str = ""
    """Its code, if that is short and without blanks."""
    param: str = ""
    """The parameter that it names, if that is short and without blanks."""
    asked: str = field(default="", repr=False)
    """The prompt, in lower case."""

    @property
    def is_page(self) -> bool:
        """Return whether it is a web page, which no provider of models answers with."""
        return _OF_A_PAGE.match(self.words) is not None

    @property
    def refused_parameter(self) -> str:
        """Return the parameter that it refuses; empty if that holds what is asked."""
        is_text = _TEXTS & set(re.split(r"[.\[\]]", self.param))
        return "" if is_text or self.status == _FORBIDDEN else self.param

    @property
    def refuses_content(self) -> bool:
        """Return whether it surely refuses the content of the request."""
        return self.status in _OF_REQUESTS and self._is(_REFUSAL_CODES, _REFUSAL_WORDS)

    @property
    def is_too_long(self) -> bool:
        """Return whether it says that the request has too many tokens."""
        if self.status == _TOO_LARGE or self.says(_ABOVE_A_LIMIT):
            return True
        if self.refused_parameter:
            return any(map(_LENGTH_CODES.fullmatch, self.codes))
        return self.status in _OF_REQUESTS and self._is(_LENGTH_CODES, _LENGTH_WORDS)

    @property
    def knows_no_model(self) -> bool:
        """Return whether it says that there is no such model."""
        may_say_so = self.status in _OF_REQUESTS or not self.status  # without one, LiteLLM says it
        return self.status == 404 or (may_say_so and self.says(_MODEL_WORDS))

    @property
    def excess(self) -> str:
        """Return by how much the request is too long, as a phrase; empty where that is not said."""
        matches = list(_NUMBER.finditer(self.message))
        numbers = [int(match.group().replace(",", "")) for match in matches]
        if len(set(numbers)) < 2:
            return ""
        sent, first = max(numbers), numbers[0]
        between = self.message[matches[0].end() : matches[numbers.index(sent)].start()]
        if first < sent and _MORE.search(between):
            return ""  # the first number is not the window but what was sent, with more to be added
        window = first if first < sent else next(number for number in numbers if number < sent)
        return f": {sent:,} tokens for {window:,}, {sent - window:,} too many"

    def says(self, signs: re.Pattern[str]) -> bool:
        """Return whether its words have one of these signs that the prompt does not have."""
        return any(sign.group() not in self.asked for sign in signs.finditer(self.words))

    def _is(self, codes: re.Pattern[str], words: re.Pattern[str]) -> bool:
        return any(map(codes.fullmatch, self.codes)) or self.says(words)


def read_error(
    request: Request, status: int, body: bytes, fault: Exception | None = None
) -> ErrorAnswer:
    """Return the error in an answer to a request, else the one in the fault that was raised.

    `status` is 0 where there was no answer.
    """
    asked = "\n".join(request.texts).lower()
    text = body.decode("utf-8", "replace")[:_MOST_CHARACTERS]
    if not text.strip():
        text = f"{fault} {getattr(fault, 'body', '')}"
    parsed: Any = None
    with suppress(ValueError, RecursionError):
        parsed = json.loads(text)
        if status == 200 and isinstance(parsed, dict):
            parsed = {"error": next(iter(errors_in(parsed)), None)}  # the rest is a model's answer
        text = json.dumps(parsed, ensure_ascii=False)
    errors = list(_errors_in(parsed))
    codes = [_shown(error.get(name)) for error in errors for name in ("code", "type", "status")]
    messages = [error[name] for error in errors for name in ("message", "error") if name in error]
    message = next((text for text in messages if isinstance(text, str)), text)
    return ErrorAnswer(
        status=status,
        words=text.lower(),
        message=message.lower(),
        codes=tuple(code.lower() for code in codes if code),
        code=_named_in(errors, "code"),
        param=_named_in(errors, "param"),
        asked=asked,
    )


def _named_in(errors: Sequence[Mapping[str, Any]], field: str) -> str:
    """Return the first value of a field in these errors that may be shown; empty for none."""
    return next(filter(None, (_shown(error.get(field)) for error in errors)), "")


def _errors_in(parsed: Any) -> Iterator[Mapping[str, Any]]:
    """Yield an error and those nested in it, passed on from another provider, innermost first."""
    nested = [parsed]
    for _ in range(_DEEPEST):
        value = nested[-1]
        if isinstance(value, str):
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, dict):
            break
        nested[-1] = value
        metadata = value.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        nested.append(raw or value.get("error") or value.get("innererror"))
    yield from (error for error in reversed(nested) if isinstance(error, dict))


def _shown(value: object) -> str:
    """Return a code or a name that may be shown; empty for anything that might hold words."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if _NAMEABLE.fullmatch(text) else ""
