"""Check keys and models: those in memproc.toml, and those of chats that choose their own."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from daemon.archive.jobs import settings_of_chats
from daemon.archive.messages import raw_conversation
from daemon.archive.trials import trials
from daemon.config.key_stores import read_keys
from daemon.config.keys import FindKey, Key, NoKey, credential_files, noting
from daemon.config.settings import Config
from daemon.models.catalogue import is_model_known, nearest_names
from daemon.models.hosts import is_local, is_ones_own
from daemon.models.limited import why_agent_is_limited
from daemon.models.roles import CHAT, Roles, choose_roles
from daemon.status.findings import Finding, Setup, error, ok, warning
from daemon.status.sentences import trial_in_words
from primer.models import EXTRACTIVE, KEY_VARIABLES, Model, key_variables, provider_of
from rules.errors import ChatSkipped, ConfigurationError, KeyMissing, MemprocError
from rules.plan.selection import why_excluded
from rules.typingmind.chat import Chat, parse_chat, read_messages
from rules.typingmind.spans import Span
from rules.wording import cut_title

_NO_CHAT = Chat("{}", Span(0, 2), (), ())
_CHOOSE_ANOTHER = "Choose another model, or the built-in engine (docs/install.md)."
_WHERE = {
    "environment": "in the environment",
    "credential": "handed over by systemd",
    "file": "in memproc's own file",
    "keyring": "in the system's keyring",
}


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models that memproc.toml or a chat asks for."""

    who: str
    """The chat, or memproc.toml, as a sentence names it."""
    is_a_chat: bool
    roles: Roles | ChatSkipped
    """The models, or why none can be asked."""
    keys: Mapping[str, Key | NoKey] = field(repr=False)
    """Every provider whose key was looked for, with what was found."""

    @property
    def listed_models(self) -> Iterator[Model]:
        """Yield the models of known providers; on one's own server, a name can mean any model."""
        if isinstance(self.roles, ChatSkipped):
            return
        for model in self.roles.all:
            if provider_of(model.name) in KEY_VARIABLES and not is_ones_own(model.options):
                yield model

    def misses_key(self, provider: str) -> bool:
        """Return whether a key for `provider` is missing; a server of one's own needs none."""
        roles = self.roles
        if isinstance(roles, ChatSkipped):
            return isinstance(roles, KeyMissing) and roles.provider == provider
        return any(notice.lacks_key == provider for notice in roles.notices)


def choices(setup: Setup, find_key: FindKey) -> Iterator[ModelChoice]:
    """Yield the choice of memproc.toml, then those of chats that choose their own model."""
    config = setup.config
    for settings in config.variants:
        without_chat = settings
        if settings.models.agent == CHAT:  # without a chat, there is no model to choose
            models = settings.models.model_copy(update={"agent": EXTRACTIVE})
            without_chat = settings.model_copy(update={"models": models})
        yield _choice(setup, find_key, "memproc.toml", _NO_CHAT, without_chat)
    with setup.archive() as archive:
        for chat_id, head, tail in settings_of_chats(archive):
            # A chat that came without `messages` is all in its head, and has no tail.
            messages = b",".join(raw_conversation(archive, chat_id).messages) if tail else b""
            chat = parse_chat(b"".join((head, messages, tail)))
            if why_excluded(chat, config.chats.include, config.chats.exclude):
                continue
            chat_config = config.of(chat)
            if chat_config.models.agent == CHAT:
                yield _choice(setup, find_key, f'"{cut_title(chat.title)}"', chat, chat_config)


def _choice(setup: Setup, find_key: FindKey, who: str, chat: Chat, config: Config) -> ModelChoice:
    """Choose the models as a run would, and note each key that was looked for."""
    keys: dict[str, Key | NoKey] = {}
    find, today = noting(find_key, keys), setup.machine.now.date()
    roles: Roles | ChatSkipped
    try:
        roles = choose_roles(chat, read_messages(chat), config, find, today)
    except ChatSkipped as fault:
        roles = fault
    return ModelChoice(who, chat is not _NO_CHAT, roles, keys)


def key_files(setup: Setup) -> Iterator[Finding]:
    """Check that the files with keys can be used, and by us alone."""
    try:
        own = read_keys(setup.folders.state)
        handed = credential_files(setup.credentials)
    except ConfigurationError as fault:
        yield error("key files", fault.message, fault.next_step)
        return
    number = len(own) + len(handed)
    text = f"Keys in memproc's own files: {number}." if number else "There are none."
    yield ok("key files", text)


