"""Answers what the peers ask: facts out of the given text, in the shape that each of them reads.

Two facts a turn, always. Where an existing memory says nearly the same, mem0's fact is linked to it, since mem0 only
adds, and LangMem's is merged into it.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from heapq import nlargest

from tests.server.passage import Said, sentences, words
from tests.server.reply import Answer, Call
from tests.server.request import Request
from tests.server.scribe import scribe

FACTS_A_TURN = 2
_LONGEST_FACT, _LONGEST_MEMORY = 40, 80
_ALIKE = 0.2
_HEADER = re.compile(r"^(?:=+ .* =+|user: |assistant: )", re.MULTILINE)
_MEM0 = re.compile(
    r"^## Existing Memories\n(\[.*?)\n\n## New Messages\n(.*)\n\n## Observation Date$",
    re.DOTALL | re.MULTILINE,
)
_LANGMEM_EXISTING = re.compile(
    r"<instance id=(\S+) schema_type=[^>]*>\n(.*?)\n</instance>", re.DOTALL
)
_LANGMEM = re.compile(r"<session_\S+>\n(.*)\n</session_", re.DOTALL)


def answer(request: Request) -> Answer:
    """What a peer's question is answered; any other request gets the scribe's answer."""
    told, asked = request.turns[0].text, request.turns[-1].text
    if mem0 := _MEM0.search(asked):
        return _as_mem0_reads(mem0[2], json.loads(mem0[1]))
    if langmem := _LANGMEM.search(asked):
        return _as_langmem_reads(langmem[1], _LANGMEM_EXISTING.findall(told))
    return scribe(request)


def facts(text: str) -> list[str]:
    """The longest sentences of a text that are short enough, in its order; where none is, the first one's beginning."""
    offered = [sentence for _, sentence in sentences([Said("", "", _HEADER.sub("", text))])]
    fitting = [sentence for sentence in dict.fromkeys(offered) if words(sentence) <= _LONGEST_FACT]
    chosen = set(nlargest(FACTS_A_TURN, fitting, key=words))
    return [fact for fact in fitting if fact in chosen] or [
        _cut(one, _LONGEST_FACT) for one in offered[:1]
    ]


def nearest(fact: str, existing: Mapping[str, str]) -> str | None:
    """The memory that shares the most words with a fact, by its id; None where none is much alike."""
    likeness = {name: _likeness(fact, memory) for name, memory in existing.items()}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= _ALIKE else None


def _as_mem0_reads(text: str, known: Sequence[Mapping[str, str]]) -> Answer:
    existing = {one["id"]: one["text"] for one in known}
    person = text.partition("\nassistant: ")[0]
    found = []
    for at, fact in enumerate(facts(text)):
        near = nearest(fact, existing)
        about = {
            "attributed_to": "user" if fact in person else "assistant",
            "linked_memory_ids": [near] if near else [],
        }
        found.append({"id": str(at), "text": fact, **about})
    return Answer(json.dumps({"memory": found}, ensure_ascii=False))


def _as_langmem_reads(text: str, known: Sequence[tuple[str, str]]) -> Answer:
    existing = {name: ast.literal_eval(told)["content"] for name, told in known}
    calls = []
    for fact in facts(text):
        near = nearest(fact, existing)
        if near is None:
            calls.append(Call("Memory", json.dumps({"content": fact}, ensure_ascii=False)))
        else:
            calls.append(_merging(near, existing.pop(near), fact))
    return Answer("", calls=tuple(calls))


def _merging(name: str, memory: str, fact: str) -> Call:
    """The newer fact first, and of the old memory what there is room for."""
    patch = {
        "op": "replace",
        "path": "/content",
        "value": _cut(f"{fact} {memory}", _LONGEST_MEMORY),
    }
    edits = {"json_doc_id": name, "planned_edits": "Put the newer fact first.", "patches": [patch]}
    return Call("PatchDoc", json.dumps(edits, ensure_ascii=False))


def _cut(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _likeness(one: str, other: str) -> float:
    """The share of words that both have in those that either has."""
    first, second = set(one.lower().split()), set(other.lower().split())
    return len(first & second) / len(first | second)
