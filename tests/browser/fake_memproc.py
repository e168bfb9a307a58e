"""The local server's side of the bridge, scripted: for the failures that a real one is hard to be brought to."""

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from daemon.bridge.chat_jobs import JobReport
from daemon.page.bridge_jobs import job_line, planned_line, planned_more
from tests.chats import Json

SCRIPT = Path(__file__).parents[2] / "daemon" / "bridge" / "typingmind.js"
CODE = "314159"
QUICK = [("const SECOND = 1000;", "const SECOND = 60;"), ("SWITCH = 4 * SECOND;", "SWITCH = 4000;")]
"""The extension's own second, shortened for the tests; the client takes as long as ever to show another chat."""
SIGNED = ("Device", "Time", "Nonce", "Mac")


def compressed(chat: Json, live: int = 4) -> Json:
    """The chat with one memory in the place of all but its last messages, in the form that memproc writes."""
    gone, kept = chat["messages"][:-live], chat["messages"][-live:]
    at = gone[-1]["createdAt"]
    digest = hashlib.sha256(json.dumps(gone).encode()).hexdigest()[:8]
    texts = [
        ("opening", 0, "<system>\nWhat follows are memories.\n</system>"),
        (
            "memory",
            1,
            "<context_manager>\nMemory 1, 7 November 2024. A direct quote?\n</context_manager>",
        ),
        ("memory", 2, "We lit the lamp together."),
        ("memory", 3, "<context_manager>\nHow do you see it?\n</context_manager>"),
        ("memory", 4, "It was a quiet night."),
        ("memory", 5, "<context_manager>\nYour memory?\n</context_manager>"),
        ("memory", 6, f"I remember the lamp and {digest}."),
        ("closing", 0, "<system>\nHere the memories end.\n</system>"),
    ]
    ours = [
        {
            "role": "assistant" if slot in (2, 4, 6) else "user",
            "uuid": str(uuid5(NAMESPACE_URL, f"{chat['chatID']}/{digest}/{kind}/{slot}")),
            "content": text,
            "createdAt": at,
            "memproc": {"v": 1, "kind": kind} | ({"memory": "m1", "slot": slot} if slot else {}),
        }
        for kind, slot, text in texts
    ]
    deleted = [
        *chat.get("syncMetadata", {}).get("deletedMessageUUIDs", []),
        *(message["uuid"] for message in gone),
    ]
    return chat | {"messages": [*ours, *kept], "syncMetadata": {"deletedMessageUUIDs": deleted}}


def is_done(chat: Json, live: int) -> bool:
    """Whether there is nothing to compress: the chat is short, or has its memories."""
    return len(chat["messages"]) <= live or any(
        "memproc" in message for message in chat["messages"]
    )


@dataclass
class FakeMemproc:
    """What the fake has been sent, and what it is to answer; a test changes this as it goes."""

    port: int = 0
    due: int = 1
    likely: float | None = 0.4
    states: list[Json] = field(default_factory=lambda: [{"state": "done"}])
    """What a job says, one after the other; the last of them stays."""
    trouble: str = ""
    """`wrong mac`, `unknown device`, `foreign` (another program's answer), `silent` (no answer at all), `busy` (it plans
    nothing now), or none."""
    is_heard: Event = field(default_factory=Event)
    """Ends the silence."""
    live: int = 4
    has_edits: bool = False
    """Whether something was added on the page that a compressed chat does not say yet."""
    exports: list[bytes] = field(default_factory=list)
    """The bodies of all jobs."""
    edits: list[tuple[str, str]] = field(default_factory=list)
    """What else is changed in the extension, before it is served."""
    plans: int = 0
    kept: list[Json] = field(default_factory=list)
    """What was asked to be kept."""
    result: Any = compressed
    codes: list[str] = field(default_factory=lambda: [CODE])
    keys: dict[str, bytes] = field(default_factory=dict)
    stop: Callable[[], None] = lambda: None
    nonces: set[str] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def script(self) -> str:
        return f"{self.address}/bridge/typingmind.js"

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Json]:
        """The answer to a signed call."""
        if path == "/bridge/forget":
            return 200, {}
        if path == "/bridge/keep":
            self.kept.append(json.loads(body))
            return 200, {"says": "Kept, word for word: passage 1 (2026-01-14, yours)."}
        if path == "/bridge/plan":
            self.plans += 1
            if self.trouble == "busy":
                return 409, {"reason": "The archive is busy."}
            (chat,) = json.loads(body)["data"]["chats"]
            plan: Json = {"tokens": 250 * len(chat["messages"]), "made": 0}
            plan["ready"] = self.has_edits and is_done(chat, self.live)
            plan |= {"usd_likely": self.likely, "cost": "Likely $0.40. The caps allow it."}
            plan["due"] = 0 if is_done(chat, self.live) else self.due
            plan["reason"] = (
                "" if plan["due"] else "Fewer than 4,000 tokens come before the live tail."
            )
            return 200, plan | {"says": planned_line(plan, len(body)), "why": planned_more(plan)}
        if path == "/bridge/jobs":
            self.exports.append(body)
            return 202, {"job": f"j{len(self.exports)}"}
        number = int(path.split("/")[3].removeprefix("j"))
        if not 0 < number <= len(self.exports):
            return 404, {"reason": "memproc has no such job any more."}
        if path.endswith("/result"):
            (chat,) = json.loads(self.exports[number - 1])["data"]["chats"]
            return 200, {"data": {"chats": [self.result(chat, self.live)]}}
        is_same = is_done(json.loads(self.exports[number - 1])["data"]["chats"][0], self.live)
        if is_same and not self.has_edits:
            return 200, {
                "state": "unchanged",
                "says": "It is as memproc wrote it, so there was nothing to do.",
            }
        job = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return 200, {"state": job["state"], "says": job_line(JobReport(**job))}


