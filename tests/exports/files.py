"""Files: every container that holds chats, and every file that is taken for one and is none."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence

from tests.chats import Json, assistant, chat, conversation, export_bytes, json_bytes, user
from tests.exports.chats import CHATS

_PLAIN = CHATS["plain"]
_SECRETS = {
    "customSearchAPIKey": "sk-not-a-key",
    "folders": [],
    "userPluginSettings": {"a": {"key": "k"}},
}
_SECOND = chat(*conversation(1, 60), id="second0001", chatID="second0001", chatTitle="The second")


def zip_bytes(entries: Mapping[str, bytes]) -> bytes:
    """A ZIP file with these entries, packed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in entries.items():
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def chunked_zip(*chunks: Sequence[Json], index: Sequence[str] | None = None) -> bytes:
    """A large export: an index that names its parts, and the parts, which are bare arrays."""
    names = [f"chunks/chats_part_{number}.json" for number in range(1, len(chunks) + 1)]
    parts = {name: json_bytes(list(chats)) for name, chats in zip(names, chunks, strict=True)}
    listed = names if index is None else list(index)
    return zip_bytes(
        {"data.json": json_bytes({"data": {"chats": {"chunks": listed}}}, indent=2)} | parts
    )


CONTAINERS: dict[str, bytes] = {
    **{name: export_bytes(one, ascii_only="surrogate" in name) for name, one in CHATS.items()},
    "pretty": export_bytes(_PLAIN, indent=2),
    "pretty, CRLF": export_bytes(_PLAIN, indent=2).replace(b"\n", b"\r\n"),
    "tabs and blanks": b" \t\r\n"
    + export_bytes(_PLAIN, indent=4).replace(b"    ", b"\t")
    + b"\n\n",
    "byte order mark": b"\xef\xbb\xbf" + export_bytes(_PLAIN),
    "escapes": export_bytes(CHATS["odd words"], ascii_only=True).replace(b"/", b"\\/"),
    "several chats": export_bytes(_PLAIN, _SECOND),
    "full, with secrets": json_bytes(
        {"data": {**_SECRETS, "chats": [_PLAIN, _SECOND], "streaming": True}}
    ),
    "old, with a checksum": json_bytes(
        {"checksum": "0" * 32, "data": {"chats": [_PLAIN], "chatsInFolder": []}}
    ),
    "bare container": json_bytes({"chats": [_PLAIN]}),
    "no chats chosen": json_bytes({"data": {"chats": []}}),
}
"""JSON files that memproc reads."""

ZIPS: dict[str, bytes] = {
    "plain": zip_bytes(
        {
            "data.json": export_bytes(_PLAIN, _SECOND, indent=2),
            "metadata.json": b'{"attachments/x.blob":{"type":"application/pdf","size":3}}',
            "attachments/x.blob": b"\x00\x01\x02",
        }
    ),
    "chunked": chunked_zip([_PLAIN], [_SECOND]),
}
"""ZIP files that memproc reads; each holds two chats."""

FOREIGN: dict[str, bytes] = {
    "empty": b"",
    "only blanks": b"\xef\xbb\xbf \r\n",
    "encrypted backup": b"ENCRYPTED:AAAA",
    "backup of OpenSSL": b"Salted__\x01\x02",
    "UTF-16": "{}".encode("utf-16"),
    "gzip": b"\x1f\x8b\x08\x00",
    "web page": b"<!DOCTYPE html><html></html>",
    "PDF": b"%PDF-1.7",
    "not UTF-8": export_bytes(_PLAIN).replace(b"lighthouse", b"lighthous\xe9"),
    "random bytes": b"MZ\x90\x00\xff\xfe of some program",
    "share": json_bytes({"messages": [{"role": "user", "content": "Hi"}]}),
    "bare chat": json_bytes(_PLAIN),
    "part without chats": json_bytes({"data": _SECRETS}),
    "extension's backup": json_bytes({"localStorage": {}, "indexedDB": {"CHAT_1": _PLAIN}}),
    "ChatGPT": json_bytes([{"title": "t", "mapping": {}, "create_time": 1.5}]),
    "bare list": json_bytes([user("Hi"), assistant("Hi")]),
    "other JSON": b'{"name":"left-pad","version":"1.0.0"}',
    "null": b"null",
    "cut off": export_bytes(_PLAIN)[:1000],
    "too deep": b'{"data":{"chats":[{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}]}}",
    "comment": b'{"data": {"chats": [\n  {"id": "a", // can be left blank\n  "x": 1}]}}',
    "dots": b'{"data": {"chats": [\n  {"id": "a",\n   ...\n  }]}}',
    "messages twice": b'{"data": {"chats": [\n  {"messages": [\n    "messages": [\n  ]}]}}',
    "one key twice": b'{"data": {"chats": [\n  {"messages": [],\n   "messages": []}]}}',
    "not a number": b'{"data": {"chats": [\n  {"cost": NaN}]}}',
    "chats is a number": b'{"data": {"chats": 7}}',
    "two roots": export_bytes(_PLAIN) + b"{}",
    "index of a ZIP": json.dumps({"data": {"chats": {"chunks": ["chunks/1.json"]}}}).encode(),
}
"""Files that are no export."""
