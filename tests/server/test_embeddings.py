"""Vectors for texts: near where texts share words, and on an account of their own."""

import base64
import json
import urllib.request
from array import array
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.server.embeddings import vector
from tests.server.meter import Embeddings
from tests.server.server import ModelServer
from tests.server.setup import KEY
from tests.server.tokens import count
from tests.server.usage import Usage

LAMP, LENS, PIANO = (
    "The lamp needs a new lens.",
    "A new lens for the lamp is due.",
    "Ilse plays piano on Sundays.",
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def post(server: ModelServer, body: dict[str, Any], key: str = KEY) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{server.url}/v1/embeddings",
        json.dumps({"model": "text-embedding-3-small", **body}).encode(),
    )
    request.add_header("Authorization", f"Bearer {key}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        told = json.load(answer)
    assert isinstance(told, dict)
    return told


def near(one: str, other: str) -> float:
    return sum(left * right for left, right in zip(vector(one), vector(other), strict=True))


def test_texts_that_share_words_lie_nearer_than_texts_that_do_not() -> None:
    assert near(LAMP, LAMP) == pytest.approx(1, abs=1e-6)
    assert near(LAMP, LENS) > 0.5 > near(LAMP, PIANO)


def test_a_text_without_words_has_a_vector_of_length_one_too() -> None:
    assert near("…!", "…!") == pytest.approx(1, abs=1e-6)


def test_embeddings_are_counted_and_are_on_no_bill(server: ModelServer) -> None:
    told = post(server, {"input": [LAMP, PIANO]})
    assert [one["index"] for one in told["data"]] == [0, 1]
    assert told["data"][1]["embedding"] == vector(PIANO).tolist()
    post(server, {"input": LENS})
    tokens = sum(map(count, (LAMP, PIANO, LENS)))
    assert server.meter.embeddings == Embeddings(calls=2, texts=3, tokens=tokens)
    assert (server.meter.calls, server.meter.usage, dict(server.meter.failures)) == (0, Usage(), {})


def test_a_packed_vector_is_the_same_vector(server: ModelServer) -> None:
    (packed,) = post(server, {"input": LAMP, "encoding_format": "base64", "dimensions": 64})["data"]
    assert array("f", base64.b64decode(packed["embedding"])) == vector(LAMP, 64)


@pytest.mark.parametrize("given", [[], "", [""], [[1, 2]], None])
def test_what_is_no_text_is_refused(server: ModelServer, given: object) -> None:
    with pytest.raises(HTTPError, match="400"):
        post(server, {"input": given})
    assert server.meter.embeddings == Embeddings()


def test_a_wrong_key_is_refused(server: ModelServer) -> None:
    with pytest.raises(HTTPError, match="401"):
        post(server, {"input": LAMP}, key="wrong")
