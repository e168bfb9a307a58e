"""Files that are no exports are named with what they look like, wherever a person may look; none is ignored."""

import sys

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.daemon import QUICK, export, running
from tests.stories.person import Person

NO_EXPORTS = {
    "book.pdf": (b"%PDF-1.7 and so on", "book.pdf is a PDF."),
    "notes.md": (b"# My day\n\nIt was good.\n", "notes.md is a Markdown text, not JSON."),
    "Aria.jsonl": (
        b'{"user_name":"Ada","character_name":"Aria"}\n{"name":"Ada","mes":"Hello"}\n',
        "Aria.jsonl is a chat of SillyTavern (JSONL).",
    ),
    "conversations.json": (b'[{"title":"Aria","mapping":{}}]', "conversations.json is a ChatGPT export."),
    "claude.json": (
        b'[{"uuid":"1","name":"Aria","chat_messages":[]}]', "claude.json is an export of Claude's own app."
    ),
    "diary.json": (b"Dear diary,\n\n**today** it rained.\n", "diary.json is a Markdown text, not JSON."),
}  # fmt: skip


def put_all(person: Person) -> None:
    for name, (content, _) in NO_EXPORTS.items():
        person.drop(content, name)


def after_name(name: str) -> str:
    """The sentence on a file, as it follows the file's name."""
    return NO_EXPORTS[name][1].replace(name, "It", 1)


def test_run_and_plan_name_each_and_do_the_rest(ada: Person) -> None:
    put_all(ada)
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    planned = ada.memproc("plan")
    assert planned.code == 1
    ended = ada.memproc("run")
    assert ended.code == 1
    assert f"1 written, 0 unchanged, {len(NO_EXPORTS)} skipped." in ended.out
    status = ada.memproc("status").out
    for name in NO_EXPORTS:
        assert f"{name} would be skipped\n  {after_name(name)}" in planned.out, name
        assert f"{name}: skipped. {after_name(name)} " in ended.err, name
        assert f"  {NO_EXPORTS[name][1]}\n" in status, name


def test_a_file_that_is_named_is_told_in_the_same_words(ada: Person) -> None:
    put_all(ada)
    for name in NO_EXPORTS:
        ended = ada.memproc("run", ada.inbox / name)
        assert ended.code == 1
        assert after_name(name) in ended.err
        assert after_name(name) in ada.memproc("plan", ada.inbox / name).out


def test_files_of_systems_and_half_downloads_are_no_matter(ada: Person) -> None:
    for name in (".DS_Store", "Thumbs.db", "desktop.ini", "export.json.crdownload", "notes.txt~"):
        ada.drop(b"something", name)
    assert ada.memproc("run").out.startswith("Nothing to do: there are no exports")


def test_in_another_folder_than_the_inbox_only_exports_are_looked_for(ada: Person) -> None:
    """Downloads may hold hundreds of other files."""
    put_all(ada)
    downloads = ada.inbox.rename(ada.home / "Downloads")
    ada.inbox.mkdir()
    ended = ada.memproc("run", downloads)
    assert "notes.md" not in ended.err
    assert after_name("diary.json") in ended.err


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stories of the daemon look into /proc")
def test_the_daemon_names_each_in_status_and_log_and_takes_no_copy_of_what_is_not_called_so(
    ada: Person,
) -> None:
    ada.settings(QUICK)
    put_all(ada)
    to_choose_from = ("conversations.json", "claude.json")
    with running(ada) as daemon:
        for name in NO_EXPORTS:
            daemon.comes_to(name, "settling" if name in to_choose_from else "skipped")
        daemon.person.drop(export("Aria", 600), "export.json")
        daemon.comes_to("export.json", "written", "done")
        status, log = ada.memproc("status").out, ada.memproc("logs").out
        for name, (_, sentence) in NO_EXPORTS.items():
            told = sentence.replace(f"{name} is", "it is").rstrip(".")
            assert told in status if name in to_choose_from else sentence in status, name
            assert told in log if name in to_choose_from else sentence in log, name
        for name in to_choose_from:
            assert f"memproc bring {name}" in status
        (ada.inbox / "notes.md").unlink()
        assert NO_EXPORTS["notes.md"][1] not in ada.memproc("status").out, (
            "it is taken away, and no problem any more"
        )
    assert not list((ada.home / "state").rglob("*.md"))
