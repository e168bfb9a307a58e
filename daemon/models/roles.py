"""Which models take the roles for one chat, and what the person should be told about it.

agent             the chat's own model, or the one in memproc.toml; retired ones give way to successors
context manager   the small model of the agent's provider, or the one in memproc.toml
engine            the built-in one, where there is no key or no known model
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from daemon.config.keys import FindKey, Key, NoKey
from daemon.config.settings import ModelSettings
from daemon.models.catalogue import ends_soon, facts
from primer.models import (
    ABOUT_THINKING,
    ENGINE,
    EXTRACTIVE,
    KEY_VARIABLES,
    Model,
    own_model,
    provider_of,
    quiet_options,
    small_model,
    successor,
    takes_batches,
    thinking_room,
)
from rules.errors import ChatSkipped
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message

CHAT, SMALL = "chat", "small"
_OLLAMA = ("ollama", "ollama_chat")


@dataclass(frozen=True, slots=True)
class Roles:
    """The models for one chat, with their options; `window` is what the agent's context holds, in tokens."""

    agent: Model
    context_manager: Model
    fallback: Model | None = None
    window: int | None = None
    notices: tuple[str, ...] = ()
    """Notices for the person about this choice, said once."""
    embedding: Model | None = None
    """Turns facts into vectors, where they are compared so."""
    addresses: tuple[str, ...] = ()
    """The models that are asked at another address than their provider's own, said in every run."""
    lacks_key: str = ""
    """The provider of the chat's own model, where it has no key and the engine extracts the memories instead."""

    @property
    def all(self) -> tuple[Model, ...]:
        """All models that may be asked."""
        others = (model for model in (self.fallback, self.embedding) if model)
        return (self.agent, self.context_manager, *others)


def choose_roles(
    chat: Chat,
    messages: Sequence[Message],
    settings: ModelSettings,
    key: FindKey,
    today: date,
    embedding: str = "",
) -> Roles:
    """The models for a chat. Where the chat's own model cannot be asked, a notice says so and what to do.

    `embedding` names a model that turns texts into vectors, and is needed only where a model takes facts.
    Raises ChatSkipped where a configured model cannot be asked as it is configured.
    """
    notices: list[str] = []
    fallback = _newest(settings.fallback, settings, notices) if settings.fallback else ""
    if settings.agent == CHAT:
        agent = _own(chat, messages, settings, fallback, key, notices)
    else:
        agent = _newest(settings.agent, settings, notices)
    if settings.context_manager != SMALL:
        manager = _newest(settings.context_manager, settings, notices)
    elif is_ones_own(settings.options_for(agent)):
        manager = agent  # nobody knows what else it serves
    else:
        manager = small_model(agent)
    embedding = embedding if manager != EXTRACTIVE else ""
    strange: list[str] = []
    used = [name for name in (agent, manager, fallback, embedding) if name]
    for name in dict.fromkeys(used):
        if name == EXTRACTIVE:
            continue
        _refuse_unaskable(chat, name, settings, key)
        from daemon.models.addresses import (
            addresses,
        )  # late: a run of the built-in engine asks nobody

        for address in addresses(name, settings.options_for(name)):
            place = f"{address.host}, not at its provider's own address ({address.named_by})"
            strange.append(f"{name} is asked at {place}.")
        if settings.batch != "never" and not takes_batches(name):
            way = "asked directly, at its full price: only Anthropic's own models are asked in batches"
            notices.append(f"{name} is {way}.")
    notices += [ending for name in used if (ending := ends_soon(name, today))]
    return Roles(
        agent=_model(agent, settings, key),
        context_manager=_model(manager, settings, key),
        fallback=_model(fallback, settings, key) if fallback else None,
        window=None if agent == EXTRACTIVE else _window(agent, settings) or facts(agent).window,
        notices=tuple(dict.fromkeys(notices)),
        embedding=_model(embedding, settings, key) if embedding else None,
        addresses=tuple(dict.fromkeys(strange)),
        lacks_key=_lacks_key(chat, messages, settings, key) if agent == EXTRACTIVE else "",
    )


def _lacks_key(
    chat: Chat, messages: Sequence[Message], settings: ModelSettings, key: FindKey
) -> str:
    """The provider whose key the chat's own model lacks; empty where another reason keeps it from being asked."""
    model = own_model(tuple(_names(chat, messages))) if settings.agent == CHAT else None
    lacking = _missing_key(_newest(model, settings, []), settings, key) if model else None
    return lacking.provider if lacking else ""


def chat_model(
    chat: Chat, messages: Sequence[Message], settings: ModelSettings
) -> tuple[str, int | None]:
    """The model that the person talks with in TypingMind, and the tokens of its window, whoever writes the memories.

    Empty where memproc does not know it; the window is None where nobody does.
    """
    name = own_model(tuple(_names(chat, messages))) or ""
    if settings.agent == CHAT and settings.window:
        return name, settings.window
    return name, facts(name).window if name else None


