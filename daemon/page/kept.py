"""Show what is kept word for word of a chat, what waits, and what the person is asked about it."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat
from daemon.archive.keeping import kept_passages, newest_messages
from daemon.archive.outline import read_words
from daemon.page.actions import run_then_show
from daemon.page.app import desk_of, field, named_chat, render
from daemon.page.chat import persona_of
from daemon.page.message_blocks import find_written
from rules.layers.kept_passages import KeptPassage, describe_kept


@dataclass(frozen=True, slots=True)
class PassageCard:
    """A passage, the address of its message, and what that says now where the person is asked."""

    passage: KeptPassage
    address: str
    now: str


def kept_page(request: Request) -> Response:
    """Show the passages of a chat, oldest first."""
    with named_chat(request) as (archive, known):
        config = desk_of(request).config.of(known_chat(archive, known.chat_id))
        passages = kept_passages(archive, known.chat_id)
        cards, persona = _cards(archive, known, passages), persona_of(archive, known.chat_id)
    notes = describe_kept(passages, config.keep.budget)
    return render(request, "kept.html", chat=known, persona=persona, cards=cards, notes=notes)


def _cards(
    archive: Archive, known: KnownChat, passages: tuple[KeptPassage, ...]
) -> list[PassageCard]:
    open_ones = [passage for passage in passages if passage.state != "released"]
    edited = {passage.key for passage in open_ones if passage.asks == "edited"}
    now = (
        {
            key: message.text
            for key, message in newest_messages(archive, known.chat_id)
            if key in edited
        }
        if edited
        else {}
    )
    return [
        PassageCard(passage, _address(known, passage), now.get(passage.key, ""))
        for passage in sorted(open_ones, key=lambda passage: (passage.said_at, passage.number))
    ]


def _address(known: KnownChat, passage: KeptPassage) -> str:
    return f"/chat/{known.chat_id}/messages/{passage.key}" if passage.key else ""


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
    return _on_kept(request, "keep", "--yes", number, "--", _chat_of(request))


def post_release(request: Request) -> Response:
    """Release a passage."""
    number = str(request.path_params["number"])
    return _on_kept(request, "release", "--", _chat_of(request), number)


def _chat_of(request: Request) -> str:
    with named_chat(request) as (_, known):
        return known.chat_id


def _on_kept(request: Request, *arguments: str) -> Response:
    return run_then_show(request, f"/chat/{request.path_params['chat']}/kept", *arguments)
