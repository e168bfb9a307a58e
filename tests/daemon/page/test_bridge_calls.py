"""The bridge answers a paired device on its own page, and nobody else; each call counts once."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from time import time

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from daemon.bridge.devices import (
    CODE_SECONDS,
    MOST_TRIES,
    TOLD_SECONDS,
    PairedDevice,
    devices,
    exclusive,
    forget_devices,
    newest_code,
    open_code,
    pair,
)
from daemon.config.settings import Config
from daemon.files.lock import Busy
from daemon.files.paths import Folders
from daemon.page.app import Desk
from daemon.page.bridge import LARGEST, bridge
from tests.chats import chat, conversation, export_bytes
from tests.extension import TYPINGMIND, Extension

PORT = 27183
OWN = "https://chat.example.org"
JOB = f"/bridge/jobs/{'a' * 32}"
EXPORT = export_bytes(chat(*conversation(1, 40)))


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))


@pytest.fixture
def http(folders: Folders) -> httpx.Client:
    """memproc's port; somebody hosts a TypingMind of their own."""
    config = Config.model_validate({"bridge": {"origins": [OWN]}})
    return TestClient(
        bridge(Desk(config, folders, None), PORT), base_url=f"http://127.0.0.1:{PORT}"
    )


@pytest.fixture
def paired(http: httpx.Client, folders: Folders) -> Extension:
    """An extension that was paired."""
    extension = Extension(http)
    assert extension.pair(open_code(folders.state, time()).digits).status_code == 200
    return extension


def test_a_device_is_paired_with_the_code_and_only_the_hash_of_its_token_is_kept(
    paired: Extension, folders: Folders
) -> None:
    (device,) = devices(folders.state)
    assert (device.id, device.name, device.origin) == (
        paired.device,
        "Firefox on Linux",
        TYPINGMIND,
    )
    for path in (folders.state / "bridge").iterdir():
        assert path.stat().st_mode & 0o077 == 0
        assert path.is_dir() or paired.token.encode() not in path.read_bytes()
    assert paired.call("GET", JOB).status_code == 404  # it is answered, and there is no such job


def test_a_code_is_refused_after_two_minutes_with_a_sentence(
    http: httpx.Client, folders: Folders
) -> None:
    code = open_code(folders.state, time() - CODE_SECONDS - 1)
    answer = Extension(http).pair(code.digits)
    assert (answer.status_code, answer.json()["reason"].split(".")[0]) == (
        403,
        "The two minutes of this code are over",
    )
    assert answer.headers["access-control-allow-origin"] == TYPINGMIND
    assert devices(folders.state) == ()


def test_five_wrong_codes_end_a_code_and_the_right_one_comes_too_late(
    http: httpx.Client, folders: Folders
) -> None:
    code = open_code(folders.state, time())
    wrong = f"{(int(code.digits) + 1) % 10**6:06}"
    told = [Extension(http).pair(wrong).json()["reason"] for _ in range(MOST_TRIES)]
    assert told[0] == "That is not the code. 4 tries are left."
    assert told[3] == "That is not the code. 1 try is left."
    answer = Extension(http).pair(code.digits)
    assert (answer.status_code, answer.json()["reason"].split(",")[0]) == (
        403,
        "Five codes were wrong",
    )
    assert devices(folders.state) == ()


def test_a_code_is_good_once(paired: Extension, http: httpx.Client, folders: Folders) -> None:
    used = newest_code(folders.state)
    assert used is not None
    assert (used.device, used.digits) == (paired.device, "")
    for digits in ("", "000000"):
        answer = Extension(http).pair(digits)
        assert (answer.status_code, answer.json()["reason"].split(".")[0]) == (
            403,
            "This code was used already",
        )


def test_a_page_from_elsewhere_takes_no_try_of_the_code_away(
    http: httpx.Client, folders: Folders
) -> None:
    code = open_code(folders.state, time())
    for origin in (
        "https://evil.example",
        "null",
        "http://www.typingmind.com",
        f"http://127.0.0.1:{PORT}",
    ):
        assert Extension(http, origin).pair("000000").status_code == 403
    assert newest_code(folders.state) == code


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b"{", b'"123456"', b"[" * 1000, b'{"code": "\\ud83d"}']
)
def test_what_is_no_code_is_refused(http: httpx.Client, folders: Folders, body: bytes) -> None:
    open_code(folders.state, time())
    sent = {"Origin": TYPINGMIND, "Content-Type": "application/json"}
    assert http.post("/bridge/pair", content=body, headers=sent).status_code == 400
    assert http.post("/bridge/pair", content=b"1" * 2000, headers=sent).status_code == 413


