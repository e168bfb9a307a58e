"""Real long conversations, where there are any: in $MEMPROC_EXPORTS, or in an `exports` folder beside the checkout."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.reports import report

ROOT = Path(__file__).parents[2]
NAMED = os.environ.get("MEMPROC_EXPORTS")
FOLDERS = [Path(NAMED)] if NAMED else sorted(ROOT.parent.glob("*/exports"))
FOUND = sorted(
    path
    for folder in FOLDERS
    for path in folder.glob("*.json")
    if b'"chats"' in path.read_bytes()[:200]
)
HAIKU = '[models]\nagent = "anthropic/claude-haiku-5-5"\n[budget]\nrun_usd = 50\nday_usd = 50\n'
SHORT = 1_000_000
SHORTEST = min((path.stat().st_size for path in FOUND), default=0)
"""Bytes of the one that the default suite takes; the others belong to the long suite."""


def _each() -> list[Any]:
    if not FOUND:
        return [
            pytest.param(
                None,
                marks=pytest.mark.skip("no real exports: set MEMPROC_EXPORTS to a folder of them"),
            )
        ]
    return [
        pytest.param(
            path, id=path.stem, marks=[] if path.stat().st_size == SHORTEST else [pytest.mark.long]
        )
        for path in FOUND
    ]


@pytest.mark.full
@pytest.mark.parametrize("source", _each())
@pytest.mark.timeout(300)
def test_a_real_conversation_is_compressed_proved_and_left_alone_after(
    tmp_path: Path, source: Path
) -> None:
    person = Person(tmp_path / "ada", tail=30_000, step=8_000, chunk=4_000)
    original = json.loads(source.read_bytes())["data"]["chats"][0]
    person.drop(source.read_bytes())

    ended = person.memproc("run")

    assert (ended.code, ended.err) == (0, "")
    found = person.chat()
    live = [message for message in found["messages"] if "memproc" not in message]
    assert live == original["messages"][-len(live) :]
    memories = json.loads(person.memproc("memories", original["chatID"], "--json").out)["memories"]
    covered = [key for memory in memories if not memory["members"] for key in memory["keys"]]
    assert covered + [message["uuid"] for message in live] == [
        message["uuid"] for message in original["messages"]
    ]
    said = {
        message["uuid"]: json.dumps(message, ensure_ascii=False) for message in original["messages"]
    }
    for memory in memories:
        for quote in memory["edition"]["quotes"]:
            assert json.dumps(quote["text"], ensure_ascii=False)[1:-1] in said[quote["source"]]
        assert memory["edition"]["tokens"] * 2 <= memory["source_tokens"]
    before = person.bytes_of_everything()
    assert person.memproc("run").code == 0
    assert person.bytes_of_everything() == before
    assert person.memproc("verify").code == 0
    path = tmp_path / "whole.json"
    assert person.memproc("expand", original["chatID"], "--output", path).code == 0
    assert json.loads(path.read_bytes())["data"]["chats"][0]["messages"] == original["messages"]


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("source", _each())
def test_a_plan_says_within_a_seventh_what_the_provider_will_bill(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once replies have shown how the model counts; here it counts as we do."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(tmp_path / "another server", None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ada = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
        ada.settings(HAIKU)
        ada.drop(export_bytes(long_chat(6_000, tokens_each=300)))
        assert ada.memproc("run").code == 0
    ada = replace(ada, tail=30_000, step=24_000, chunk=4_000)
    ada.settings(HAIKU)
    ada.drop(source.read_bytes())
    (planned,) = report(ada, "plan")["chats"]
    money = planned["money"]
    with serve(tmp_path / "server", None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        assert ada.memproc("run").code == 0
        used = server.meter.usage
    billed = (used.fresh * 0.1 + used.written * 0.125 + used.read * 0.01 + used.output * 0.5) / 1e6
    assert billed <= money["at_most_usd"]
    assert money["likely_usd"] == pytest.approx(billed, rel=1 / 7)
    assert money["tokens"]["cached_share"] == pytest.approx(used.read / used.prompt, abs=0.02)
