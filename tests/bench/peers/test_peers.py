"""What the peers are answered, and how they are metered; the peers themselves are in nobody's way."""

import json
import re
import tomllib
import urllib.request
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.bench.environment import NotMeasured
from tests.bench.measure import ROOT
from tests.bench.peers.measured import Measured, measured
from tests.bench.peers.packages import HERE, PACKAGES, version
from tests.bench.peers.script import answer
from tests.bench.peers.turns import read_conversation
from tests.chats import assistant, chat, export_bytes, user
from tests.server.meter import Meter
from tests.server.reply import Answer
from tests.server.request import Request, Turn
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.tokens import count

ASKED = "My sister Ilse moves to Porto on 14 May. It rains."
ANSWERED = "Then the van has to be at the harbour by Monday. Good."
MOVES, VAN = (
    "My sister Ilse moves to Porto on 14 May.",
    "Then the van has to be at the harbour by Monday.",
)
KNOWN = "My sister Ilse moves to Lisbon on 12 May."
TOOLS = [{"type": "function", "function": {"name": "Memory", "parameters": {"type": "object"}}}]


def as_mem0_asks(existing: list[dict[str, str]]) -> list[dict[str, str]]:
    sections = (
        "## Last k Messages\nuser: hello\n",
        f"## Existing Memories\n{json.dumps(existing)}",
        f"## New Messages\nuser: {ASKED}\nassistant: {ANSWERED}\n",
        "## Observation Date\n2026-11-21",
    )
    system = "Extract.\n\n## Existing Memories\n\nHere they stand.\n\n## New Messages\n\nThese.\n\n## Observation Date\n"
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": "\n\n".join(sections)},
    ]


def as_langmem_asks(existing: dict[str, str]) -> list[dict[str, str]]:
    known = "\n".join(
        f'<instance id={name} schema_type="Memory">\n{ {"content": text} }\n</instance>'
        for name, text in existing.items()
    )
    header = "================================ {} Message ================================="
    told = f"{header.format('Human')}\n\n{ASKED}\n\n{header.format('Ai')}\n\n{ANSWERED}"
    return [
        {"role": "system", "content": f"Remember.\n<existing>\n{known}\n</existing>"},
        {"role": "user", "content": f"Remember.\n\n<session_1>\n{told}\n</session_1>"},
    ]


def answered(messages: list[dict[str, str]]) -> Answer:
    turns = tuple(Turn(message["role"], message["content"]) for message in messages)
    return answer(Request("openai", "gpt-4.1-mini", turns, None, False, {}))


def test_mem0_is_answered_facts_of_the_new_messages_alone() -> None:
    told = json.loads(answered(as_mem0_asks([])).text)["memory"]
    assert [(fact["text"], fact["attributed_to"]) for fact in told] == [
        (MOVES, "user"),
        (VAN, "assistant"),
    ]
    assert [fact["linked_memory_ids"] for fact in told] == [[], []]


def test_mem0s_facts_are_linked_to_memories_that_say_nearly_the_same() -> None:
    existing = [{"id": "0", "text": "Bread is made of rye."}, {"id": "1", "text": KNOWN}]
    told = json.loads(answered(as_mem0_asks(existing)).text)["memory"]
    assert [fact["linked_memory_ids"] for fact in told] == [["1"], []]


def test_langmem_is_answered_a_tool_call_for_each_new_fact() -> None:
    told = answered(as_langmem_asks({}))
    assert [(call.name, json.loads(call.arguments)) for call in told.calls] == [
        ("Memory", {"content": MOVES}),
        ("Memory", {"content": VAN}),
    ]


def test_langmem_is_told_to_merge_a_fact_into_a_memory_that_says_nearly_the_same() -> None:
    first, second = answered(as_langmem_asks({"a": "Bread is made of rye.", "b": KNOWN})).calls
    merged = json.loads(first.arguments)
    assert (first.name, merged["json_doc_id"]) == ("PatchDoc", "b")
    assert merged["patches"] == [{"op": "replace", "path": "/content", "value": f"{MOVES} {KNOWN}"}]
    assert second.name == "Memory"