Attack = Callable[[Extension], httpx.Response]


def _with(method: str = "GET", path: str = JOB, body: bytes = b"", **headers: str) -> Attack:
    """A call that is signed, but for these headers."""
    return lambda paired: paired.call(
        method, path, body, **{name.replace("_", "-"): headers[name] for name in headers}
    )


def _unsigned(paired: Extension) -> httpx.Response:
    return paired.http.get(JOB, headers={"Origin": TYPINGMIND})


def _without_origin(paired: Extension) -> httpx.Response:
    signed = paired.signature("GET", JOB)
    return paired.http.get(JOB, headers={name: signed[name] for name in signed if name != "Origin"})


def _with_the_token_of_nobody(paired: Extension) -> httpx.Response:
    return Extension(paired.http, device=paired.device, token="x" * 43).call("GET", JOB)


def _for_another_path(paired: Extension) -> httpx.Response:
    return paired.http.get(f"{JOB}/result", headers=paired.signature("GET", JOB))


def _with_another_body(paired: Extension) -> httpx.Response:
    return paired.http.post(
        "/bridge/jobs", content=EXPORT, headers=paired.signature("POST", "/bridge/jobs", b"{}")
    )


def _again(paired: Extension) -> httpx.Response:
    signed = paired.signature("GET", JOB)
    assert paired.http.get(JOB, headers=signed).status_code == 404
    return paired.http.get(JOB, headers=signed)


def _made_at(seconds: float) -> Attack:
    return lambda paired: paired.http.get(
        JOB, headers=paired.signature("GET", JOB, at=time() + seconds)
    )


def _too_large(paired: Extension) -> httpx.Response:
    return paired.call("POST", "/bridge/jobs", b"{}", **{"Content-Length": str(LARGEST + 1)})


def _one_chat(**fields: str) -> bytes:
    """An export of one chat; half a character is an escape in it."""
    return json.dumps({"data": {"chats": [chat(*conversation(1, 40), **fields)]}}).encode()


def _to_keep(words: object) -> bytes:
    return json.dumps({"chat": "a", "message": "b", "words": words}).encode()


