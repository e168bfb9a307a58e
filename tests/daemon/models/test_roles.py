"""Who is asked: the chat's own model, its successor, the small one beside it, or the engine where there is no key."""

from datetime import date

import pytest

from daemon.config.keys import Key, NoKey
from daemon.config.model_tables import ModelSettings
from daemon.config.settings import Config
from daemon.files.read import chats_in
from daemon.models.roles import Roles, chat_model, choose_roles
from primer import retirement
from primer.models import ENGINE
from rules.typingmind.chat import Chat, read_messages
from tests.chats import assistant, chat, export_bytes, user
from tests.nokeys import no_keys

TODAY = date(2026, 11, 21)
UUID = "0e3c3f4e-3c55-4a0e-a0b5-0d9d8c2f1a11"


def from_the_environment(provider: str) -> Key | NoKey:
    return Key("k-environment", "environment")


def from_the_file(provider: str) -> Key | NoKey:
    return Key("k-file", "file")


def read(*models: str | None, shown: str = UUID, own: str = UUID) -> Chat:
    said = [
        part
        for n, m in enumerate(models)
        for part in (user("Hi", n), assistant("Hello", n, model=m))
    ]
    content = export_bytes(chat(*said, model=own, modelInfo={"id": shown, "title": "Mine"}))
    (found,) = chats_in("export.json", content)
    return found


def roles(found: Chat, key=from_the_environment, **settings: object) -> Roles:  # type: ignore[no-untyped-def]
    return choose_roles(
        found,
        read_messages(found),
        Config(models=ModelSettings.model_validate(settings)),
        key,
        TODAY,
    )


def test_the_chat_s_own_model_writes_and_the_small_one_of_its_provider_analyses() -> None:
    found = roles(read("claude-opus-5-5", shown="claude-sonnet-5-5"))
    assert found.agent.name == "anthropic/claude-sonnet-5-5"
    assert found.context_manager.name == "anthropic/claude-haiku-5-5"
    assert found.fallback is None
    assert found.notices == ()
    assert found.window == 1_000_000


def test_a_small_model_that_has_ended_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = {"anthropic/claude-haiku-5-5": ("2026-11-20", "a page")}
    monkeypatch.setattr(retirement, "ANNOUNCED", ended)
    found = roles(read("claude-sonnet-5-5"))
    assert found.context_manager.name == found.agent.name == "anthropic/claude-sonnet-5-5"


def test_where_the_export_has_an_internal_uuid_the_newest_known_model_of_the_messages_counts() -> (
    None
):
    assert (
        roles(read("claude-opus-5-5", "claude-sonnet-5-5", UUID)).agent.name
        == "anthropic/claude-sonnet-5-5"
    )
    assert roles(read(UUID, own="claude-sonnet-5-5")).agent.name == "anthropic/claude-sonnet-5-5"


def test_a_retired_model_gives_way_to_its_successor_and_the_person_is_told() -> None:
    found = roles(read("claude-3-5-sonnet-20241022"))
    assert found.agent.name == "anthropic/claude-sonnet-5-5"
    (notice,) = found.notices
    assert "claude-3-5-sonnet-20241022 was retired on 2025-10-28" in notice.sentence


def test_a_retired_model_in_memproc_toml_gives_way_too() -> None:
    found = roles(
        read(UUID),
        agent="anthropic/claude-3-5-sonnet-20241022",
        context_manager="anthropic/claude-3-5-haiku-20241022",
    )
    assert (found.agent.name, found.context_manager.name) == (
        "anthropic/claude-sonnet-5-5",
        "anthropic/claude-haiku-5-5",
    )
    assert len(found.notices) == 2


def test_a_model_that_ends_soon_is_named() -> None:
    (notice,) = roles(read("claude-sonnet-4-5")).notices
    assert "2026-11-30" in notice.sentence
    assert notice.ends == "2026-11-30"


def test_who_cannot_be_asked_in_batches_is_named_where_batches_are_wanted() -> None:
    wanted = {"agent": "openai/gpt-4o", "context_manager": "anthropic/claude-haiku-5-5"}
    at_night = roles(read(), **wanted, batch="night").notices
    (sentence,) = [notice.sentence for notice in at_night if "batches" in notice.sentence]
    assert sentence.startswith("openai/gpt-4o is asked directly")
    assert not any("batches" in notice.sentence for notice in roles(read(), **wanted).notices)


