"""One piece of work in a process of its own: `python -m tests.bench.child WORK EXPORT FOLDER`.

It prints a line of JSON: seconds on the clock and of processor for each stage, without the start of the
interpreter, and the peak memory so far in bytes, that of the start first.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.measure import peak_now

if TYPE_CHECKING:
    from rules.typingmind.chat import Chat

_KEPT = 40  # messages at the end of the one chat that is spliced
_MEMORIES = 60  # messages that come in the place of the others


class Stages:
    """What each stage took, in order."""

    def __init__(self) -> None:
        self.taken: dict[str, dict[str, float]] = {
            "start": {"wall": 0, "cpu": 0, "peak": peak_now()}
        }

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a block."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.taken[name] = {
            "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak": peak_now()
        }  # fmt: skip


def plain(export: Path, folder: Path) -> Stages:
    """What a script would do: parse everything, dump everything, write."""
    stages = Stages()
    with stages.stage("read"):
        found = json.loads(export.read_bytes())
    with stages.stage("write"):
        (folder / "plain.json").write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    return stages


def trip(export: Path, folder: Path) -> Stages:
    """What memproc does: read, plan every chat, splice one, and write the whole export back, on the disk itself."""
    return _trip(export, folder, is_kept=False)


def first(export: Path, folder: Path) -> Stages:
    """The same when the archive knows nothing: tokens are counted, bounds priced, and both kept."""
    return _trip(export, folder, is_kept=True)


def _trip(export: Path, folder: Path, *, is_kept: bool) -> Stages:
    from daemon.archive.archive import Archive
    from daemon.chat.survey import keep_computed, survey
    from daemon.config.settings import Config
    from daemon.files.read import read_export
    from daemon.files.write import replace_file
    from daemon.remember.extracted import could_write
    from rules.typingmind.document import container_blocks
    from tests.nokeys import no_keys

    config, now = Config(), "2026-11-21T12:00:00.000Z"
    with Archive.open(folder) as archive:
        stages = Stages()
        with stages.stage("read"):
            found = read_export(export)
        with stages.stage("plan"):
            for chat in found.chats():
                surveyed = survey(archive, chat, config, no_keys, now, could_write)
                if is_kept:
                    keep_computed(archive, surveyed)
        with stages.stage("write"):
            (part,) = found.parts
            middle = len(part.layout.chat_ids) // 2
            one = next(islice(found.chats(), middle, None))
            replace_file(folder / "ours.json", container_blocks(_spliced(one)))
    return stages


def parsed(export: Path, folder: Path) -> Stages:
    """Read, and hold every message of every chat parsed at once, which memproc itself never does."""
    from daemon.files.read import read_export
    from rules.typingmind.chat import read_messages

    stages = Stages()
    with stages.stage("read"):
        found = read_export(export)
    with stages.stage("parse"):
        held = [read_messages(chat) for chat in found.chats()]
    del held
    return stages


def changed(export: Path, folder: Path) -> Stages:
    """Write `changed.json` into the folder: the same export, in which the chat in the middle has two messages more."""
    from daemon.files.read import read_export
    from rules.typingmind.splice import replace_messages, splice

    stages = Stages()
    with stages.stage("write"):
        found = read_export(export)
        (part,) = found.parts
        middle = len(part.layout.chat_ids) // 2
        one = next(islice(found.chats(), middle, None))
        kept = range(len(one.messages))
        said = [
            b'{"role":"%s","uuid":"bench-%d","content":"And then?"}' % pair
            for pair in ((b"user", 1), (b"assistant", 2))
        ]
        raws = [*(one.slice(span) for span in one.messages), *said]
        new = splice(one, [replace_messages(one, [*kept, None, None], raws)])
        data, span = export.read_bytes(), list(part.layout.spans)[middle]
        with (folder / "changed.json").open("wb") as file:
            file.writelines([data[: span.start], new, data[span.stop :]])
    return stages


def _spliced(chat: "Chat") -> bytes:
    from rules.typingmind.splice import replace_messages, splice

    first = max(0, len(chat.messages) - _KEPT)
    live = range(first, len(chat.messages))
    made = [
        b'{"role":"user","uuid":"%d","content":"%s"}' % (number, b"memory " * 60)
        for number in range(_MEMORIES)
    ]
    raws = [*made, *(chat.slice(chat.messages[at]) for at in live)]
    return splice(chat, [replace_messages(chat, [*[None] * len(made), *live], raws)])


WORKS: dict[str, Callable[[Path, Path], Stages]] = {
    "plain": plain,
    "trip": trip,
    "first": first,
    "parsed": parsed,
    "changed": changed,
}

if __name__ == "__main__":
    work, source, place = sys.argv[1:]
    sys.stdout.write(json.dumps(WORKS[work](Path(source), Path(place)).taken) + "\n")
