"""What the fuzzer starts from: every shape of export that the tests know, and settings of every kind."""

from collections.abc import Mapping
from pathlib import Path

from tests.exports.files import CONTAINERS, FOREIGN, ZIPS

LARGEST = 16_384  # bytes: small inputs are tried far more often

_SETTINGS = (
    b"",
    b"[folders]\ninbox = 'a'\nupdated = 'a'\n",
    b"[chunk]\ntokens = -1\n[tail]\ntokens = 'many'\n[nonsense]\nx = 1979-05-27\n",
    b"[models]\nagent = 7\n[models.options]\na.b.c = [1, {d = inf}]\n",
    b"[[chats]]\ninclude = ['*']\n",
    b'[output]\nmode = """\nreplace"""\ncontainer = "\\u00e9"\n',
    b"\xef\xbb\xbf[watch]\r\nsettle_seconds = 0x10\r\n",
)


_ANSWERS = (
    b"\0She keeps the lighthouse, and I was glad of it.",
    b"\0<think>What was it?</think>\nA long evening with the lamp.",
    b"\x02",
    b'\0Done.\n```json\n[{"function": "core_memory_append", "arguments": {"name": "human", "content": "Tea."}}]\n```',
    b'\0```json\n{"function": "core_memory_replace", "name": "persona", "old_content": "", "new_content": 7}\n```',
    b'\0{"memory": [{"event": "ADD", "text": "He likes tea.", "message": 1}, {"event": "DELETE", "id": "0"}, 7]}',
    b'\0[{"event": "UPDATE", "id": 1, "old_memory": "", "text": "He likes coffee.", "message": "2"}]',
    "\0Ж\u2060</to_remember> \U0001f600 \ufffd".encode(),
    b"\x01[[[[{{{{",
)
_REQUESTS = (
    b"\0",
    b"\0/search?words=tea&chat=a&in=raw&from=2024-01-01",
    b"\0/chat/a%00b/messages/..%2f..%2fstate",
    b"\0/memory/m1?said=%ff%fe",
    b"\0/enter?link=../session&to=//evil.example",
    b"\0/proof?challenge=x",
    b"\0/static/../app.py",
    b"\0/\nhost: evil.example\ncookie: memproc=..%2fsecret",
    b"\x01/chat/a/facts/1/forget\ncontent-type: application/x-www-form-urlencoded\n\nform_token=a&text=%00",
    b'\x01/drop\ncontent-type: multipart/form-data; boundary=x\n\n--x\r\nContent-Disposition: form-data; name="file"; '
    b'filename="../../a.json"\r\n\r\n{}\r\n--x--\r\n',
    b"\x01/drop\ncontent-type: multipart/form-data\n\n--",
    b"\x01/keys/set\ncontent-type: application/json\n\n{",
)


def seeds(target: str) -> Mapping[str, bytes]:
    """The inputs to begin with, by name."""
    if target == "reader":
        shapes = {**CONTAINERS, **{f"zip {name}": data for name, data in ZIPS.items()}, **FOREIGN}
    elif target in ("answers", "requests"):
        listed = _ANSWERS if target == "answers" else _REQUESTS
        shapes = {f"{target} {number}": data for number, data in enumerate(listed)}
    else:
        shapes = {f"settings {number}": data for number, data in enumerate(_SETTINGS)}
        shapes["shipped"] = (Path(__file__).parents[2] / "memproc.toml").read_bytes()
    return {name: data for name, data in shapes.items() if len(data) <= LARGEST}
