"""Answers in files, judged as they are where memories are written.

    python -m tests.rules.checks.judged PASSAGES ANSWERS    says of each what is refused, and why

A record is about one passage and holds a quote, a view (`analysis`) and a memory (`summary`).
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from primer.reply import Refused, judge, read_reply, refuse_control_mark, refuse_repeated
from primer.wording import without_tag_around
from rules.checks.checks import first_fault
from rules.checks.form import Form
from rules.layers.names import find_names
from tests.server.asking import TEXTS

SEEN = Path(__file__).with_name("seen")
STEPS = {"quote": "quote", "analysis": "perspective", "summary": "refinement"}
"""The questions that the parts of a record answer."""


def read_passages(path: Path) -> Mapping[str, Any]:
    """The passages of a file by their ids."""
    return {passage["id"]: passage for passage in json.loads(path.read_text("utf-8"))}


def faults(record: Any, passage: Any) -> Iterator[str]:
    """Yield why each part of a record is asked for again."""
    said = [message["text"] for message in passage["passage"]]
    by_person = [turn["text"] for turn in passage["passage"] if turn["role"] == "user"]
    system = f"You are {passage['persona']}. You talk with {passage['person']}."
    names = frozenset({passage["person"].casefold()})
    who = find_names(system, [f"My name is {passage['person']}"], ())
    earlier: list[str] = []
    for part, step in STEPS.items():
        answer = record["answers"][part]
        read = read_reply(answer, "stop", said)
        if isinstance(read, Refused):
            yield read.kind
            continue
        text = without_tag_around(read.text) if step == "quote" else read.text
        seen = [system, TEXTS.primer, *said, *earlier]
        form = Form(text, step, said, by_person, TEXTS.primer, names, who.own_names, seen)
        refused = refuse_control_mark(text, said) or judge(text, step, step, said)
        refused = refused or refuse_repeated(text, earlier)
        fault = None if refused else first_fault(form)
        earlier.append(text)
        if refused or fault:
            yield f"{part}: {refused.kind if refused else fault.name if fault else ''}"


def judged(name: str) -> list[tuple[Any, list[str]]]:
    """Return the records of a file of answers that was seen, each with why it is asked again."""
    passages = read_passages(SEEN / "passages.json")
    records = json.loads((SEEN / f"{name}.json").read_text("utf-8"))
    return [(record, list(faults(record, passages[record["passage_id"]]))) for record in records]


def main() -> None:
    """Say of each record of a file whether it is kept."""
    passages = read_passages(Path(sys.argv[1]))
    records = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    kept = 0
    for record in records:
        refused = list(faults(record, passages[record["passage_id"]]))
        kept += not refused
        print(record["id"], record["kind"], "; ".join(refused) or "kept")  # noqa: T201
    print(f"{kept} of {len(records)} kept")  # noqa: T201


if __name__ == "__main__":
    main()
