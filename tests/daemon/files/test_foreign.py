"""Exports of ChatGPT and Claude are found by their shape, and read one conversation at a time."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from daemon.files import foreign
from daemon.files.foreign import program_at, read_foreign
from rules.bring.placing import write_messages
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind import spans
from tests.exports.files import zip_bytes
from tests.foreign import trees


def chatgpt(key: str, day: int, title: str = "Aria", text: str = "Hi") -> dict[str, Any]:
    said_at = trees.BEGAN + day * 86_400
    node = trees.Node("n", "", "user", text, float(said_at))
    fields = trees.chatgpt([node], Random(3), key, title)
    fields["mapping"]["n"] |= {
        "message": {
            "author": {"role": "user"},
            "create_time": said_at,
            "content": {"content_type": "text", "parts": [text]},
        }
    }
    return fields | {"current_node": "n"}


def claude(key: str, title: str = "Aria") -> dict[str, Any]:
    return trees.claude([trees.Node("n", "", "user", "Hi", 1.7e9)], Random(1), key, title)


def titles(path: Path) -> list[str]:
    return [each.summary.title for each in read_foreign(path).conversations]


def test_the_newest_conversation_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(
        trees.exported(chatgpt("1", 2, "Ärger 🌊"), chatgpt("2", 9, "夜"), ascii_only=False)
    )
    assert titles(path) == ["夜", "Ärger 🌊"]
    path.write_bytes(
        trees.exported(chatgpt("1", 2, "Ärger 🌊"), chatgpt("2", 9, "夜"), ascii_only=True)
    )
    assert titles(path) == ["夜", "Ärger 🌊"]
    assert program_at(path)


def test_numbered_parts_of_a_zip_are_one_export_whatever_they_are_called(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    entries = {
        "export_manifest.json": json.dumps({"version": 1, "files": ["x"]}).encode(),
        "conversations-001.json": trees.exported(chatgpt("2", 5, "second")),
        "conversations-000.json": trees.exported(chatgpt("1", 4, "first")),
        "__MACOSX/._conversations-001.json": b"\0\5\x16\7",
        "user.json": b'{"id": "u", "email": "a@example.org"}',
        "message_feedback.json": b"[]",
        "pictures/sea.png": b"\x89PNG",
    }
    path.write_bytes(zip_bytes(entries))
    export = read_foreign(path)
    assert [each.summary.title for each in export.conversations] == ["second", "first"]
    conversation, raw = export.read(export.conversations[1])
    assert conversation.messages[0].text == "Hi"
    assert json.loads(raw)["conversation_id"] == "1"
    assert program_at(path)


def test_of_one_conversation_in_two_parts_the_longer_one_counts(tmp_path: Path) -> None:
    for name, conversation in (
        ("a.json", chatgpt("1", 9, "newer")),
        ("b.json", chatgpt("1", 2, "older")),
    ):
        (tmp_path / name).write_bytes(trees.exported(conversation))
    assert titles(tmp_path) == ["newer"]


def test_an_object_around_the_list_and_a_single_conversation_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(
        json.dumps({"account": {}, "conversations": [claude("1", "in a list")]}).encode()
    )
    assert titles(path) == ["in a list"]
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(claude("1", "alone")).encode())
    assert titles(path) == ["alone"]


def test_instructions_of_projects_are_found(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    projects = [{"uuid": "p", "name": "Aria", "prompt_template": "You are Aria."}]
    path.write_bytes(
        zip_bytes(
            {
                "conversations.json": trees.exported(claude("1")),
                "projects.json": json.dumps(projects).encode(),
            }
        )
    )
    assert read_foreign(path).projects == {"Aria": "You are Aria."}


def test_an_entry_of_another_shape_is_counted_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(json.dumps([{"title": "Corrupted", "id": "2"}, chatgpt("1", 1)]).encode())
    export = read_foreign(path)
    assert (len(export.conversations), export.unknown) == (1, 1)


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(NotAnExport) as caught:
        read_foreign(path)
    return str(caught.value)


def test_a_shape_that_nobody_knows_is_told_with_its_field_and_place(tmp_path: Path) -> None:
    told = refusal(tmp_path / "x.json", b'[7, {"title": "Aria", "turns": []}]')
    assert "the entry at byte 4 of x.json has `title`, `turns`" in told
    told = refusal(tmp_path / "x.json", b'[{"title": "Aria", "mapping": {}, "a": tru')
    assert "x.json is not proper JSON near byte 39" in told
    assert "no conversation of ChatGPT, Claude or DeepSeek" in refusal(tmp_path / "x.json", b"[]")


def test_a_file_that_only_has_the_name_of_a_zip_is_called_neither_zip_nor_json(
    tmp_path: Path,
) -> None:
    told = refusal(tmp_path / "x.zip", b"MZ\x90\x00\xff\xfe of some program")
    assert "x.zip is neither a ZIP file nor JSON. Load the export again" in told


def test_a_list_of_links_says_which_one_to_load(tmp_path: Path) -> None:
    links = {"files": [{"name": "conversations", "url": "https://example.org/a.zip?sig=1"}]}
    told = refusal(tmp_path / "manifest.json", json.dumps(links).encode())
    assert "manifest.json holds 1 link and no conversation." in told
    assert "names the conversations" in told


def test_a_cut_zip_and_a_locked_one_are_told(tmp_path: Path) -> None:
    whole = zip_bytes({"conversations.json": trees.exported(chatgpt("1", 1))})
    assert "damaged or cut off" in refusal(tmp_path / "x.zip", whole[:-30])
    assert not program_at(tmp_path / "x.zip")


def test_text_that_is_no_utf_8_is_told_with_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(trees.exported(chatgpt("1", 1, text="Hallo")).replace(b"Hallo", b"Hall\xe9"))
    export = read_foreign(path)
    with pytest.raises(NotAnExport, match="is not UTF-8 text near byte"):
        export.read(export.conversations[0])


TOO_MUCH: dict[str, tuple[bytes, str]] = {
    "a number": (b'[{"mapping": {}, "create_time": ' + b"1" * 2_000 + b"}]", "a number has more"),
    "a number alone": (b"1" * 400_000, "a number has more than 1,000 digits"),
    "deep nesting": (b"[" * 400_000, "nested more than 250 levels deep"),
    "lists in lists": (b'{"conversations":[' * 9_000, "lists hold lists"),
    "fields": (
        b"[{" + b",".join(b'"%d":1' % n for n in range(100_002)) + b"}]",
        "an object has more than 100,000 fields",
    ),
    "a text": (b'[{"title": "' + b"a" * 2_000_000 + b'"}]', "a value has more than 1 MiB"),
    "parts": (b'[{"x": [' + b"1," * 400_000 + b"1]}]", "a value has more than 1,000 parts"),
    "entries": (b"[" + b"1," * 50 + b"1]", "a list has more than 40 entries"),
    "names": (b'[{"mapping": {}, "title": "' + b"a" * 90 + b'"}]', "all names have more than"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("what", TOO_MUCH)
@pytest.mark.full
def test_what_no_program_exports_is_refused_before_it_fills_the_memory(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, reason = TOO_MUCH[what]
    monkeypatch.setattr(foreign, "_LARGEST_VALUE", 1 << 20)
    monkeypatch.setattr(spans, "MOST_PARTS", 1_000)
    monkeypatch.setattr(foreign, "_MOST_ENTRIES", 40 if what == "entries" else 9_999)
    monkeypatch.setattr(foreign, "_MOST_NAMES", 80)
    whole = zip_bytes({"conversations.json": content})
    told = refusal(tmp_path / "x.zip", whole)
    assert "x.zip:conversations.json is not read: near byte" in told
    assert reason in told
    assert "No program exports conversations so." in told


def test_hostile_bytes_end_in_a_sentence_or_in_conversations(tmp_path: Path) -> None:
    """Bytes are changed, cut out, doubled and put in, as a bad disk or an attacker would."""
    random, path = Random(7), tmp_path / "x.json"
    nodes = trees.made_nodes(random)
    exports = (
        trees.exported(trees.chatgpt(nodes, random)),
        trees.exported(trees.claude(nodes, random)),
    )
    odd = (
        b"[" * 300,
        b'{"a":' * 300,
        b"1e999",
        b"\\ud83d",
        b"\x00",
        b"null",
        b'"',
        b"\xff",
        b"{}",
        b"-",
    )
    outcomes = set()
    for turn in range(600):
        content = exports[turn % 2]
        for _ in range(random.randrange(1, 4)):
            start = random.randrange(len(content))
            stop = start + random.choice((0, 0, 1, 40))
            content = content[:start] + random.choice(odd) + content[stop:]
        path.write_bytes(content)
        try:
            export = read_foreign(path)
            for listed in export.conversations:
                conversation, _ = export.read(listed)
                write_messages(conversation)
            outcomes.add("read")
        except NotAnExport as fault:
            assert fault.next_step
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_a_file_that_changes_between_listing_and_reading_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(trees.exported(chatgpt("1", 1)))
    export = read_foreign(path)
    path.write_bytes(trees.exported(chatgpt("2", 1)) + b"\n")
    with pytest.raises(FileTrouble, match="was changed meanwhile"):
        export.read(export.conversations[0])
