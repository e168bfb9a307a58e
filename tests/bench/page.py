"""The page beside the daemon: what the two hold in memory, at rest and with everything on. Linux alone."""

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx

from daemon.bridge.devices import open_code
from tests.bench.measure import COMMAND, FOLDERS, MIB, Table, run
from tests.chats import export_bytes, long_chat
from tests.extension import Extension

TOKENS = 100_000
LARGEST_MIB = 80
_LIMIT_SECONDS = 120.0
_LINK = re.compile(r'href="(/[^"?#]*)"')
_MOST_VIEWS = 60
_CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("recall_search", {"query": "the harbour"}),
    ("recall_timeline", {}),
    ("core_memory", {}),
    ("facts", {}),
)


def measure(folder: Path) -> list[Table]:
    """Run the daemon in `folder`, look at every view of its page, then ask the connector and the bridge. A minute."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = folder / "memproc.toml"
    settings.write_text(
        f'{FOLDERS}[page]\nport = {port}\n[recall]\nconnector = true\n[notify]\nwhen = "never"\n'
    )
    (folder / "inbox").mkdir()
    export = export_bytes(long_chat(TOKENS))
    (folder / "inbox" / "export.json").write_bytes(export)
    command = (COMMAND, "--config", settings)
    run(*command, "run", folder=folder)
    with _running(folder, settings, port) as daemon:
        base = f"http://127.0.0.1:{port}"
        rows = [("the daemon, nobody looks", *_held(daemon))]
        with httpx.Client(base_url=base, timeout=_LIMIT_SECONDS, follow_redirects=True) as browser:
            views = _look(browser, run(*command, "open", "--print", folder=folder).told.strip())
            rows.append((f"and the page, {views} views seen", *_held(daemon)))
            token = run(*command, "mcp", "token", folder=folder).told.strip()
            _look_up(browser, token)
            rows.append(("and the connector asked", *_held(daemon)))
            extension = Extension(browser)
            extension.pair(open_code(folder / "state", time.time()).digits).raise_for_status()
            extension.plan(export)
            rows.append(("and the bridge, with a plan of the chat", *_held(daemon)))
    most = rows[-1][1]
    figures = {name: {"pss": pss} for name, pss, _ in rows}
    notes = (
        f"Proportional set size (PSS) of both, with a conversation of {TOKENS:,} tokens; the page's connector is on.",
        f"The target with everything on is {LARGEST_MIB} MiB: {'kept' if most <= LARGEST_MIB * MIB else 'missed'}.",
    )
    cells = tuple(
        (name, f"{pss / MIB:.1f}", ", ".join(f"{each / MIB:.1f}" for each in parts))
        for name, pss, parts in rows
    )
    return [Table("The page", notes, ("", "MiB", "of each process"), cells, figures)]


def _look(browser: httpx.Client, link: str) -> int:
    """Open the page by its one-time link, and follow its links; how many views that are."""
    waiting, seen = [link], set[str]()
    while waiting and len(seen) < _MOST_VIEWS:
        address = waiting.pop(0)
        answer = browser.get(address)
        answer.raise_for_status()
        seen.add(address)
        waiting += [
            path
            for path in dict.fromkeys(_LINK.findall(answer.text))
            if path not in {*seen, *waiting}
        ]
    return len(seen)


def _look_up(browser: httpx.Client, token: str) -> None:
    bearer = {"Authorization": f"Bearer {token}", "Origin": "https://www.typingmind.com"}
    browser.get("/connector/clients/memproc/tools", headers=bearer).raise_for_status()
    for name, arguments in _CALLS:
        asked = {"name": name, "arguments": arguments}
        answer = browser.post(
            "/connector/clients/memproc/call_tools", headers=bearer, json=asked
        ).raise_for_status()
        if answer.json()["isError"]:
            raise RuntimeError(f"{name} was refused: {answer.json()}")


def _held(daemon: int) -> tuple[int, tuple[int, ...]]:
    """Bytes of the daemon and of what it has started, all together and one by one, when they have come to rest."""
    time.sleep(1)
    tasks = Path(f"/proc/{daemon}/task").iterdir()
    children = {int(child) for task in tasks for child in (task / "children").read_text().split()}
    parts = tuple(map(_pss, (daemon, *sorted(children))))
    return sum(parts), parts


def _pss(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


@contextmanager
def _running(folder: Path, settings: Path, port: int) -> Iterator[int]:
    """The daemon's process, once its page's port is there."""
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [COMMAND, "--config", settings, "watch"], cwd=folder, stdout=said, stderr=said
        )
    try:
        _until_it_listens(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait(_LIMIT_SECONDS)


def _until_it_listens(port: int) -> None:
    """Wait until the port is bound; whoever connects would have the page started."""
    until = time.monotonic() + _LIMIT_SECONDS
    listening = f"0100007F:{port:04X} 00000000:0000 0A"
    while listening not in Path("/proc/net/tcp").read_text():
        if time.monotonic() > until:
            raise RuntimeError("the daemon does not hold its port")
        time.sleep(0.1)
