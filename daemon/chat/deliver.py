"""Put finished chats where TypingMind can import them: the old version kept, the new one in its place."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import Rest, is_known
from daemon.archive.outputs import Output, last_output, output_in, record_output, was_written
from daemon.context import House, Written
from daemon.files.backup import keep_original, keep_version
from daemon.files.packed import sha256_of
from daemon.files.read import Export, ExportPart
from daemon.files.write import make_private, replace_file
from rules.conversation.memory import EXTRACTED, Memory
from rules.output.assemble import Assembled, Mode
from rules.output.naming import file_name
from rules.plan.chat_plan import ChatPlan
from rules.recognize.recognize import Place
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat
from rules.typingmind.copies import as_new_chat, memories_title, new_chat_id
from rules.typingmind.document import container_blocks, with_chats


@dataclass(frozen=True, slots=True)
class Ready:
    """A chat that is finished and proved, and what it took."""

    chat: Chat
    plan: ChatPlan
    memories: tuple[Memory, ...]
    assembled: Assembled
    tokens_after: int
    chat_id: str
    """Under which it goes out: its own, unless it becomes a new chat."""
    title: str
    rest: Rest | None = None
    """What may be kept where its updated export stands in its place already."""
    over_budget: str = ""
    """That its memories take more than `fold.budget`, and why, as half a sentence; empty where they do not."""


def stand_already(house: House, export: Export, chats: Sequence[Ready]) -> bool:
    """Whether their updated export holds these very messages already: then no byte is changed.

    How the messages are spelled makes no difference, nor whether all chats came as JSON or as a ZIP: the same chats
    come in either. A new chat that was made of an old one, and has gone on by itself since, is never put back to where
    it began.
    """
    name = place_of(house, export, chats).with_suffix("")
    outputs: list[Output] = []
    for ready in chats:
        last = last_output(house.archive, ready.plan.chat_id)
        if last is None or not ready.assembled.has_messages_of(last.messages_sha256):
            return False
        outputs.append(last)
    places = {one.path for one in outputs}
    if len(places) > 1 or Path(outputs[0].path).with_suffix("") != name:
        return False
    there = output_in(house.archive, outputs[0].path)
    if there is not None and there.chat_id not in {ready.plan.chat_id for ready in chats}:
        return True
    return {one.sha256 for one in outputs} == {sha256_of(Path(outputs[0].path))}


def deliver(house: House, export: Export, chats: Sequence[Ready]) -> tuple[Written, ...]:
    """Write one updated file with these chats: one chat, or the whole export (`output.container`).

    Raises FileTrouble where a backup or the file could not be written; the old file is whole then.
    """
    whole = _is_whole(house)
    content = _whole_export(export, chats) if whole else iter(container_blocks(chats[0].assembled.chat))
    path = place_of(house, export, chats)
    for folder in (house.folders.updated, house.folders.backups):
        make_private(folder)
    now = house.clock()
    before = [last_output(house.archive, ready.plan.chat_id) for ready in chats]
    for ready in chats:
        blocks = container_blocks(ready.chat.slice(ready.chat.span))
        keep_original(house.folders.backups, ready.plan.chat_id, ready.plan.title, blocks, now)
        del blocks
    backup = _keep_replaced(house, chats[0], path, now)
    written = replace_file(path, content)
    for ready in chats:
        record_output(
            house.archive,
            Output(
                chat_id=ready.plan.chat_id,
                path=str(path),
                sha256=written.sha256,
                messages_sha256=ready.assembled.messages_sha256,
                source_sha256=export.sha256,
                written_at=now,
                ours_sha256=ready.assembled.ours_sha256,
            ),
        )
    for ready, last in zip(chats, before, strict=True):
        if last is not None and Path(last.path) != path and Path(last.path).parent == path.parent:
            _retire(house, ready, last, now)
    return tuple(_told(ready, path, backup) for ready in chats)


def _is_whole(house: House) -> bool:
    return house.config.output.container == "export"


def place_of(house: House, export: Export, chats: Sequence[Ready]) -> Path:
    """A chat's file bears its title and id; a whole export is named after the chats in it, whatever the date."""
    if not _is_whole(house) or len(export.chat_ids) == 1:
        return house.folders.updated / file_name(chats[0].title, chats[0].chat_id)
    ids = "\n".join(sorted(export.chat_ids))
    name = Path(file_name("All chats", hashlib.sha256(ids.encode()).hexdigest()[:10]))
    return house.folders.updated / (name.with_suffix(".zip") if zipfile.is_zipfile(export.path) else name)


