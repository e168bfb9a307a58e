"""Of an export, only the chats that have changed are read and counted again; and whatever a plan depends on counts."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.archive.choices import pin
from daemon.archive.memories import memories
from daemon.chat.outcome import ExportWritten, Outcome
from daemon.chat.rest import at_rest
from daemon.chat.survey import Survey, survey
from daemon.config.keys import Key, NoKey
from daemon.config.loading import parse_settings
from daemon.events import ignore_event
from daemon.files.paths import Folders
from daemon.files.read import read_export
from daemon.models import tokens
from daemon.models.context import Context
from daemon.remember.extracted import could_write
from daemon.trip import go_round, run_export
from rules.plan.chat_plan import Unchanged
from tests.chats import Json, assistant, export_bytes, long_chat, user
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel

WHEN = "2026-09-01T00:00:00.000Z"
LATER = "2026-09-08T00:00:00.000Z"
SIZES = "[tail]\ntokens = 1600\nstep = 400\n[chunk]\ntokens = 400\n"


def talk(chat_id: str, tokens_of_it: int) -> Json:
    """A conversation whose messages no other chat has."""
    made = long_chat(
        tokens_of_it, tokens_each=200, id=chat_id, chatID=chat_id, chatTitle=f"Talk {chat_id}"
    )
    messages = [
        dict(message, uuid=f"{chat_id}-{number}") for number, message in enumerate(made["messages"])
    ]
    messages[0]["content"] = f"This is {chat_id}."
    return made | {"messages": messages}


CHATS = [talk("short a", 600), talk("long a", 3000), talk("short b", 600), talk("long b", 3000)]


@dataclass
class Desk:
    """A person's folders and archive, and what was read and counted there."""

    home: Path
    archive: Archive
    toml: str = SIZES
    key: Callable[[str], Key | NoKey] = no_keys
    now: str = WHEN
    surveyed: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)

    @property
    def context(self) -> Context:
        config = parse_settings(self.toml.encode(), self.home / "memproc.toml")
        places = Folders(*(self.home / name for name in ("inbox", "updated", "backups", "state")))
        return Context(
            config, places, self.archive, ScriptedModel(), self.key, lambda: self.now, ignore_event
        )

    def run(self, *chats: Json) -> list[Outcome]:
        """One round; what was surveyed and counted in it is noted anew."""
        self.surveyed.clear()
        self.counted.clear()
        return list(go_round(self.context, self.export(*chats), run_export))

    def export(self, *chats: Json) -> Path:
        path = self.home / "export.json"
        path.write_bytes(export_bytes(*chats))
        return path

    def settle(self) -> None:
        """Run until there is nothing to do."""
        while any(isinstance(outcome, ExportWritten) for outcome in self.run(*CHATS)):
            pass
        self.run(*CHATS)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk to which no chat has come yet."""
    with Archive.memory() as archive:
        yield noting(Desk(tmp_path, archive), monkeypatch)


@pytest.fixture(scope="module")
def as_it_was(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a desk where nothing is left to do, in a folder in which it is named `home` while it is used."""
    home = tmp_path_factory.mktemp("desk") / "home"
    with Archive.open(home / "state") as archive:
        Desk(home, archive).settle()
    return home.rename(home.with_name("as it was"))


