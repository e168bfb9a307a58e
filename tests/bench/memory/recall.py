"""What a persona can look up: one search with the question's own words, then what it found, opened, the best first."""

from functools import cache
from pathlib import Path

from daemon.cli.settings import Settings
from daemon.recall.finding import Wanted, find_text
from daemon.recall.library import Library
from daemon.recall.whole_record import RecallOpen
from tests.bench.memory.contexts import made_and_tail
from tests.bench.memory.questions import AskedOfChat
from tests.bench.memory.runs import CompressedChat
from tests.server.tokens import count

TOKENS = 4_000
_LONGEST_QUERY = 300  # characters
_MOST_PLACES = 10


def made_tail_and_recall(chat: CompressedChat, question: AskedOfChat) -> str:
    """What the person goes on with, and what the persona looks up when it is asked this."""
    return f"{made_and_tail(chat, question)}\n{looked_up(_library(chat.home), question.text)}"


def looked_up(library: Library, question: str, tokens: int = TOKENS) -> str:
    """The answers of the tools, together no more than so many tokens; one that would be too much is passed over."""
    hits = find_text(library, Wanted(question[:_LONGEST_QUERY], limit=_MOST_PLACES))
    answers = [hits.text]
    for hit in hits.data["hits"]:
        if any(f"(message {hit['id']})" in answer for answer in answers[1:]):
            continue  # it stands beside one that is open
        opened = RecallOpen(record=hit["id"], chat=hit.get("chat", "")).look_up(library)
        if sum(map(count, answers)) + count(opened.text) <= tokens:
            answers.append(opened.text)
    return "\n\n".join(answers)


@cache
def _library(home: Path) -> Library:
    settings = Settings(home / "memproc.toml", quiet=True)
    return Library(settings.config, settings.folders.state)