ATTACKS: tuple[tuple[str, Attack, int], ...] = (
    ("no token", _unsigned, 401),
    ("a wrong token", _with_the_token_of_nobody, 401),
    ("a wrong mac", _with(X_Memproc_Mac="0" * 64), 401),
    ("a mac that is no text", _with(X_Memproc_Mac=""), 401),
    ("an unknown device", _with(X_Memproc_Device="ffff"), 401),
    ("a nonce that leads elsewhere", _with(X_Memproc_Nonce="../../../../../../tmp/nonce"), 401),
    ("the signature of another path", _for_another_path, 401),
    ("the signature of another body", _with_another_body, 401),
    ("a replay", _again, 401),
    ("an old time", _made_at(-121), 401),
    ("a time to come", _made_at(121), 401),
    ("a foreign Origin", _with(Origin="https://evil.example"), 403),
    ("Origin null", _with(Origin="null"), 403),
    ("no Origin", _without_origin, 403),
    ("another page of TypingMind's", _with(Origin=OWN), 401),
    ("a foreign Host", _with(Host="evil.example"), 421),
    ("a name that points here", _with(Host=f"www.typingmind.com:{PORT}"), 421),
    ("text/plain", _with("POST", "/bridge/jobs", b"{}", Content_Type="text/plain"), 415),
    (
        "a form",
        _with("POST", "/bridge/plan", b"{}", Content_Type="application/x-www-form-urlencoded"),
        415,
    ),
    ("too large", _too_large, 413),
    ("no export", _with("POST", "/bridge/jobs", b"{}"), 400),
    (
        "two chats",
        _with("POST", "/bridge/jobs", export_bytes(chat(chatID="a"), chat(chatID="b"))),
        400,
    ),
    (
        "an id that is a path",
        _with("POST", "/bridge/jobs", _one_chat(chatID="../../lighthouse")),
        400,
    ),
    ("an id that is the folder above", _with("POST", "/bridge/jobs", _one_chat(chatID="..")), 400),
    ("an id with half a character", _with("POST", "/bridge/jobs", _one_chat(chatID="\ud83d")), 400),
    ("an id that has no end", _with("POST", "/bridge/plan", _one_chat(chatID="a" * 1000)), 400),
    (
        "a title of a megabyte",
        _with("POST", "/bridge/jobs", _one_chat(chatTitle="a" * (1 << 20))),
        400,
    ),
    (
        "a title with half a character",
        _with("POST", "/bridge/jobs", _one_chat(chatTitle="\ud83d")),
        400,
    ),
    ("a megabyte of brackets to keep", _with("POST", "/bridge/keep", b"[" * (1 << 20)), 409),
    ("half a character to keep", _with("POST", "/bridge/keep", _to_keep("\udc00")), 409),
    ("a NUL to keep", _with("POST", "/bridge/keep", _to_keep("a\0b")), 409),
    ("a book to keep", _with("POST", "/bridge/keep", _to_keep("a" * 200_000)), 400),
    ("a number to keep", _with("POST", "/bridge/keep", _to_keep(5)), 409),
    ("a job that is none", _with(), 404),
    ("a job outside", _with(path="/bridge/jobs/..%2f..%2fpage"), 404),
    ("a call that is none", _with("GET", "/bridge/devices"), 404),
    ("another method", _with("DELETE"), 405),
)


@pytest.mark.parametrize(
    ("attack", "status"), [attack[1:] for attack in ATTACKS], ids=[name for name, *_ in ATTACKS]
)
def test_what_is_refused(paired: Extension, folders: Folders, attack: Attack, status: int) -> None:
    answer = attack(paired)
    assert answer.status_code == status, answer.text
    assert not folders.inbox.exists()
    if status in (403, 421):
        assert "access-control-allow-origin" not in answer.headers


def preflight(http: httpx.Client, path: str, origin: str = TYPINGMIND) -> httpx.Response:
    """What a browser asks before a page's call."""
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Private-Network": "true",
    }
    return http.options(path, headers={"Origin": origin, **asked})


def test_a_browser_may_ask_beforehand_from_a_page_that_was_paired(paired: Extension) -> None:
    for path in ("/bridge/jobs", "/bridge/plan", JOB, f"{JOB}/result"):
        allowed = preflight(paired.http, path)
        assert allowed.status_code == 204
        assert allowed.headers["access-control-allow-origin"] == TYPINGMIND
        assert allowed.headers["access-control-allow-private-network"] == "true"
        for header in ("Device", "Time", "Nonce", "Mac"):
            assert f"X-Memproc-{header}" in allowed.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in allowed.headers
        assert preflight(paired.http, path, "https://evil.example").status_code == 403


def offer_code(http: httpx.Client, origin: str = TYPINGMIND) -> httpx.Response:
    """What a page does with six digits that are wrong."""
    return http.post("/bridge/pair", json={"code": "000000"}, headers={"Origin": origin})


def test_without_a_pairing_pages_are_answered_only_after_a_code_was_made(
    http: httpx.Client, folders: Folders
) -> None:
    for origin in (TYPINGMIND, OWN):
        assert offer_code(http, origin).status_code == 401
    open_code(folders.state, time() - TOLD_SECONDS + 30)
    for origin in (TYPINGMIND, OWN):
        assert preflight(http, "/bridge/pair", origin).status_code == 204
        assert offer_code(http, origin).status_code == 403, "it is read, and wrong"
    assert preflight(http, "/bridge/pair", "https://evil.example").status_code == 403
    open_code(folders.state, time() - TOLD_SECONDS - 1)
    assert offer_code(http).status_code == 401


