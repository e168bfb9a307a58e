"""Which commit this memproc is: written into it when it was built, or that of its checkout."""

import subprocess
from importlib.metadata import version
from pathlib import Path

_DAEMON = Path(__file__).resolve().parent.parent
_LIMIT_SECONDS = 3.0


def version_and_commit() -> str:
    """Return the version, and the commit in brackets where it is known: "0.1.0 (3f2a91c04d11)"."""
    commit = _commit()
    return f"{version('memproc-daemon')} ({commit})" if commit else version("memproc-daemon")


def _commit() -> str:
    """Return the commit; empty where it is not known, as without git."""
    built = _DAEMON / "commit.txt"
    if built.is_file():
        return built.read_text(encoding="utf-8").strip()
    if not (_DAEMON.parent / ".git").exists():
        return ""
    try:
        ended = subprocess.run(  # git, as the person has it
            ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607
            cwd=_DAEMON,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.strip()
