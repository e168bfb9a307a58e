"""The structure of every request that a model server has seen, as requirement 10 wants it."""

import json
from collections.abc import Sequence
from itertools import takewhile

from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message
from tests.hostile.forgeries import TEXTS
from tests.hostile.reading import Block, as_it_was, read_request
from tests.hostile.rounds import Round
from tests.hostile.talk import TOLD_THE_PERSONA, lived, shown
from tests.server.child import ServerProcess
from tests.server.log import read_events


def check_requests(server: ServerProcess, known: Round) -> int:
    """Every request that the server has seen has the structure of requirement 10; how many there were."""
    history, chunks = lived(known.said), known.chunks()
    bodies = [event["body"] for event in read_events(server.log) if event["event"] == "arrived"]
    for body in bodies:
        json.dumps(body, ensure_ascii=False).encode()
        system, blocks = read_request(body)
        passage = [block for block in blocks if block.tag == "to_remember"]
        said = [as_it_was(block.words) for block in passage]
        (chunk,) = [one for one in chunks if said == [shown(history[at]) for at in one]]
        for block, at in zip(passage, chunk, strict=True):
            real = parse_date(history[at].created_at) is not None
            assert block.attributes.get("date") == (history[at].created_at if real else None)
            assert block.attributes.get("role", history[at].speaker) == history[at].speaker
        if system.strip() == TEXTS.analyst:
            is_an_analysis(blocks)
        else:
            assert as_it_was(system).strip() == f"{TOLD_THE_PERSONA}\n\n{TEXTS.primer}"
            is_a_dialogue(blocks, history, chunks, chunk)
    return len(bodies)


def is_an_analysis(blocks: Sequence[Block]) -> None:
    """The passage, with the role of each message, and the question."""
    assert [block.tag for block in blocks[-2:]] == ["to_remember", ""]
    assert all(block.tag == "to_remember" and "role" in block.attributes for block in blocks[:-1])
    assert {block.role for block in blocks} == {"user"}


def is_a_dialogue(
    blocks: Sequence[Block], history: Sequence[Message], chunks: Sequence[range], chunk: range
) -> None:
    """Memories, tail, passage, and a dialogue that is the agent's turn to answer."""
    began = next(at for at, block in enumerate(blocks) if block.tag == "to_remember")
    before, passage = blocks[:began], blocks[began : began + len(chunk)]
    assert [(block.tag, block.role) for block in passage] == [
        ("to_remember", history[at].speaker) for at in chunk
    ]
    canned = [at for at, block in enumerate(before) if block.tag == "system"]
    memories, tail = (
        before[1 : canned[1]] if canned else [],
        before[canned[1] + 1 :] if canned else before,
    )
    if canned:
        assert canned == [0, len(memories) + 1]
        assert [(before[at].role, before[at].words) for at in canned] == [
            ("user", TEXTS.opening), ("user", TEXTS.closing),
        ]  # fmt: skip
    asked, answered = ("context_manager", "user"), ("", "assistant")
    assert [(block.tag, block.role) for block in memories] == [asked, answered] * (
        len(memories) // 2
    )
    start = chunks[len(memories) // 6].start
    assert [(block.tag, block.role, as_it_was(block.words).strip()) for block in tail] == [
        ("", history[at].speaker, shown(history[at])) for at in range(start, chunk.start)
    ]
    rest = blocks[began + len(chunk) :]
    if (rest[0].tag, rest[0].words) == ("context_manager", TEXTS.hindsight):
        later = list(takewhile(lambda block: block.tag != "context_manager", rest[1:]))
        assert [(block.tag, block.role, as_it_was(block.words).strip()) for block in later] == [
            ("", history[at].speaker, shown(history[at]))
            for at in range(chunk.stop, chunk.stop + len(later))
        ]
        rest = rest[1 + len(later) :]
    dialogue = [(block.tag, block.role) for block in rest]
    assert dialogue == [asked, answered] * (len(dialogue) // 2) + [asked]
