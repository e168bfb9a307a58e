"""All that is known of a model is found once, before it is asked, in one record."""

import pytest

from daemon.config.keys import Key, NoKey
from daemon.config.model_tables import ModelSettings
from daemon.config.settings import Config
from daemon.models.resolve import resolve_model
from primer.models import ENGINE, EXTRACTIVE, Model, Unaskable
from rules.money.price import FREE
from tests.nokeys import no_keys

HAIKU = "anthropic/claude-haiku-5-5"


class Keys:
    """Finds a key for every provider, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, provider: str) -> Key | NoKey:
        self.asked.append(provider)
        return Key("k", "file")


def found(name: str, **settings: object) -> Model:
    model = resolve_model(name, Config(models=ModelSettings.model_validate(settings)), Keys())
    assert isinstance(model, Model)
    return model


def refused(name: str, **settings: object) -> Unaskable:
    model = resolve_model(name, Config(models=ModelSettings.model_validate(settings)), no_keys)
    assert isinstance(model, Unaskable)
    return model


def test_one_record_holds_all_that_is_known_of_a_model() -> None:
    model = found(HAIKU, options={"top_p": 0.9})
    assert (model.name, model.provider, model.window) == (HAIKU, "anthropic", 1_000_000)
    assert dict(model.options) == {
        "api_key": "k",
        "thinking": {"type": "disabled"},
        "top_p": 0.9,
    }
    assert model.price is not None
    assert model.price.above == 100_000
    assert model.addresses == ()
    assert model.calls_tools
    assert "api_key" not in repr(model)


def test_the_key_of_a_provider_is_looked_for_once_and_of_no_other() -> None:
    keys = Keys()
    resolve_model(HAIKU, Config(), keys)
    assert keys.asked == ["anthropic"]
    resolve_model("ollama/llama", Config(models=ModelSettings(window=8_192)), keys)
    assert keys.asked == ["anthropic"], "memproc keeps no key for Ollama"


def test_a_server_in_the_own_network_that_wants_no_key_is_free_and_can_be_asked() -> None:
    base = "http://192.168.1.20:8000/v1"
    model = found("hosted_vllm/some-model", window=8192, options={"api_base": base})
    assert model.price == FREE
    assert [address.host for address in model.addresses] == ["192.168.1.20"]


@pytest.mark.parametrize(
    ("settings", "window"),
    [({"window": 16_384}, 16_384), ({"options": {"num_ctx": 32_768}}, 32_768)],
)
def test_the_window_of_ollama_is_what_memproc_toml_makes_it(
    settings: dict[str, object], window: int
) -> None:
    model = found("ollama/some-model", **settings)
    assert (model.window, model.options["num_ctx"]) == (window, window)


def test_a_model_without_a_key_is_refused_with_the_provider_that_lacks_it() -> None:
    told = refused(HAIKU)
    assert (told.lacks_key, told.next_step) == (
        "anthropic",
        "To set one: memproc key set anthropic",
    )
    assert refused("ollama/some-model").lacks_key == ""


def test_the_engine_is_known_without_a_key_or_a_map() -> None:
    assert resolve_model(EXTRACTIVE, Config(), no_keys) == ENGINE
    assert ENGINE.price == FREE


def test_the_table_of_one_model_says_its_servers_window_and_slots_and_passes_neither_on() -> None:
    own = {"api_base": "http://127.0.0.1:8080/v1", "window": 8192, "concurrency": 1}
    options = {"hosted_vllm/qwen": own}
    model = found("hosted_vllm/qwen", window=20_000, options=options)
    assert (model.window, model.slots, model.base) == (8192, 1, own["api_base"])
    assert model.options.keys().isdisjoint({"window", "concurrency"})
    other = found("hosted_vllm/other", window=20_000, options=options)
    assert (other.window, other.slots, other.base) == (20_000, 0, "")
    ollama = found("ollama_chat/qwen", options={"ollama_chat/*": {"window": 8192}})
    assert (ollama.window, ollama.options["num_ctx"]) == (8192, 8192)


@pytest.mark.parametrize("wrong", [{"window": 5}, {"concurrency": 17}, {"concurrency": True}])
def test_a_window_or_a_number_of_slots_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be a whole number from"):
        ModelSettings.model_validate({"options": {"hosted_vllm/qwen": wrong}})
    with pytest.raises(ValueError, match="belongs into"):
        ModelSettings.model_validate({"options": wrong})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ollama_chat/some-model", {}),
        ("hosted_vllm/some-model", {"api_base": "http://192.168.1.20:8000/v1"}),
        ("openai/some-model", {"api_base": "http://127.0.0.1:8080/v1"}),
    ],
)
def test_a_model_of_ones_own_whose_window_is_not_known_is_refused_with_the_remedy(
    name: str, options: dict[str, object]
) -> None:
    unaskable = refused(name, options=options)
    assert "not known how many tokens" in unaskable.reason
    address = str(options.get("api_base", "http://127.0.0.1:11434")).removesuffix("/v1")
    assert f"memproc init --local {address}" in unaskable.next_step
    assert f'window in [models.options."{name}"]' in unaskable.next_step
    embeds = resolve_model(
        name, Config(models=ModelSettings(options=options)), no_keys, reads_prompts=False
    )
    assert isinstance(embeds, Model), "one that reads no prompts needs none"
