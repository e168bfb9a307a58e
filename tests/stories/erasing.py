"""Make two chats, of which one is to be erased: each of its messages has a word that no other chat has."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path

from tests.chats import Json, export_bytes, json_bytes, long_chat
from tests.stories.canary import layers
from tests.stories.databases import archive_of
from tests.stories.person import Person

SECRET = "Zanzibarwhisper"
OTHER = long_chat(
    5000, tokens_each=200, id="other12345", chatID="other12345", chatTitle="The other"
)


def secret_chat() -> Json:
    """Return a chat with a word in the title and in every message that no other chat has."""
    chat = long_chat(
        5000, tokens_each=200, id="secret1234", chatID="secret1234", chatTitle=f"About {SECRET}"
    )
    chat = deepcopy(chat)
    for message in chat["messages"]:
        if isinstance(message["content"], str):
            message["content"] = f"{SECRET}: {message['content']} {SECRET}."
        else:
            message["content"][0]["text"] = f"I remember {SECRET}. {message['content'][0]['text']}"
    return chat


@contextmanager
def put_back(person: Person) -> Iterator[Person]:
    """Restore the person's folder after the block."""
    before = person.home.with_name("before")
    shutil.copytree(person.home, before)
    yield person
    shutil.rmtree(person.home)
    before.rename(person.home)


def written_twice(folder: Path) -> Person:
    """Make a person with both chats, each compressed twice; the secret one is in every place that memproc has."""
    eve = Person(folder)
    chat = secret_chat()
    for part in (30, len(chat["messages"])):
        eve.drop(export_bytes({**chat, "messages": chat["messages"][:part]}), "secret.json")
        eve.drop(export_bytes({**OTHER, "messages": OTHER["messages"][:part]}), "other.json")
        assert eve.memproc("run").code == 0
    (updated,) = (path for path in eve.updated() if "secret1234" in path.name)
    export = json.loads(updated.read_bytes())
    for message in export["data"]["chats"][0]["messages"]:
        if message.get("memproc", {}).get("kind") == "closing":
            message["content"] = f"From here on we speak of {SECRET}."
    eve.drop(json_bytes(export), "secret.json")
    assert eve.memproc("run").code == 0
    assert eve.memproc("expand", "secret1234").code == 0
    assert eve.memproc("facts", "secret1234", "add", f"The word is {SECRET}").code == 0
    assert eve.memproc("core", "secret1234", "set", "human", f"Likes {SECRET}").code == 0
    assert SECRET in eve.memproc("search", SECRET).out, "the index of the search is made"
    copy = eve.home / "state" / "arrivals" / "abc.json"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(export_bytes(chat))
    kept = eve.home / "state" / "copies" / "archive-2026-01-01.sqlite3"
    kept.parent.mkdir()
    shutil.copy(archive_of(eve), kept)
    (eve.inbox / "secret.json").unlink()
    return eve


def contents(home: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the content of every file of memproc's, packed content also unpacked."""
    for folder in ("state", "backups", "updated", "expanded"):
        for path in sorted((home / folder).rglob("*")):
            if path.is_file():
                yield from ((path, content) for _, content in layers(path))
