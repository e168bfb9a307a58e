"""Why a question of an evaluation is not asked is kept with it: unclear, said elsewhere, or guessed."""

import json
from collections import Counter

import pytest

from daemon.archive.archive import Archive
from rules.evaluate.questions import GUESSED, SAID_ELSEWHERE, UNCLEAR
from tests.server.examined import Examined
from tests.server.reply import Answer, Reply
from tests.server.request import Request
from tests.stories.examining import evaluated, serving
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)


def states(person: Person) -> Counter[str]:
    """How many questions there are, by why they are not asked; "" for those that are."""
    with Archive.read(person.home / "state") as archive:
        return Counter(archive.column("SELECT state FROM question"))


def careless(request: Request) -> Reply:
    """Write questions whose answer the chunk does not have, and ask for what was said elsewhere."""
    reply = Examined()(request)
    if not isinstance(reply, Answer) or not reply.text.startswith('{"questions"'):
        return reply
    written = json.loads(reply.text)
    written["questions"][0]["right"] = "nobody ever said this."
    written["unsaid"]["choices"][0] = "The harbour master."
    return Answer(json.dumps(written))


@pytest.mark.full
def test_what_its_own_chunk_does_not_answer_or_was_said_elsewhere_is_not_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, careless):
        arm = evaluated(eve)["arms"][0]
    assert states(eve) == {"": 20, UNCLEAR: 10, SAID_ELSEWHERE: 10}
    assert arm["known"]["questions"] == 20
    assert arm["made_up"] is None


@pytest.mark.full
def test_what_the_model_answers_without_the_conversation_is_not_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(share=0.0, otherwise=lambda question, right: "A")):
        asked = evaluated(eve)["arms"][0]["known"]["questions"]
    assert states(eve)[GUESSED] == 30 - asked > 0
