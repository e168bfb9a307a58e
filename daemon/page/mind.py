"""Show what the persona keeps in mind: core memory, facts, and what is kept word for word.

Facts have their history and their sources. Of kept passages it shows what waits, and what the person
is asked. An evaluation shows what the persona still knows: the newest one, what it missed, and the
curve.
"""

import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat, persona_of
from daemon.archive.keeping import kept_passages
from daemon.archive.layers import core_events, fact_events
from daemon.archive.memories import memories
from daemon.archive.messages import read_words
from daemon.chat.opening import core_now, facts_now
from daemon.config.loading import core_layout
from daemon.page.actions import do_command, run_then_show, start_command
from daemon.page.app import desk_of, field, named_chat, render, show_at
from daemon.page.message_blocks import find_written
from rules.evaluate.report import CONTEXTS
from rules.layers.core import rendered
from rules.layers.facts import Fact, FactEvent
from rules.layers.kept_passages import how_full, in_order, notes_on

_BEGUN = "The persona is being asked. It takes some minutes; the figures then stand here."
_WRITING = (
    "The memory is being written again, with what it lacked in view. It takes a minute or so; the "
    "new edition then stands here."
)


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
    return render(
        request,
        "core.html",
        chat=known,
        persona=persona,
        sections=sections,
        steps=steps,
        is_off=not own.core.enabled,
    )


def facts_page(request: Request) -> Response:
    """Show the facts of a chat, newest first."""
    with named_chat(request) as (archive, known):
        own = desk_of(request).config.of(known_chat(archive, known.chat_id))
        listed = _known_facts(archive, known)
    return render(request, "facts.html", chat=known, facts=listed, is_off=not own.facts.enabled)


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


def kept_page(request: Request) -> Response:
    """Show the passages of a chat, oldest first; of edited messages, what they say now, too."""
    with named_chat(request) as (archive, known):
        config = desk_of(request).config.of(known_chat(archive, known.chat_id))
        passages = in_order(kept_passages(archive, known.chat_id))
        edited = [passage.key for passage in passages if passage.asks == "edited"]
        now, persona = (
            read_words(archive, known.chat_id, edited),
            persona_of(archive, known.chat_id),
        )
    cards = [(passage, list(notes_on(passage)), now.get(passage.key)) for passage in passages]
    full = how_full(passages, config.keep.budget)
    return render(request, "kept.html", chat=known, persona=persona, cards=cards, full=full)


def post_keep(request: Request) -> Response:
    """Keep what is marked of a message, or all of it where nothing is marked.

    What is marked has lost its Markdown, and is kept as it was written.
    """
    words, key = field(request, "words").replace("\r\n", "\n"), field(request, "key")
    with named_chat(request) as (archive, known):
        message = read_words(archive, known.chat_id, [key]).get(key)
    if message:
        words = find_written(message.words, words)
    return _on_kept(request, "keep", "--message", key, "--", known.chat_id, words)


def post_agree(request: Request) -> Response:
    """Keep a passage that is offered, or that the person was asked about."""
    number = str(request.path_params["number"])
    return _on_kept(request, "keep", "--yes", number, "--", request.path_params["chat"])


def post_release(request: Request) -> Response:
    """Release a passage."""
    number = str(request.path_params["number"])
    return _on_kept(request, "release", "--", request.path_params["chat"], number)


def _on_kept(request: Request, *arguments: str) -> Response:
    return run_then_show(request, f"/chat/{request.path_params['chat']}/kept", *arguments)


def evaluation_page(request: Request) -> Response:
    """Show the newest report, in its free form where the persona was never asked."""
    with named_chat(request) as (archive, known):
        by_id = {memory.memory_id: memory for memory in memories(archive, known.chat_id)}
    result = do_command(
        desk_of(request).toml, "eval", "--free", "--again", "--json", "--", known.chat_id
    )
    if not result.is_done:
        return render(request, "trouble.html", 409, message=result.text, next_step="")
    free = json.loads(result.out)
    report = free["asked"] or free
    return render(
        request,
        "evaluation.html",
        chat=known,
        report=report,
        free=free,
        by_id=by_id,
        contexts=CONTEXTS,
    )


def post_evaluation(request: Request) -> Response:
    """Ask the persona, by the command that a person would type."""
    with named_chat(request) as (_, known):
        chat = known.chat_id
    start_command(desk_of(request).toml, ["eval", "--again", "--yes", "--", chat])
    return show_at(request, f"/chat/{chat}/evaluation", _BEGUN)


def post_missed(request: Request) -> Response:
    """Have a memory written again with what an evaluation missed of it."""
    memory = request.path_params["memory"]
    start_command(desk_of(request).toml, ["retry", "--missed", "--", memory])
    return show_at(request, f"/memory/{memory}", _WRITING)
