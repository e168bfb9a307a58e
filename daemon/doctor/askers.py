"""Who has models asked: memproc.toml, with each of its overrides, and the chats that have their own model asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.config.models import ModelSettings
from daemon.doctor.place import Place
from daemon.doctor.seen import seen_chats
from daemon.models.roles import CHAT, FindKey, Roles, choose_roles
from primer.request import EXTRACTIVE
from rules.errors import ChatSetAside
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message
from rules.typingmind.spans import Span

_NO_CHAT = Chat("{}", Span(0, 2), (), ())


@dataclass(frozen=True, slots=True)
class Asker:
    """What decides which models are asked; `who` is how the person knows it."""

    who: str
    is_a_chat: bool
    chat: Chat
    messages: tuple[Message, ...]
    models: ModelSettings


def askers(place: Place) -> Iterator[Asker]:
    """memproc.toml first, then the chats, where they have a say."""
    config = place.config
    for own in (config, *map(config.with_override, config.chats.override)):
        models = own.models
        # Without a chat there is no model of its own; what else is configured is looked at all the same.
        configured = models.model_copy(update={"agent": EXTRACTIVE}) if models.agent == CHAT else models
        yield Asker("memproc.toml", False, _NO_CHAT, (), configured)
    with Archive.read(place.folders.state) as archive:
        for seen in seen_chats(archive, config):
            models = config.of(seen.chat).models
            if models.agent == CHAT:
                yield Asker(f'"{seen.chat.title}"', True, seen.chat, seen.messages, models)


def roles_of(place: Place, asker: Asker, key: FindKey) -> Roles | ChatSetAside:
    """The models that would be asked now, or why none can be."""
    try:
        return choose_roles(asker.chat, asker.messages, asker.models, key, place.machine.now.date())
    except ChatSetAside as trouble:
        return trouble
