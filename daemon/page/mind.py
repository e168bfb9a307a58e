"""What the persona keeps in mind: its core memory and the facts, each with its history and where it comes from."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, known_chat
from daemon.archive.layers import core_events, fact_events
from daemon.archive.memories import memories
from daemon.chat.opening import core_now, facts_now
from daemon.config.loading import core_layout
from daemon.page.app import desk_of, render, said
from rules.layers.core import rendered
from rules.layers.facts import Fact, FactEvent


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact with all that happened to it, and the memory whose chunk each of its messages is in, by their keys."""

    fact: Fact
    events: tuple[FactEvent, ...]
    memories: dict[str, str]


def core_page(request: Request) -> Response:
    """The core memory of a chat."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        layout = core_layout(desk.config.of(known_chat(archive, known.chat_id)).core)
        sections = tuple(core_now(archive, known.chat_id, layout))
        events = core_events(archive, known.chat_id)
    steps = [(event, rendered(event.value)) for event in reversed(events)]
    return render(
        request, "core.html", chat=known, sections=sections, steps=steps, said=said(request)
    )


def facts_page(request: Request) -> Response:
    """The facts of a chat, newest first."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        listed = _known_facts(archive, known)
    return render(request, "facts.html", chat=known, facts=listed, said=said(request))


def memory_of_key(archive: Archive, chat_id: str) -> dict[str, str]:
    """The memory under which each raw message of a chat stands."""
    return {
        key: memory.memory_id
        for memory in memories(archive, chat_id)
        if not memory.is_fold
        for key in memory.keys
    }


def _known_facts(archive: Archive, known: KnownChat) -> list[KnownFact]:
    events = fact_events(archive, known.chat_id)
    under = memory_of_key(archive, known.chat_id)
    newest_first = sorted(
        facts_now(archive, known.chat_id),
        key=lambda fact: (fact.said_at, fact.number),
        reverse=True,
    )
    return [
        KnownFact(
            fact,
            tuple(event for event in events if event.fact == fact.number),
            {key: under[key] for key in fact.sources if key in under},
        )
        for fact in newest_first
    ]
