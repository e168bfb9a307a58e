"""What providers say when they refuse a request, in their own words, and what is made of it."""

import json

import pytest

from daemon.models.error_answer import ErrorAnswer, read_error
from daemon.models.provider_faults import meaning_of
from primer.models import Model
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import Unexplained


def said(body: object, status: int = 400, asked: str = "Shall we?") -> ErrorAnswer:
    request = Request("quote", Model("provider/model"), (Turn("user", asked),), 20)
    raw = body if isinstance(body, str) else json.dumps(body)
    return read_error(request, status, raw.encode(), ValueError())


def error(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


REFUSALS = {
    "DeepSeek": (400, error("Content Exists Risk", code="invalid_request_error")),
    "DeepSeek, bare": (400, {"detail": "Content Exists Risk"}),
    "OpenRouter": (403, error("Your input was flagged.", code=403, metadata={"reasons": ["x"]})),
    "OpenRouter, DeepSeek's": (
        400,
        error(
            "Provider returned error",
            code=400,
            metadata={"raw": json.dumps(error("Content Exists Risk"))},
        ),
    ),
    "xAI": (
        403,
        {"code": "The caller may not", "error": "Content violates usage guidelines. Failed check"},
    ),
    "Qwen": (400, error("It may not.", code="data_inspection_failed")),
    "Qwen, by its own interface": (400, {"code": "DataInspectionFailed", "message": "No."}),
    "GLM": (400, error("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301")),
    "GLM, in English": (400, error("No.", code="1301")),
    "Moonshot": (400, error("No.", code=400, param="prompt", type="content_filter")),
    "OpenAI": (
        400,
        error("Invalid prompt: we've limited access to this content.", code="invalid_prompt"),
    ),
    "Azure": (
        400,
        error("No.", param="prompt", innererror={"code": "ResponsibleAIPolicyViolation"}),
    ),
    "MiniMax": (422, error("input new_sensitive (1026)")),
    "StepFun": (451, error("No.", type="censorship_blocked")),
}


@pytest.mark.parametrize("provider", REFUSALS)
def test_a_refusal_of_what_is_said_is_known_by_code_or_words(provider: str) -> None:
    status, body = REFUSALS[provider]
    assert said(body, status).refuses_content
    assert not said(body, status).is_too_long
    assert not said(body, 401).refuses_content, "of the key, whatever it says"
    assert not said(body, 429).refuses_content


@pytest.mark.parametrize(
    "message",
    [
        "This key may not use the model.",
        "Gemini has been disabled in this account for violation of Terms of Service.",
        "Access terminated. Review our Community Guidelines.",
        "Country, region, or territory not supported",
    ],
)
def test_what_is_forbidden_altogether_is_no_refusal_of_a_passage(message: str) -> None:
    assert not said(error(message), 403).refuses_content


TOO_LONG = {
    "OpenRouter": (
        "This endpoint's maximum context length is 32768 tokens. However, you requested about "
        "40211 tokens (39771 of text input, 440 in the output).",
        ": 40,211 tokens for 32,768, 7,443 too many",
    ),
    "xAI": (
        "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        ": 136,973 tokens for 131,072, 5,901 too many",
    ),
    "Moonshot": (
        "Your request exceeded model token limit: 262144 (requested: 269030)",
        ": 269,030 tokens for 262,144, 6,886 too many",
    ),
    "GLM": ("Request 182387 input tokens exceeds the model's maximum context length 202750", ""),
    "LM Studio": (
        "Trying to keep the first 14538 tokens when context the overflows. However, the model is "
        "loaded with context length of only 2048 tokens",
        ": 14,538 tokens for 2,048, 12,490 too many",
    ),
    "LM Studio, newer": (
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "",
    ),
    "Mistral": (
        "Prompt contains 150000 tokens, too large for model with 131072 maximum context length",
        ": 150,000 tokens for 131,072, 18,928 too many",
    ),
    "Gemini": (
        "The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).",
        ": 2,845,475 tokens for 1,048,576, 1,796,899 too many",
    ),
    "Qwen": ("Range of input length should be [1, 30720]", ""),
    "Bedrock": ("Input is too long for requested model.", ""),
    "MiniMax": ("invalid params, context window exceeds limit (2013)", ""),
    "Anthropic": ("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000", ""),
}


@pytest.mark.parametrize("provider", TOO_LONG)
def test_too_long_is_known_in_each_provider_s_words(provider: str) -> None:
    message, excess = TOO_LONG[provider]
    answer = said(error(message))
    assert answer.is_too_long
    assert answer.excess == excess
    assert not answer.refuses_content


def test_an_error_with_status_200_is_read_and_a_model_s_answer_is_no_error() -> None:
    assert said(error("Your input was flagged.", code=403), 200).refuses_content
    assert said(error("No.", code="context_length_exceeded"), 200).is_too_long
    answer = said({"choices": [{"text": "Your input was flagged: too many tokens."}]}, 200)
    assert not (answer.refuses_content or answer.is_too_long)


def test_too_long_is_known_by_status_and_by_code() -> None:
    assert said(error("No.", code="1261")).is_too_long
    assert said(error("No.", type="exceed_context_size_error")).is_too_long
    assert said(error("No."), 413).is_too_long


@pytest.mark.parametrize("status", [413, 429])
def test_a_request_above_the_tokens_of_a_minute_is_too_long_for_ever(status: int) -> None:
    """As Groq and OpenAI say it: no waiting helps."""
    message = "Request too large for model `m` on tokens per minute: Limit 12000, Requested 14137."
    answer = said(error(message, code="rate_limit_exceeded"), status)
    assert answer.is_too_long
    assert "2,137 too many" in answer.excess


@pytest.mark.parametrize("status", [400, 422, 451])
def test_a_refusal_in_words_that_are_not_known_may_be_the_passage_s(status: int) -> None:
    meaning = meaning_of(ValueError(), Model("provider/model"), said(error("No."), status))
    assert type(meaning) is Unexplained


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Suspended due to insufficient balance.", 403),
        ("Your team does not have any credits.", 403),
        ("余额不足或无可用资源包,请充值。", 429),
    ],
)
def test_an_account_without_money_is_told_as_such_whatever_the_status(
    message: str, status: int
) -> None:
    meaning = meaning_of(ValueError(), Model("provider/model"), said(error(message), status))
    assert "no money left" in meaning.message


