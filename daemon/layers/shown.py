"""An export of a chat, as far as core memory and facts are concerned, which stand in its opening message."""

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.config import Config
from daemon.config.layers import CoreSettings, FactSettings
from daemon.layout import core_layout
from daemon.texts import load_texts
from primer.texts import Texts
from rules.layers.layout import Layout
from rules.recognize.recognize import Place
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class ShownChat:
    """The chat, its messages as they were recognised, and the settings that count for it."""

    chat_id: str
    title: str
    places: Sequence[Place]
    texts: Texts
    core: CoreSettings
    layout: Layout
    """The core memory's, with the sections that memproc.toml says."""
    facts: FactSettings


def shown_chat(chat: Chat, places: Sequence[Place], config: Config) -> ShownChat:
    """A chat whose messages are recognised; `config` is the one that counts for it. Raises ConfigurationError."""
    texts, layout = load_texts(config.texts.path), core_layout(config.core)
    return ShownChat(chat.chat_id, chat.title, places, texts, config.core, layout, config.facts)
