"""What fits into a model's context window: the plan says it before, and the provider's own count after."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.wording import about_it
from tests.chats import export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.wire import exported_texts, made_by, memories, sent

pytestmark = pytest.mark.timeout(200)
WINDOW = 8192
LONG = export_bytes(long_chat(52_000, tokens_each=1000))
SHORT = export_bytes(long_chat(5400, tokens_each=300))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """A server on the person's own machine, whose model reads 8,192 tokens, and refuses what is longer."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(tmp_path / "server", {"bodies": True}) as running:
        yield running


def person(
    tmp_path: Path, server: ServerProcess, *, tail: int, step: int, chunk: int, models: str
) -> Person:
    """Somebody whose OpenAI-compatible models are on this server, and asked one after the other."""
    made = Person(tmp_path / "olu", tail, step, chunk)
    made.settings(
        f'[models]\nconcurrency = 1\n{models}[models.options."openai/*"]\napi_base = "{server.url}/v1"\n'
    )
    return made


def local(window: int = 0) -> str:
    said = f"window = {window}\n" if window else ""
    return f'agent = "openai/local-8k"\n{said}'


@pytest.mark.full
def test_default_sizes_do_not_fit_a_small_window_and_the_plan_says_what_and_by_how_much(
    tmp_path: Path, server: ServerProcess
) -> None:
    olu = person(tmp_path, server, tail=30_000, step=8000, chunk=4000, models=local(WINDOW))
    olu.drop(LONG)
    planned = olu.memproc("plan")
    assert planned.code == 1
    assert "The lighthouse, export.json would be skipped\n  Chunk 1 needs about " in planned.out
    (told,) = json.loads(olu.memproc("plan", "--json").out)["chats"]
    assert told["outcome"] == "skipped"
    assert told["reason"].startswith('"The lighthouse": Chunk 1 ')
    needed, over = (int(words.split()[-1].replace(",", "")) for words in _around(told["reason"]))
    assert needed - WINDOW * 95 // 100 == over > 0
    assert "The largest part is the chunk (" in told["reason"]
    assert told["next_step"].endswith("fit into 8,192: memproc config fit openai/local-8k")

    ended = olu.memproc("run")
    assert ended.code == 1
    assert about_it(told["reason"], "The lighthouse") in ended.err
    assert told["next_step"] in ended.err
    assert olu.updated() == []
    assert sent(server) == []


def _around(reason: str) -> tuple[str, str]:
    """What stands before " tokens of context", and before " too many"."""
    return reason.partition(" tokens of context")[0], reason.partition(" too many")[0]


@pytest.mark.full
def test_with_smaller_tail_and_chunk_all_goes_through_and_nothing_is_too_long(
    tmp_path: Path, server: ServerProcess
) -> None:
    olu = person(tmp_path, server, tail=2800, step=0, chunk=700, models=local(WINDOW))
    olu.drop(SHORT)
    planned = olu.memproc("plan")
    assert planned.code == 0
    assert "whose window holds 8,192 tokens" in planned.out
    ended = olu.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert made_by(olu) == {"model"}
    assert len(exported_texts(olu.chat())) == len(memories(olu)) >= 3
    rooms = [request.body["max_tokens"] for request in sent(server)]
    bills = [server.meter.bills[number] for number in sorted(server.meter.bills)]
    assert server.meter.failures == {}
    assert max(bill.usage.prompt + room for bill, room in zip(bills, rooms, strict=True)) <= WINDOW


