"""A browser's page with memproc's extension, as far as its calls go: it pairs, and signs what it sends."""

import hmac
import json
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_hex
from time import time
from typing import Any

import httpx2 as httpx

TYPINGMIND = "https://www.typingmind.com"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
Json = dict[str, Any]


@dataclass
class Extension:
    """The extension on one page; `http` leads to memproc's port."""

    http: httpx.Client
    origin: str = TYPINGMIND
    device: str = ""
    token: str = field(default="", repr=False)

    def pair(self, code: str) -> httpx.Response:
        """Give the code, and keep the token."""
        sent = {"Origin": self.origin, "User-Agent": FIREFOX}
        answer = self.http.post(
            "/bridge/pair", json={"code": code, "nonce": token_hex(16)}, headers=sent
        )
        if answer.status_code == 200:
            self.device, self.token = answer.json()["device"], answer.json()["token"]
        return answer

    def plan(self, export: bytes) -> Json:
        """What is due in a chat."""
        return self._well("POST", "/bridge/plan", export)

    def send(self, export: bytes) -> str:
        """Have a chat compressed; the job's id."""
        return str(self._well("POST", "/bridge/jobs", export)["job"])

    def job(self, job: str) -> Json:
        """How far it is."""
        return self._well("GET", f"/bridge/jobs/{job}")

    def result(self, job: str) -> bytes:
        """The updated export."""
        answer = self.call("GET", f"/bridge/jobs/{job}/result")
        assert answer.status_code == 200, answer.text
        return answer.content

    def call(self, method: str, path: str, body: bytes = b"", **headers: str) -> httpx.Response:
        """A signed call; a reply that is not signed for it is an error. `headers` are sent in the place of its own."""
        signed = {**self.signature(method, path, body), **headers}
        answer = self.http.request(method, path, content=body, headers=signed)
        if mac := answer.headers.get("x-memproc-mac"):
            assert mac == self.reply_mac(signed["X-Memproc-Nonce"], answer)
        return answer

    def signature(
        self, method: str, path: str, body: bytes = b"", at: float | None = None
    ) -> dict[str, str]:
        """The headers of a signed call, made at `at`, in seconds of Unix time."""
        when, nonce = str(round((time() if at is None else at) * 1000)), token_hex(16)
        signed = "\n".join((method, path, when, nonce, sha256(body).hexdigest()))
        return {
            "Origin": self.origin, "Content-Type": "application/json", "X-Memproc-Device": self.device,
            "X-Memproc-Time": when, "X-Memproc-Nonce": nonce, "X-Memproc-Mac": self._mac(signed),
        }  # fmt: skip

    def reply_mac(self, nonce: str, answer: httpx.Response) -> str:
        """What memproc's own reply to the call with this nonce is signed with."""
        return self._mac(
            "\n".join((nonce, str(answer.status_code), sha256(answer.content).hexdigest()))
        )

    def _mac(self, text: str) -> str:
        return hmac.new(sha256(self.token.encode()).digest(), text.encode(), sha256).hexdigest()

    def _well(self, method: str, path: str, body: bytes = b"") -> Json:
        answer = self.call(method, path, body)
        assert answer.is_success, answer.text
        assert "x-memproc-mac" in answer.headers
        found = json.loads(answer.content)
        assert isinstance(found, dict)
        return found
