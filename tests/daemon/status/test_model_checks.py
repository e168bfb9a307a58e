"""Models: known, and not at their end."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.status.findings import Setup
from daemon.status.model_checks import models
from tests.chats import long_chat
from tests.daemon.status.places import archived, machine, one, place


def asking(home: Path, agent: str, now: datetime | None = None, **more: Any) -> Setup:
    at = machine(home, **({"now": now} if now else {}))
    return place(home, {"models": {"agent": agent, **more}}, machine=at)


def test_models_that_are_known_and_answer_are_well(tmp_path: Path) -> None:
    at = asking(tmp_path, "anthropic/claude-sonnet-5-5")
    found = one(list(models(at)))
    assert (found.level, "anthropic/claude-haiku-5-5" in found.text) == ("ok", True)


def test_without_a_configured_model_and_without_chats_none_is_known_yet(tmp_path: Path) -> None:
    assert one(list(models(place(tmp_path)))).level == "ok"


def test_a_name_that_litellm_does_not_know_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    found = one(list(models(asking(tmp_path, "anthropic/claude-sonet-5-5"))))
    assert found.level == "warning"
    assert "anthropic/claude-sonnet-5-5" in found.remedy


@pytest.mark.parametrize("name", ["openai/mine", "ollama/mine"])
def test_a_name_on_a_server_of_one_s_own_means_what_it_likes(tmp_path: Path, name: str) -> None:
    at = asking(tmp_path, name, window=8192, options={"api_base": "http://localhost:1"})
    assert one(list(models(at))).level == "ok"


def test_a_retired_model_in_memproc_toml_is_told_with_its_successor(tmp_path: Path) -> None:
    found = one(list(models(asking(tmp_path, "anthropic/claude-3-5-sonnet-20241022"))))
    assert found.level == "warning"
    assert "anthropic/claude-sonnet-5-5" in found.text
    assert "memproc.toml" in found.remedy


def test_the_retired_model_of_a_chat_is_told_with_the_chat(tmp_path: Path) -> None:
    at = place(tmp_path)
    archived(at, long_chat(500, chatTitle="The tower"))
    found = one(list(models(at)))
    assert found.level == "warning"
    assert "The tower" in found.remedy


def test_a_model_that_ends_soon_is_a_warning_and_one_that_has_ended_an_error(
    tmp_path: Path,
) -> None:
    name = "anthropic/claude-sonnet-4-5"
    assert one(list(models(asking(tmp_path, name)))).level == "warning"
    assert (
        one(list(models(asking(tmp_path, name, datetime(2026, 12, 2, tzinfo=UTC))))).level
        == "error"
    )


def test_an_ollama_model_whose_window_nobody_knows_is_an_error(tmp_path: Path) -> None:
    found = one(list(models(asking(tmp_path, "ollama/llama3"))))
    assert found.level == "error"
    assert "memproc init --local http://127.0.0.1:11434" in found.remedy


def test_a_server_in_one_s_own_network_without_a_key_is_no_trouble(tmp_path: Path) -> None:
    server = {"api_base": "http://192.168.1.20:8000/v1", "window": 8192}
    base = {"hosted_vllm/mine": server}
    found = one(list(models(asking(tmp_path, "hosted_vllm/mine", options=base))))
    assert "plain HTTP" not in found.text
    assert found.level == "ok"
