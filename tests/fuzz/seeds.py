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


def seeds(target: str) -> Mapping[str, bytes]:
    """The inputs to begin with, by name."""
    if target == "reader":
        shapes = {**CONTAINERS, **{f"zip {name}": data for name, data in ZIPS.items()}, **FOREIGN}
    else:
        shapes = {f"settings {number}": data for number, data in enumerate(_SETTINGS)}
        shapes["shipped"] = (Path(__file__).parents[2] / "memproc.toml").read_bytes()
    return {name: data for name, data in shapes.items() if len(data) <= LARGEST}
