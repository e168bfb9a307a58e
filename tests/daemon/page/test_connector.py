"""TypingMind's connector is answered to who has the token, on the pages of TypingMind alone, and only ever reads."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from daemon.config.settings import Config
from daemon.page.connector import PREFIX, connector
from daemon.recall.bearer import is_token, new_token, take_token
from daemon.recall.library import Library
from rules.errors import ConfigurationError

PORT = 27183
TYPINGMIND = "https://www.typingmind.com"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """Somebody who has the token."""
    app = connector(Library(Config(), tmp_path), PORT, ("https://chat.example.org",))
    bearer = {"Authorization": f"Bearer {new_token(tmp_path)}", "Origin": TYPINGMIND}
    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers=bearer)


def test_the_five_calls_are_answered_as_the_connector_s(client: TestClient) -> None:
    assert client.get(f"{PREFIX}/ping").json() == {"status": "ok"}
    started = client.post(
        f"{PREFIX}/start", json={"mcpServers": {"evil": {"command": "rm", "args": ["-rf"]}}}
    )
    assert started.status_code == 201
    assert [known["id"] for known in started.json()["clients"]] == ["memproc"]
    (listed,) = client.get(f"{PREFIX}/clients").json()
    assert listed["tools"] == [
        "recall_search",
        "recall_open",
        "recall_timeline",
        "recall_core_memory",
        "recall_facts",
    ]
    tools = client.get(f"{PREFIX}/clients/memproc/tools").json()
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)
    asked = {"name": "recall_search", "arguments": {"query": "anything"}}
    result = client.post(f"{PREFIX}/clients/memproc/call_tools", json=asked).json()
    assert result["structuredContent"]["hits"] == []


def test_half_a_character_is_answered(client: TestClient) -> None:
    body = b'{"name": "recall_search", "arguments": {"query": "a \\ud83d", "chat": "\\udc00"}}'
    answer = client.post(f"{PREFIX}/clients/memproc/call_tools", content=body)
    assert (answer.status_code, answer.json()["isError"]) == (200, True)
    assert "No one chat is called" in answer.text


def test_what_a_tool_refuses_is_an_answer(client: TestClient) -> None:
    asked = {"name": "recall_search", "arguments": {"query": "x" * 400}}
    assert client.post(f"{PREFIX}/clients/memproc/call_tools", json=asked).json()["isError"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b"{", b'{"name": 1, "arguments": 5}', b"[" * 60_000]
)
def test_what_is_no_call_is_refused(client: TestClient, body: bytes) -> None:
    assert client.post(f"{PREFIX}/clients/memproc/call_tools", content=body).status_code == 400


def test_of_a_call_that_is_too_large_no_more_is_read_than_a_call_can_have(
    client: TestClient,
) -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while read < 64 << 20:
            read += 1 << 14
            yield b"x" * (1 << 14)

    response = client.post(
        f"{PREFIX}/clients/memproc/call_tools", content=b"".join(islice(endless(), 8))
    )
    assert (response.status_code, "65,536 bytes" in response.text) == (413, True)
    assert client.post(f"{PREFIX}/clients/memproc/call_tools", content=endless()).status_code == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic wrong"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_nobody_else_is_answered(client: TestClient, headers: dict[str, str], status: int) -> None:
    response = client.get(f"{PREFIX}/clients", headers=headers)
    assert response.status_code == status
    assert "recall" not in response.text.replace("memproc mcp token", "")


@pytest.mark.parametrize("origin", [TYPINGMIND, "https://chat.example.org"])
def test_a_browser_may_ask_beforehand_from_the_pages_that_are_allowed(
    client: TestClient, origin: str
) -> None:
    asked = client.options(f"{PREFIX}/clients", headers={"Origin": origin, "Authorization": ""})
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == origin
    refused = client.options(
        f"{PREFIX}/clients", headers={"Origin": "https://evil.example", "Authorization": ""}
    )
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


def test_a_new_token_ends_the_old_one_and_is_kept_as_a_hash(tmp_path: Path) -> None:
    old, new = new_token(tmp_path), new_token(tmp_path)
    assert is_token(tmp_path, new)
    assert not is_token(tmp_path, old)
    assert not is_token(tmp_path / "elsewhere", new)
    assert new.encode() not in (tmp_path / "page" / "connector").read_bytes()


def test_a_token_that_typingmind_has_made_is_taken_unless_it_could_be_guessed(
    tmp_path: Path,
) -> None:
    take_token(tmp_path, "V1StGXR8_Z5jdHi6B-myT")
    assert is_token(tmp_path, "V1StGXR8_Z5jdHi6B-myT")
    with pytest.raises(ConfigurationError, match="at least 16"):
        take_token(tmp_path, "short")
    assert is_token(tmp_path, "V1StGXR8_Z5jdHi6B-myT")
