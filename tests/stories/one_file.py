"""One updated file of several chats, as memproc wrote it on request before each chat had a file of its own."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.outputs import last_output, record_output
from tests.chats import export_bytes
from tests.stories.person import Person


def put_into_one_file(person: Person, *chat_ids: str) -> Path:
    """Put the updated exports of these chats into one file, and take their own files away."""
    with Archive.open(person.home / "state") as archive:
        outputs = [last_output(archive, chat_id) for chat_id in chat_ids]
        paths = [Path(output.path) for output in outputs if output is not None]
        chats = [chat for path in paths for chat in json.loads(path.read_bytes())["data"]["chats"]]
        content, whole = export_bytes(*chats), paths[0].with_name("All chats (0123456789).json")
        whole.write_bytes(content)
        for output in outputs:
            assert output is not None
            record_output(
                archive,
                replace(output, path=str(whole), sha256=hashlib.sha256(content).hexdigest()),
            )
    for path in paths:
        path.unlink()
    return whole