def test_an_account_that_allows_no_server_of_a_model_is_told_so() -> None:
    message = "No endpoints found matching your data policy (Paid model training)."
    meaning = meaning_of(ValueError(), Model("openrouter/a/model"), said(error(message), 404))
    assert "privacy settings" in meaning.message


def test_a_sign_that_the_prompt_holds_itself_is_none() -> None:
    """Some servers say the prompt back, and people talk about filters and windows."""
    asked = "My day: content exists risk, said DeepSeek; the maximum context length is short."
    answer = said({"detail": [{"loc": ["body"], "input": asked}]}, asked=asked)
    assert not answer.refuses_content
    assert not answer.is_too_long
    assert said(error(asked, code="content_filter"), asked=asked).refuses_content


def test_a_code_and_a_parameter_are_shown_only_where_they_hold_no_words() -> None:
    answer = said(error("Secret", code="unsupported_value", param="tools[0].type"))
    assert (answer.code, answer.param) == ("unsupported_value", "tools[0].type")
    for words in ("the words of a person", "w" * 65, 'a"quote', ["list"], True):
        answer = said(error("Secret", code=words, param=words))
        assert (answer.code, answer.param) == ("", "")
    assert "secret" not in repr(said(error("Secret"))).lower()


@pytest.mark.parametrize(
    ("param", "refused"),
    [("temperature", "temperature"), ("messages[3].content", ""), ("prompt", ""), ("input", "")],
)
def test_a_parameter_that_holds_what_is_asked_is_not_refused(param: str, refused: str) -> None:
    assert said(error("No.", param=param)).refused_parameter == refused


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "null",
        '"text"',
        "[" * 99_999,
        '{"error": []}',
        '{"error": {"error": {"error": 5}}}',
    ],
)
def test_an_error_of_any_shape_is_read(body: str) -> None:
    answer = said(body)
    assert not (answer.refuses_content or answer.is_too_long or answer.knows_no_model)
    assert (answer.code, answer.param) == ("", "")
