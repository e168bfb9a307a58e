"""A key is tried with one tiny question, to the model that would be asked anyway."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.key import key_works
from daemon.cli.settings import Settings
from daemon.config.keys import Key
from daemon.models.completion import Completion
from primer.models import small_model
from primer.reply import Request
from rules.errors import MemprocError, NotNow, ProviderRefuses

KEY = Key("sk-canary", "file")
HAIKU = "anthropic/claude-haiku-5-5"


class Provider:
    """Answers every question alike, and remembers them."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.answer: Completion | MemprocError = Completion("Yes", "stop", 10, 1, 0, 0, None)

    def __call__(self, request: Request) -> Completion:
        self.asked.append(request)
        if isinstance(self.answer, MemprocError):
            raise self.answer
        return self.answer


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    answers = Provider()
    monkeypatch.setattr("daemon.models.completion.complete", answers)
    yield answers


def settings(folder: Path, text: str = "") -> Settings:
    (folder / "memproc.toml").write_text(text)
    return Settings(folder / "memproc.toml", quiet=False)


def test_the_small_model_of_the_provider_is_asked_once_with_the_key(
    tmp_path: Path, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    assert key_works(settings(tmp_path), "anthropic", KEY)
    assert f"{small_model('anthropic/')} has answered." in capsys.readouterr().out
    (request,) = provider.asked
    assert request.route["api_key"] == "sk-canary"
    assert isinstance(request.parameters["max_tokens"], int)
    assert request.parameters["max_tokens"] < 1000
    assert "canary" not in f"{request!r} {request.parameters} {request.messages}"


@pytest.mark.parametrize("role", ["agent", "context_manager", "fallback"])
def test_a_model_that_is_configured_is_asked_with_its_own_options(
    tmp_path: Path, provider: Provider, role: str
) -> None:
    own = settings(
        tmp_path,
        f'[models]\n{role} = "openai/own-model"\n'
        '[models.options."openai/*"]\napi_base = "http://127.0.0.1:9/v1"\n',
    )
    assert key_works(own, "openai", KEY) and key_works(own, "anthropic", KEY)
    ours, theirs = provider.asked
    assert (ours.model.name, theirs.model.name) == ("openai/own-model", HAIKU)
    assert ours.route["api_base"] == "http://127.0.0.1:9/v1"
    assert "api_base" not in theirs.route


def test_a_provider_without_a_small_model_is_asked_only_where_one_is_configured(
    tmp_path: Path, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    assert key_works(settings(tmp_path), "openrouter", KEY)
    assert "the key was not tried" in capsys.readouterr().out
    assert provider.asked == []
    agent = f"openrouter/{HAIKU}"
    assert key_works(settings(tmp_path, f'[models]\nagent = "{agent}"\n'), "openrouter", KEY)
    assert provider.asked[0].model.name == agent


@pytest.mark.parametrize(
    "answer",
    [
        ProviderRefuses("Not this key.", "Set it."),
        NotNow("Not now.", "Later."),
        Completion("", ""),
    ],
)
def test_what_comes_instead_of_an_answer_is_one_sentence_and_no_sign_that_the_key_works(
    tmp_path: Path,
    provider: Provider,
    answer: Completion | MemprocError,
    capsys: pytest.CaptureFixture[str],
) -> None:
    provider.answer = answer
    assert not key_works(settings(tmp_path), "anthropic", KEY)
    unreadable = f"The answer of {HAIKU} cannot be read."
    trouble = answer.message if isinstance(answer, MemprocError) else unreadable
    assert capsys.readouterr().err == f"anthropic: {trouble}\n"
