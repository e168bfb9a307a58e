"""Secrets among the options of a model are neither kept nor shown."""

from primer.models import HIDDEN, Model, hide_secrets, is_secret
from primer.prompt import Turn
from primer.reply import Request


def test_secrets_are_told_by_their_names_and_ordinary_options_are_not() -> None:
    for name in (
        "api_key",
        "aws_secret_access_key",
        "azure_ad_token",
        "vertex_credentials",
        "Authorization",
    ):
        assert is_secret(name)
    for name in ("temperature", "max_tokens", "api_base", "num_ctx", "reasoning_effort"):
        assert not is_secret(name)


def test_secrets_are_hidden_however_deep_they_stand() -> None:
    shown = hide_secrets(
        {"ollama/*": {"extra_headers": {"Authorization": "Bearer x", "Trace": "on"}}, "stop": ["a"]}
    )
    assert shown == {
        "ollama/*": {"extra_headers": {"Authorization": HIDDEN, "Trace": "on"}},
        "stop": ["a"],
    }


def test_a_secret_goes_along_and_is_no_part_of_what_the_journal_keeps() -> None:
    request = Request(
        "quote", Model("azure/x", {"azure_ad_token": "s", "top_p": 1}), (Turn("user", "hi"),), 9
    )
    assert request.route == {"azure_ad_token": "s"}
    assert "azure_ad_token" not in request.parameters
