"""Choose the models for one chat, and say what the person should know about the choice.

agent             the chat's own model, or memproc.toml's, or its successor if it is retired
context manager   the small model of the agent's provider, or the one in memproc.toml
engine            the built-in engine, where there is no key or no known model
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from daemon.config.keys import FindKey, Key, NoKey
from daemon.config.model_tables import ModelSettings
from daemon.config.settings import Config
from daemon.models.catalogue import end_of, ends_soon, read_facts, small_model_on
from daemon.models.hosts import is_loopback, is_ones_own
from daemon.models.resolve import resolve_model, window_in
from primer.models import (
    ENGINE,
    EXTRACTIVE,
    Model,
    Unaskable,
    own_model,
    takes_batches,
    token_factor,
)
from primer.retirement import find_successor
from rules.errors import ChatSkipped, KeyMissing
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message
from rules.wording import cut_title

if TYPE_CHECKING:
    from rules.plan.limits import Limit

CHAT, SMALL = "chat", "small"
Resolve = Callable[[str], Model | Unaskable]


@dataclass(frozen=True, slots=True)
class Notice:
    """What the person should know about a choice of models."""

    sentence: str
    lacks_key: str = ""
    """The provider whose missing key has led to the choice."""
    ends: str = ""
    """The last day of a model that ends soon or has ended, as an ISO date."""
    model: str = ""
    """The model that ends so."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The models for one chat.

    `window` is the tokens that plans keep the agent's prompts within.
    """

    agent: Model
    context_manager: Model
    fallback: Model | None = None
    window: int | None = None
    notices: tuple[Notice, ...] = ()
    """Notices on the choice, each told once."""
    embedding: Model | None = None
    """The model that turns facts into vectors; None where they are not compared so."""
    addresses: tuple[str, ...] = ()
    """Sentences on models asked on other computers than their provider's own, told in each run."""
    here: tuple[str, ...] = ()
    """Sentences on models asked on this machine, told once."""
    limited: str = ""
    """Why the engine writes in place of a model that is asked for the analysis alone."""
    keys: Mapping[str, Key | NoKey] = field(default_factory=dict)
    """Every provider whose key was looked for, with what was found."""
    limit: "Limit | None" = None
    """The limit of the agent's requests; None where it has none, or none was looked up."""
    factor: float = 1.0
    """How many tokens the agent counts for one of ours, as its replies have shown."""
    request: int | None = None
    """The most tokens of its requests by our count, which does not change with its replies."""

    @property
    def lacks_key(self) -> str:
        """Return the provider of the chat's own model, if the engine writes for want of its key."""
        lacking = (notice.lacks_key for notice in self.notices if notice.lacks_key)
        return "" if self.has_agent else next(lacking, "")

    @property
    def has_agent(self) -> bool:
        """Return whether a model writes the memories; if not, the engine extracts them."""
        return self.agent != ENGINE

    @property
    def has_manager(self) -> bool:
        """Return whether a model writes the analysis."""
        return self.context_manager != ENGINE

    @property
    def asked(self) -> Model:
        """Return the model asked most: the agent, or the manager where the engine writes."""
        return self.agent if self.has_agent else self.context_manager

    @property
    def factor_beforehand(self) -> float:
        """Return how many tokens the model asked most counts for one of ours, before any reply."""
        return token_factor(self.asked.name)

    @property
    def window_as_counted(self) -> int:
        """Return the agent's window in tokens of our count; 0 where it is not known."""
        factor = self.factor_beforehand
        return int(self.limit.tokens / factor) if self.limit and factor else 0

    @property
    def takes_facts(self) -> bool:
        """Return whether a model takes facts."""
        return self.has_manager and not self.limited

    @property
    def all(self) -> tuple[Model, ...]:
        """Return all models that may be asked."""
        others = (model for model in (self.fallback, self.embedding) if model)
        return (self.agent, self.context_manager, *others)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A model's name, and why it is not the one that was named."""

    name: str
    why: Notice | None = None


