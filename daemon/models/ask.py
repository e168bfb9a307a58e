"""Ask a model, the journal first: a reply is durable before it is used, and no request is sent twice (D15)."""

from collections.abc import Callable

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, recall, record
from daemon.models.completion import Completion
from primer.request import Request

Complete = Callable[[Request], Completion]
Clock = Callable[[], str]


def ask(
    archive: Archive,
    request: Request,
    chat_id: str,
    complete: Complete,
    clock: Clock,
    heard: Callable[[Reply], None],
) -> Reply:
    """The reply to a request: from the journal, or from the model and then into the journal; `heard` hears the latter.

    Raises ModelError where the model could not be asked, ArchiveError where the reply could not be kept.
    """
    known = recall(archive, request.key)
    if known is not None:
        return known
    asked_at = clock()
    kept = keep_answer(archive, request, chat_id, asked_at, complete(request), clock())
    heard(kept)
    return kept


def keep_answer(
    archive: Archive, request: Request, chat_id: str, asked_at: str, answer: Completion, answered_at: str
) -> Reply:
    """The reply that an answer is, when the journal has it. Raises ArchiveError where it could not be kept."""
    reply = Reply(
        request=request.key,
        model=request.model.name,
        step=request.step,
        text=answer.text,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        tokens_cached=answer.tokens_cached,
        tokens_cache_written=answer.tokens_cache_written,
        usd=answer.usd,
        asked_at=asked_at,
        answered_at=answered_at,
    )
    return record(archive, reply, chat_id, request.parameters)
