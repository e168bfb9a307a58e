"""A step of facts that is done once more, as after a kill, takes nothing that the person has forgotten meanwhile."""

import json
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from tests.server.facts import operations
from tests.server.setup import KEY
from tests.stories.facts import facts, history, known
from tests.stories.statements import Keeper, telling

MISO, LISBON = "The person's cat is called Miso.", "The person lives in Lisbon."
TEA = "The person drinks tea."
SAID = ("I live in Lisbon.", "My cat is called Miso.", "In the morning I drink tea.")


@pytest.mark.full
@pytest.mark.timeout(200)
def test_what_is_forgotten_is_never_taken_from_the_same_message_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    keeper = Keeper()
    with telling(tmp_path / "ada", keeper, *SAID) as ada:
        ada.round()
        assert known(ada) == {1: LISBON, 2: MISO, 3: TEA}
        assert facts(ada, "forget", "2").code == 0
        (memory,) = (memory.memory_id for memory in ada.memories() if memory.number == 2)
        with Archive.open(ada.person.home / "state") as archive:
            archive.run("UPDATE layer_step SET done_at = NULL WHERE memory = ?", (memory,))
        keeper.take = lambda task: operations([{"event": "ADD", "text": MISO}])
        ada.talk(800)
        ada.drop()
        ended = ada.person.memproc("run", "--json")
        assert json.loads(ended.out)["noted"] == {"fact refused: forgotten before": 1}
        assert known(ada) == {1: LISBON, 3: TEA, 4: MISO}, "another message says it anew"
        assert history(ada, 4)[0]["memory"] > 2
