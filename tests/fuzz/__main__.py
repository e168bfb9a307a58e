"""Fuzz every target for its share of the time. Exit 1 where one crashed or hung, with the place of its input."""

import argparse
import hashlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.seeds import LARGEST, seeds

_PLACE = Path(".fuzz")
_TARGETS = ("reader", "configuration", "answers", "requests")
_EXECUTED = re.compile(rb"stat::number_of_executed_units:\s*(\d+)")
_TOKENS = (
    '"data":',
    '"chats":[',
    '"messages":[',
    '"memproc":{"v":1',
    '"kind":"memory"',
    '"slot":',
    "\\ud83d",
    "[tail]\n",
    "```json\n",
    '{"function":',
    '"event":"ADD"',
    "<to_remember>",
    "</think>",
    "/chat/",
    "content-type: ",
    "form_token=",
)


def main() -> int:
    """Run the targets one after the other, and tell how often each was tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    seconds: int = parser.parse_args().seconds
    if find_spec("atheris") is None:
        _tell("The fuzzer (atheris) is not available on this platform or Python; nothing was fuzzed.")
        return 0
    return max([_fuzz(target, max(1, seconds // len(_TARGETS))) for target in _TARGETS])


def _fuzz(target: str, seconds: int) -> int:
    corpus, log, found = _PLACE / target / "corpus", _PLACE / target / "log", _PLACE / target / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for data in seeds(target).values():
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    words = _PLACE / target / "words"
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in _TOKENS))
    options = [
        f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
        f"-max_len={LARGEST}", f"-dict={words}", f"-artifact_prefix={found}/",
    ]  # fmt: skip
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tests.fuzz.child", target, *options, str(corpus)]
        ended = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    return _report(target, ended.returncode, log, found)


def _report(target: str, code: int, log: Path, found: Path) -> int:
    said = log.read_bytes()
    executed = _EXECUTED.search(said)
    _tell(f"{target}: {int(executed[1]) if executed else 0:,} inputs tried")
    if code == 0:
        return 0
    inputs = sorted(found.iterdir(), key=lambda path: path.stat().st_mtime)
    _tell(f"{target}: it crashed or hung; what was said is in {log}")
    _tell(f"{target}: the input is {inputs[-1]}" if inputs else said[-2000:].decode(errors="replace"))
    return 1


def _escaped(token: str) -> str:
    return "".join(sign if sign.isalnum() else f"\\x{ord(sign):02x}" for sign in token)


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
