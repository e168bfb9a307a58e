"""How the worker is started: by the same Python, with nothing of the current folder in its way, and no key in argv."""

import sys
from pathlib import Path


def command(config: Path | None) -> list[str]:
    """The worker's command line; `config` is the memproc.toml that was named, where one was."""
    # -P: else a json.py in the folder where the daemon was started would be imported instead of Python's own.
    worker = [sys.executable, "-P", "-c", "from daemon.inbox.child import main; main()"]
    return [*worker, "--config", str(config)] if config else worker