def post(server: ModelServer, messages: list[dict[str, str]]) -> dict[str, Any]:
    body = {"model": "gpt-4.1-mini", "messages": messages, "tools": TOOLS}
    request = urllib.request.Request(f"{server.url}/v1/chat/completions", json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {KEY}")
    with urllib.request.urlopen(request, timeout=20) as told:
        read = json.load(told)
    assert isinstance(read, dict)
    return read


def test_tools_are_paid_for_and_their_calls_are_output() -> None:
    with ModelServer(Setup(script=answer)) as server:
        asked = as_langmem_asks({})
        (choice,) = post(server, asked)["choices"]
        assert choice["finish_reason"] == "tool_calls"
        called = [call["function"] for call in choice["message"]["tool_calls"]]
        assert json.loads(called[0]["arguments"]) == {"content": MOVES}
        usage = server.meter.usage
    assert usage.prompt == sum(count(message["content"]) for message in asked) + count(
        json.dumps(TOOLS[0])
    )
    assert usage.output == sum(count(call["name"]) + count(call["arguments"]) for call in called)


def test_what_was_read_from_the_cache_counts_a_tenth_in_every_reckoning() -> None:
    with ModelServer(Setup(script=answer)) as server:
        asked = as_langmem_asks({"a": "Rye and water. " * 500})
        post(server, asked)
        post(server, asked)
        found = measured("langmem", server.meter, kept=2, wall=1.0)
    assert isinstance(found, Measured)
    prompt, read = found.usage.prompt, found.usage.read
    assert 0 < read < prompt // 2
    assert found.usage.billed_input == prompt - read + Decimal(read) / 10
    assert found.if_written == (prompt - read) * Decimal("1.25") + Decimal(read) / 10
    assert found.figures(1000)["times_conversation"] == pytest.approx(
        float(found.usage.billed_input) / 1000
    )


def test_a_run_whose_calls_failed_has_no_figures() -> None:
    meter = Meter()
    meter.note({"event": "arrived", "number": 1, "key": "k", "model": "m"})
    meter.note({"event": "failed", "number": 1, "fault": "400"})
    assert measured("mem0", meter, kept=0, wall=1.0) == NotMeasured("1 of mem0's calls failed")


def test_a_conversation_is_told_turn_by_turn_as_plain_text(tmp_path: Path) -> None:
    export = tmp_path / "export.json"
    talk = [
        user("One?", 1),
        assistant("One.", 1),
        assistant("And more.", 2),
        user("Two?", 2),
        assistant("Two.", 3),
    ]
    export.write_bytes(export_bytes(chat(*talk)))
    read = read_conversation(export)
    assert [[said["content"] for said in turn] for turn in read.turns] == [
        ["One?", "One.", "And more."],
        ["Two?", "Two."],
    ]
    assert read.tokens == sum(map(count, ("One?", "One.", "And more.", "Two?", "Two.")))


def test_no_file_of_the_project_imports_a_peer() -> None:
    imports = re.compile(r"^\s*(?:import|from) (?:mem0|lang\w+|qdrant_client)\b", re.MULTILINE)
    folders = ("daemon", "rules", "primer", "service", "tests")
    importing = {
        path.relative_to(ROOT)
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if imports.search(path.read_text("utf-8"))
    }
    assert importing == {(HERE / f"{peer}_driver.py").relative_to(ROOT) for peer in PACKAGES}


def test_no_peer_is_a_dependency_of_the_project() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = json.dumps([declared["project"]["dependencies"], declared["dependency-groups"]])
    locked = (ROOT / "locks/development.txt").read_text("utf-8")
    for package in PACKAGES.values():
        assert package not in wanted
        assert not re.search(rf"^{package}==", locked, re.MULTILINE)


@pytest.mark.parametrize("peer", PACKAGES)
def test_everything_that_a_peer_needs_is_locked_by_version_and_hash(peer: str) -> None:
    lines = (HERE / f"{peer}.txt").read_text("utf-8").replace("\\\n", " ").splitlines()
    locked = [line for line in lines if re.match(r"\w", line)]
    assert f"{PACKAGES[peer]}=={version(peer)}" in " ".join(locked)
    assert all("==" in line and "--hash=sha256:" in line for line in locked)
    assert not any("://" in line for line in lines)
