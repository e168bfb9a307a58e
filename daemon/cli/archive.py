"""Care for what memproc keeps: `verify`, `rebuild`, `export-archive`, `import-archive`, `erase`."""

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from daemon.archive.archive import check_integrity
from daemon.archive.keeping import unproved_passages
from daemon.archive.schema import faults_of_schema
from daemon.archive.trouble import MEND
from daemon.bridge.devices import bridge_folder
from daemon.cli.printing import print_error
from daemon.cli.settings import (
    Settings,
    confirmed,
    file_argument,
    pass_settings,
    paths_argument,
    yes_option,
)
from daemon.config.search import own_file
from daemon.files.backup import check_backups
from daemon.files.clock import at, here, in_full, now
from daemon.reports.report import Step
from daemon.status.folder_checks import written_exports
from rules.wording import counted, cut_title

_GET_BACK = Step(
    "To get kept versions back one by one (memproc restore CHAT NUMBER), list them", "versions CHAT"
)
_LOOK_THROUGH = Step("Then, to see that all is well", "doctor")
_UNDO_KEEPS = (
    "A paired browser keeps what it needs for Undo: delete the chat in TypingMind, "
    "from the bin too, and the extension removes that within minutes; "
    "or press ⋯ and Forget the pairing."
)

_CHANGED = {
    "gone": "the updated export is gone; drop the chat's export again to have it made again",
    "changed": "the updated export was changed after memproc wrote it",
}
_AS_WRITTEN = (
    "All is well: the archive, every backup and every updated export are as they were written."
)


@click.command
@pass_settings
def verify_command(settings: Settings) -> int:
    """Check everything that memproc keeps. Nothing is changed."""
    with settings.archive() as archive:
        of_schema = (f"archive: {fault}" for fault in faults_of_schema(archive.run))
        damage = [*check_integrity(archive), *of_schema]
        damage += [] if damage else unproved_passages(archive)
        exports = [
            f"{export.path}: {_CHANGED[export.state]}"
            for export in (() if damage else written_exports(archive))
            if export.state in _CHANGED
        ]
    backups = (
        f"{spoilt.path}: {spoilt.reason}" for spoilt in check_backups(settings.folders.backups)
    )
    problems = [*damage, *exports, *backups]
    if problems:
        print_error("\n".join([*problems, *([MEND] if damage else [])]))
    settings.done(
        "" if problems else _AS_WRITTEN,
        next=(_GET_BACK,) if problems else (),
        problems=problems,
    )
    return 1 if problems else 0


@click.command
@paths_argument
@pass_settings
def rebuild_command(settings: Settings, paths: tuple[Path, ...]) -> int:
    """Add to the archive what it lacks and the backups and updated exports still hold.

    No model is asked. PATHS are exports, or folders of them, that you still have: raw messages that
    are in no backup may be there. What the archive knows stays as it is, so this can be run at any
    time.
    """
    from daemon.recovery.rebuild import rebuild as add_what_is_missing

    with settings.context() as context:
        rebuilt = add_what_is_missing(context, paths)
    is_whole = ": the archive has all that the backups and the updated exports hold"
    none = f"Nothing was added{'' if rebuilt.passed_over else is_whole}."
    notes = []
    for chat in rebuilt.chats:
        notes.append(
            f'"{cut_title(chat.title)}" ({chat.chat_id}): {counted(chat.messages, "raw message")}, '
            f"{chat.memories - chat.without_messages:,} memories with the raw messages "
            f"that they stand for, {chat.without_messages:,} without."
        )
        if chat.found_again:
            memories = counted(chat.found_again, "memory has its", "memories have their")
            notes.append(f"{memories} raw messages again.")
        if chat.without_messages:
            notes.append(
                "Those without stay as they are. "
                "Older exports that you have may help: memproc rebuild PATH"
            )
    settings.done(*(notes or [none]), **asdict(rebuilt))
    for file in rebuilt.passed_over:
        print_error(f"Skipped {file.path}: {file.reason}")
    return 1 if rebuilt.passed_over else 0


@click.command("export-archive")
@file_argument
@pass_settings
def export_archive_command(settings: Settings, file: Path) -> None:
    """Pack archive, backups, updated exports and memproc.toml into FILE, a new file.

    The daemon may run, but no chat may be worked on just then. No provider's key is in it, but all
    your conversations are: keep it safe.
    """
    from daemon.recovery.parcel import export_archive as pack

    packed = pack(settings.folders, settings.config_file.path, file.absolute(), now())
    number = counted(len(packed.manifest.files), "file")
    left_out = packed.manifest.left_out
    there = "Keys of providers are not in it. On the new computer"
    settings.done(
        f"Wrote {packed.path}: {number}, {packed.size:,} bytes.",
        *(f"Left out: {name}" for name in left_out),
        next=(Step(there, "import-archive FILE"),),
        path=packed.path,
        size=packed.size,
        left_out=left_out,
    )


@click.command("import-archive")
@file_argument
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
        f"Made at {in_full(manifest.made_at)} {here():%Z}: {counted(len(manifest.files), 'file')}, "
        f"{manifest.size:,} bytes unpacked."
    )
    if not yes:
        step = Step("To do it", shlex.join(["import-archive", str(file), "--yes"]))
        settings.done("Nothing was changed.", next=(step,), **manifest.model_dump())
        return
    new_settings = None if settings.config_file.path else own_file()
    unpacked = take_over(settings.folders, file, now(), settings=new_settings)
    chats = counted(unpacked.chats, "chat")
    agree = "Commented out there; take the # away if you agree that it counts here too"
    settings.done(
        f"Taken over: {chats}. Updated exports lie in {settings.folders.updated}.",
        *(f"What was there before is here: {folder}" for folder in unpacked.aside),
        f"Wrote {unpacked.settings}." if unpacked.settings else "",
        *(f"{agree}: {name}" for name in unpacked.commented_out),
        *(f"Not brought along: {name}" for name in manifest.left_out),
        next=(Step("Where a provider is asked", "key set PROVIDER"), _LOOK_THROUGH),
        **asdict(unpacked),
    )


@click.command
@click.argument("chat")
@yes_option
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
        settings.draw("\n".join(describe_erasure(erasure)))
        known = erasure.chat
        files = [file.path for file in erasure.files]
        settings.done(chat_id=known.chat_id, files=files, in_inbox=erasure.in_inbox)
        command = shlex.join(["erase", known.chat_id])
        if not confirmed(settings, "Remove all of this for good?", yes, command):
            return
        erase_chat(context, erasure)
        if erasure.copies:
            maintain(context.archive, context.folders.state, at(now()))
    there = "It is still in the inbox. Remove it there, or the next run takes it in again"
    elsewhere = "TypingMind still has it, and so may exports of your own and files of"
    settings.done(
        f'"{cut_title(known.title)}" is erased.',
        *(f"{there}: {path}" for path in erasure.in_inbox),
        *(f"What an import has put aside may hold it too: {path}" for path in erasure.aside),
        f"{elsewhere} `memproc export-archive`.",
        _UNDO_KEEPS if bridge_folder(settings.folders.state).exists() else "",
    )
