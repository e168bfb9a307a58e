"""Which models take the roles for one chat, and what the person should be told about it.

agent             the chat's own model, or the one in memproc.toml; retired ones give way to successors
context manager   the small model of the agent's provider, or the one in memproc.toml
engine            the built-in one, where there is no key or no known model
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from daemon.config.settings import ModelSettings
from daemon.keys import Key, NoKey
from daemon.models.catalogue import ends_soon, facts
from primer.models import (
    ABOUT_THINKING,
    KEY_VARIABLES,
    own_model,
    provider_of,
    quiet_options,
    small_model,
    successor,
    takes_batches,
    thinking_room,
)
from primer.reply import ENGINE, EXTRACTIVE, Model
from rules.errors import ChatSetAside
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message

CHAT, SMALL = "chat", "small"
_OLLAMA = ("ollama", "ollama_chat")

FindKey = Callable[[str], Key | NoKey]
"""The key for a provider, or why there is none."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The models for one chat, with their options; `window` is what the agent's context holds, in tokens."""

    agent: Model
    context_manager: Model
    fallback: Model | None = None
    window: int | None = None
    notices: tuple[str, ...] = ()
    """What the person should know of this choice, said once."""
    embedding: Model | None = None
    """Turns facts into vectors, where they are compared so."""
    addresses: tuple[str, ...] = ()
    """Which models are asked at another address than their provider's own, said in every run."""

    @property
    def all(self) -> tuple[Model, ...]:
        """All models that may be asked."""
        others = (model for model in (self.fallback, self.embedding) if model)
        return (self.agent, self.context_manager, *others)


def choose_roles(
    chat: Chat, messages: Sequence[Message], settings: ModelSettings, key: FindKey, today: date, embedding: str = ""
) -> Roles:
    """The models for a chat. Where the chat's own model cannot be asked, a notice says so and what to do.

    `embedding` names a model that turns texts into vectors, and is needed only where a model takes facts.
    Raises ChatSetAside where a configured model cannot be asked as it is configured.
    """
    fallback, notices = _successor(settings.fallback, settings) if settings.fallback else ("", [])
    if settings.agent == CHAT:
        agent, more = _own(chat, messages, settings, fallback, key)
    else:
        agent, more = _successor(settings.agent, settings)
    notices += more
    if settings.context_manager == SMALL:
        manager = (
            agent if is_ones_own(settings.options_for(agent)) else small_model(agent)
        )  # nobody knows what else it serves
    else:
        manager, more = _successor(settings.context_manager, settings)
        notices += more
    embedding = embedding if manager != EXTRACTIVE else ""
    used = [agent, manager, *(name for name in (fallback, embedding) if name)]
    for name in used:
        _refuse_unaskable(chat, name, settings, key)
        _refuse_strange_address(chat, name, settings, key)
    notices += _direct(used, settings)
    notices += [ending for name in used if (ending := ends_soon(name, today))]
    return Roles(
        agent=_model(agent, settings, key),
        context_manager=_model(manager, settings, key),
        fallback=_model(fallback, settings, key) if fallback else None,
        window=None if agent == EXTRACTIVE else _window(agent, settings) or facts(agent).window,
        notices=tuple(dict.fromkeys(notices)),
        embedding=_model(embedding, settings, key) if embedding else None,
        addresses=tuple(dict.fromkeys(_addresses(used, settings))),
    )


def chat_model(chat: Chat, messages: Sequence[Message], settings: ModelSettings) -> tuple[str, int | None]:
    """The model that the person talks with in TypingMind, and the tokens of its window, whoever writes the memories.

    Empty where memproc does not know it; the window is None where nobody does.
    """
    name = own_model(tuple(_names(chat, messages))) or ""
    if settings.agent == CHAT and settings.window:
        return name, settings.window
    return name, facts(name).window if name else None


def _direct(used: Sequence[str], settings: ModelSettings) -> Iterator[str]:
    """A sentence for each model that is asked directly although `models.batch` wants batches."""
    for name in dict.fromkeys(used):
        if settings.batch != "never" and name != EXTRACTIVE and not takes_batches(name):
            yield f"{name} is asked directly, at its full price: only Anthropic's own models are asked in batches."


def _own(
    chat: Chat, messages: Sequence[Message], settings: ModelSettings, fallback: str, key: FindKey
) -> tuple[str, list[str]]:
    """The chat's own model; where it cannot be asked the fallback or the engine, with the reason."""
    instead = fallback or EXTRACTIVE
    makes = f"{instead} makes its memories" + (", in the persona's own sentences." if not fallback else ".")
    model = own_model(tuple(_names(chat, messages)))
    if model is None:
        return instead, [f"A chat names no model that memproc knows, so {makes} To choose one, set agent in [models]."]
    name, notices = _successor(model, settings)
    if missing_key := _missing_key(name, settings, key):
        return instead, [
            f"There is no key for {name}, a chat's own model ({missing_key.reason}), so {makes} "
            f"To set one: memproc key set {missing_key.provider}"
        ]
    return name, notices


