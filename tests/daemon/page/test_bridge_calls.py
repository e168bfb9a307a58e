"""The bridge answers a paired device on its own page, and nobody else; each call counts once."""

from collections.abc import Callable
from pathlib import Path
from time import time

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from daemon.bridge.codes import CODE_SECONDS, MOST_TRIES, newest_code, open_code
from daemon.bridge.devices import devices
from daemon.config.settings import Config
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
    return TestClient(bridge(Desk(config, folders, None), PORT), base_url=f"http://127.0.0.1:{PORT}")


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
    assert (device.id, device.name, device.origin) == (paired.device, "Firefox on Linux", TYPINGMIND)
    for path in (folders.state / "bridge").iterdir():
        assert path.stat().st_mode & 0o077 == 0
        assert path.is_dir() or paired.token.encode() not in path.read_bytes()
    assert paired.call("GET", JOB).status_code == 404  # it is answered, and there is no such job


def test_a_code_is_refused_after_two_minutes_with_a_sentence(http: httpx.Client, folders: Folders) -> None:
    code = open_code(folders.state, time() - CODE_SECONDS - 1)
    answer = Extension(http).pair(code.digits)
    assert (answer.status_code, answer.json()["reason"].split(".")[0]) == (403, "The two minutes of this code are over")
    assert answer.headers["access-control-allow-origin"] == TYPINGMIND
    assert devices(folders.state) == ()


def test_five_wrong_codes_end_a_code_and_the_right_one_comes_too_late(http: httpx.Client, folders: Folders) -> None:
    code = open_code(folders.state, time())
    wrong = f"{(int(code.digits) + 1) % 10**6:06}"
    told = [Extension(http).pair(wrong).json()["reason"] for _ in range(MOST_TRIES)]
    assert told[0] == "That is not the code. 4 tries are left."
    assert told[3] == "That is not the code. 1 try is left."
    answer = Extension(http).pair(code.digits)
    assert (answer.status_code, answer.json()["reason"].split(",")[0]) == (403, "Five codes were wrong")
    assert devices(folders.state) == ()


def test_a_code_is_good_once(paired: Extension, http: httpx.Client, folders: Folders) -> None:
    used = newest_code(folders.state)
    assert used is not None
    assert (used.device, used.digits) == (paired.device, "")
    for digits in ("", "000000"):
        answer = Extension(http).pair(digits)
        assert (answer.status_code, answer.json()["reason"].split(".")[0]) == (403, "This code was used already")


def test_a_page_from_elsewhere_takes_no_try_of_the_code_away(http: httpx.Client, folders: Folders) -> None:
    code = open_code(folders.state, time())
    for origin in ("https://evil.example", "null", "http://www.typingmind.com", f"http://127.0.0.1:{PORT}"):
        assert Extension(http, origin).pair("000000").status_code == 403
    assert newest_code(folders.state) == code


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"{", b'"123456"'])
def test_what_is_no_code_is_refused(http: httpx.Client, folders: Folders, body: bytes) -> None:
    open_code(folders.state, time())
    sent = {"Origin": TYPINGMIND, "Content-Type": "application/json"}
    assert http.post("/bridge/pair", content=body, headers=sent).status_code == 400
    assert http.post("/bridge/pair", content=b"1" * 2000, headers=sent).status_code == 413


Attack = Callable[[Extension], httpx.Response]


def _with(method: str = "GET", path: str = JOB, body: bytes = b"", **headers: str) -> Attack:
    """A call that is signed, but for these headers."""
    return lambda paired: paired.call(method, path, body, **{name.replace("_", "-"): headers[name] for name in headers})


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
    return paired.http.post("/bridge/jobs", content=EXPORT, headers=paired.signature("POST", "/bridge/jobs", b"{}"))


def _again(paired: Extension) -> httpx.Response:
    signed = paired.signature("GET", JOB)
    assert paired.http.get(JOB, headers=signed).status_code == 404
    return paired.http.get(JOB, headers=signed)


def _made_at(seconds: float) -> Attack:
    return lambda paired: paired.http.get(JOB, headers=paired.signature("GET", JOB, at=time() + seconds))


def _too_large(paired: Extension) -> httpx.Response:
    return paired.call("POST", "/bridge/jobs", b"{}", **{"Content-Length": str(LARGEST + 1)})


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
    ("a form", _with("POST", "/bridge/plan", b"{}", Content_Type="application/x-www-form-urlencoded"), 415),
    ("too large", _too_large, 413),
    ("no export", _with("POST", "/bridge/jobs", b"{}"), 400),
    ("two chats", _with("POST", "/bridge/jobs", export_bytes(chat(chatID="a"), chat(chatID="b"))), 400),
    ("a job that is none", _with(), 404),
    ("a job outside", _with(path="/bridge/jobs/..%2f..%2fpage"), 404),
    ("a call that is none", _with("GET", "/bridge/devices"), 404),
    ("another method", _with("DELETE"), 405),
)


@pytest.mark.parametrize(("attack", "status"), [attack[1:] for attack in ATTACKS], ids=[name for name, *_ in ATTACKS])
def test_what_is_refused(paired: Extension, folders: Folders, attack: Attack, status: int) -> None:
    answer = attack(paired)
    assert answer.status_code == status, answer.text
    assert not folders.inbox.exists()
    if status in (403, 421):
        assert "access-control-allow-origin" not in answer.headers