_NO_MODEL = _Choice("")


def choose_roles(
    chat: Chat,
    messages: Sequence[Message],
    config: Config,
    key: FindKey,
    today: date,
    embedding: str = "",
) -> Roles:
    """Choose the models for a chat. A notice says why its own model cannot be asked.

    `embedding` names a model that turns texts into vectors, used only if a model takes facts.
    Raises ChatSkipped where a configured model cannot be asked as it is configured.
    """
    settings = config.models
    resolve = partial(resolve_model, config=config, find=key)
    newest = cache(partial(_newest, settings=settings))
    fallback = newest(settings.fallback) if settings.fallback else _NO_MODEL
    agent = _choose_agent(chat, messages, settings, fallback.name, resolve, newest)
    manager = _choose_manager(agent.name, settings, today, newest)
    embedding = embedding if manager.name != EXTRACTIVE else ""
    models = _models_used(chat, (agent.name, manager.name, fallback.name), embedding, resolve)
    writer, (addresses, here) = models[agent.name], _asked_elsewhere(models.values())
    notices = _notices((fallback, agent, manager), models, settings, today)
    return Roles(
        agent=writer,
        context_manager=models[manager.name],
        fallback=models.get(fallback.name),
        window=None if writer == ENGINE else window_in(writer.name, settings) or writer.window,
        notices=tuple(dict.fromkeys(notices)),
        embedding=models.get(embedding),
        addresses=addresses,
        here=here,
    )


def _choose_agent(
    chat: Chat,
    messages: Sequence[Message],
    settings: ModelSettings,
    fallback: str,
    find_out: Resolve,
    newest: Callable[[str], _Choice],
) -> _Choice:
    """Choose the agent: the model that memproc.toml names, else the chat's own.

    Where the chat's own cannot be asked, the fallback or the engine writes, and a notice says why.
    """
    if settings.agent != CHAT:
        return newest(settings.agent)
    instead = fallback or EXTRACTIVE
    makes = (
        f"{instead} makes its memories."
        if fallback
        else "its memories are extracted from what was said."
    )
    name = own_model(tuple(_names(chat, messages)))
    if name is None:
        reason = "A chat names no model that memproc knows"
        notice = f"{reason}, so {makes} To choose one, set agent in [models]."
        return _Choice(instead, Notice(notice))
    newest_model = newest(name)
    model = find_out(newest_model.name)
    if isinstance(model, Unaskable) and (provider := model.lacks_key):
        reason = f"There is no key for {newest_model.name}"
        notice = f"{reason}, so {makes} To set one: memproc key set {provider}"
        return _Choice(instead, Notice(notice, lacks_key=provider))
    return newest_model


def _choose_manager(
    agent: str, settings: ModelSettings, today: date, newest: Callable[[str], _Choice]
) -> _Choice:
    """Choose the context manager: on one's own server the agent, the only model known there."""
    if settings.context_manager != SMALL:
        return newest(settings.context_manager)
    is_own = is_ones_own(settings.options_for(agent))
    return _Choice(agent if is_own else small_model_on(today, agent))


def _newest(name: str, settings: ModelSettings) -> _Choice:
    """Choose a model, or its successor, with a notice that says so."""
    newer = None if is_ones_own(settings.options_for(name)) else find_successor(name)
    return _Choice(newer.name, Notice(newer.sentence)) if newer else _Choice(name)


def _models_used(
    chat: Chat, names: Iterable[str], embedding: str, resolve: Callable[..., Model | Unaskable]
) -> dict[str, Model]:
    """Return the models of these names, each once. Raises ChatSkipped where one cannot be asked."""
    models = {name: _askable(chat, resolve(name)) for name in dict.fromkeys(names) if name}
    if embedding:
        models[embedding] = _askable(chat, resolve(embedding, reads_prompts=False))
    return models


