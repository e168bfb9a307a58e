"""Shows what a daemon waits for that cannot begin: outside its state folder, whose disk may be what is missing."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from daemon.files.lock import hold, is_held
from daemon.files.paths import runtime_folder
from daemon.files.write import is_own, make_own, replace_file
from rules.errors import MemprocError


@contextmanager
def shown_as_waiting(config: Path | None, trouble: MemprocError) -> Iterator[None]:
    """Let `waits_for` return `trouble` for as long as the block runs; where not even that can be kept, nothing."""
    path = _place(config)
    with ExitStack() as stack:
        with suppress(MemprocError, OSError):
            make_own(path.parent)
            stack.enter_context(hold(path.with_suffix(".lock"), "waits"))
            replace_file(path, [json.dumps([trouble.message, trouble.next_step]).encode()])
        yield


def waits_for(config: Path | None) -> MemprocError | None:
    """What the daemon with this memproc.toml waits for; None where no daemon waits."""
    for path in (_place(config), _place(None)):
        with suppress(MemprocError, OSError, ValueError, TypeError):
            if is_own(path.parent) and is_held(path.with_suffix(".lock")):
                return MemprocError(*json.loads(path.read_bytes()))
    return None


def _place(config: Path | None) -> Path:
    """A file for each memproc.toml; a daemon for which none was named has one for itself."""
    name = sha256(str(config.absolute() if config else "").encode()).hexdigest()[:16]
    return runtime_folder() / f"waiting-{name}.json"