def _keep_replaced(house: House, ready: Ready, path: Path, now: str) -> str:
    """Keep the version that stands in the file's place; where it is kept, or empty where there was none."""
    if not path.exists():
        return ""
    plan = ready.plan
    return str(keep_version(house.folders.backups, plan.chat_id, plan.title, path.stem, path, now).path)


def _retire(house: House, ready: Ready, last: Output, now: str) -> None:
    """A chat that got another title has a file of another name: the old one becomes a kept version."""
    old = Path(last.path)
    if sha256_of(old) == last.sha256:
        _keep_replaced(house, ready, old, now)
        old.unlink()


def _whole_export(export: Export, chats: Sequence[Ready]) -> Iterator[bytes]:
    """The export as it came, with its finished chats in their places: JSON for JSON, a ZIP for a ZIP."""
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


def _with(export: Export, part: ExportPart, chats: Sequence[Ready]) -> Iterator[bytes]:
    """The part's bytes, with the finished chats in the place of those it had."""
    finished = {ready.plan.chat_id: ready.assembled.chat for ready in chats}
    here = {one.span: finished[one.chat_id] for one in part.layout.outlines if one.chat_id in finished}
    return with_chats(export.blocks(part), here)


def _told(ready: Ready, path: Path, backup: str) -> Written:
    return Written(
        plan=ready.plan,
        path=str(path),
        memories=len(ready.memories),
        extracted=sum(
            memory.edition.made == EXTRACTED and memory.edition.kind != "person" for memory in ready.memories
        ),
        tokens_before=ready.plan.tokens,
        tokens_after=ready.tokens_after,
        backup=backup,
        over_budget=ready.over_budget,
    )


def mode_for(archive: Archive, wanted: Mode, chat_id: str, places: tuple[Place, ...]) -> Mode:
    """How this chat's memories are put back: one that holds some, or was written by us, goes on in its own place."""
    goes_on = groups(places) or _was_written(archive, chat_id)
    return "replace" if wanted == "new-chat" and goes_on else wanted


def in_new_chat(house: House, ready: Ready) -> Ready:
    """The same chat under an id of its own; never under one in which the person may talk on already.

    What was written before without a difference keeps its id, so that nothing is written twice.
    """
    old = ready.plan.chat_id
    title = memories_title(ready.plan.title)
    last = last_output(house.archive, old)
    stands = Path(last.path).name if last and ready.assembled.has_messages_of(last.messages_sha256) else None
    names = (new_chat_id(old, number) for number in count(1))
    chat_id = next(one for one in names if file_name(title, one) == stands or _is_free(house.archive, one))
    chat = as_new_chat(ready.assembled.chat, chat_id, title, house.clock())
    return replace(ready, assembled=replace(ready.assembled, chat=chat), chat_id=chat_id, title=title)


def _is_free(archive: Archive, chat_id: str) -> bool:
    """No chat of this id was read, and none written, which the person may have imported since."""
    return not is_known(archive, chat_id) and not _was_written(archive, chat_id)


def _was_written(archive: Archive, chat_id: str) -> bool:
    """Whether an updated export was ever written under this id, whatever the chat's title was then."""
    return was_written(archive, file_name("A", chat_id).removeprefix("A "))
