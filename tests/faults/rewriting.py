"""Write files of the inbox again and again while they are read: in place, piece by piece, or as another file."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import sleep

from tests.chats import chat, conversation, export_bytes
from tests.faults import oracle
from tests.faults.errors import ending_faults
from tests.faults.prepared import Prepared

_TURNS = 9
_ROUNDS = 12
"""How often the file is written."""
_ATTEMPTS = 4
"""How often memproc looks at the inbox meanwhile."""


def rewritten(prepared: Prepared, number: int) -> Iterator[str]:
    """Let memproc read a file that is being written: it may take only whole contents, and in the end the last one."""
    prepared.reset()
    home, lab = prepared.lab.home, prepared.lab
    versions = [_version(number) for number in range(_ROUNDS)]
    path = home / "inbox" / "rewritten.json"
    with _writing(path, versions, Random(number)) as writer:
        for _ in range(_ATTEMPTS):
            end = lab.attempt(prepared.scene.work(lab))
            yield from ending_faults(end.code, end.out, end.err)
            yield from _was_whole(home, versions)
        os.waitpid(writer, 0)
    end = lab.attempt(prepared.scene.again(lab))
    yield from ending_faults(end.code, end.out, end.err)
    yield from _was_whole(home, versions)
    if prepared.scene.name == "intake":
        if versions[-1] not in _copies(home):
            yield "the last content was not taken"
    elif lost := oracle.texts_of(versions[-1]) - oracle.raw_texts(home, exports=False):
        yield f"{len(lost)} messages of the last content are not in the archive"
    yield from oracle.database_faults(home)
    yield from oracle.backup_faults(home / "backups")


def _version(number: int) -> bytes:
    """Return an export, so many turns later, of a chat that shares no message with any other."""
    spoken = conversation(_TURNS + number, 400, first=5_000)
    return export_bytes(chat(*spoken, id="rewritten1", chatID="rewritten1"))


@contextmanager
def _writing(path: Path, versions: Sequence[bytes], chance: Random) -> Iterator[int]:
    """Run a process that writes the versions one after the other, for the block; yield its process id."""
    if not (writer := os.fork()):
        for version in versions:
            if chance.random() < 0.5:
                _in_pieces(path, version, chance)
            else:
                aside = path.with_name("aside.part")
                aside.write_bytes(version)
                aside.replace(path)
            sleep(chance.uniform(0, 0.1))
        os._exit(0)
    try:
        yield writer
    except BaseException:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        raise


def _in_pieces(path: Path, content: bytes, chance: Random) -> None:
    with path.open("wb", buffering=0) as file:
        at = 0
        while at < len(content):
            size = chance.randrange(1, len(content) // 3)
            file.write(content[at : at + size])
            at += size
            sleep(chance.uniform(0, 0.02))


def _copies(home: Path) -> set[bytes]:
    return {path.read_bytes() for path in (home / "state" / "arrivals").glob("*")}


def _was_whole(home: Path, versions: Sequence[bytes]) -> Iterator[str]:
    """Yield what is wrong unless every copy is one of the versions, and every updated export has all of one's messages."""
    whole = {
        *versions,
        *(
            path.read_bytes()
            for path in (home / "inbox").glob("*")
            if path.name != "rewritten.json"
        ),
    }
    if odd := _copies(home) - whole:
        yield f"{len(odd)} copies are of no content that was ever whole"
    if (found := _number_of_texts(home)) and found not in [
        len(oracle.texts_of(version)) for version in versions
    ]:
        yield f"the archive has {found} messages of it, which no version had"


def _number_of_texts(home: Path) -> int:
    """Return how many messages of the rewritten chat the archive has."""
    return len(oracle.texts_of(_version(_ROUNDS - 1)) & oracle.raw_texts(home, exports=False))