@pytest.fixture
def settled(as_it_was: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """That desk, where the archive knows its files to be."""
    home = as_it_was.with_name("home")
    rmtree(home, ignore_errors=True)
    copytree(as_it_was, home)
    with Archive.open(home / "state") as archive:
        yield noting(Desk(home, archive), monkeypatch)


def noting(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Note there what is surveyed and counted."""
    count = tokens.count

    def surveyed(*given: Any) -> Any:
        desk.surveyed.append(given[1].chat_id)
        return survey(*given)

    def counted(text: str) -> int:
        desk.counted.append(text)
        return count(text)

    monkeypatch.setattr("daemon.chat.survey.survey", surveyed)
    monkeypatch.setattr(tokens, "count", counted)
    return desk


def reasons(outcomes: list[Outcome]) -> dict[str, str]:
    return {one.chat_id: one.reason for one in outcomes if isinstance(one, Unchanged)}


def one_more(chat: Json) -> Json:
    said = [user("And then?", 9001), assistant("Then the lamp went out, and I was glad.", 9002)]
    return chat | {"messages": [*chat["messages"], *said]}


def test_chats_that_come_as_they_came_are_not_read_again(settled: Desk) -> None:
    before = reasons(settled.run(*CHATS))
    assert before.keys() == {chat["chatID"] for chat in CHATS}
    assert settled.surveyed == []
    assert reasons(settled.run(*reversed(CHATS))) == before
    assert settled.surveyed == []


def test_only_the_chat_that_has_changed_is_read_and_only_its_new_messages_are_counted(
    settled: Desk,
) -> None:
    settled.run(one_more(CHATS[0]), *CHATS[1:])
    assert settled.surveyed == ["short a"]
    assert sorted(settled.counted) == ["And then?", "Then the lamp went out, and I was glad."]


def test_the_first_time_each_text_is_counted_once(desk: Desk) -> None:
    desk.run(CHATS[0], CHATS[2])
    said = Counter(desk.counted)
    assert said["This is short a."] == said["This is short b."] == 1
    assert max(said.values()) == 1


def test_the_counts_in_the_archive_are_the_counter_s_own(desk: Desk) -> None:
    desk.run(*CHATS)
    kept = dict(desk.archive.run("SELECT digest, tokens FROM token_count"))
    config = desk.context.config
    for chat in read_export(desk.home / "export.json").chats():
        found = survey(desk.archive, chat, config, no_keys, WHEN, could_write)
        assert not found.counts.new
        for entry in found.reading.entries:
            assert kept[entry.message.digest] == tokens.count(entry.message.text)


def test_a_run_that_is_interrupted_has_kept_the_prices_of_its_bounds(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Context, surveyed: Survey) -> None:
        assert surveyed.new_prices
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("daemon.remember.compress.compress", interrupted)
        with pytest.raises(KeyboardInterrupt):
            desk.run(CHATS[1])
    (chat,) = read_export(desk.home / "export.json").chats()
    again = survey(desk.archive, chat, desk.context.config, no_keys, WHEN, could_write)
    assert again.plan.chunks
    assert not again.new_prices


def test_counts_of_another_encoding_do_not_count(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run(CHATS[0])
    monkeypatch.setattr(tokens, "ENCODING", "another")
    desk.run(one_more(CHATS[0]))
    assert "This is short a." in desk.counted


def test_what_is_found_at_rest_is_what_would_be_found_again(settled: Desk) -> None:
    config = settled.context.config
    for chat in read_export(settled.export(*CHATS)).chats():
        resting = at_rest(settled.archive, chat, config, no_keys, WHEN)
        found = survey(settled.archive, chat, config, no_keys, WHEN, could_write)
        assert resting is not None
        assert resting.plan == found.plan
        assert resting.who.agent == found.roles.agent.name
        assert resting.who.notices == found.roles.notices


def test_a_chat_with_work_to_be_done_is_never_at_rest(desk: Desk) -> None:
    desk.toml = SIZES + "[budget]\nrun_usd = 0\n"
    first = [one for one in desk.run(*CHATS) if isinstance(one, ExportWritten)]
    assert {one.plan.chat_id for one in first} == {"long a", "long b"}
    assert {row[0] for row in desk.archive.run("SELECT chat_id FROM rest")} == {
        "short a",
        "short b",
    }


@pytest.mark.sampled
@pytest.mark.parametrize(
    "more",
    [
        "[memory]\nhindsight = 0\n",
        '[models]\nagent = "memproc/extractive"\n',
        '[[chats.override]]\nchat = "Talk *"\ntail.tokens = 2000\n',
        '[output]\nmode = "keep-originals"\n',
    ],
)
def test_other_settings_end_the_rest(settled: Desk, more: str) -> None:
    settled.toml = SIZES + more
    settled.run(*CHATS)
    assert len(settled.surveyed) == len(CHATS)


def test_settings_for_one_chat_end_the_rest_of_that_chat(settled: Desk) -> None:
    settled.toml = SIZES + '[[chats.override]]\nchat = "Talk short a"\ntail.tokens = 2000\n'
    settled.run(*CHATS)
    assert settled.surveyed == ["short a"]


def test_other_texts_end_the_rest(desk: Desk) -> None:
    own = desk.home / "texts"
    own.mkdir()
    desk.toml = SIZES + '[texts]\nfolder = "texts"\n'
    desk.settle()
    (own / "primer.md").write_text("Minds may differ, and yours is one.")
    desk.run(*CHATS)
    assert len(desk.surveyed) == len(CHATS)


def test_a_key_that_was_not_there_ends_the_rest(settled: Desk) -> None:
    settled.key = lambda provider: NoKey(provider, "this is a test")
    settled.run(*CHATS)
    assert settled.surveyed == []
    settled.key = lambda provider: Key("sk-test", "file")
    settled.run(CHATS[0], CHATS[2])
    assert len(settled.surveyed) == 2
    assert "sk-test" not in json.dumps(settled.archive.run("SELECT * FROM rest"))


@pytest.mark.parametrize("is_gone", [True, False])
def test_an_updated_export_that_does_not_stand_as_it_was_written_is_written_again(
    settled: Desk, is_gone: bool
) -> None:
    (path,) = (settled.home / "updated").glob("*long a*")
    before = path.read_bytes()
    if is_gone:
        path.unlink()
    else:
        path.write_bytes(b"{}")
    written = [one for one in settled.run(*CHATS) if isinstance(one, ExportWritten)]
    assert [one.plan.chat_id for one in written] == ["long a"]
    assert path.read_bytes() == before


def test_what_the_person_does_to_a_memory_ends_the_rest_of_its_chat(settled: Desk) -> None:
    pin(settled.archive, memories(settled.archive, "long a")[0])
    settled.run(*CHATS)
    assert settled.surveyed == ["long a"]


def test_chats_that_rest_have_been_seen_again(settled: Desk) -> None:
    settled.now = LATER
    settled.run(*CHATS)
    assert settled.surveyed == []
    assert {row[0] for row in settled.archive.run("SELECT last_seen FROM chat")} == {LATER}


def test_whatever_is_written_about_a_chat_ends_its_rest() -> None:
    """Every table that names a chat, a message or a memory, by itself or through another, has its three triggers,

    but for those that change nothing of what a run would do.
    """
    with Archive.memory() as archive:
        names = [
            row[0] for row in archive.run("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        refers = {
            name: {row[2] for row in archive.run(f"PRAGMA foreign_key_list({name})")}
            for name in names
        }
        about = {"output"}
        while more := {name for name in names if refers[name] & (about | {"chat"})} - about:
            about |= more
        found = Counter(
            row[0]
            for row in archive.run("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'")
        )
        assert about >= {
            "message",
            "version",
            "memory",
            "edition",
            "chunk_message",
            "fold_member",
            "fact_event",
        }
        no_matter = {"question", "answer"}
        assert found == dict.fromkeys(about - no_matter, 3) | {"chat": 2}