def _askable(chat: Chat, model: Model | Unaskable) -> Model:
    """Return the model. Raises ChatSkipped if it cannot be asked."""
    if isinstance(model, Model):
        return model
    reason = f'"{cut_title(chat.title)}": {model.reason}'
    if model.lacks_key:
        raise KeyMissing(reason, model.next_step, model.lacks_key)
    raise ChatSkipped(reason, model.next_step)


def _notices(
    choices: Sequence[_Choice], models: Mapping[str, Model], settings: ModelSettings, today: date
) -> Iterator[Notice]:
    """Yield what the person should know about these choices and the models they led to."""
    yield from (choice.why for choice in choices if choice.why)
    for name, model in models.items():
        if settings.batch != "never" and model != ENGINE and not takes_batches(name):
            how = "directly, at its full price: only Anthropic's own models are asked in batches"
            yield Notice(f"{name} is asked {how}.")
    for name, model in models.items():
        if not is_ones_own(model.options) and (sentence := ends_soon(name, today)):
            end = end_of(name)
            yield Notice(sentence, ends=end.last if end else "", model=name)


def _asked_elsewhere(models: Iterable[Model]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a sentence on each address that is not the provider's own.

    The first tuple is about other computers, the second about this one.
    """
    elsewhere: list[str] = []
    here: list[str] = []
    for model in models:
        for address in model.addresses:
            place = f"{address.host}, not at its provider's own address ({address.named_by})"
            sentence = f"{model.name} is asked at {place}."
            (here if is_loopback(address.host) else elsewhere).append(sentence)
    return tuple(elsewhere), tuple(here)


def chat_model(
    chat: Chat, messages: Sequence[Message], settings: ModelSettings
) -> tuple[str, int | None]:
    """Return the model that the person talks with in TypingMind, and its window in tokens.

    Another one may write the memories. The name is empty where memproc does not know the model, the
    window None where that is not known.
    """
    name = own_model(tuple(_names(chat, messages))) or ""
    if settings.agent == CHAT and settings.window:
        return name, settings.window
    return name, read_facts(name).window if name else None


def _names(chat: Chat, messages: Sequence[Message]) -> Iterator[str]:
    """Yield the names that the export has for the chat's model, the most reliable first."""
    first, *others = chat.model_names or ("",)
    yield first
    yield from (
        message.model
        for message in reversed(messages)
        if message.model and message.speaker == "assistant"
    )
    yield from others


def with_tools(
    roles: Roles, tools: Sequence[Mapping[str, object]], form: Literal["auto", "tools", "json"]
) -> Roles:
    """Return the roles with tools offered to agent and fallback, if these can call tools."""

    def offered(model: Model) -> Model:
        is_offered = form == "tools" or (form == "auto" and model.calls_tools)
        return replace(model, tools=tuple(tools)) if is_offered and model != ENGINE else model

    fallback = roles.fallback and offered(roles.fallback)
    return replace(roles, agent=offered(roles.agent), fallback=fallback)


@dataclass(frozen=True, slots=True)
class Who:
    """The roles as `memproc plan` shows them; `fallback` is empty where there is none."""

    agent: str
    context_manager: str
    fallback: str
    window: int | None
    notices: tuple[Notice, ...]
    lacks_key: str = ""
    limited: str = ""
    """Why a model is asked for the analysis alone; empty where it also writes."""

    @property
    def asked(self) -> str:
        """Return the model that is asked most; the engine's name where none is asked."""
        return self.agent if self.agent != EXTRACTIVE else self.context_manager

    @property
    def asks_no_model(self) -> bool:
        """Return whether the built-in engine does everything."""
        return self.asked == EXTRACTIVE


def who(roles: Roles) -> Who:
    """Return the roles without options and keys."""
    return Who(
        agent=roles.agent.name,
        context_manager=roles.context_manager.name,
        fallback=roles.fallback.name if roles.fallback else "",
        window=roles.window,
        notices=(*map(Notice, (*roles.addresses, *roles.here)), *roles.notices),
        limited=roles.limited,
        lacks_key=roles.lacks_key,
    )