def check_keys(setup: Setup) -> Iterator[Finding]:
    """Check that every provider to be asked has a key, for the shell and for the service.

    Of several findings on a provider an error is yielded, else the first.
    """
    findings: dict[str, Finding] = {}
    handed = {variable for variable, _ in credential_files(setup.credentials)}
    for choice in choices(setup, setup.key):
        for provider, key in choice.keys.items():
            if isinstance(key, NoKey) and not choice.misses_key(provider):
                continue
            is_handed = not handed.isdisjoint(key_variables(provider))
            finding = _judge_key(setup, choice, provider, key, is_handed)
            if provider not in findings or finding.level == "error":
                findings[provider] = finding
    if findings:
        yield from findings.values()
    else:
        yield ok("keys", "No model that needs one would be asked.")


def _judge_key(
    setup: Setup, choice: ModelChoice, provider: str, key: Key | NoKey, is_handed: bool
) -> Finding:
    """Return the finding on a provider's key for a choice: where it is, or what its absence means.

    `is_handed` says whether systemd hands the service a key of its own.
    """
    name, remedy = f"key {provider}", f"memproc key set {provider}"
    if isinstance(key, Key):
        has_service = setup.machine.service.state != "not installed"
        if key.where == "environment" and not is_handed and has_service:
            text = "It is in the environment of this shell, which the service does not have."
            return warning(name, text, f"{remedy}, then: memproc service install")
        return ok(name, f"It is {_WHERE[key.where]}.")
    if is_handed:
        return ok(name, "The service has it from systemd; this shell has none.")
    text = f"No key for {choice.who}: {key.reason}."
    if isinstance(choice.roles, ChatSkipped):
        return error(name, text, remedy)
    return warning(name, f"{text} So memproc makes the memories without a model.", remedy)


def models(setup: Setup) -> Iterator[Finding]:
    """Check that LiteLLM knows every model, none ends within 60 days, and all can be asked."""
    names: dict[str, str] = {}
    findings: dict[str, Finding] = {}
    for choice in choices(setup, partial(_key_or_substitute, setup)):
        for model in choice.listed_models:
            names.setdefault(model.name, choice.who)
        for finding in _judge_choice(setup, choice):
            findings.setdefault(finding.text, finding)
    for name, who in names.items():
        if not is_model_known(name):
            near = nearest_names(name)
            perhaps = f", perhaps to {near[0]}" if near else ""
            text = f"LiteLLM's map does not know {name}, for {who}."
            remedy = f"Correct it{perhaps}, in memproc.toml, [models]."
            findings[name] = warning("models known", text, remedy)
    if findings:
        yield from findings.values()
    elif names:
        yield ok("models", f"{', '.join(names)}: none is retired, or ends within 60 days.")
    elif setup.config.models.names:
        yield ok("models", "No model of a known provider would be asked.")
    else:
        yield ok("models", "None would be asked: the built-in engine makes the memories.")


def own_models(setup: Setup) -> Iterator[Finding]:
    """Check the last trials of the models on servers of one's own. No model is asked."""
    with setup.archive() as archive:
        last = trials(archive)
        limited = why_agent_is_limited(archive, setup.config)
    for name in dict.fromkeys(setup.config.models.names):
        trial = last.get(name)
        if trial and trial.is_missed:
            yield warning("own models", trial_in_words(name, trial), _CHOOSE_ANOTHER)
        elif limited and name == setup.config.models.agent:
            yield warning("own models", limited, _CHOOSE_ANOTHER)
        elif trial:
            yield ok("own models", trial_in_words(name, trial))
        elif is_local(Model(name, setup.config.models.options_for(name))):
            text = f"{name} was never tried, so how fast it is and what it can is not known."
            yield warning("own models", text, f"memproc config fit {name}")


def _key_or_substitute(setup: Setup, provider: str) -> Key:
    """Return the key, or a substitute for a missing one, which other checks report."""
    with suppress(MemprocError):
        key = setup.key(provider)
        if isinstance(key, Key):
            return key
    return Key("none", "environment")


def _judge_choice(setup: Setup, choice: ModelChoice) -> Iterator[Finding]:
    """Yield why a choice cannot be asked, or notices on when its models end."""
    if isinstance(choice.roles, ChatSkipped):
        yield error("models", choice.roles.message, choice.roles.next_step)
        return
    remedy = "Name another in memproc.toml, [models]."
    if choice.is_a_chat:
        remedy = (
            f"Choose another model for {choice.who} in TypingMind, "
            "or name one in memproc.toml, [models]."
        )
    today = setup.machine.now.date().isoformat()
    for notice in choice.roles.notices:
        finding = error if notice.ends and notice.ends < today else warning
        yield finding("retired models", notice.sentence, remedy)
