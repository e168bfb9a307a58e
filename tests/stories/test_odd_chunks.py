"""A chat whose beginning holds no prose is compressed as any other: its memories say what was there."""

from pathlib import Path

import pytest

from tests.chats import assistant, chat, conversation, export_bytes, texts, user
from tests.stories.person import Person
from tests.stories.rounds import life

CODE = "```python\n" + "keep(light, until=dawn)\n" * 60


def test_emoji_and_code_become_memories_without_a_key(tmp_path: Path) -> None:
    emoji = [
        write("😀👍🏽🎉" * 4, number)
        for number in range(1, 61)
        for write in ((user, assistant)[number % 2],)
    ]
    code = [
        write(CODE, number)
        for number in range(61, 65)
        for write in ((user, assistant)[number % 2],)
    ]
    ada = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
    ada.drop(export_bytes(chat(*emoji, *code, *conversation(40, 120, first=100))))
    ended = ada.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    told = texts(ada.chat()["messages"])
    assert any(
        text.startswith("We exchanged ") and text.endswith(" messages of emoji alone.")
        for text in told
    )
    assert any("of code or tables alone." in text for text in told)
    assert not any("```" in text for text in told)
    assert ada.memproc("verify").code == 0
    assert "0 written, 1 unchanged" in ada.memproc("run").out


@pytest.mark.full
def test_with_a_model_plan_and_run_agree_that_nobody_is_asked_about_emoji(tmp_path: Path) -> None:
    emoji = [
        write("😀👍🏽🎉" * 4, number)
        for number in range(1, 61)
        for write in ((user, assistant)[number % 2],)
    ]
    with life(tmp_path / "aria", memory="hindsight = 0") as aria:
        aria.person.drop(export_bytes(chat(*emoji, *conversation(40, 120, first=100))))
        plan = aria.plan()
        without = sum(not chunk["asks_agent"] for chunk in plan["chunks"])
        assert 0 < without < len(plan["chunks"])
        assert plan["calls"] == 4 * (len(plan["chunks"]) - without)
        ended = aria.person.memproc("run")
        assert (ended.code, ended.err) == (0, ""), ended
        assert len(aria.server.requests) == plan["calls"]
        assert f"{without} of them extracted" in ended.out
