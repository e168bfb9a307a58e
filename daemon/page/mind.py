"""Show what the persona keeps in mind: core memory and facts, with their history and sources."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat
from daemon.archive.layers import core_events, fact_events
from daemon.chat.opening import core_now, facts_now
from daemon.config.loading import core_layout
from daemon.page.app import desk_of, named_chat, render
from daemon.page.chat import persona_of
from rules.layers.core import rendered
from rules.layers.facts import Fact, FactEvent


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact with its events."""

    fact: Fact
    events: tuple[FactEvent, ...]


def core_page(request: Request) -> Response:
    """Show the core memory of a chat."""
    with named_chat(request) as (archive, known):
        own = desk_of(request).config.of(known_chat(archive, known.chat_id))
        sections = tuple(core_now(archive, known.chat_id, core_layout(own.core)))
        events = core_events(archive, known.chat_id)
        persona = persona_of(archive, known.chat_id)
    steps = [(event, rendered(event.value)) for event in reversed(events)]
    return render(request, "core.html", chat=known, persona=persona, sections=sections, steps=steps)


def facts_page(request: Request) -> Response:
    """Show the facts of a chat, newest first."""
    with named_chat(request) as (archive, known):
        listed = _known_facts(archive, known)
    return render(request, "facts.html", chat=known, facts=listed)


def _known_facts(archive: Archive, known: KnownChat) -> list[KnownFact]:
    events = fact_events(archive, known.chat_id)
    newest_first = sorted(
        facts_now(archive, known.chat_id),
        key=lambda fact: (fact.said_at, fact.number),
        reverse=True,
    )
    return [
        KnownFact(
            fact,
            tuple(event for event in events if event.fact == fact.number),
        )
        for fact in newest_first
    ]
