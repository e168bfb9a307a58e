"""What the context manager is shown and asked so that it keeps the facts.

system     who it is
user       the passage: raw messages, each with its role, date and a number from 1; never memories
user       the facts to compare with, numbered afresh from 0, and the question
"""

import json
from collections.abc import Sequence

from primer.inert import keep_inert
from primer.prompt import Turn, to_remember
from primer.texts import Texts, fill
from rules.export.dates import parse_date
from rules.facts.fact import Fact
from rules.history.entries import Entry

_FORM = """\
{"memory": [
{"event": "ADD", "text": "...", "message": 1},
{"event": "UPDATE", "id": "...", "old_memory": "...", "text": "...", "message": 3},
{"event": "DELETE", "id": "...", "old_memory": "...", "message": 3},
{"event": "NONE", "id": "...", "message": 4}
]}"""


def numbered_passage(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """What stands before the question: the chunk and nothing else, each message with its number."""
    passage = "\n".join(
        to_remember(entry.message, entry.message.speaker, message=str(number)) for number, entry in enumerate(chunk, 1)
    )
    return Turn("system", texts.fact_keeper), Turn("user", passage)


def ask_facts(texts: Texts, shown: Sequence[Fact]) -> str:
    """The question, with the facts to compare with. The id of each is its place here, so that none can be made up."""
    listed = ",\n".join(json.dumps(_as_shown(number, fact), ensure_ascii=False) for number, fact in enumerate(shown))
    return fill(texts.facts, facts=f"[{listed}]", form=_FORM)


def _as_shown(number: int, fact: Fact) -> dict[str, str]:
    dated = {"date": fact.said_at[:10]} if parse_date(fact.said_at) else {}
    return {"id": str(number), "text": keep_inert(fact.text)} | dated
