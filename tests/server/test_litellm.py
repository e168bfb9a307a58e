"""LiteLLM itself asks the server: every dialect, whole and in a stream."""

from collections.abc import Iterator

import pytest

from tests.server.asking import (
    TOLD,
    ask,
    asking_again,
    asking_analysis,
    asking_perspective,
    asking_quote,
    asking_refinement,
    stream,
)
from tests.server.passage import words
from tests.server.reply import Answer
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.server.tokens import count

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Items? '.*' on TypedDict class"),
]
HAIKU = "anthropic/claude-haiku-5-5"
MODELS = [HAIKU, "openai/gpt-4o", "openai/local-model", "ollama_chat/local-model"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def verbatim(text: str) -> bool:
    return any(text in told for told in TOLD)


@pytest.mark.parametrize("model", MODELS)
def test_every_dialect_answers_the_four_steps(server: ModelServer, model: str) -> None:
    def answer(said: list[dict[str, str]]) -> str:
        response = ask(server, model, said)
        assert response.choices[0].finish_reason == "stop"
        text = response.choices[0].message.content
        assert isinstance(text, str)
        return text

    quote = answer(asking_quote())
    assert verbatim(quote)
    assert verbatim(answer(asking_again("Nobody said this.")))
    perspective = answer(asking_perspective(quote))
    analysis = answer(asking_analysis())
    refinement = answer(asking_refinement(quote, perspective, analysis))
    assert "2026-03-02" in analysis
    for text in (perspective, analysis, refinement):
        assert 20 <= words(text) <= 60
        assert any(name in text for name in ("Ilse", "Nora", "Monday"))
    assert len({quote, perspective, analysis, refinement}) == 4


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_says_what_the_whole_answer_says(server: ModelServer, model: str) -> None:
    whole = ask(server, model, asking_analysis())
    pieces = stream(server, model, asking_analysis(), stream_options={"include_usage": True})
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == whole.choices[0].message.content
    assert len(pieces) > 3
    usage = next(piece.usage for piece in pieces if getattr(piece, "usage", None))
    assert (usage.prompt_tokens, usage.completion_tokens) == (
        whole.usage.prompt_tokens,
        whole.usage.completion_tokens,
    )
    assert server.requests[0].key == server.requests[1].key
    assert server.meter.finished_and_seen_again == [server.requests[0].key]


@pytest.mark.parametrize("model", MODELS)
def test_usage_counts_what_was_said(server: ModelServer, model: str) -> None:
    said = asking_analysis()
    response = ask(server, model, said)
    assert response.usage.prompt_tokens == sum(count(message["content"]) for message in said)
    assert response.usage.completion_tokens == count(response.choices[0].message.content)
    assert server.meter.usage.output == response.usage.completion_tokens


@pytest.mark.parametrize("model", MODELS)
def test_max_tokens_cuts_the_answer_off(server: ModelServer, model: str) -> None:
    response = ask(server, model, asking_analysis(), max_tokens=10)
    assert response.choices[0].finish_reason == "length"
    assert count(response.choices[0].message.content) == 10


def test_the_same_question_has_the_same_answer_in_every_dialect(server: ModelServer) -> None:
    answers = {ask(server, model, asking_analysis()).choices[0].message.content for model in MODELS}
    assert len(answers) == 1


def test_ollamas_generate_takes_a_prompt_in_one_piece(server: ModelServer) -> None:
    response = ask(server, "ollama/local-model", asking_quote())
    assert verbatim(response.choices[0].message.content)
    assert server.requests[0].body["prompt"]


def test_a_cached_prompt_shows_in_litellms_usage(server: ModelServer) -> None:
    passage = asking_quote()[-2]["content"] * 20
    marked = [{"type": "text", "text": passage, "cache_control": {"type": "ephemeral"}}]
    said = [{"role": "user", "content": marked}, {"role": "user", "content": "And now?"}]
    first = ask(server, HAIKU, said)  # type: ignore[arg-type]
    second = ask(server, HAIKU, said)  # type: ignore[arg-type]
    size = count(passage)
    assert first.usage.cache_creation_input_tokens == size
    assert (
        second.usage.cache_read_input_tokens
        == second.usage.prompt_tokens_details.cached_tokens
        == size
    )
    assert first.usage.prompt_tokens == second.usage.prompt_tokens == size + count("And now?")


def test_openais_cache_needs_no_marks(server: ModelServer) -> None:
    said = [{"role": "user", "content": "A word on rye bread. " * 400}]
    fresh, cached = (ask(server, "openai/gpt-4o", said).usage for _ in range(2))
    assert fresh.prompt_tokens_details.cached_tokens == 0
    assert cached.prompt_tokens_details.cached_tokens == fresh.prompt_tokens // 128 * 128


def test_thinking_is_kept_apart_and_a_refusal_is_said() -> None:
    answers = {
        1: Answer("Seen.", thinking="Hm."),
        2: Answer("Seen.", thinking="Hm."),
        3: Answer("", "refused"),
    }
    with ModelServer(Setup(script=lambda request: answers[request.number])) as server:
        whole = ask(server, HAIKU, asking_quote()).choices[0]
        assert (whole.message.content, whole.message.reasoning_content) == ("Seen.", "Hm.")
        deltas = [piece.choices[0].delta for piece in stream(server, HAIKU, asking_quote())]
        assert "".join(delta.content or "" for delta in deltas) == "Seen."
        refused = ask(server, HAIKU, asking_quote()).choices[0]
        assert (refused.finish_reason, refused.message.content) == ("content_filter", None)
