"""The commit that this memproc was built from, or that of its checkout."""

import subprocess
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

_DAEMON = Path(__file__).resolve().parent.parent
_LIMIT_SECONDS = 3.0


def version_and_commit() -> str:
    """Return the version, and the commit in brackets where it is known: "0.1.0 (3f2a91c04d11)"."""
    built, commit = _DAEMON / "commit.txt", ""
    if built.is_file():
        commit = built.read_text(encoding="utf-8").strip()
    elif (_DAEMON.parent / ".git").exists():
        with suppress(OSError, subprocess.TimeoutExpired):  # git may be missing, or hang
            ended = subprocess.run(
                ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607
                cwd=_DAEMON,
                capture_output=True,
                text=True,
                timeout=_LIMIT_SECONDS,
                check=False,
            )
            commit = ended.stdout.strip()
    return f"{version('memproc-daemon')} ({commit})" if commit else version("memproc-daemon")
