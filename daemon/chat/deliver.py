"""Write a finished chat in its place: the version before is kept, and replaced at once."""

from pathlib import Path

from daemon.archive.outputs import (
    Output,
    chats_written_to,
    last_output,
    output_in,
    record_output,
)
from daemon.chat.finish import ReadyChat
from daemon.events import ExportWritten
from daemon.files.backup import keep_original, keep_version
from daemon.files.names import file_name
from daemon.files.packing import sha256_of
from daemon.files.private import make_private
from daemon.files.read import Export
from daemon.files.write import replace_file
from daemon.models.context import Context
from rules.conversation.memory import EXTRACTED
from rules.typingmind.document import container_blocks


def is_in_place(context: Context, ready: ReadyChat) -> bool:
    """Return whether its updated export holds these very messages, so that no byte is changed.

    The spelling of the messages makes no difference. A new chat that was made of an old one, and
    has gone on by itself since, is never put back to where it began.
    """
    last = last_output(context.archive, ready.plan.chat_id)
    if last is None or ready.assembled.messages_sha256 != last.messages_sha256:
        return False
    path = place_of(context, ready)
    if Path(last.path) != path:
        return False
    newest = output_in(context.archive, last.path)
    if newest is not None and newest.chat_id != ready.plan.chat_id:
        return True
    return last.sha256 == sha256_of(path)


def deliver(context: Context, export: Export, ready: ReadyChat) -> ExportWritten:
    """Write the updated export of a chat, and keep the version that it replaces.

    Raises FileTrouble where a backup or the file could not be written; the old file is whole then.
    """
    plan, now, path = ready.plan, context.clock(), place_of(context, ready)
    for folder in (context.folders.updated, context.folders.backups):
        make_private(folder)
    last = last_output(context.archive, plan.chat_id)
    original = container_blocks(ready.chat.slice(ready.chat.span))
    keep_original(context.folders.backups, plan.chat_id, plan.title, original, now)
    del original
    backup = _keep_replaced(context, ready, path, now) if path.exists() else ""
    written = replace_file(path, container_blocks(ready.assembled.chat))
    output = Output(
        chat_id=plan.chat_id,
        path=str(path),
        sha256=written.sha256,
        messages_sha256=ready.assembled.messages_sha256,
        source_sha256=export.sha256,
        written_at=now,
        ours_sha256=ready.assembled.ours_sha256,
    )
    record_output(context.archive, output)
    if last is not None:
        _keep_renamed(context, ready, last, path, now)
    return _as_written(ready, path, backup)


def _keep_renamed(context: Context, ready: ReadyChat, last: Output, path: Path, now: str) -> None:
    """Keep the file of the chat's old title as a version, unless it is shared or was changed."""
    old = Path(last.path)
    if old == path or old.parent != path.parent or sha256_of(old) != last.sha256:
        return
    _keep_replaced(context, ready, old, now)
    if not chats_written_to(context.archive, last.path):
        old.unlink()


def _as_written(ready: ReadyChat, path: Path, backup: str) -> ExportWritten:
    extracted = [
        memory
        for memory in ready.memories
        if memory.edition.made == EXTRACTED and memory.edition.kind != "person"
    ]
    return ExportWritten(
        plan=ready.plan,
        path=str(path),
        memories=len(ready.memories),
        extracted=len(extracted),
        tokens_before=ready.plan.tokens,
        tokens_after=ready.tokens_after,
        backup=backup,
        over_budget=ready.over_budget,
    )


def place_of(context: Context, ready: ReadyChat) -> Path:
    """Return the place of the chat's updated export: its name has the chat's title and id."""
    return context.folders.updated / file_name(ready.title, ready.chat_id)


def _keep_replaced(context: Context, ready: ReadyChat, path: Path, now: str) -> str:
    """Keep the version at `path` before it is replaced. Return where it is kept."""
    backups, plan = context.folders.backups, ready.plan
    return str(keep_version(backups, plan.chat_id, plan.title, path.stem, path, now).path)
