"""Fuzz every target for its share of the time. Exit 1 where one crashed or hung, with the place of its input."""

import argparse
import hashlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.corpus import keep, kept
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
    parser.add_argument(
        "--target", choices=_TARGETS, action="append", help="this one only, or these"
    )
    parser.add_argument(
        "--longest",
        type=int,
        default=LARGEST,
        help="bytes of an input; shorter ones are tried faster",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the inputs that reach most, for every run of the tests",
    )
    asked = parser.parse_args()
    if find_spec("atheris") is None:
        _tell(
            "The fuzzer (atheris) is not available on this platform or Python; nothing was fuzzed."
        )
        return 0
    targets: list[str] = asked.target or list(_TARGETS)
    worst = max(
        [_fuzz(target, max(1, asked.seconds // len(targets)), asked.longest) for target in targets]
    )
    for target in targets if asked.keep else ():
        _keep(target)
    return worst


def _fuzz(target: str, seconds: int, longest: int) -> int:
    corpus, log, found = (
        _PLACE / target / "corpus",
        _PLACE / target / "log",
        _PLACE / target / "found",
    )
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for data in (*seeds(target).values(), *kept(target)):
        if len(data) <= longest:
            (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    words = _PLACE / target / "words"
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in _TOKENS))
    options = [
        f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
        f"-max_len={longest}", f"-dict={words}", f"-artifact_prefix={found}/",
    ]  # fmt: skip
    return _report(target, _run(target, log, *options, str(corpus)), log, found)


def _keep(target: str) -> None:
    """Choose the fewest inputs of the corpus that reach all that it reaches, and keep them in the repository."""
    with TemporaryDirectory() as place:
        code = _run(
            target,
            _PLACE / target / "merge-log",
            "-merge=1",
            place,
            str(_PLACE / target / "corpus"),
        )
        inputs = list(Path(place).iterdir())
        if code or not inputs:
            _tell(
                f"{target}: what to keep could not be chosen; see {_PLACE / target / 'merge-log'}"
            )
        else:
            _tell(f"{target}: {len(inputs):,} inputs are kept, in {keep(target, inputs):,} bytes")


def _run(target: str, log: Path, *options: str) -> int:
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tests.fuzz.child", target, *options]
        return subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, check=False
        ).returncode


def _report(target: str, code: int, log: Path, found: Path) -> int:
    said = log.read_bytes()
    executed = _EXECUTED.search(said)
    _tell(f"{target}: {int(executed[1]) if executed else 0:,} inputs tried")
    if code == 0:
        return 0
    inputs = sorted(found.iterdir(), key=lambda path: path.stat().st_mtime)
    _tell(f"{target}: it crashed or hung; what was said is in {log}")
    _tell(
        f"{target}: the input is {inputs[-1]}" if inputs else said[-2000:].decode(errors="replace")
    )
    return 1


def _escaped(token: str) -> str:
    return "".join(sign if sign.isalnum() else f"\\x{ord(sign):02x}" for sign in token)


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
