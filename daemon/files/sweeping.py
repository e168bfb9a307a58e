"""Sweep away the unfinished files that a killed process left."""

import os
import sys
from pathlib import Path

from daemon.files.reasons import file_errors, held_open
from daemon.files.write import TEMPORARY, mark_unfinished


def sweep(folder: Path) -> tuple[Path, ...]:
    """Remove the unfinished files that a kill or a power cut left in `folder`, and return them.

    Files that a running process is writing stay.
    """
    with file_errors(folder, "tidied up"):
        left = [
            file
            for file in folder.glob(f"{TEMPORARY}*")
            if file.is_file() and not file.is_symlink()
        ]
        return tuple(file for file in left if _swept(file))


def _swept(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDWR)
    except (FileNotFoundError, PermissionError):
        handle = None  # gone meanwhile, or without the right to read it
    except OSError:
        return False  # too many files are open, say: its writer is unknown, so it stays for now
    try:
        if handle is not None and not mark_unfinished(handle):
            return False
        if sys.platform == "win32" and handle is not None:
            os.close(handle)
            handle = None
        file.unlink(missing_ok=True)
    except OSError as error:
        if not held_open(error):
            raise
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True