def test_after_the_last_pairing_was_forgotten_typingmind_may_read_that_and_nothing_else(
    paired: Extension, folders: Folders
) -> None:
    forget_devices(folders.state, frozenset({paired.device}))
    for path in ("/bridge/plan", "/bridge/jobs", JOB, f"{JOB}/result"):
        assert preflight(paired.http, path).status_code == 204
        method = "GET" if path.startswith(JOB) else "POST"
        answer = paired.call(method, path, b"{}" if method == "POST" else b"")
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (
            401,
            TYPINGMIND,
        )
        assert answer.json() == {
            "reason": "This browser is not paired with memproc, or was forgotten: memproc pair"
        }
        elsewhere = paired.http.post(path, headers={"Origin": "https://evil.example"})
        assert elsewhere.status_code in (403, 405)
        assert "access-control-allow-origin" not in elsewhere.headers


def test_a_device_ends_its_own_pairing_and_no_other(
    paired: Extension, http: httpx.Client, folders: Folders
) -> None:
    another = Extension(http)
    another.pair(open_code(folders.state, time()).digits)
    answer = paired.call("POST", "/bridge/forget", b"{}")
    assert answer.status_code == 200
    assert "x-memproc-mac" in answer.headers
    assert [device.id for device in devices(folders.state)] == [another.device]
    assert paired.call("GET", JOB).status_code == 401


def test_of_a_paired_device_the_day_of_its_last_call_is_kept(
    paired: Extension, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [device.used for device in devices(folders.state)] == [""]
    for day in ("2026-11-23", "2026-11-25"):
        monkeypatch.setattr("daemon.page.bridge.now", lambda day=day: f"{day}T09:00:00Z")
        paired.call("GET", JOB)
        assert [device.used for device in devices(folders.state)] == [day]


def test_a_forgotten_device_is_refused(paired: Extension, folders: Folders) -> None:
    forget_devices(folders.state, frozenset({paired.device}))
    answer = paired.call("GET", JOB)
    assert answer.status_code == 401
    assert answer.json()["reason"].startswith("This browser is not paired with memproc")


def test_any_page_may_load_the_extension_and_no_other_name_of_this_computer(
    http: httpx.Client,
) -> None:
    script = http.get("/bridge/typingmind.js")
    assert (script.status_code, script.headers["content-type"]) == (
        200,
        "text/javascript; charset=utf-8",
    )
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert script.content == (files("daemon.bridge") / "typingmind.js").read_bytes()
    assert http.get("/bridge/typingmind.js", headers={"Host": "evil.example"}).status_code == 421
    assert (
        http.get("/bridge/typingmind.js", headers={"Origin": "https://evil.example"}).status_code
        == 403
    )


def test_devices_that_cannot_be_read_are_told_with_what_to_do(
    paired: Extension, folders: Folders
) -> None:
    (folders.state / "bridge" / "devices.json").write_text("[{]")
    answer = paired.call("GET", JOB)
    assert answer.status_code == 409
    assert "Remove it, then pair again: memproc pair" in answer.json()["reason"]
    foreign = paired.call("GET", JOB, Origin="https://evil.example")
    assert foreign.status_code == 409
    assert (
        "access-control-allow-origin" not in foreign.headers
    )  # so that no other page reads where the file lies


def test_a_mistake_of_memproc_s_is_told_without_what_it_was_about(
    paired: Extension, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError("the lighthouse keeper's secret")

    monkeypatch.setattr("daemon.page.bridge.plan_of_chat", fails)
    answer = paired.call("POST", "/bridge/plan", EXPORT)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "x-memproc-mac" in answer.headers


def test_two_who_pair_at_the_same_moment_are_not_both_paired(
    http: httpx.Client, folders: Folders
) -> None:
    code = open_code(folders.state, time()).digits
    with ThreadPoolExecutor(6) as threads:
        answers = list(
            threads.map(
                lambda _: pair(folders.state, code, "x", TYPINGMIND, time(), "2026-11-22"), range(6)
            )
        )
    assert sum(isinstance(answer, PairedDevice) for answer in answers) == 1
    assert len(devices(folders.state)) == 1


def test_who_waits_too_long_for_the_devices_is_told(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.bridge.devices._WAIT_SECONDS", 0.0)
    with exclusive(folders.state), pytest.raises(Busy):
        open_code(folders.state, time())
