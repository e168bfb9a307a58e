"""The note that an archive is being taken over, so that no command works with half of one."""

from pathlib import Path

from daemon.files.private import flush_folder
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import ArchiveError

_NOTE = "import-unfinished"


def begin_import(state: Path, file: Path) -> None:
    """Note that an archive is being taken over into this folder. Raises FileTrouble."""
    replace_file(state / _NOTE, [str(file.absolute()).encode(errors="replace")])


def end_import(state: Path) -> None:
    """Remove the note: everything is in its place. Raises FileTrouble."""
    with file_errors(state / _NOTE, "removed"):
        (state / _NOTE).unlink(missing_ok=True)
        flush_folder(state)


def is_unfinished(state: Path) -> bool:
    """Return whether an import was begun here and has not ended. Raises FileTrouble."""
    with file_errors(state / _NOTE, "looked at"):
        return (state / _NOTE).exists()


def refuse_unfinished(state: Path) -> None:
    """Raise ArchiveError, with the way to go on, where an import has not ended."""
    if not is_unfinished(state):
        return
    with file_errors(state / _NOTE, "read"):
        file = (state / _NOTE).read_bytes().decode(errors="replace")
    raise ArchiveError(
        f"An archive was being taken over into {state}, and that has not ended: perhaps only a "
        "part of it is there.",
        f"Finish it with: memproc import-archive {file} --yes. To do without it, move what lies in "
        f"the folders before-import-... back to where it was, and remove {state / _NOTE}.",
    )
