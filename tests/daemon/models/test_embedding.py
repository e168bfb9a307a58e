"""An embedding model is asked over HTTP, and answers how alike texts are."""

import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from daemon.models import completion
from daemon.models.completion import complete
from primer.prompt import Turn
from primer.reply import EMBEDDING, Request
from rules.errors import ModelError, ProviderRefuses
from rules.money.price import Price, rates
from tests.known import known
from tests.server.server import ModelServer
from tests.server.setup import KEY
from tests.server.tokens import count

TEXTS = ("Ada likes tea with milk", "Ada likes tea with much milk", "Tomas takes the ferry")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def asking(server: ModelServer, key: str = KEY, **options: object) -> Request:
    route = {"api_base": f"{server.url}/v1", "api_key": key, **options}
    turns = tuple(Turn("user", text) for text in TEXTS)
    return Request(EMBEDDING, known("openai/text-embedding-3-small", route), turns, 0)


def test_the_answer_is_the_cosines_of_the_texts_and_not_their_vectors(server: ModelServer) -> None:
    answer = complete(asking(server, dimensions=512))
    rows = json.loads(answer.text)
    assert [len(row) for row in rows] == [2, 1, 0]
    assert rows[0][0] == pytest.approx(5 / (5 * 6) ** 0.5, abs=1e-4)
    assert rows[0][1] < 0.5
    assert len(answer.text) < 60
    assert (answer.finish, answer.tokens_in, answer.tokens_out) == (
        "stop",
        sum(map(count, TEXTS)),
        0,
    )
    assert server.meter.embeddings.calls == 1


def test_a_wrong_key_is_what_it_is_for_every_call_and_asked_with_once(server: ModelServer) -> None:
    with pytest.raises(ProviderRefuses):
        complete(asking(server, "wrong"))
    assert server.meter.embeddings.calls == 0


@pytest.mark.parametrize(
    ("model", "dollars"), [("openai/text-embedding-3-small", 0.02), ("mistral/mistral-embed", 0.1)]
)
def test_an_embedding_model_has_a_price_though_the_map_may_name_none_for_answers(
    model: str, dollars: float
) -> None:
    assert known(model).price == Price(rates(dollars, 0))


class Short:
    """A provider that answers with fewer vectors than there were texts."""

    def embedding(self, **_: object) -> SimpleNamespace:
        return SimpleNamespace(
            data=[{"index": 0, "embedding": [1.0]}], usage=None, _hidden_params={}
        )


def test_a_provider_that_leaves_out_vectors_is_told_of() -> None:
    request = Request(
        EMBEDDING, known("somebody/short"), (Turn("user", "one"), Turn("user", "other")), 0
    )
    with pytest.raises(ModelError, match="one vector for each text") as told:
        completion._likeness(Short(), request, {})
    assert "facts.embedding" in told.value.next_step
