"""The exports of a folder for one round, oldest first; the daemon and the commands see the same files."""

from pathlib import Path

from daemon.files.candidates import Found, candidates
from daemon.files.trouble import remedy
from rules.errors import FileTrouble


def exports_in(path: Path) -> tuple[Path, ...]:
    """The file itself, or what a folder holds, oldest first, so that the newest copy of a chat comes last.

    What `candidates` passes over is passed over here. Raises FileTrouble.
    """
    try:
        if not path.is_dir():
            return (path,)
        found = [entry for entry in candidates(path) if isinstance(entry, Found)]
    except OSError as fault:
        raise FileTrouble(
            f"The folder {path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Allow memproc's user to read it, then try again."),
        ) from fault
    return tuple(Path(entry.path) for entry in sorted(found, key=lambda entry: (entry.sighting.mtime_ns, entry.path)))