class _Server(ThreadingHTTPServer):
    """Listens on loopback, and answers for one fake."""

    def __init__(self, fake: FakeMemproc) -> None:
        super().__init__(("127.0.0.1", fake.port), _Answer)
        self.fake = fake


class _Answer(BaseHTTPRequestHandler):
    """How the fake answers HTTP."""

    protocol_version = "HTTP/1.0"
    server: _Server

    def reply(
        self, status: int, content: bytes, kind: str = "application/json", mac: str = ""
    ) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Access-Control-Allow-Origin": self.headers.get("Origin", "*"),
            "Access-Control-Allow-Headers": "Content-Type, "
            + ", ".join(f"X-Memproc-{name}" for name in SIGNED),
            "Access-Control-Expose-Headers": "X-Memproc-Mac",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "X-Memproc-Mac": mac,
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def do_OPTIONS(self) -> None:
        self.reply(204, b"")

    def do_GET(self) -> None:
        if self.path == "/bridge/typingmind.js":
            script = SCRIPT.read_text(encoding="utf-8")
            for old, new in (*QUICK, *self.server.fake.edits):
                assert old in script
                script = script.replace(old, new)
            self.reply(200, script.encode(), "text/javascript; charset=utf-8")
        else:
            self.signed(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/bridge/pair":
            self.pair(json.loads(body))
        else:
            self.signed(body)

    def pair(self, asked: Json) -> None:
        if asked["code"] not in self.server.fake.codes:
            self.reply(
                403,
                json.dumps({"reason": "That code is wrong, or its two minutes are over."}).encode(),
            )
            return
        token, device = secrets.token_urlsafe(32), secrets.token_hex(4)
        self.server.fake.keys[device] = hashlib.sha256(token.encode()).digest()
        self.reply(200, json.dumps({"device": device, "token": token}).encode())

    def signed(self, body: bytes) -> None:
        fake = self.server.fake
        device, time, nonce, mac = (self.headers[f"X-Memproc-{name}"] for name in SIGNED)
        key = fake.keys.get(device)
        if key is None or fake.trouble == "unknown device":
            self.reply(401, b'{"reason":"This browser is not paired."}')
            return
        if fake.trouble == "silent":
            fake.is_heard.wait(30)
            return
        if fake.trouble == "foreign":
            self.reply(
                200,
                b'{"chat":"x","tokens":1,"due":0,"usd_likely":0,"job":"j1","state":"done"}',
            )
            return
        text = "\n".join([self.command, self.path, time, nonce, hashlib.sha256(body).hexdigest()])
        assert hmac.new(key, text.encode(), "sha256").hexdigest() == mac, "a wrong mac"
        assert nonce not in fake.nonces, "a nonce came twice"
        fake.nonces.add(nonce)
        status, value = fake.answer(self.command, self.path, body)
        if self.path == "/bridge/forget":
            del fake.keys[device]
        content = json.dumps(value).encode()
        signature = "\n".join([nonce, str(status), hashlib.sha256(content).hexdigest()])
        key = b"another" if fake.trouble == "wrong mac" else key
        self.reply(status, content, mac=hmac.new(key, signature.encode(), "sha256").hexdigest())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(fake: FakeMemproc) -> Iterator[FakeMemproc]:
    """The fake, answering on its port of this computer, or on a free one, until it is stopped."""
    server = _Server(fake)
    fake.port = server.server_port
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()

    def stop() -> None:
        if thread.is_alive():
            server.shutdown()
            server.server_close()
            thread.join()

    fake.stop = stop
    try:
        yield fake
    finally:
        stop()