def _refuse_unaskable(chat: Chat, name: str, settings: ModelSettings, key: FindKey) -> None:
    """Raises ChatSetAside where a model has no key, or would be shown less than it is sent."""
    if missing_key := _missing_key(name, settings, key):
        raise ChatSetAside(
            f'"{chat.title}": there is no key for {name} ({missing_key.reason}).',
            f"To set one: memproc key set {missing_key.provider}",
        )
    if provider_of(name) in _OLLAMA and not _window(name, settings):
        raise ChatSetAside(
            f'"{chat.title}": nobody knows how many tokens {name} reads, and Ollama cuts off the rest without a word.',
            "Say it in memproc.toml: window in [models].",
        )


def _refuse_strange_address(chat: Chat, name: str, settings: ModelSettings, key: FindKey) -> None:
    """Raises ChatSetAside where a model would be asked at an address that its key must not go to."""
    if name == EXTRACTIVE:
        return
    from daemon.models.addresses import refusal  # late: a run of the built-in engine asks nobody

    if refused := refusal(name, settings, key):
        raise ChatSetAside(f'"{chat.title}": {refused.reason}. Nothing was sent.', refused.next_step)


def _addresses(used: Sequence[str], settings: ModelSettings) -> Iterator[str]:
    """Each address that is not the provider's own, as a sentence."""
    for name in used:
        if name == EXTRACTIVE:
            continue
        from daemon.models.addresses import addresses

        for address in addresses(name, settings.options_for(name)):
            yield f"{name} is asked at {address.host}, not at its provider's own address ({address.named_by})."


def _missing_key(name: str, settings: ModelSettings, key: FindKey) -> NoKey | None:
    """Why there is no key for a model that needs one."""
    if provider_of(name) not in KEY_VARIABLES or is_ones_own(settings.options_for(name)):
        return None
    own = key(provider_of(name))
    return own if isinstance(own, NoKey) else None


def is_ones_own(options: Mapping[str, object]) -> bool:
    """Whether a call with these options goes to a server of the person's choice, where a name means what it likes."""
    return not options.keys().isdisjoint(("api_base", "base_url"))


def _names(chat: Chat, messages: Sequence[Message]) -> Iterator[str]:
    """What the export calls the chat's model, the most trustworthy name first."""
    shown, *others = chat.model_names or ("",)
    yield shown
    yield from (message.model for message in reversed(messages) if message.model and message.speaker == "assistant")
    yield from others


def _successor(name: str, settings: ModelSettings) -> tuple[str, list[str]]:
    """The name itself, or that of the model which took its place, and the sentence that says so."""
    newer = None if is_ones_own(settings.options_for(name)) else successor(name)
    return (name, []) if newer is None else (newer.name, [newer.sentence])


def _model(name: str, settings: ModelSettings, key: FindKey) -> Model:
    """The model with what goes along: no thinking, the person's options, its window, its key."""
    if name == EXTRACTIVE:
        return ENGINE
    own = settings.options_for(name)
    quiet = {} if ABOUT_THINKING & own.keys() else quiet_options(name)
    made = {"num_ctx": settings.window} if settings.window and provider_of(name) in _OLLAMA else {}
    return Model(name, {**_key(name, settings, key), **quiet, **made, **own}, thinking_room(name))


def _window(name: str, settings: ModelSettings) -> int | None:
    """What memproc.toml says of the window, for Ollama also as the option that makes it."""
    made = settings.options_for(name).get("num_ctx") if provider_of(name) in _OLLAMA else None
    return made if isinstance(made, int) else settings.window or None


def _key(name: str, settings: ModelSettings, key: FindKey) -> Mapping[str, object]:
    """The key, where LiteLLM would not find it in the environment by itself."""
    if provider_of(name) not in KEY_VARIABLES:
        return {}
    own = key(provider_of(name))
    if isinstance(own, NoKey):
        # A server of one's own may want none, but the client that asks it wants something to send.
        return {"api_key": "none"} if is_ones_own(settings.options_for(name)) else {}
    return {"api_key": own.value} if own.where != "environment" else {}


def offered(roles: Roles, tools: Sequence[Mapping[str, object]], form: Literal["auto", "tools", "json"]) -> Roles:
    """The same roles, in which the agent, and who steps in for it, are offered these tools if they can call them."""
    fallback = _offered(roles.fallback, tools, form) if roles.fallback else None
    return replace(roles, agent=_offered(roles.agent, tools, form), fallback=fallback)


def _offered(model: Model, tools: Sequence[Mapping[str, object]], form: str) -> Model:
    if model == ENGINE or form == "json":
        return model
    return replace(model, tools=tuple(tools)) if form == "tools" or facts(model.name).calls_tools else model


@dataclass(frozen=True, slots=True)
class Who:
    """The roles as `memproc plan` shows them; `fallback` is empty where there is none."""

    agent: str
    context_manager: str
    fallback: str
    window: int | None
    notices: tuple[str, ...]


def who(roles: Roles) -> Who:
    """The roles without options and keys."""
    return Who(
        agent=roles.agent.name,
        context_manager=roles.context_manager.name,
        fallback=roles.fallback.name if roles.fallback else "",
        window=roles.window,
        notices=(*roles.addresses, *roles.notices),
    )
