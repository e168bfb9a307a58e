"""A file that is no export is called by its name, and the person is told what to do instead."""

import pytest

from daemon.files.read import chats_in
from rules.errors import NotAnExport
from rules.typingmind.foreign_files import looks_like
from tests.exports.files import FOREIGN

_AGAIN = "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
_BACKUP = "Restore it in TypingMind with its password, then export the chats from there."
_MEND = "Drop the file exactly as TypingMind wrote it; if it was edited by hand, mend that place."
_INTERRUPTED = "If the download was interrupted, export the chat again."
_WAIT = "If it is still being written, wait; otherwise export the chat again."

SENTENCES = {
    "empty": ("x is empty.", _INTERRUPTED),
    "only blanks": ("x is empty.", _INTERRUPTED),
    "encrypted backup": ("x is an encrypted backup.", _BACKUP),
    "backup of OpenSSL": ("x is an encrypted backup.", _BACKUP),
    "UTF-16": (
        "x is text in UTF-16, not UTF-8.",
        "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.",
    ),
    "gzip": ("x is a gzip file.", "Unpack it, and drop the JSON file that is inside."),
    "web page": ("x is a web page or XML, not JSON.", _AGAIN),
    "PDF": ("x is a PDF.", _AGAIN),
    "not UTF-8": (
        "x is not UTF-8 text: invalid continuation byte near byte 142.",
        "Drop the file exactly as TypingMind wrote it; a text editor may have saved it in another encoding.",
    ),
    "random bytes": (
        "x is neither a ZIP file nor JSON, so it is no TypingMind export.",
        _AGAIN,
    ),
    "share": (
        "x is a Share file (JSON for reading or fine-tuning), which TypingMind cannot import.",
        _AGAIN,
    ),
    "bare chat": ("x is a single chat without the container that TypingMind imports.", _AGAIN),
    "part without chats": (
        "x is a part of an export, and this part has no chats.",
        "Drop the parts that hold the chats (usually those with the higher numbers), or export single chats.",
    ),
    "extension's backup": (
        "x is a backup of a TypingMind extension, not an export.",
        "Restore it in TypingMind, then export the chats from there.",
    ),
    "ChatGPT": (
        "x is a ChatGPT export.",
        "To choose what to bring from it: memproc bring x",
    ),
    "bare list": ("x is a bare list, not an export.", _AGAIN),
    "other JSON": ("x is JSON, but not an export: it has no `data` and no `chats`.", _AGAIN),
    "null": ("x is JSON, but not an export: it has no `data` and no `chats`.", _AGAIN),
    "cut off": ("x is cut off: it stops at byte 1,000, and its JSON is not closed.", _WAIT),
    "too deep": ("x is nested too deep near line 1, column 25: no export looks like that.", _AGAIN),
    "comment": (
        "x is not proper JSON at line 2, column 15: a key in double quotes was expected, but '/' stands there.",
        _MEND,
    ),
    "dots": (
        "x is not proper JSON at line 3, column 4: a key in double quotes was expected, but '.' stands there.",
        _MEND,
    ),
    "messages twice": (
        "x is not proper JSON at line 3, column 15: \",\" was expected, but ':' stands there.",
        _MEND,
    ),
    "one key twice": (
        'x is not proper JSON at line 3, column 4: the key "messages" stands twice in one object.',
        _MEND,
    ),
    "not a number": ("x is not proper JSON at line 2, column 12: NaN is not a JSON value.", _MEND),
    "chats is a number": (
        "x is not proper JSON at line 1, column 20: `chats` is a JSON array, and this is none.",
        _MEND,
    ),
    "two roots": (
        "x is not proper JSON at line 1, column {end}: more text follows where the file should end.".format(
            end=len(FOREIGN["two roots"]) - 1
        ),
        _MEND,
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_each_is_told_what_it_is_and_what_to_do(name: str) -> None:
    with pytest.raises(NotAnExport) as caught:
        chats_in("x", FOREIGN[name])
    assert (caught.value.message, caught.value.next_step) == SENTENCES[name]


def test_every_foreign_file_has_its_sentence() -> None:
    assert SENTENCES.keys() | {"index of a ZIP"} == FOREIGN.keys()


def test_a_column_counts_characters_as_an_editor_shows_them() -> None:
    data = '\ufeff{"data": {"chats": [{"ü€🌊": x}]}}'
    with pytest.raises(
        NotAnExport, match="line 1, column 29: a value was expected, but 'x' stands there"
    ):
        chats_in("x", data.encode())


def test_a_file_of_spaces_that_goes_on_is_not_called_empty() -> None:
    with pytest.raises(NotAnExport, match="is cut off"):
        chats_in("x", b" " * 100)


def test_big_endian_text_is_known_too() -> None:
    with pytest.raises(NotAnExport, match="UTF-16"):
        chats_in("x", b"\xfe\xff\x00{")


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"%PDF-1.7", "a PDF"),
        (b"\xef\xbb\xbf  <html>", "a web page or XML, not JSON"),
        (b'{"user_name": "You"}\n{"mes": "Hi"}', "a chat of SillyTavern (JSONL)"),
        (b'{"a": 1}\n{"a": 2}', "a list of JSON lines (JSONL)"),
        (b'[{"chat_messages": []}]', "an export of Claude's own app"),
        (b'[{"mapping": {}}]', "a ChatGPT export"),
        (b'{"title": "Aria", "mapping" : { }}', "a ChatGPT export"),
        (b'{"data": {"chats": [{"x": {"mapping": {}}}]}}', None),
        (b'[{"text": "\\"mapping\\": {}"}]', None),
        (b"# A heading\n\nand a text", "a Markdown text, not JSON"),
        (b"only words", "plain text, not JSON"),
        (b"\x01\x02\x03\x04 x", "not a TypingMind export"),
        (b'{"data": {"chats": []}}', None),
        (b"", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_is_known_by_how_it_begins(head: bytes, what: str | None) -> None:
    foreign = looks_like(head)
    assert (foreign and foreign.what) == what
