"""What models answer, as a fuzz target: whatever it is, it is read, or refused with a reason that can be said."""

from functools import cache

from daemon.files.read import chats_in
from primer.core_questions import read_edits
from primer.fact_questions import read_operations
from primer.prompt import ToolCall
from primer.reply import (
    Answered,
    is_forged,
    judge,
    read_reply,
    refuse_control_mark,
    refuse_repeated,
)
from rules.conversation.history import Entry, build_history, mark_strays
from rules.conversation.quote import Verbatim, find_quote, nearest_passage
from rules.layers.core import CoreMemory, Refusal
from rules.layers.core_layout import ChatLayout, apply_edit
from rules.layers.fact_operations import KnownFacts, carry_out
from rules.layers.facts import Fact, Source
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from tests.chats import chat, conversation, export_bytes

_ENDINGS = ("stop", "length", "tool_calls", "content_filter", "")
_LAYOUT = ChatLayout()


def answers(data: bytes) -> None:
    """Read bytes as an answer to each question that memproc asks; the first byte says how it ended."""
    finish = _ENDINGS[data[0] % len(_ENDINGS)] if data else ""
    text = data[1:].decode("utf-8", "replace")
    reply = read_reply(text, finish, [entry.message.text for entry in _chunk()])
    if isinstance(reply, Answered):
        assert reply.text in text, "what is taken off is around it"
        _judge(reply.text)
    else:
        assert reply.reason
    _edit(text)
    _operate(text)


def _judge(text: str) -> None:
    passage = [entry.message.text for entry in _chunk()]
    for step in ("quote", "analysis"):  # of the other steps, answers are judged as an analysis is
        refused = judge(text, step, "What was it to you?", passage) or refuse_control_mark(
            text, passage
        )
        assert refused is None or refused.reason
    refuse_repeated(text, passage)
    is_forged(text)
    for found in (find_quote(text, _chunk()), nearest_passage(text, _chunk())):
        if isinstance(found, Verbatim):
            assert any(found.text in said for said in passage), "a quote is verbatim"


def _edit(text: str) -> None:
    memory = CoreMemory(tuple(_LAYOUT.sections))
    calls = (ToolCall("1", "core_memory_append", text), ToolCall("", text[:20], text))
    for edit in (
        *read_edits(text, (), native=True),
        *read_edits(text, (), native=False),
        *read_edits(text, calls, True),
    ):
        after = edit if isinstance(edit, Refusal) else apply_edit(_LAYOUT.functions, memory, edit)
        if isinstance(after, Refusal):
            assert after.reason
        else:
            assert all(len(section.rendered) <= section.limit for section in after)


def _operate(text: str) -> None:
    read = read_operations(text)
    if read is None:
        return
    facts = [
        Fact(1, "She keeps the lighthouse.", "", ("k",), 0, "model"),
        Fact(2, "He likes tea.", "", ("k",), 0, "model"),
    ]
    sources = [Source(entry.key, entry.message.text, "") for entry in _chunk()]
    outcome = carry_out(read.read, KnownFacts(facts, facts, (), sources, 3))
    assert all(event.text.strip() for event in outcome.events if event.event in ("ADD", "UPDATE"))


@cache
def _chunk() -> tuple[Entry, ...]:
    (read,) = chats_in("fuzz", export_bytes(chat(*conversation(2, 30))))
    return tuple(build_history((), mark_strays((), recognize(read_messages(read), {}))))