def _own(
    chat: Chat,
    messages: Sequence[Message],
    settings: ModelSettings,
    fallback: str,
    key: FindKey,
    notices: list[str],
) -> str:
    """The chat's own model; where it cannot be asked the fallback or the engine, with a notice that says why."""
    instead = fallback or EXTRACTIVE
    makes = (
        f"{instead} makes its memories."
        if fallback
        else "its memories are extracted from what was said."
    )
    model = own_model(tuple(_names(chat, messages)))
    if model is None:
        reason = "A chat names no model that memproc knows"
        notices.append(f"{reason}, so {makes} To choose one, set agent in [models].")
        return instead
    news: list[str] = []
    name = _newest(model, settings, news)
    if missing_key := _missing_key(name, settings, key):
        notices.append(
            f"There is no key for {name}, so {makes} To set one: memproc key set {missing_key.provider}"
        )
        return instead
    notices += news
    return name


def _refuse_unaskable(chat: Chat, name: str, settings: ModelSettings, key: FindKey) -> None:
    """Raises ChatSkipped where a model has no key, or one that must not go there, or would see too little."""
    if missing_key := _missing_key(name, settings, key):
        raise ChatSkipped(
            f'"{chat.title}": there is no key for {name} ({missing_key.reason}).',
            f"To set one: memproc key set {missing_key.provider}",
        )
    if provider_of(name) in _OLLAMA and not _window(name, settings):
        raise ChatSkipped(
            f'"{chat.title}": nobody knows how many tokens {name} reads, and Ollama cuts off the rest without a word.',
            "Say it in memproc.toml: window in [models].",
        )
    from daemon.models.addresses import refusal

    if refused := refusal(name, settings, key):
        raise ChatSkipped(f'"{chat.title}": {refused.reason}. Nothing was sent.', refused.next_step)


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
    """The names that the export gives the chat's model, the most trustworthy first."""
    shown, *others = chat.model_names or ("",)
    yield shown
    yield from (
        message.model
        for message in reversed(messages)
        if message.model and message.speaker == "assistant"
    )
    yield from others


def _newest(name: str, settings: ModelSettings, notices: list[str]) -> str:
    """The name itself, or that of the model which took its place, with a notice that says so."""
    newer = None if is_ones_own(settings.options_for(name)) else successor(name)
    if newer is None:
        return name
    notices.append(newer.sentence)
    return newer.name


def _model(name: str, settings: ModelSettings, key: FindKey) -> Model:
    """The model with what goes along: no thinking, the person's options, its window, its key."""
    if name == EXTRACTIVE:
        return ENGINE
    options = settings.options_for(name)
    added: dict[str, object] = {}
    if provider_of(name) in KEY_VARIABLES:
        own = key(provider_of(name))
        if isinstance(own, Key) and own.where != "environment":  # there LiteLLM finds it by itself
            added["api_key"] = own.value
        elif isinstance(own, NoKey) and is_ones_own(options):
            # A server of one's own may want none, but the client that asks it wants something to send.
            added["api_key"] = "none"
    if not ABOUT_THINKING & options.keys():
        added |= quiet_options(name)
    if settings.window and provider_of(name) in _OLLAMA:
        added["num_ctx"] = settings.window
    return Model(name, added | options, thinking_room(name))


def _window(name: str, settings: ModelSettings) -> int | None:
    """The window that memproc.toml names, for Ollama also as the option that makes it."""
    made = settings.options_for(name).get("num_ctx") if provider_of(name) in _OLLAMA else None
    return made if isinstance(made, int) else settings.window or None


def offered(
    roles: Roles, tools: Sequence[Mapping[str, object]], form: Literal["auto", "tools", "json"]
) -> Roles:
    """The same roles, in which the agent, and who steps in for it, are offered these tools if they can call them."""

    def with_tools(model: Model) -> Model:
        if (
            model == ENGINE
            or form == "json"
            or (form == "auto" and not facts(model.name).calls_tools)
        ):
            return model
        return replace(model, tools=tuple(tools))

    return replace(
        roles, agent=with_tools(roles.agent), fallback=roles.fallback and with_tools(roles.fallback)
    )


@dataclass(frozen=True, slots=True)
class Who:
    """The roles as `memproc plan` shows them; `fallback` is empty where there is none."""

    agent: str
    context_manager: str
    fallback: str
    window: int | None
    notices: tuple[str, ...]
    lacks_key: str = ""


def who(roles: Roles) -> Who:
    """The roles without options and keys."""
    return Who(
        agent=roles.agent.name,
        context_manager=roles.context_manager.name,
        fallback=roles.fallback.name if roles.fallback else "",
        window=roles.window,
        notices=(*roles.addresses, *roles.notices),
        lacks_key=roles.lacks_key,
    )