def test_without_a_key_the_engine_does_the_work_and_says_how_to_set_one() -> None:
    found = roles(read("claude-sonnet-5-5"), key=no_keys)
    assert (found.agent, found.context_manager, found.window) == (ENGINE, ENGINE, None)
    (notice,) = found.notices
    assert (notice.lacks_key, found.lacks_key) == ("anthropic", "anthropic")
    assert "memproc key set anthropic" in notice.sentence


def test_a_chat_without_a_known_model_goes_to_the_fallback_and_else_to_the_engine() -> None:
    assert roles(read(UUID)).agent == ENGINE
    found = roles(read(UUID), fallback="openai/gpt-5.6-luna")
    assert found.agent.name == "openai/gpt-5.6-luna"
    assert "names no model that memproc knows" in found.notices[0].sentence


def test_a_configured_model_is_asked_whatever_the_chat_s_own_is() -> None:
    found = roles(
        read("claude-sonnet-5-5"),
        key=no_keys,
        agent="ollama/llama3.3",
        context_manager="ollama/llama3.3",
        window=16384,
    )
    assert (found.agent.name, found.context_manager.name, found.notices) == (
        "ollama/llama3.3",
        "ollama/llama3.3",
        (),
    )


def test_a_server_of_one_s_own_needs_no_key() -> None:
    found = roles(read("gpt-5.6-luna"), key=no_keys, options={"api_base": "http://127.0.0.1:1/v1"})
    assert found.agent.name == "openai/gpt-5.6-luna"
    assert found.agent.options["api_key"] == "none"
    assert found.context_manager == found.agent, "nobody knows which other models it serves"


def test_a_key_from_the_file_goes_along_and_one_from_the_environment_does_not() -> None:
    assert roles(read("claude-sonnet-5-5"), key=from_the_file).agent.options["api_key"] == "k-file"
    assert "api_key" not in roles(read("claude-sonnet-5-5")).agent.options
    assert "k-file" not in repr(roles(read("claude-sonnet-5-5"), key=from_the_file))


def test_thinking_is_off_and_the_person_s_options_come_on_top() -> None:
    found = roles(read("claude-haiku-5-5"))
    assert found.agent.options == {"thinking": {"type": "disabled"}}
    own = roles(
        read("claude-haiku-5-5"),
        options={"anthropic/*": {"thinking": {"type": "adaptive"}}, "top_p": 0.9},
    )
    assert own.agent.options == {"thinking": {"type": "adaptive"}, "top_p": 0.9}


def test_a_model_that_thinks_whatever_it_is_told_has_room_for_it() -> None:
    assert roles(read("claude-opus-5-5")).agent.thinking_room > 0
    assert roles(read("claude-haiku-5-5")).agent.thinking_room == 0


def test_on_a_server_of_one_s_own_a_retired_name_means_what_it_likes() -> None:
    found = roles(
        read(UUID),
        agent="openai/gpt-4-32k",
        window=32_768,
        options={"api_base": "http://127.0.0.1:1/v1"},
    )
    assert (found.agent.name, found.notices) == ("openai/gpt-4-32k", ())


def test_the_person_s_word_on_thinking_is_the_only_one() -> None:
    found = roles(read("claude-haiku-5-5"), options={"reasoning_effort": "high"})
    assert found.agent.options == {"reasoning_effort": "high"}


def test_ollama_is_told_how_large_a_window_to_make() -> None:
    found = roles(read(UUID), agent="ollama/llama3.3", window=16_384)
    assert (found.agent.options["num_ctx"], found.window) == (16_384, 16_384)


def window(found: Chat, **settings: object) -> tuple[str, int | None]:
    return chat_model(found, read_messages(found), ModelSettings.model_validate(settings))


def test_the_window_is_that_of_the_model_that_the_person_talks_with_whoever_writes() -> None:
    found = read("gpt-4", shown="gpt-4")
    assert window(found) == ("openai/gpt-4", 8_192)
    assert window(found, agent="anthropic/claude-haiku-5-5", window=4_096) == (
        "openai/gpt-4",
        8_192,
    )
    assert window(found, window=4_096) == ("openai/gpt-4", 4_096)


def test_the_window_of_a_model_that_nobody_knows_is_what_memproc_toml_says_of_it_or_unknown() -> (
    None
):
    assert window(read("mine", shown="mine")) == ("", None)
    assert window(read("mine", shown="mine"), window=4_096) == ("", 4_096)
