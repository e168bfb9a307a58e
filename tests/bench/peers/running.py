"""Runs one system on one conversation against a scripted server of its own, and reads the server's meter."""

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench.environment import NotMeasured
from tests.bench.measure import COMMAND, FOLDERS, ROOT
from tests.bench.peers.measured import Measured, measured
from tests.bench.peers.packages import HERE
from tests.bench.peers.script import answer
from tests.bench.peers.turns import Conversation
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup

LIMIT_SECONDS = 3600.0
_GUARD = str(ROOT / "tests" / "guard")
_SETTINGS = (
    FOLDERS
    + """\
[models]
agent = "{model}"
context_manager = "{model}"
batch = "{batch}"
[budget]
run_usd = 1000
day_usd = 1000
month_usd = 1000
"""
)


def run_peer(
    peer: str, python: Path, conversation: Conversation, home: Path
) -> Measured | NotMeasured:
    """Tell the conversation to a peer, turn by turn. Its home is `home`, and the guard keeps it from the network."""
    told = home / "turns.json"
    told.write_text(json.dumps(conversation.turns, ensure_ascii=False), encoding="utf-8")
    with ModelServer(Setup(script=answer)) as server:
        command = [python, HERE / f"{peer}_driver.py", told, f"{server.url}/v1", home]
        variables = {"OPENAI_API_KEY": KEY, "MEM0_TELEMETRY": "False", "LANGSMITH_TRACING": "false"}
        ended, wall = _run(
            [str(word) for word in command], home, {**variables, "PYTHONPATH": _GUARD}
        )
        if ended.returncode:
            return NotMeasured(f"{peer} ended with {ended.returncode}: {_last_line(ended.stderr)}")
        return measured(peer, server.meter, json.loads(ended.stdout)["kept"], wall)


def run_memproc(model: str, batch: str, export: Path, home: Path) -> Measured | NotMeasured:
    """`memproc run` on the export, in a home with that one file and the shipped sizes; `batch` is the setting."""
    (home / "inbox").mkdir()
    (home / "inbox" / export.name).write_bytes(export.read_bytes())
    settings = home / "memproc.toml"
    settings.write_text(_SETTINGS.format(model=model, batch=batch), encoding="utf-8")
    with ModelServer() as server:
        variables = {
            "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.url,
            "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{server.url}/v1",
            "PYTHONPATH": os.pathsep.join((_GUARD, str(ROOT))),
        }  # fmt: skip
        ended, wall = _run(
            [str(COMMAND), "--config", str(settings), "run", "--json"], home, variables
        )
        if ended.returncode:
            return NotMeasured(f"memproc ended with {ended.returncode}: {_last_line(ended.stderr)}")
        (written,) = json.loads(ended.stdout)["outcomes"]
        if written["extracted"]:
            return NotMeasured(
                f"{written['extracted']} of memproc's memories were written by no model"
            )
        return measured("memproc", server.meter, written["memories"], wall)


def _run(
    command: list[str], home: Path, variables: Mapping[str, str]
) -> tuple["subprocess.CompletedProcess[str]", float]:
    """Run a command with these variables and no others of this process but what every program needs."""
    needed = {
        name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ
    }
    environment = {
        **needed,
        "HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        **variables,
    }
    began = time.perf_counter()
    ended = subprocess.run(
        command,
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    return ended, time.perf_counter() - began


def _last_line(told: str) -> str:
    lines = told.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
