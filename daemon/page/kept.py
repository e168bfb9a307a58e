"""Show what is kept word for word of a chat, what waits, and what the person is asked about it."""

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import known_chat
from daemon.archive.keeping import kept_passages
from daemon.archive.outline import read_words
from daemon.page.actions import run_then_show
from daemon.page.app import desk_of, field, named_chat, render
from daemon.page.chat import persona_of
from daemon.page.message_blocks import find_written
from rules.layers.kept_passages import how_full, in_order, notes_on


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
