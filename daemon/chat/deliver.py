"""Put finished chats where TypingMind can import them: the old version kept, the new one in its place."""

import hashlib
import io
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from daemon.archive.exports import RESTORED, Output, last_output, output_in, record_output
from daemon.chat.finish import ReadyChat
from daemon.context import Context
from daemon.events import Written
from daemon.files.backup import keep_original, keep_version
from daemon.files.packed import sha256_of
from daemon.files.read import Export, Part, read_export
from daemon.files.write import make_private, replace_file
from rules.errors import FileTrouble, NotAnExport
from rules.output.naming import file_name
from rules.typingmind.document import container_blocks, with_chats


def stand_already(context: Context, export: Export, chats: Sequence[ReadyChat]) -> bool:
    """Whether their updated export holds these very messages already: then no byte is changed.

    How the messages are spelled makes no difference, nor whether all chats came as JSON or as a ZIP: the same chats
    come in either. A new chat that was made of an old one, and has gone on by itself since, is never put back to where
    it began.
    """
    name = place_of(context, export, chats).with_suffix("")
    outputs: list[Output] = []
    for ready in chats:
        last = last_output(context.archive, ready.plan.chat_id)
        if last is None or not ready.assembled.has_messages_of(last.messages_sha256):
            return False
        outputs.append(last)
    path = Path(outputs[0].path)
    if any(output.path != outputs[0].path for output in outputs) or path.with_suffix("") != name:
        return False
    newest = output_in(context.archive, outputs[0].path)
    # Restoring a chat of a whole export puts back the others, too: those are brought up to date again.
    was_restored = _is_whole(context) and newest is not None and newest.messages_sha256 == RESTORED
    if newest is not None and newest.chat_id not in {ready.plan.chat_id for ready in chats} and not was_restored:
        return True
    return {output.sha256 for output in outputs} == {sha256_of(path)}


def deliver(
    context: Context, export: Export, chats: Sequence[ReadyChat], held_back: Collection[str] = ()
) -> tuple[Written, ...]:
    """Write one updated file with these chats: one chat, or the whole export (`output.container`).

    `held_back` are ids of other chats of the export, which stay in a whole export as its updated file has them.
    Raises FileTrouble where a backup or the file could not be written; the old file is whole then.
    """
    path = place_of(context, export, chats)
    for folder in (context.folders.updated, context.folders.backups):
        make_private(folder)
    now = context.clock()
    before = [last_output(context.archive, ready.plan.chat_id) for ready in chats]
    for ready in chats:
        blocks = container_blocks(ready.chat.slice(ready.chat.span))
        keep_original(context.folders.backups, ready.plan.chat_id, ready.plan.title, blocks, now)
        del blocks
    backup = _keep_replaced(context, chats[0], path, now)
    if _is_whole(context):
        finished = {ready.plan.chat_id: ready.assembled.chat for ready in chats}
        content = _whole_export(export, _standing(path, held_back) | finished)
    else:
        content = iter(container_blocks(chats[0].assembled.chat))
    sha256 = replace_file(path, content).sha256
    for ready in chats:
        record_output(
            context.archive,
            Output(
                chat_id=ready.plan.chat_id,
                path=str(path),
                sha256=sha256,
                messages_sha256=ready.assembled.messages_sha256,
                source_sha256=export.sha256,
                written_at=now,
                ours_sha256=ready.assembled.ours_sha256,
            ),
        )
    for ready, last in zip(chats, before, strict=True):
        if last is not None and Path(last.path) != path and Path(last.path).parent == path.parent:
            _retire(context, ready, last, now)
    return tuple(_written(ready, path, backup) for ready in chats)


def place_of(context: Context, export: Export, chats: Sequence[ReadyChat]) -> Path:
    """A chat's file bears its title and id; a whole export is named after the chats in it, whatever the date."""
    if not _is_whole(context) or len(export.chat_ids) == 1:
        return context.folders.updated / file_name(chats[0].title, chats[0].chat_id)
    ids = "\n".join(sorted(export.chat_ids))
    name = Path(file_name("All chats", hashlib.sha256(ids.encode()).hexdigest()[:10]))
    return context.folders.updated / (name.with_suffix(".zip") if zipfile.is_zipfile(export.path) else name)


def _is_whole(context: Context) -> bool:
    return context.config.output.container == "export"


def _keep_replaced(context: Context, ready: ReadyChat, path: Path, now: str) -> str:
    """Keep the version that stands in the file's place; where it is kept, or empty where there was none."""
    if not path.exists():
        return ""
    plan = ready.plan
    return str(keep_version(context.folders.backups, plan.chat_id, plan.title, path.stem, path, now).path)


def _retire(context: Context, ready: ReadyChat, last: Output, now: str) -> None:
    """Make the old file of a chat that got another title, and so another file name, a kept version."""
    old = Path(last.path)
    if sha256_of(old) == last.sha256:
        _keep_replaced(context, ready, old, now)
        old.unlink()


def _standing(path: Path, chat_ids: Collection[str]) -> dict[str, bytes]:
    """The chats of these ids as the updated file has them now; none where there is no such file any more."""
    if not chat_ids or not path.exists():
        return {}
    try:
        chats = [chat for chat in read_export(path).chats() if chat.text_field("chatID") in chat_ids]
    except (FileTrouble, NotAnExport):
        return {}
    return {chat.chat_id: chat.slice(chat.span) for chat in chats}


def _whole_export(export: Export, chats: Mapping[str, bytes]) -> Iterator[bytes]:
    """The export as it came, with these chats in their places: JSON for JSON, a ZIP for a ZIP."""
    if not zipfile.is_zipfile(export.path):
        yield from _with(export, export.parts[0], chats)
        return
    parts = {part.entry: part for part in export.parts}
    buffer = io.BytesIO()
    with zipfile.ZipFile(export.path) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            part = parts.get(entry.filename)
            new.writestr(entry, b"".join(_with(export, part, chats)) if part else old.read(entry))
    yield buffer.getvalue()


def _with(export: Export, part: Part, chats: Mapping[str, bytes]) -> Iterator[bytes]:
    """The part's bytes, with these chats in the place of those it had."""
    spans = {outline.span: chats[outline.chat_id] for outline in part.layout.outlines if outline.chat_id in chats}
    return with_chats(export.blocks(part), spans)


def _written(ready: ReadyChat, path: Path, backup: str) -> Written:
    return Written(
        plan=ready.plan,
        path=str(path),
        memories=len(ready.memories),
        extracted=ready.extracted,
        tokens_before=ready.plan.tokens,
        tokens_after=ready.tokens_after,
        backup=backup,
        over_budget=ready.over_budget,
    )
