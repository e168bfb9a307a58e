"""Chats are cut out of a document with their commas, and nothing else of it moves."""

import json
import random

import pytest

from rules.typingmind.document import lay_out_document, without_chats
from tests.chats import chat, conversation

IDS = ("a", "b", "c", "d")
_BLANKS = ("", " ", "\n  ", " \t")


def _document(seed: int) -> bytes:
    """An export of four chats with white space in odd places."""
    chance = random.Random(seed)

    def blank() -> str:
        return chance.choice(_BLANKS)

    chats = [json.dumps(chat(*conversation(2, 20), id=name, chatID=name)) for name in IDS]
    listed = ",".join(f"{blank()}{text}{blank()}" for text in chats)
    return f'{blank()}{{"data":{blank()}{{"chats":{blank()}[{listed}],"folders":[1]}},"more":"a,b"}}{blank()}'.encode()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("chosen", range(16))
def test_what_is_left_is_the_document_without_those_chats(seed: int, chosen: int) -> None:
    data = _document(seed)
    dropped = {name for at, name in enumerate(IDS) if chosen >> at & 1}
    left = json.loads(without_chats(data, lay_out_document("x", [data]), dropped))
    expected = json.loads(data)
    expected["data"]["chats"] = [
        each for each in expected["data"]["chats"] if each["id"] not in dropped
    ]
    assert left == expected


def test_without_any_of_its_chats_the_document_keeps_its_bytes() -> None:
    data = _document(1)
    assert without_chats(data, lay_out_document("x", [data]), {"nobody"}) == data


def test_chats_of_two_lists_are_not_joined_by_what_stands_between_them() -> None:
    first, second, third = (
        json.dumps(chat(*conversation(2, 20), id=name, chatID=name)) for name in IDS[:3]
    )
    data = f'{{"chats":[{first}],"data":{{"chats":[{second},{third}]}}}}'.encode()
    layout = lay_out_document("x", [data])
    for dropped, lists in (
        ({"a"}, ([], ["b", "c"])),
        ({"c"}, (["a"], ["b"])),
        ({"a", "b"}, ([], ["c"])),
    ):
        left = json.loads(without_chats(data, layout, dropped))
        assert [
            [each["id"] for each in chats] for chats in (left["chats"], left["data"]["chats"])
        ] == list(lists)
