"""Care for what memproc keeps: `verify`, `rebuild`, `export-archive`, `import-archive`, `erase`."""

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.copying import foreign_objects
from daemon.archive.keeping import unproved_passages
from daemon.archive.trouble import MEND
from daemon.bridge.devices import bridge_folder
from daemon.cli.printing import moment, print_error, print_json
from daemon.cli.settings import Settings, confirmed, json_option, pass_settings
from daemon.config.search import own_file
from daemon.files.backup import check_backups
from daemon.files.clock import at, here, now
from daemon.status.folder_checks import written_exports
from rules.wording import counted, cut_title

if TYPE_CHECKING:
    from daemon.recovery.rebuild import RebuiltChat

_GET_BACK = (
    "To get kept versions back one by one: memproc versions CHAT, then memproc restore CHAT NUMBER"
)
_UNDO_KEEPS = (
    "A paired browser keeps what it needs for Undo: delete the chat in TypingMind, "
    "from the bin too, and the extension removes that within minutes; "
    "or press ⋯ and Forget the pairing."
)


@click.command
@json_option
@pass_settings
def verify_command(settings: Settings, as_json: bool) -> int:
    """Check everything that memproc keeps. Nothing is changed."""
    with settings.archive() as archive:
        foreign = (f"archive: {fault}" for fault in foreign_objects(archive))
        damage = [*check_integrity(archive), *foreign]
        damage += [] if damage else unproved_passages(archive)
        exports = [] if damage else list(_changed_exports(archive))
    backups = (
        f"{spoilt.path}: {spoilt.reason}" for spoilt in check_backups(settings.folders.backups)
    )
    problems = [*damage, *exports, *backups]
    if as_json:
        print_json({"problems": problems})
    elif problems:
        print_error("\n".join([*problems, *([MEND] if damage else []), _GET_BACK]))
    else:
        settings.say(
            "All is well: the archive, every backup and every updated export "
            "are as they were written."
        )
    return 1 if problems else 0


