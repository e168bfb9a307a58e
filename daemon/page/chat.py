"""Show a chat: its memories on a time line, the size of each part, and the kept versions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.keeping import kept_passages
from daemon.archive.memo import known_counts
from daemon.archive.messages import live_messages
from daemon.archive.outputs import restored_clause
from daemon.chat.holding import Holding, holding
from daemon.config.settings import Config
from daemon.models.tokens import ENCODING
from daemon.page.app import desk_of, named_chat, render
from daemon.page.files import download_state
from daemon.page.versions import version_choice
from daemon.remember.chat_notes import wishes_left_out
from daemon.reports.chats import versions_report
from daemon.reports.memories import outermost_rows
from daemon.reports.passages import passage_steps
from rules.conversation.kept_wishes import find_open_wishes
from rules.conversation.memory import memories_of_chunks
from rules.layers.kept_passages import released_wishes
from rules.plan.chunks import Spoken, count_live_tokens, tokens_of


@dataclass(frozen=True, slots=True)
class ChatSizes:
    """The tokens of each part of a chat's updated export, and of all that was ever said in it."""

    folds: int
    memories: int
    waiting: int
    """Said before the live tail, and not yet under a memory."""
    live: int
    """The newest messages, word for word."""
    spoken: int

    @property
    def parts(self) -> Mapping[str, int]:
        """Return the tokens of the parts that are not empty, by name, in the chat's order."""
        parts = {
            "folds": self.folds,
            "memories": self.memories,
            "waiting": self.waiting,
            "word for word": self.live,
        }
        return {name: tokens for name, tokens in parts.items() if tokens}

    @property
    def total(self) -> int:
        """Return the chat's tokens as it is now."""
        return sum(self.parts.values())


def chat_sizes(archive: Archive, config: Config, held: Holding) -> ChatSizes:
    """Return a chat's sizes. Messages whose tokens no run has counted yet count as 0."""
    chat_config = config.of(known_chat(archive, held.chat_id))
    messages = live_messages(archive, held.chat_id)
    counts = known_counts(archive, ENCODING, list({message.digest for message in messages}))
    spoken = [Spoken(message.role or "", counts.get(message.digest, 0)) for message in messages]
    live = count_live_tokens(spoken, 0, chat_config.chunk.tokens, chat_config.tail.tokens)
    sources = (memory.source_tokens for memory in memories_of_chunks(held.memories))
    return ChatSizes(
        folds=sum(memory.edition.tokens for memory in held.shown if memory.is_fold),
        memories=sum(memory.edition.tokens for memory in memories_of_chunks(held.shown)),
        waiting=tokens_of(spoken) - live,
        live=live,
        spoken=tokens_of(spoken) + sum(sources),
    )


def chat_page(request: Request) -> Response:
    """Show the chat."""
    desk = desk_of(request)
    with named_chat(request) as (archive, known):
        held = holding(archive, desk.config, known.chat_id)
        sizes = chat_sizes(archive, desk.config, held)
        left_out = wishes_left_out(archive, held)
        passages = kept_passages(archive, known.chat_id)
        still = find_open_wishes(held.shown, released_wishes(passages))
        download = download_state(archive, known.chat_id)
        restored = restored_clause(archive, known.chat_id)
        choice = version_choice(archive, desk.folders, known)
    versions = versions_report(known, desk.folders.backups)
    return render(
        request,
        "chat.html",
        chat=known,
        entries=outermost_rows(held),
        sizes=sizes,
        left_out=left_out,
        doubtful=[
            passage for passage in passages if (passage.by, passage.state) == ("wish", "offered")
        ],
        steps=passage_steps,
        still=still,
        choice=choice,
        versions=replace(versions, notes=()),  # its links lead to them; no folder has to be known
        download=download,
        restored=restored,
    )