@pytest.mark.full
def test_where_the_window_is_smaller_than_told_the_providers_refusal_is_told_with_the_parts(
    tmp_path: Path, server: ServerProcess
) -> None:
    olu = person(tmp_path, server, tail=30_000, step=8000, chunk=4000, models=local(128_000))
    olu.drop(LONG)
    assert "whose window holds 128,000" in olu.memproc("plan").out
    before = olu.bytes_of_everything()
    ended = olu.memproc("run")
    assert ended.code == 1
    assert 'The lighthouse, export.json: skipped. "The lighthouse", chunk 2: ' in ended.err
    assert "too long for the context window of openai/local-8k: " in ended.err
    assert " tokens for 8,192, " in ended.err
    assert "The largest part is " in ended.err
    assert "the tail " in ended.err
    assert "the chunk " in ended.err
    assert "tail.tokens and chunk.tokens" in ended.err
    assert set(server.meter.failures) == {"400"}
    assert set(server.meter.seen.values()) == {1}, "nothing is asked again in vain"
    assert olu.updated() == []
    assert olu.bytes_of_everything() == before


@pytest.mark.long
def test_a_later_run_with_smaller_sizes_goes_on_where_the_window_was_too_small(
    tmp_path: Path, server: ServerProcess
) -> None:
    olu = person(tmp_path, server, tail=12_000, step=0, chunk=3000, models=local(128_000))
    olu.drop(export_bytes(long_chat(24_000, tokens_each=600)))
    assert olu.memproc("run").code == 1
    kept = memories(olu)
    assert len(kept) == 2
    olu = person(tmp_path, server, tail=2800, step=0, chunk=700, models='agent = "openai/gpt-4o"\n')
    ended = olu.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert memories(olu)[:2] == kept, "a memory that is made stays, whatever the sizes"
    assert len(memories(olu)) > 2
    assert server.meter.finished_and_seen_again == []


def test_a_context_manager_with_a_small_window_is_told_apart_from_the_agent(
    tmp_path: Path, server: ServerProcess
) -> None:
    models = 'agent = "openai/gpt-4o"\ncontext_manager = "openai/local-8k"\n'
    models += '[models.options."openai/local-8k"]\nwindow = 128000\n'
    olu = person(tmp_path, server, tail=40_000, step=0, chunk=10_000, models=models)
    olu.drop(LONG)
    assert "whose window holds 128,000 tokens" in olu.memproc("plan").out
    ended = olu.memproc("run")
    assert ended.code == 1
    assert "too long for the context window of openai/local-8k: " in ended.err
    assert "The largest part is the chunk (" in ended.err
    assert "the tail " not in ended.err
    assert olu.updated() == []


@pytest.mark.full
def test_the_window_of_a_known_model_needs_no_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    olu = Person(tmp_path / "olu", tail=140_000, step=0, chunk=20_000)
    olu.drop(export_bytes(long_chat(330_000, tokens_each=4000)))
    olu.settings('[models]\nagent = "anthropic/claude-haiku-5-5"\n[budget]\nabove_step = true\n')
    assert "whose window holds 1,000,000 tokens" in olu.memproc("plan").out
    olu.settings('[models]\nagent = "anthropic/claude-haiku-4-5"\n')
    planned = olu.memproc("plan")
    assert planned.code == 0, "the tail has given way"
    assert "whose window holds 200,000 tokens" in planned.out


@pytest.mark.full
def test_a_prompt_in_the_dearer_tier_is_not_sent_unless_the_person_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    olu = Person(tmp_path / "olu", tail=2000, step=0, chunk=500)
    olu.drop(export_bytes(long_chat(5400, tokens_each=300)))
    models = '[models]\nagent = "anthropic/claude-haiku-5-5"\n'
    price = '[[budget.price]]\nmodel = "*"\nas_of = "2026-11-21"\ninput = 1\noutput = 5\nabove = 2500\ninput_above = 2\n'
    olu.settings(models + price)
    with serve(tmp_path / "server", None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ended = olu.memproc("run")
        assert (ended.code, server.meter.calls) == (1, 0)
        for told in (
            "above 2,500 the model costs more",
            "The largest part is system message and primer (",
            "budget.above_step = true",
        ):
            assert told in ended.err
            assert told in olu.memproc("plan").out
        olu.settings(models + "[budget]\nabove_step = true\n" + price)
        assert olu.memproc("run").code == 0
        assert max(bill.usage.prompt for bill in server.meter.bills.values()) > 3000