def _changed_exports(archive: Archive) -> Iterator[str]:
    """Yield what is wrong with the updated exports."""
    for export in written_exports(archive):
        if export.state == "gone":
            again = "drop the chat's export again to have it made again"
            yield f"{export.path}: the updated export is gone; {again}"
        elif export.state == "changed":
            yield f"{export.path}: the updated export was changed after memproc wrote it"


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def rebuild_command(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Add to the archive what it lacks and the backups and updated exports still hold.

    No model is asked. PATHS are exports, or folders of them, that you still have: raw messages that
    are in no backup may be there. What the archive knows stays as it is, so this can be run at any
    time.
    """
    from daemon.recovery.rebuild import rebuild as add_what_is_missing

    with settings.context() as context:
        rebuilt = add_what_is_missing(context, paths)
    code = 1 if rebuilt.passed_over else 0
    if as_json:
        print_json(asdict(rebuilt))
        return code
    if not rebuilt.chats:
        is_whole = ": the archive has all that the backups and the updated exports hold"
        settings.say(f"Nothing was added{'' if rebuilt.passed_over else is_whole}.")
    for chat in rebuilt.chats:
        for line in _about_rebuilt(chat):
            settings.say(line)
    for file in rebuilt.passed_over:
        print_error(f"Skipped {file.path}: {file.reason}")
    return code


def _about_rebuilt(chat: "RebuiltChat") -> Iterator[str]:
    """Yield what was put back of a chat, and what may help where raw messages are still missing."""
    yield (
        f'"{cut_title(chat.title)}" ({chat.chat_id}): {counted(chat.messages, "raw message")}, '
        f"{chat.memories - chat.without_messages:,} memories with the raw messages "
        f"that they stand for, {chat.without_messages:,} without."
    )
    if chat.found_again:
        memories = counted(chat.found_again, "memory has its", "memories have their")
        yield f"  {memories} raw messages again."
    if chat.without_messages:
        yield (
            "  Those without stay as they are. "
            "Older exports that you have may help: memproc rebuild PATH"
        )


@click.command("export-archive")
@click.argument("file", type=click.Path(path_type=Path))
@pass_settings
def export_archive_command(settings: Settings, file: Path) -> None:
    """Pack archive, backups, updated exports and memproc.toml into FILE, a new file.

    The daemon may run, but no chat may be worked on just then. No provider's key is in it, but all
    your conversations are: keep it safe.
    """
    from daemon.recovery.parcel import export_archive as pack

    packed = pack(settings.folders, settings.config_file.path, file.absolute(), now())
    number = counted(len(packed.manifest.files), "file")
    settings.say(f"Wrote {packed.path}: {number}, {packed.size:,} bytes.")
    for name in packed.manifest.left_out:
        settings.say(f"Left out: {name}")
    settings.say(
        "Keys of providers are not in it. On the new computer: memproc import-archive FILE"
    )


@click.command("import-archive")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do it; without this, only the contents are shown.")
@pass_settings
def import_archive_command(settings: Settings, file: Path, yes: bool) -> None:
    """Check FILE, then take over its archive, backups and updated exports.

    They go into the folders that memproc.toml names here. An archive here that has chats is never
    replaced: move its folder elsewhere first. Backups and updated exports that are there already go
    into folders "before-import-...". memproc.toml itself is only written where there is none, and
    lines in it that name a host where a key would go are commented out.
    """
    from daemon.recovery.parcel import look_into
    from daemon.recovery.unpacking import import_archive as take_over

    manifest = look_into(file)
    settings.say(
        f"Made at {moment(manifest.made_at)} {here():%Z}: {counted(len(manifest.files), 'file')}, "
        f"{manifest.size:,} bytes unpacked."
    )
    if not yes:
        settings.say("Nothing was changed. To do it, add --yes.")
        return
    own = None if settings.config_file.path else own_file()
    taken = take_over(settings.folders, file, now(), settings=own)
    chats = counted(taken.chats, "chat")
    settings.say(f"Taken over: {chats}. Updated exports lie in {settings.folders.updated}.")
    for folder in taken.aside:
        settings.say(f"What was there before is in {folder}")
    if taken.settings:
        settings.say(f"Wrote {taken.settings}.")
    for name in taken.commented_out:
        settings.say(
            f"Commented out there; take the # away if you agree that it counts here too: {name}"
        )
    for name in manifest.left_out:
        settings.say(f"Not brought along: {name}")
    settings.say("Next: memproc key set PROVIDER, where a provider is asked; then: memproc doctor")


@click.command
@click.argument("chat")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@pass_settings
def erase_command(settings: Settings, chat: str, yes: bool) -> None:
    """Remove CHAT for good, after showing what there is of it.

    It goes from the archive and its copies, the backups, updated and expanded exports. Chats that
    were forked from it keep what they share with it. It cannot be brought back. TypingMind is not
    touched, nor are the files that you have put into the inbox.

    What lies in memproc's files alone, as work that was stopped leaves it, is named by its id or its
    file; a name that fits nothing lists it.
    """
    from daemon.inbox.jobs import maintain
    from daemon.recovery.erase import describe_erasure, find_erasure
    from daemon.recovery.erase import erase as erase_chat
    from daemon.recovery.stray import find_erasable

    with settings.context() as context:
        erasure = find_erasure(context, find_erasable(context.archive, context.folders, chat))
        for line in describe_erasure(erasure):
            settings.say(line)
        known = erasure.chat
        command = shlex.join(["memproc", "erase", known.chat_id])
        if not confirmed(settings, "Remove all of this for good?", yes, command):
            return
        erase_chat(context, erasure)
        if erasure.copies:
            maintain(context.archive, context.folders.state, at(now()))
    settings.say(f'"{cut_title(known.title)}" is erased.')
    if erasure.in_inbox:
        paths = "\n".join(f"  {path}" for path in erasure.in_inbox)
        settings.say(
            "It is still in the inbox. "
            f"Remove it there, or the next run takes it in again:\n{paths}"
        )
    for folder in erasure.aside:
        settings.say(f"What an import has put aside may hold it too: {folder}")
    settings.say(
        "TypingMind still has it, "
        "and so may exports of your own and files of `memproc export-archive`."
    )
    if bridge_folder(settings.folders.state).exists():
        settings.say(_UNDO_KEEPS)
